import type { JSX } from "preact";
import { useSignal } from "@preact/signals";
import { Badge, Button, EmptyState, Text, type Tone } from "../../ui/basics.tsx";
import { VirtualRows } from "../../ui/virtual-rows.tsx";
import { bytesText, countText } from "../../ui/bytes.ts";
import type { CapacityRow } from "./capacity.ts";
import type { BoxState, Storage } from "./item.ts";

/** How a state is called and coloured. */
export const STATE_BADGES: Readonly<Record<BoxState, readonly [Tone, string]>> = {
  ok: ["good", "ok"],
  waits: ["warning", "waits"],
  stuck: ["bad", "stuck"],
  deleting: ["warning", "deleting"],
  free: ["info", "free"],
  unknown: ["neutral", "not read"],
};

/** So many names of linked objects stand in a row. */
const MOST_LINKED = 4;

/** The same facts as the picture, as rows: what it is, how it is, what it waits for, and how many objects it is linked with. */
export function ItemTable({
  storage: { items, near, byId },
  selected,
  onSelect,
}: {
  readonly storage: Storage;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}): JSX.Element {
  const linked = (id: string): string =>
    (near.get(id) ?? [])
      .slice(0, MOST_LINKED)
      .map(({ from, to }) => byId.get(from === id ? to : from)?.name ?? "")
      .join(", ");
  return (
    <VirtualRows
      class="items"
      label="Objects of storage"
      items={items}
      height={30}
      keyOf={({ id }) => id}
      render={(item) => {
        const [tone, text] = STATE_BADGES[item.state];
        return (
          <button
            type="button"
            class="item"
            aria-pressed={item.id === selected}
            data-item={item.id}
            onClick={() => onSelect(item.id)}
          >
            <span class="item-kind soft">{item.column}</span>
            <span class="item-name">
              <Text class="cut" value={item.namespace === undefined ? item.name : `${item.namespace}/${item.name}`} />
            </span>
            <span class="item-state">
              <Badge tone={tone}>{text}</Badge>
            </span>
            <span class="item-detail soft">
              <Text class="cut" value={item.wait?.says ?? item.detail} />
            </span>
            <span class="item-links soft">
              <Text class="cut" value={linked(item.id)} />
            </span>
          </button>
        );
      }}
    />
  );
}

/** The parts of a bar, in their order. */
const PARTS = [
  { part: "bound", label: "Bound" },
  { part: "unbound", label: "Not bound" },
  { part: "requested", label: "Requested" },
  { part: "free", label: "Free" },
] as const;

/** Bytes in a cell; a dash where no driver says them. */
function Bytes({ bytes }: { readonly bytes: number | undefined }): JSX.Element {
  return (
    <td class="capacity-number" title={bytes === undefined ? "no driver reports it" : undefined}>
      {bytes === undefined ? <span class="soft">–</span> : bytesText(bytes)}
    </td>
  );
}

/** Rows of capacity that are drawn at first, and with each press of the button. */
const ROWS = 100;

/** How much storage is used and free, by class and topology. */
export function CapacityTable({ rows }: { readonly rows: readonly CapacityRow[] }): JSX.Element {
  const shown = useSignal(ROWS);
  if (rows.length === 0) return <EmptyState title="There are no classes and no volumes." />;
  const most = rows.reduce(
    (largest, { bound, unbound, requested, free = 0 }) => Math.max(largest, bound + unbound + requested + free),
    1,
  );
  return (
    <div class="capacity" role="region" aria-label="Capacity by class and topology" tabIndex={0}>
      <ul class="capacity-legend soft" aria-hidden="true">
        {PARTS.map(({ part, label }) => (
          <li key={part}>
            <span class={`swatch capacity-${part}`} /> {label}
          </li>
        ))}
      </ul>
      <table class="capacity-table">
        <thead>
          <tr>
            <th scope="col">Class</th>
            <th scope="col">Where</th>
            {["Volumes", ...PARTS.map(({ label }) => label), "Largest volume"].map((head) => (
              <th key={head} scope="col" class="capacity-number">
                {head}
              </th>
            ))}
            <th scope="col">
              <span class="unseen">Shares</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown.value).map((row) => (
            <tr key={`${row.storageClass} ${row.topology}`}>
              <th scope="row">
                <Text value={row.storageClass || "no class"} class="cut" />
              </th>
              <td>
                <Text value={row.topology || "everywhere"} />
              </td>
              <td class="capacity-number">{countText(row.volumes)}</td>
              {PARTS.map(({ part }) => (
                <Bytes key={part} bytes={row[part]} />
              ))}
              <Bytes bytes={row.largest} />
              <td class="capacity-bar" aria-hidden="true">
                {PARTS.map(({ part }) => (
                  <span
                    key={part}
                    class={`capacity-${part}`}
                    style={{ width: `${((row[part] ?? 0) / most) * 100}%` }}
                  />
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown.value ? (
        <Button
          onClick={() => {
            shown.value += ROWS;
          }}
        >
          {rows.length - shown.value} more rows
        </Button>
      ) : undefined}
      <p class="soft">
        Free and largest are from CSIStorageCapacity objects; a dash stands where there are none. Requested is the sum
        of claims without a volume.
      </p>
    </div>
  );
}
