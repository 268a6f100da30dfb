import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { rowsInView } from "./rows-in-view.ts";

/** Rows of one height, of which only those that are seen are in the page. */
export function VirtualRows<T>({
  items,
  height,
  label,
  render,
  keyOf,
  role = "list",
  class: className,
}: {
  readonly items: readonly T[];
  /** The height of a row in CSS pixels. */
  readonly height: number;
  readonly label: string;
  readonly render: (item: T, index: number) => ComponentChildren;
  readonly keyOf: (item: T) => string;
  readonly role?: "list" | "presentation";
  readonly class?: string;
}): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 600 });
  useEffect(() => {
    const element = root.current;
    if (!element) return undefined;
    const read = (): void => {
      view.value = { top: element.scrollTop, height: element.clientHeight };
    };
    read();
    const resized = new ResizeObserver(read);
    resized.observe(element);
    element.addEventListener("scroll", read, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", read);
    };
  }, []);
  const { from, to } = rowsInView(view.value.top, view.value.height, height, items.length);
  const itemRole = role === "list" ? "listitem" : undefined;
  return (
    <div ref={root} class={`virtual ${className ?? ""}`} role="region" aria-label={label} tabIndex={0}>
      <div class="virtual-rows" role={role} style={{ height: `${items.length * height}px` }}>
        {items.slice(from, to).map((item, i) => (
          <div
            key={keyOf(item)}
            class="virtual-row"
            role={itemRole}
            {...(role === "list" ? { "aria-setsize": items.length, "aria-posinset": from + i + 1 } : {})}
            style={{ top: `${(from + i) * height}px`, height: `${height}px` }}
          >
            {render(item, from + i)}
          </div>
        ))}
      </div>
    </div>
  );
}
