import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { bytesText, shortNumber } from "../../ui/bytes.ts";
import { lazy } from "../../ui/lazy.tsx";
import type { Figures } from "./figures.ts";
import type { PlotLine } from "./plot.tsx";
import type { ServerState } from "./poll.ts";

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

/** All plots, with what their lines are now. */
export function Cards({ state }: { readonly state: ServerState }): JSX.Element {
  return (
    <div class="cards">
      {CARDS.map((card) => (
        <PlotCard key={card.title} card={card} state={state} />
      ))}
    </div>
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
