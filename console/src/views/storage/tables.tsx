import type { JSX } from "preact";
import { Badge, EmptyState, Text } from "../../ui/basics.tsx";
import { VirtualRows } from "../../ui/virtual-rows.tsx";
import { bytesText } from "../../ui/bytes.ts";
import type { CapacityRow } from "./capacity.ts";
import type { BoxState, Item, Link } from "./picture.ts";

/** How a state is called and coloured. */
export const STATE_BADGES: Readonly<
  Record<BoxState, readonly ["good" | "warning" | "bad" | "neutral" | "info", string]>
> = {
  ok: ["good", "ok"],
  waits: ["warning", "waits"],
  stuck: ["bad", "stuck"],
  deleting: ["warning", "deleting"],
  free: ["info", "free"],
};

/** The same facts as the picture, as rows: what it is, how it is, what it waits for, and how many objects it is linked with. */
export function ItemTable({
  items,
  links,
  selected,
  onSelect,
}: {
  readonly items: readonly Item[];
  readonly links: readonly Link[];
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}): JSX.Element {
  const names = new Map(items.map((item) => [item.id, item.name]));
  const linked = new Map<string, string[]>();
  for (const { from, to } of links) {
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      const near = linked.get(one) ?? [];
      linked.set(one, near);
      if (near.length < 4) near.push(names.get(other) ?? "");
    }
  }
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
              <Text class="cut" value={(linked.get(item.id) ?? []).join(", ")} />
            </span>
          </button>
        );
      }}
    />
  );
}

/** How much storage is used and free, by class and topology. */
export function CapacityTable({ rows }: { readonly rows: readonly CapacityRow[] }): JSX.Element {
  if (rows.length === 0) return <EmptyState title="There are no classes and no volumes." />;
  const most = Math.max(
    1,
    ...rows.map(({ bound, unbound, requested, free = 0 }) => bound + unbound + requested + free),
  );
  return (
    <div class="capacity" role="region" aria-label="Capacity by class and topology" tabIndex={0}>
      <table class="capacity-table">
        <thead>
          <tr>
            {["Class", "Where", "Volumes", "Bound", "Not bound", "Requested", "Free", "Largest volume", ""].map(
              (head) => (
                <th key={head} scope="col">
                  {head === "" ? <span class="unseen">Shares</span> : head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.storageClass} ${row.topology}`}>
              <th scope="row">
                <Text value={row.storageClass || "no class"} class="cut" />
              </th>
              <td>
                <Text value={row.topology || "everywhere"} />
              </td>
              <td>{row.volumes}</td>
              <td>{bytesText(row.bound)}</td>
              <td>{bytesText(row.unbound)}</td>
              <td>{bytesText(row.requested)}</td>
              <td>{row.free === undefined ? "not known" : bytesText(row.free)}</td>
              <td>{row.largest === undefined ? "not known" : bytesText(row.largest)}</td>
              <td class="capacity-bar" aria-hidden="true">
                {(["bound", "unbound", "requested", "free"] as const).map((part) => (
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
      <p class="soft">
        Free and largest are from CSIStorageCapacity objects. Requested is the sum of claims without a volume.
      </p>
    </div>
  );
}
