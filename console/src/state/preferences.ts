/**
 * What the user has chosen, kept in the storage of the browser: never anything of the cluster.
 *
 * @module
 */
import { effect, signal, type Signal } from "@preact/signals";

/** A theme; `system` is that of the operating system. */
export type Theme = "system" | "light" | "dark";

/** The theme of the page. */
export const theme: Signal<Theme> = kept("theme", ["system", "light", "dark"]);

/** Whether tables show the columns of wide tables. */
export const columns: Signal<"narrow" | "wide"> = kept("columns", ["narrow", "wide"]);

/** Whether the list of kinds stands beside the view, on a screen that is wide enough. */
export const sidebar: Signal<"shown" | "hidden"> = kept("sidebar", ["shown", "hidden"]);

/** Puts the theme on the page. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
  });
}

/** A choice of these values, the first one if there is none yet. */
function kept<const T extends string>(name: string, values: readonly [T, ...T[]]): Signal<T> {
  const key = `keelson.${name}`;
  const read = (): T => {
    try {
      const value = localStorage.getItem(key);
      return values.find((one) => one === value) ?? values[0];
    } catch {
      // A browser may forbid storage; the choice then lives as long as the page.
      return values[0];
    }
  };
  const choice = signal(read());
  effect(() => {
    try {
      if (choice.value === values[0]) localStorage.removeItem(key);
      else localStorage.setItem(key, choice.value);
    } catch {
      // As above.
    }
  });
  return choice;
}
