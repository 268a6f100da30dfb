/**
 * The program of a page: theme, menu, search, and examples that run in a cluster of the page.
 *
 * @module
 */
import { PageClusterClient } from "./cluster.ts";
import { button, copyText, element } from "./elements.ts";
import { enableSearch } from "./search.ts";
import { stateOf } from "./state-link.ts";
import { TerminalView } from "./terminal-view.ts";

const html = document.documentElement;
const root = new URL(`${html.dataset["root"] ?? "."}/`, location.href);

/** The theme that was chosen before; a browser may refuse to keep anything. */
function keptTheme(): string | null {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}

function keepTheme(theme: string): void {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // It is for this page alone.
  }
}

function enableTheme(toggle: HTMLElement): void {
  const kept = keptTheme();
  if (kept) html.dataset["theme"] = kept;
  toggle.addEventListener("click", () => {
    const isDark = html.dataset["theme"]
      ? html.dataset["theme"] === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    html.dataset["theme"] = isDark ? "light" : "dark";
    keepTheme(html.dataset["theme"]);
  });
}

function enableMenu(toggle: HTMLElement): void {
  // Not `scrollIntoView`, which would scroll the page as well.
  const current = document.querySelector<HTMLElement>("nav [aria-current]");
  const pages = current?.closest("nav");
  if (current && pages && current.offsetTop > pages.clientHeight / 2) {
    pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
  }
  toggle.addEventListener("click", () => {
    const isOpen = document.body.classList.toggle("has-menu");
    toggle.ariaExpanded = String(isOpen);
  });
}

/** The text of a file that the page shows: a comment with its name, and what follows. */
const textOf = (example: HTMLElement): string => example.querySelector("pre code")?.textContent ?? "";

const examples = [...document.querySelectorAll<HTMLElement>(".example")];
const files = Object.fromEntries(
  examples.flatMap((example) => (example.dataset["file"] ? [[example.dataset["file"], textOf(example)]] : [])),
);

const terminal = new TerminalView(
  document.querySelector<HTMLElement>("#terminal")!,
  document.querySelector<HTMLElement>("#terminal-button")!,
  (observer) => new PageClusterClient(new URL("assets/cluster/worker.js", root), files, observer),
);

/** The examples whose setup has run, and in which cluster of the page. */
const prepared = new Map<HTMLElement, number>();

/** What an example runs: its setup, the first time in a cluster, and its commands. */
function commandsFor(example: HTMLElement): readonly string[] {
  const isPrepared = prepared.get(example) === terminal.clusters;
  prepared.set(example, terminal.clusters);
  return [example.dataset["setup"], example.dataset["commands"]]
    .slice(isPrepared ? 1 : 0)
    .flatMap((texts): readonly string[] => JSON.parse(texts ?? "[]"));
}

/** How long a button says what became of the copy, in ms. */
const COPIED_MS = 1500;

/** Copies what an example has to type, or its text. */
async function copyExample(example: HTMLElement, copy: HTMLElement): Promise<void> {
  const typed = textOf(example)
    .split("\n")
    .filter((line) => line.startsWith("$ "))
    .map((line) => line.slice(2));
  const text = example.dataset["language"] === "console" ? typed.join("\n") : textOf(example);
  copy.textContent = (await copyText(text)) ? "Copied" : "Not copied";
  setTimeout(() => {
    copy.textContent = "Copy";
  }, COPIED_MS);
}

/** Gives each example a button that copies it, and those that run here one that runs it. */
for (const example of examples) {
  const bar = element("div", "buttons");
  const copy = button("Copy", "Copy this block", () => void copyExample(example, copy), "copy");
  bar.append(copy);
  if (example.dataset["commands"] !== undefined) {
    const run = (): void => {
      terminal.open();
      for (const command of commandsFor(example)) void terminal.run(command);
    };
    bar.append(button("Run", "Run in a cluster in this page", run, "run"));
  }
  example.append(bar);
}

enableTheme(document.querySelector<HTMLElement>("#theme")!);
enableMenu(document.querySelector<HTMLElement>("#menu")!);
enableSearch(
  document.querySelector<HTMLInputElement>("#search")!,
  document.querySelector<HTMLElement>("#found")!,
  root,
);

/** Runs the commands of a link. */
async function restore(): Promise<void> {
  const state = await stateOf(location.hash);
  if (!state) return;
  terminal.open();
  for (const command of state.commands) void terminal.run(command);
}
restore().catch((error: unknown) => console.warn(String(error)));
