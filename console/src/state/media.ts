import { signal, type ReadonlySignal } from "@preact/signals";

/** Whether the screen is as narrow as that of a phone. */
export const isNarrow: ReadonlySignal<boolean> = matches("(max-width: 640px)");

function matches(query: string): ReadonlySignal<boolean> {
  const list = globalThis.matchMedia?.(query);
  const state = signal(list?.matches ?? false);
  list?.addEventListener("change", () => {
    state.value = list.matches;
  });
  return state;
}
