import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "./basics.tsx";

/** An entry of a {@link Menu}. */
export interface MenuItem {
  readonly label: string;
  readonly onSelect: () => void;
  /** For one of several choices: whether it is the chosen one. */
  readonly checked?: boolean;
  readonly danger?: boolean;
}

/** A button with a menu: arrows move, Enter chooses, Escape closes. */
export function Menu({
  label,
  title,
  more,
  items,
}: {
  readonly label: ComponentChildren;
  /** The description of the menu, shown when the pointer is over the button. */
  readonly title?: string;
  /** What follows the label in the name of the button, for those who hear it. */
  readonly more?: string;
  readonly items: readonly MenuItem[];
}): JSX.Element {
  const open = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const entries = (): HTMLElement[] =>
    Array.from(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? []);
  const close = (): void => {
    open.value = false;
    root.current?.querySelector("button")?.focus();
  };
  useEffect(() => {
    if (!open.value) return undefined;
    entries()[0]?.focus();
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) open.value = false;
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, [open.value]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!open.value) return;
    const all = entries();
    const index = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Tab") open.value = false;
    if (event.key !== "Escape" && next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (next === undefined) close();
    else all[(next + all.length) % all.length]?.focus();
  };
  return (
    <div ref={root} class="menu" role="presentation" onKeyDown={onKeyDown}>
      <Button
        aria-haspopup="menu"
        aria-expanded={open.value}
        {...(title ? { title } : {})}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        {label}
        {more === undefined ? undefined : <span class="unseen">{more}</span>}
      </Button>
      {open.value ? (
        <div class="menu-items" role="menu" aria-label={title}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role={item.checked === undefined ? "menuitem" : "menuitemradio"}
              aria-checked={item.checked}
              tabIndex={-1}
              class={item.danger ? "menu-item menu-danger" : "menu-item"}
              onClick={() => {
                close();
                item.onSelect();
              }}
            >
              {item.checked === undefined ? undefined : (
                <span class="menu-check" aria-hidden="true">
                  {item.checked ? "✓" : ""}
                </span>
              )}
              {item.label}
            </button>
          ))}
        </div>
      ) : undefined}
    </div>
  );
}
