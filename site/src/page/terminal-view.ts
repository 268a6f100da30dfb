/**
 * The terminal beside a page: what was printed, and a line to type into.
 *
 * @module
 */
import { UnfinishedError, parseScript } from "../shell/parse.ts";
import type { ClusterObserver, PageClusterClient } from "./cluster.ts";
import { EditorView } from "./editor-view.ts";
import { button, copyText, element } from "./elements.ts";
import { fragmentOf } from "./state-link.ts";

/** The most characters that stay in view. */
const MAX_SHOWN = 200_000;
const MAX_HISTORY = 500;
/** The exit code of a command that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** The terminal of a page. */
export class TerminalView {
  readonly #place: HTMLElement;
  readonly #toggle: HTMLElement;
  readonly #cluster: PageClusterClient;
  readonly #output = element("div", "output");
  readonly #input = element("textarea", "line");
  readonly #editor: EditorView;
  /** What was typed: for the arrow keys, and for links. */
  readonly #typed: string[] = [];
  #at = 0;
  /** Which cluster of the page this one is: the button "Again" begins the next. */
  clusters = 1;
  #shown = 0;
  #stop: (() => void) | undefined;
  /** Commands run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(place: HTMLElement, toggle: HTMLElement, makeCluster: (observer: ClusterObserver) => PageClusterClient) {
    this.#place = place;
    this.#toggle = toggle;
    this.#cluster = makeCluster({
      tell: (text) => this.#print(text, "note"),
      edit: (name, text) => {
        this.open();
        return this.#editor.open(name, text);
      },
    });
    this.#output.role = "log";
    this.#output.ariaLabel = "Output";
    this.#output.tabIndex = 0;
    this.#input.rows = 1;
    this.#input.ariaLabel = "Command";
    this.#input.spellcheck = false;
    this.#input.autocapitalize = "off";
    this.#input.placeholder = "kubectl get nodes";
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    const bar = element("div", "bar");
    bar.append(
      element("strong", "", "Terminal"),
      button("Link", "Copy a link that runs these commands again", () => void this.#copyLink()),
      button("Again", "Start again with an empty cluster", () => this.#again()),
      button("×", "Close the terminal", () => this.close()),
    );
    const line = element("div", "prompt-line");
    line.append(element("span", "prompt", "$ "), this.#input);
    const middle = element("div", "middle");
    const editing = element("div", "editor");
    this.#editor = new EditorView(editing);
    middle.append(this.#output, editing);
    place.append(bar, middle, line);
    toggle.addEventListener("click", () => (place.hidden ? this.open() : this.close()));
  }

  /** Shows it, and starts the cluster. */
  open(): void {
    this.#place.hidden = false;
    this.#toggle.ariaExpanded = "true";
    document.body.classList.add("has-terminal");
    this.#cluster.start();
    this.#input.focus({ preventScroll: true });
  }

  close(): void {
    this.#place.hidden = true;
    this.#toggle.ariaExpanded = "false";
    document.body.classList.remove("has-terminal");
    this.#toggle.focus();
  }

  /** Runs a command after those that run. Resolves to its exit code. */
  run(text: string): Promise<number> {
    const { clusters } = this;
    // What waits when "Again" is pressed was meant for the cluster before.
    const running = this.#last.then(() => (clusters === this.clusters ? this.#runNow(text) : INTERRUPTED));
    this.#last = running;
    return running;
  }

  async #runNow(text: string): Promise<number> {
    this.#typed.push(text);
    if (this.#typed.length > MAX_HISTORY) this.#typed.shift();
    this.#at = this.#typed.length;
    this.#print(`$ ${text}\n`, "typed");
    if (text.trim() === "clear") {
      this.#output.replaceChildren();
      this.#shown = 0;
      return 0;
    }
    const { code, stop } = this.#cluster.run(text, (part) => this.#print(part, ""));
    this.#stop = stop;
    this.#place.ariaBusy = "true";
    const result = await code;
    this.#place.ariaBusy = "false";
    this.#editor.close();
    if (document.activeElement === document.body) this.#input.focus({ preventScroll: true });
    this.#stop = undefined;
    this.#output.dataset["last"] = String(result);
    return result;
  }

  #print(text: string, className: string): void {
    const part = element("span", className, text);
    this.#output.append(part);
    this.#shown += text.length;
    while (this.#shown > MAX_SHOWN && this.#output.firstChild) {
      this.#shown -= this.#output.firstChild.textContent?.length ?? 0;
      this.#output.firstChild.remove();
    }
    this.#output.scrollTop = this.#output.scrollHeight;
  }

  #key(event: KeyboardEvent): void {
    const { value } = this.#input;
    const isOneLine = !value.includes("\n");
    if (event.key === "Enter" && !event.shiftKey && isWhole(value)) {
      event.preventDefault();
      this.#set("");
      if (value.trim() !== "") void this.run(value);
    } else if (event.key === "c" && event.ctrlKey && this.#input.selectionStart === this.#input.selectionEnd) {
      event.preventDefault();
      this.#stop?.();
      this.#print(`${value}^C\n`, "typed");
      this.#set("");
    } else if (event.key === "ArrowUp" && isOneLine && this.#at > 0) {
      event.preventDefault();
      this.#set(this.#typed[--this.#at] ?? "");
    } else if (event.key === "ArrowDown" && isOneLine && this.#at < this.#typed.length) {
      event.preventDefault();
      this.#set(this.#typed[++this.#at] ?? "");
    } else if (event.key === "Escape") this.close();
    queueMicrotask(() => this.#grow());
  }

  #set(text: string): void {
    this.#input.value = text;
    this.#grow();
  }

  #grow(): void {
    this.#input.rows = Math.min(10, this.#input.value.split("\n").length);
  }

  async #copyLink(): Promise<void> {
    try {
      const url = new URL(location.href);
      url.hash = await fragmentOf({ commands: this.#typed });
      history.replaceState(null, "", url);
      const copied = (await copyText(url.href)) ? ", and was copied" : "";
      this.#print(`A link to these ${this.#typed.length} commands is in the address${copied}.\n`, "note");
    } catch (error) {
      this.#print(`${(error as Error).message}\n`, "note");
    }
  }

  #again(): void {
    this.clusters++;
    this.#cluster.end();
    this.#typed.length = 0;
    this.#at = 0;
    this.#output.replaceChildren();
    this.#shown = 0;
    if (location.hash.startsWith("#run=")) history.replaceState(null, "", location.pathname + location.search);
    this.#cluster.start();
    this.#input.focus();
  }
}

/** Whether a text is whole: its quotes are closed, and the texts after `<<` have ended. */
function isWhole(text: string): boolean {
  if (text.endsWith("\\")) return false;
  try {
    parseScript(text);
    return true;
  } catch (error) {
    return !(error instanceof UnfinishedError);
  }
}
