/**
 * The editor of `kubectl edit`: a text in place of the output of the terminal, until it is saved or left.
 *
 * @module
 */
import { button, element } from "./elements.ts";

/** An editor in a place of the page, which it fills while a text is edited. */
export class EditorView {
  readonly #place: HTMLElement;
  readonly #title = element("strong", "");
  readonly #text = element("textarea", "editor-text");
  #resolve: ((text: string | undefined) => void) | undefined;

  constructor(place: HTMLElement) {
    this.#place = place;
    place.hidden = true;
    place.role = "group";
    place.ariaLabel = "Editor";
    this.#text.spellcheck = false;
    this.#text.autocapitalize = "off";
    this.#text.ariaLabel = "Text";
    place.addEventListener("keydown", (event) => this.#key(event));
    const bar = element("div", "bar");
    bar.append(
      this.#title,
      button("Save", "Save and close (Ctrl-S)", () => this.#end(this.#text.value)),
      button("Cancel", "Close without saving (Esc)", () => this.close()),
    );
    place.append(bar, this.#text);
  }

  /** Edits a text. Resolves to what was saved; undefined where it was left without. */
  open(name: string, text: string): Promise<string | undefined> {
    this.close();
    this.#title.textContent = name;
    this.#text.value = text;
    this.#place.hidden = false;
    this.#text.focus({ preventScroll: true });
    this.#text.setSelectionRange(0, 0);
    this.#text.scrollTop = 0;
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Leaves the editor without saving, where it is open. */
  close(): void {
    this.#end(undefined);
  }

  #end(text: string | undefined): void {
    // Without it, the hidden text has the focus until the page is drawn again.
    this.#text.blur();
    this.#place.hidden = true;
    this.#resolve?.(text);
    this.#resolve = undefined;
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Escape") this.close();
    else if (event.key === "s" && (event.ctrlKey || event.metaKey)) this.#end(this.#text.value);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
