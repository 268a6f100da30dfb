import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Combo, type ComboOption } from "./combo.tsx";

const MOST_OPTIONS = 200;

/** A namespace, or all of them: any name can be typed, since not every user may list namespaces. */
export function NamespaceChoice({
  value,
  names,
  onChange,
  onLeave,
}: {
  /** Empty for all. */
  readonly value: string;
  /** The names that are offered. */
  readonly names: readonly string[];
  readonly onChange: (value: string | undefined) => void;
  /** The keyboard goes back to the view. */
  readonly onLeave?: () => void;
}): JSX.Element {
  const typed = useSignal(value);
  useEffect(() => {
    typed.value = value;
  }, [value]);
  const matching = typed.value === value ? names : names.filter((name) => name.includes(typed.value));
  const options: ComboOption[] = [
    { text: "", label: "all namespaces" },
    ...matching.slice(0, MOST_OPTIONS).map((name) => ({ text: name, label: name })),
  ];
  return (
    <Combo
      id="filter-namespace"
      class="filter"
      label="Namespace"
      placeholder="All namespaces"
      value={typed.value}
      options={options}
      onInput={(text) => {
        typed.value = text;
      }}
      onTake={(option) => {
        const text = option?.text ?? typed.value.trim();
        typed.value = text;
        if (text !== value) onChange(text || undefined);
        onLeave?.();
      }}
      onLeave={() => {
        typed.value = value;
        onLeave?.();
      }}
    />
  );
}
