import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { at } from "../../state/moment.ts";
import type { PlainRoute } from "../../state/route.ts";
import { Badge, EmptyState, ErrorBox, Loading, Text } from "../../ui/basics.tsx";
import { useTitle } from "../../ui/title.ts";
import { lazy } from "../../ui/lazy.tsx";
import type { Samples } from "./exposition.ts";
import { bytesText, shortNumber } from "../../ui/bytes.ts";
import { type Figures, ratesBy, sumOf, sumsBy } from "./figures.ts";
import type { PlotLine } from "./plot.tsx";
import { pollServer, type ServerState } from "./poll.ts";
import "../../ui/views.css";
import "./server.css";

const Plot = lazy(() => import("./plot.tsx"));

interface Card {
  readonly title: string;
  readonly lines: readonly PlotLine[];
  readonly unit: string;
  readonly format?: (value: number) => string;
}

const percent = (value: number): string => `${shortNumber(value)} %`;
const millis = (value: number): string => `${shortNumber(value)} ms`;

const CARDS: readonly Card[] = [
  {
    title: "Requests",
    unit: "a second",
    lines: [
      { figure: "reads", label: "reads", colour: "--accent" },
      { figure: "writes", label: "writes", colour: "--good" },
      { figure: "errors", label: "errors", colour: "--bad" },
    ],
  },
  {
    title: "Latency",
    unit: "of requests, without watches",
    format: millis,
    lines: [
      { figure: "p50", label: "half of them within", colour: "--accent" },
      { figure: "p99", label: "99 of 100 within", colour: "--warning" },
    ],
  },
  {
    title: "Watches",
    unit: "open",
    lines: [{ figure: "watches", label: "watches", colour: "--accent" }],
  },
  {
    title: "Events of watches",
    unit: "a second",
    lines: [{ figure: "events", label: "events", colour: "--accent" }],
  },
  {
    title: "Store",
    unit: "on disk",
    format: bytesText,
    lines: [{ figure: "storeBytes", label: "files", colour: "--accent" }],
  },
  {
    title: "Writes of the store",
    unit: "a second",
    lines: [{ figure: "stored", label: "writes", colour: "--good" }],
  },
  {
    title: "Process",
    unit: "of one core, and of the event loop",
    format: percent,
    lines: [
      { figure: "cpu", label: "CPU", colour: "--accent" },
      { figure: "loop", label: "event loop", colour: "--warning" },
    ],
  },
  {
    title: "Memory",
    unit: "resident",
    format: bytesText,
    lines: [{ figure: "memory", label: "memory", colour: "--accent" }],
  },
  {
    title: "Fairness",
    unit: "over all priority levels",
    lines: [
      { figure: "executing", label: "seats in use", colour: "--accent" },
      { figure: "queued", label: "requests in queues", colour: "--bad" },
    ],
  },
];

/** The view of the route `server`: what the server does now, from its metrics. */
export default function ServerView({ route }: { readonly route: PlainRoute }): JSX.Element {
  useTitle("Server");
  const poll = useMemo(() => pollServer(), []);
  useEffect(() => () => poll.close(), [poll]);
  const state = poll.value.value;
  return (
    <div class="view server" data-view={route.view}>
      <header class="view-head">
        <h1>Server</h1>
        {at.value === undefined ? undefined : (
          <Badge tone="info">This view always shows now: metrics have no history here</Badge>
        )}
        <Health state={state} />
      </header>
      <Content state={state} />
    </div>
  );
}

function Content({ state }: { readonly state: ServerState }): JSX.Element {
  const { failure, after, before } = state;
  if (failure?.code === 403) return <NoRight message={failure.status.message ?? ""} />;
  if (!after && failure) return <ErrorBox title="The metrics could not be read." status={failure.status} />;
  if (!after) return <Loading what="metrics" />;
  return (
    <>
      {failure ? (
        <ErrorBox title="The last read failed; the view tries again by itself." status={failure.status} />
      ) : undefined}
      {state.isCut ? (
        <p class="soft">The metrics are larger than this page can read: sums are of a part of them.</p>
      ) : undefined}
      <div class="cards">
        {CARDS.map((card) => (
          <PlotCard key={card.title} card={card} state={state} />
        ))}
      </div>
      <Requests before={before} after={after} millis={state.millis} />
      <Resources samples={after} />
      <Fairness samples={after} />
      <StoreFacts samples={after} />
    </>
  );
}

function PlotCard({ card, state }: { readonly card: Card; readonly state: ServerState }): JSX.Element {
  const { title, lines, unit, format = shortNumber } = card;
  const { ring, readings } = state;
  const columns = useMemo(() => ring.columns(lines.map(({ figure }) => figure)), [ring, readings]);
  const last: Partial<Figures> = ring.last ?? {};
  return (
    <section class="card" aria-label={title} data-readings={ring.length}>
      <h2>
        {title} <span class="soft card-unit">{unit}</span>
      </h2>
      <dl class="card-values">
        {lines.map(({ figure, label, colour }) => (
          <div key={figure} class="card-value">
            <dt>
              <span class="swatch" style={{ background: `var(${colour})` }} /> {label}
            </dt>
            <dd>{last[figure] === undefined ? "–" : format(last[figure])}</dd>
          </div>
        ))}
      </dl>
      <Plot lines={lines} columns={columns} format={format} isBinary={format === bytesText} />
    </section>
  );
}

function Health({ state: { health } }: { readonly state: ServerState }): JSX.Element {
  if (health.length === 0) return <Badge>health unknown</Badge>;
  const failed = health.filter(({ isOk }) => !isOk);
  return (
    <details class="health">
      <summary>
        <Badge tone={failed.length === 0 ? "good" : "bad"}>
          {failed.length === 0
            ? `ready: ${health.length} checks pass`
            : `${failed.length} of ${health.length} checks fail`}
        </Badge>
      </summary>
      <ul class="checks">
        {health.map(({ name, isOk, says }) => (
          <li key={name}>
            <Badge tone={isOk ? "good" : "bad"}>{isOk ? "ok" : "fails"}</Badge> <Text value={name} />
            {isOk ? undefined : <Text value={` ${says}`} />}
          </li>
        ))}
      </ul>
    </details>
  );
}

const ROLE = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: metrics-reader
rules:
- nonResourceURLs: ["/metrics"]
  verbs: ["get"]`;

function NoRight({ message }: { readonly message: string }): JSX.Element {
  return (
    <EmptyState title="You may not read the metrics of the server.">
      <p>
        <Text value={message} />
      </p>
      <p>Ask an administrator to bind this role to you:</p>
      <pre class="no-right">{ROLE}</pre>
    </EmptyState>
  );
}

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

function Requests({
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
          <td>{totals.get(one) ?? 0}</td>
        </tr>
      ))}
    </TableOf>
  );
}

function Resources({ samples }: { readonly samples: Samples }): JSX.Element {
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
          <td>{objects.get(one)}</td>
          <td>{watches.get(one) ?? 0}</td>
          <td>{events.get(one) ?? 0}</td>
          <td>{bytesText(bytes.get(one) ?? 0)}</td>
        </tr>
      ))}
    </TableOf>
  );
}

function Fairness({ samples }: { readonly samples: Samples }): JSX.Element {
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
          <td>{run.get(level) ?? 0}</td>
          <td>{refused.get(level) ?? 0}</td>
        </tr>
      ))}
    </TableOf>
  );
}

function StoreFacts({ samples }: { readonly samples: Samples }): JSX.Element {
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
