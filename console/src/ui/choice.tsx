import type { JSX } from "preact";

/** A choice of one value, or of all, for the filters of a view. */
export function Choice({
  label,
  value,
  values,
  onChange,
}: {
  readonly label: string;
  /** Empty for all. */
  readonly value: string;
  readonly values: readonly string[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  return (
    <label class="choice">
      <span class="soft">{label}</span>
      <select class="select" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">all</option>
        {value !== "" && !values.includes(value) ? <option value={value}>{value}</option> : undefined}
        {values.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}
