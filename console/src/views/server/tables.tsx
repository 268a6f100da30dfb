import type { JSX } from "preact";
import { Text } from "../../ui/basics.tsx";
import { bytesText, countText, shortNumber } from "../../ui/bytes.ts";
import type { Samples } from "./exposition.ts";
import { ratesBy, sumOf, sumsBy } from "./figures.ts";

const MAX_ROWS = 20;
const labelOf =
  (...names: readonly string[]) =>
  (labels: ReadonlyMap<string, string>): string =>
    names
      .map((name) => labels.get(name) ?? "")
      .filter(Boolean)
      .join(" ");

const resourceOf = (labels: ReadonlyMap<string, string>): string => {
  const [resource, group, subresource] = ["resource", "group", "subresource"].map((name) => labels.get(name) ?? "");
  return `${resource}${group ? `.${group}` : ""}${subresource ? `/${subresource}` : ""}`;
};

/** Requests by verb and resource, those that come most now first. */
export function Requests({
  before,
  after,
  millis: length,
}: {
  readonly before: Samples | undefined;
  readonly after: Samples;
  readonly millis: number;
}): JSX.Element {
  const name = "apiserver_request_total";
  const key = (labels: ReadonlyMap<string, string>): string => `${labels.get("verb") ?? ""} ${resourceOf(labels)}`;
  const totals = sumsBy(after, name, key);
  const rates = before
    ? ratesBy({ at: 0, samples: before }, { at: length, samples: after }, name, key)
    : new Map<string, number>();
  const keys = [...new Set([...rates.keys(), ...totals.keys()])].slice(0, MAX_ROWS);
  return (
    <TableOf
      title="Requests by verb and resource"
      head={["request", "a second now", "since the start"]}
      left={totals.size - keys.length}
    >
      {keys.map((one) => (
        <tr key={one}>
          <th scope="row">
            <Text value={one} class="cut" />
          </th>
          <td>{shortNumber(rates.get(one) ?? 0)}</td>
          <td>{countText(totals.get(one) ?? 0)}</td>
        </tr>
      ))}
    </TableOf>
  );
}

/** What the watch cache has of each resource. */
export function Resources({ samples }: { readonly samples: Samples }): JSX.Element {
  const by = labelOf("resource");
  const objects = sumsBy(samples, "keelson_cache_objects", by);
  const watches = sumsBy(samples, "keelson_cache_watches", by);
  const events = sumsBy(samples, "keelson_cache_history_events", by);
  const bytes = sumsBy(samples, "keelson_cache_history_bytes", by);
  const keys = [...objects.keys()].slice(0, MAX_ROWS);
  return (
    <TableOf
      title="Objects and watches by resource"
      head={["resource", "objects", "watches", "recent changes", "their bytes"]}
      left={objects.size - keys.length}
    >
      {keys.map((one) => (
        <tr key={one}>
          <th scope="row">
            <Text value={one} class="cut" />
          </th>
          <td>{countText(objects.get(one) ?? 0)}</td>
          <td>{watches.get(one) ?? 0}</td>
          <td>{countText(events.get(one) ?? 0)}</td>
          <td>{bytesText(bytes.get(one) ?? 0)}</td>
        </tr>
      ))}
    </TableOf>
  );
}

/** The priority levels: their seats and queues. */
export function Fairness({ samples }: { readonly samples: Samples }): JSX.Element {
  const by = labelOf("priority_level");
  const limits = sumsBy(samples, "apiserver_flowcontrol_current_limit_seats", by);
  const executing = sumsBy(samples, "apiserver_flowcontrol_current_executing_seats", by);
  const queued = sumsBy(samples, "apiserver_flowcontrol_current_inqueue_requests", by);
  const run = sumsBy(samples, "apiserver_flowcontrol_dispatched_requests_total", by);
  const refused = sumsBy(samples, "apiserver_flowcontrol_rejected_requests_total", by);
  return (
    <TableOf
      title="Fairness by priority level"
      head={["level", "seats", "in use", "in queues", "have run", "refused"]}
      left={Math.max(0, limits.size - MAX_ROWS)}
    >
      {[...limits].slice(0, MAX_ROWS).map(([level, seats]) => (
        <tr key={level}>
          <th scope="row">
            <Text value={level} class="cut" />
          </th>
          <td>{seats}</td>
          <td>{executing.get(level) ?? 0}</td>
          <td>{queued.get(level) ?? 0}</td>
          <td>{countText(run.get(level) ?? 0)}</td>
          <td>{refused.get(level) ?? 0}</td>
        </tr>
      ))}
    </TableOf>
  );
}

/** The size of the store, and how far its history goes back. */
export function StoreFacts({ samples }: { readonly samples: Samples }): JSX.Element {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["newest revision", sumOf(samples, "keelson_store_revision")?.toString()],
    ["oldest readable revision", sumOf(samples, "keelson_store_compacted_revision")?.toString()],
    ["records", sumOf(samples, "keelson_store_records")?.toString()],
    ["size", textOf(sumOf(samples, "keelson_store_bytes"), bytesText)],
    ["free on the disk", textOf(sumOf(samples, "keelson_store_free_bytes"), bytesText)],
    ["connections", sumOf(samples, "keelson_connections")?.toString()],
    ["heap in use", textOf(sumOf(samples, "nodejs_heap_size_used_bytes"), bytesText)],
  ];
  return (
    <section class="card card-wide" aria-label="Store and history">
      <h2>Store and history</h2>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === undefined ? undefined : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

const textOf = (value: number | undefined, print: (value: number) => string): string | undefined =>
  value === undefined ? undefined : print(value);

function TableOf({
  title,
  head,
  left,
  children,
}: {
  readonly title: string;
  readonly head: readonly string[];
  /** How many rows are left out. */
  readonly left: number;
  readonly children: readonly JSX.Element[];
}): JSX.Element {
  return (
    <section class="card card-wide" aria-label={title}>
      <h2>{title}</h2>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={`${title}, table`}>
        <table class="figures">
          <thead>
            <tr>
              {head.map((cell) => (
                <th key={cell} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
      {left > 0 ? <p class="soft">{left} more are left out.</p> : undefined}
    </section>
  );
}
