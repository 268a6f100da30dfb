import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useId, useRef } from "preact/hooks";
import { classes } from "./basics.tsx";
import { visible } from "./visible.ts";

/** A text that completes what is typed. */
export interface ComboOption {
  /** The text of the input after it was chosen. */
  readonly text: string;
  readonly label: string;
  /** What it means, beside it. */
  readonly hint?: string;
}

/** An input with a list of what completes it: arrows choose, Enter takes, Escape closes the list, then leaves the input. */
export function Combo({
  label,
  value,
  options,
  placeholder,
  onInput,
  onTake,
  onLeave,
  onFocus,
  first = false,
  class: className,
  id,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly ComboOption[];
  readonly placeholder?: string;
  readonly onInput: (text: string) => void;
  /** Enter, or a click on an option, which is absent if the text itself is meant. */
  readonly onTake: (option: ComboOption | undefined) => void;
  readonly onLeave?: () => void;
  readonly onFocus?: () => void;
  /** The first option is chosen at once, and the list is always open. */
  readonly first?: boolean;
  readonly class?: string;
  readonly id?: string;
}): JSX.Element {
  const open = useSignal(first);
  const chosen = useSignal(first ? 0 : -1);
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const isOpen = open.value && options.length > 0;
  const take = (option: ComboOption | undefined): void => {
    open.value = first;
    chosen.value = first ? 0 : -1;
    onTake(option);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && options.length > 0) {
      event.preventDefault();
      const least = first ? 0 : -1;
      const size = options.length - least;
      chosen.value = open.value ? ((chosen.value - least + step + size) % size) + least : Math.max(0, least);
      open.value = true;
    } else if (event.key === "Enter") {
      event.preventDefault();
      take(isOpen ? options[chosen.value] : undefined);
    } else if (event.key === "Tab" && isOpen && chosen.value >= 0 && !event.shiftKey) {
      const option = options[chosen.value];
      if (!option || option.text === value) return;
      event.preventDefault();
      onInput(option.text);
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (isOpen && !first) open.value = false;
      else onLeave?.();
    }
  };
  return (
    <div class={classes("combo", className)}>
      <input
        ref={input}
        id={id}
        class="input combo-input"
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && chosen.value >= 0 ? `${list}-${chosen.value}` : undefined}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder={placeholder}
        value={value}
        onFocus={() => {
          open.value = true;
          onFocus?.();
        }}
        onBlur={() => {
          open.value = first;
        }}
        onInput={({ currentTarget }) => {
          open.value = true;
          chosen.value = first ? 0 : -1;
          onInput(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={list} role="listbox" aria-label={label} class="combo-list" hidden={!isOpen}>
        {options.map((option, index) => (
          // The input has the focus and the keys of the list.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={option.text}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen.value}
            class={classes("combo-option", index === chosen.value && "combo-chosen")}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(option)}
          >
            <bdi>{visible(option.label)}</bdi>
            {option.hint ? <span class="combo-hint">{visible(option.hint)}</span> : undefined}
          </li>
        ))}
      </ul>
    </div>
  );
}
