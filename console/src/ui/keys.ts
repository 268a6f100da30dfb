/**
 * Keys of the page: views bind what their keys do, and the help shows what is bound.
 *
 * @module
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** A key and what it does. */
export interface KeyBinding {
  /** As `event.key`, with `Ctrl-` before it if that is held; several that do the same are separated by spaces. */
  readonly keys: string;
  /** What it does, for the help: `delete the selected objects`. */
  readonly does: string;
  readonly run: (event: KeyboardEvent) => void;
  /** It works while a text is typed too. */
  readonly always?: boolean;
}

/** Bindings of one part of the page. */
export interface KeyGroup {
  readonly title: string;
  readonly bindings: readonly KeyBinding[];
}

const groups = signal<readonly KeyGroup[]>([]);
const everywhere = signal<readonly KeyGroup[]>([]);

/** What is bound now; what was bound last stands first, what works everywhere last. */
export const keyGroups: ReadonlySignal<readonly KeyGroup[]> = computed(() => [
  ...groups.value.toReversed(),
  ...everywhere.value,
]);

/** Binds keys for as long as the component is in the page. What is bound last wins. */
export function useKeys(title: string, bindings: readonly KeyBinding[], dependencies: readonly unknown[]): void {
  // Before the first frame is drawn: a key that is pressed then is meant for what is shown.
  useLayoutEffect(() => {
    const group = { title, bindings };
    groups.value = [...groups.peek(), group];
    return () => {
      groups.value = groups.peek().filter((one) => one !== group);
    };
  }, dependencies);
}

/** The name of a pressed key as in {@link KeyBinding}. */
export function keyName(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">): string {
  const key = event.key === " " ? "Space" : event.key;
  return event.ctrlKey || event.metaKey || event.altKey ? `${event.altKey ? "Alt-" : "Ctrl-"}${key}` : key;
}

/** The binding of a pressed key; undefined if it has none here. */
export function bindingOf(all: readonly KeyGroup[], name: string, typing: boolean): KeyBinding | undefined {
  for (const { bindings } of all)
    for (const binding of bindings)
      if ((!typing || binding.always) && binding.keys.split(" ").includes(name)) return binding;
  return undefined;
}

/** Keys that a control which has the focus takes. */
const OWN_KEYS = new Set(["Enter", "Space", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End"]);

/** Listens to the keys of the page; these work in every view. Call it once. */
export function listenToKeys(bindings: readonly KeyBinding[]): void {
  everywhere.value = [{ title: "Everywhere", bindings }];
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    // A dialog has its own keys.
    if (document.querySelector("dialog[open]")) return;
    const target = event.target instanceof HTMLElement ? event.target : undefined;
    const typing =
      target !== undefined && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
    const name = keyName(event);
    // What has the focus has its own meaning for these.
    if (OWN_KEYS.has(name) && target?.closest("button, a, summary, [role=tab], [role=menu], [role=separator]")) return;
    const binding = bindingOf(keyGroups.value, name, typing);
    if (!binding) return;
    event.preventDefault();
    binding.run(event);
  });
}
