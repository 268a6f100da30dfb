import type { Collector, Labels, Metric, Sample } from "../util/exposition.ts";
import type { Fairness } from "./fairness.ts";
import type { Flow } from "./flow.ts";
import type { Level } from "./level.ts";

/** Returns the metrics of levels and schemas (APF-23). */
export const fairnessMetrics =
  (fairness: Fairness): Collector =>
  () => [...levelMetrics(fairness.levels), ...flowMetrics(fairness.flows)];

type Figure<T> = readonly [name: string, help: string, read: (of: T) => number];

const LIMITS: readonly Figure<Level>[] = [
  [
    "nominal_limit_seats",
    "Nominal number of execution seats configured for each priority level.",
    ({ settings }) => settings.nominal,
  ],
  [
    "lower_limit_seats",
    "Configured lower bound on number of execution seats available to each priority level.",
    ({ settings }) => settings.lower,
  ],
  [
    "upper_limit_seats",
    "Configured upper bound on number of execution seats available to each priority level.",
    ({ settings }) => settings.upper,
  ],
  [
    "current_limit_seats",
    "Current derived number of execution seats available to each priority level.",
    ({ limit }) => limit,
  ],
  [
    "demand_seats_high_watermark",
    "High watermark, over last adjustment period, of demand_seats.",
    ({ demand }) => demand.peak,
  ],
  ["demand_seats_smoothed", "Smoothed seat demands.", ({ demand }) => demand.smoothed],
];

const levelMetrics = (levels: readonly Level[]): Metric[] =>
  LIMITS.map(([name, help, read]) => ({
    name: `apiserver_flowcontrol_${name}`,
    type: "gauge",
    help,
    samples: levels.map((level) => ({ labels: { priority_level: level.settings.name }, value: read(level) })),
  }));

const labelsOf = ({ name, level }: Flow): Labels => ({ flow_schema: name, priority_level: level.settings.name });

const FIGURES: readonly Figure<Flow>[] = [
  [
    "current_executing_seats",
    "Concurrency (number of seats) occupied by the currently executing requests.",
    ({ counts }) => counts.seats,
  ],
  ["current_executing_requests", "Number of requests in execution.", ({ counts }) => counts.executing],
  ["current_inqueue_requests", "Number of requests currently pending in queues.", ({ counts }) => counts.waiting],
];

function flowMetrics(flows: readonly Flow[]): Metric[] {
  const gauges = FIGURES.map(([name, help, read]): Metric => ({
    name: `apiserver_flowcontrol_${name}`,
    type: "gauge",
    help,
    samples: flows.map((flow) => ({ labels: labelsOf(flow), value: read(flow) })),
  }));
  const used = flows.filter(({ counts }) => counts.dispatched > 0 || refusals(counts.refused).length > 0);
  return [
    ...gauges,
    {
      name: "apiserver_flowcontrol_dispatched_requests_total",
      type: "counter",
      help: "Number of requests executed.",
      samples: used.map((flow) => ({ labels: labelsOf(flow), value: flow.counts.dispatched })),
    },
    {
      name: "apiserver_flowcontrol_rejected_requests_total",
      type: "counter",
      help: "Number of rejected requests, by reason.",
      samples: used.flatMap((flow) =>
        refusals(flow.counts.refused).map(([reason, value]) => ({ labels: { ...labelsOf(flow), reason }, value })),
      ),
    },
    {
      name: "apiserver_flowcontrol_request_wait_duration_seconds",
      type: "histogram",
      help: "Length of time a request spent waiting in its queue.",
      samples: used.flatMap(waitsOf),
    },
  ];
}

const refusals = (counts: Readonly<Record<string, number>>): [reason: string, count: number][] =>
  Object.entries(counts).filter(([, count]) => count > 0);

const waitsOf = (flow: Flow): Sample[] => [
  ...flow.counts.waits.samples({ ...labelsOf(flow), execute: "true" }),
  ...(refusals(flow.counts.refused).length > 0
    ? flow.counts.refusedWaits.samples({ ...labelsOf(flow), execute: "false" })
    : []),
];
