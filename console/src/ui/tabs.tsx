import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { classes } from "./basics.tsx";

/** A tab of {@link Tabs}. */
export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: string;
}

/** Tabs; arrows move between them. The panel is of the caller: `role="tabpanel"`, `id="panel-ID"`, `aria-labelledby="tab-ID"`. */
export function Tabs<Id extends string>({
  label,
  tabs,
  selected,
  onSelect,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
}): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const index = tabs.findIndex(({ id }) => id === selected);
    const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const to = (next + tabs.length) % tabs.length;
    onSelect(tabs[to]!.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
  };
  return (
    <div ref={list} class="tabs" role="tablist" tabIndex={-1} aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ id, label: text }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-controls={`panel-${id}`}
          aria-selected={id === selected}
          tabIndex={id === selected ? 0 : -1}
          class={classes("tab", id === selected && "tab-selected")}
          onClick={() => onSelect(id)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
