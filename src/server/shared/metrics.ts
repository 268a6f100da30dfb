/**
 * Counts requests, their time and size, and watchers, under the names that dashboards for kube-apiserver know.
 *
 * Labels come from what is served, never from what a client sends (CVE-2020-8552): resources, verbs and codes. Everything else
 * is `other`. The series of a resource are there as long as it is served, also when its definition changes.
 *
 * @module
 */
import type { ResourceDefinition } from "../../schema/definition.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import type { KindsChange, Registry, Resource } from "../../registry/contract.ts";
import {
  type Collector,
  type Exemplar,
  Histogram,
  type Labels,
  type Metric,
  type Sample,
  expose,
  exposeOpenMetrics,
  single,
} from "../../util/exposition.ts";
import type { Span } from "../../util/span.ts";
import type { Running } from "./limits.ts";

const VERBS = new Set(["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]);
const METHODS = new Set(["get", "head", "post", "put", "options"]);

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8];

/**
 * The requests of one verb on one resource, counted as plain numbers: a general histogram would cost as much for each request
 * as the response.
 */
class RequestSeries {
  readonly #labels: Labels;
  readonly #codes = new Map<number, number>();
  readonly #seconds = new Histogram(SECONDS);
  readonly #bytes = new Histogram(BYTES);

  constructor(labels: Labels) {
    this.#labels = labels;
  }

  /** Counts a response; `bytes` is undefined where the length has no meaning. */
  add(code: number, seconds: number, bytes: number | undefined, exemplar?: Exemplar): void {
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
    this.#seconds.observe(seconds, exemplar);
    if (bytes !== undefined) this.#bytes.observe(bytes);
  }

  totals(): Sample[] {
    return [...this.#codes].map(([code, value]) => ({ labels: { ...this.#labels, code: String(code) }, value }));
  }

  seconds(): Sample[] {
    return this.#seconds.samples(this.#labels);
  }

  bytes(): Sample[] {
    return this.#bytes.samples(this.#labels);
  }
}

/** The metrics of all series. */
const requestMetrics = (all: readonly RequestSeries[]): Metric[] => [
  {
    name: "apiserver_request_total",
    type: "counter",
    help: "Requests by verb, resource and code of the response.",
    samples: all.flatMap((series) => series.totals()),
  },
  {
    name: "apiserver_request_duration_seconds",
    type: "histogram",
    help: "Seconds from a request to its response; for watches to their start.",
    samples: all.flatMap((series) => series.seconds()),
  },
  {
    name: "apiserver_response_sizes",
    type: "histogram",
    help: "Bytes of responses before compression; watches are not counted.",
    samples: all.flatMap((series) => series.bytes()),
  },
];

/** The counted properties of a request. */
export interface Measured {
  readonly info: RequestInfo;
  readonly resource: Resource | undefined;
  /** The code of the response, and the bytes of its body. */
  readonly response: { readonly code: number; readonly bytesOut: number; readonly root?: Span | undefined };
}

/** The counters of one resource in one group and version. */
interface ResourceCounts {
  readonly labels: Labels;
  readonly series: Map<string, RequestSeries>;
  /** The release that does not serve it any more, empty for none yet; undefined where it is not deprecated. */
  readonly removedRelease: string | undefined;
  watchers: number;
}

/** The metrics of one server. */
export class ServerMetrics implements Disposable {
  readonly #registry: Pick<Registry, "find" | "onChange">;
  readonly #byName = new Map<string, ResourceCounts>();
  /** The same counters, found without a name. */
  readonly #byDefinition = new WeakMap<ResourceDefinition, ResourceCounts>();
  readonly #others = new Map<string, RequestSeries>();
  readonly #collectors: readonly Collector[];
  readonly #running: Readonly<Running>;
  readonly #kinds: Disposable;
  #events = 0;
  #closedSlow = 0;

  /** @param running called whenever the metrics are read */
  constructor(
    registry: Pick<Registry, "find" | "onChange">,
    collectors: readonly Collector[],
    running: Readonly<Running>,
  ) {
    this.#registry = registry;
    this.#collectors = collectors;
    this.#running = running;
    this.#kinds = registry.onChange((change) => this.#forget(change));
  }

  [Symbol.dispose](): void {
    this.#kinds[Symbol.dispose]();
  }

  /**
   * Counts a request that has its response. A traced request is the exemplar of its bucket.
   *
   * @param now ms since the epoch
   */
  responded(request: Measured, millis: number, now: () => number): void {
    const { verb } = request.info;
    const { code, bytesOut, root } = request.response;
    const seconds = millis / 1000;
    const exemplar = root?.isRecorded ? exemplarOf(root, seconds, now()) : undefined;
    this.#seriesOf(request, verb).add(code, seconds, verb === "watch" ? undefined : bytesOut, exemplar);
  }

  #seriesOf(request: Measured, verb: string): RequestSeries {
    let known = this.#others;
    let id = "other";
    if (request.resource) {
      const { subresource } = request.info;
      id = subresource === "" ? verb : `${verb} ${subresource}`;
      known = this.#countsOf(request.resource.definition).series;
    } else if (METHODS.has(verb) || VERBS.has(verb)) {
      id = verb;
    }
    let series = known.get(id);
    if (!series) known.set(id, (series = new RequestSeries(labelsOf(request))));
    return series;
  }

  #countsOf(definition: ResourceDefinition): ResourceCounts {
    const found = this.#byDefinition.get(definition);
    if (found) return found;
    const { group, version, plural: resource } = definition;
    const name = nameOf(definition);
    const removedRelease = definition.deprecated === undefined ? undefined : (definition.removedRelease ?? "");
    const labels = { group, version, resource };
    const counts = this.#byName.get(name) ?? { labels, series: new Map(), removedRelease, watchers: 0 };
    // A request that ends after its resource was removed is not shown.
    if (this.#registry.find(group, version, resource)) this.#byName.set(name, counts);
    this.#byDefinition.set(definition, counts);
    return counts;
  }

  #forget({ before, after }: KindsChange): void {
    for (const { definition } of after) this.#byDefinition.delete(definition);
    if (before.length === 0) return;
    const kept = new Set(after.map(({ definition }) => nameOf(definition)));
    for (const { definition } of before) {
      this.#byDefinition.delete(definition);
      const name = nameOf(definition);
      if (!kept.has(name)) this.#byName.delete(name);
    }
  }

  /** Everything as text, in the Prometheus exposition format, or in that of OpenMetrics. */
  async text(form: "plain" | "open" = "plain"): Promise<string> {
    const known = [...[...this.#byName.values()].map(({ series }) => series), this.#others];
    const series = known.flatMap((one) => [...one.values()]);
    const others = await Promise.all(this.#collectors.map(async (collect) => collect()));
    return (form === "open" ? exposeOpenMetrics : expose)([
      ...requestMetrics(series),
      ...this.#own(),
      ...others.flat(),
    ]);
  }

  #own(): Metric[] {
    return [
      {
        name: "apiserver_longrunning_requests",
        type: "gauge",
        help: "Watches that are running.",
        samples: [...this.#byName.values()].map(({ labels, watchers }) => ({ labels, value: watchers })),
      },
      {
        name: "apiserver_requested_deprecated_apis",
        type: "gauge",
        help: "1 for each deprecated version that was requested, with the release that does not serve it any more.",
        samples: [...this.#byName.values()].flatMap(({ labels, series, removedRelease }) =>
          removedRelease === undefined || series.size === 0
            ? []
            : [{ labels: { ...labels, subresource: "", removed_release: removedRelease }, value: 1 }],
        ),
      },
      single("counter", "apiserver_watch_events_total", "Events that were sent to watchers.", this.#events),
      {
        name: "apiserver_terminated_watchers_total",
        type: "counter",
        help: "Watches that were closed because their reader did not keep up.",
        samples: [{ labels: { reason: "slow" }, value: this.#closedSlow }],
      },
      {
        name: "apiserver_current_inflight_requests",
        type: "gauge",
        help: "Requests that are running now, without watches.",
        samples: [
          { labels: { request_kind: "readOnly" }, value: this.#running[1] },
          { labels: { request_kind: "mutating" }, value: this.#running[2] },
        ],
      },
    ];
  }

  /** A watch has begun (1) or ended (-1). */
  watchers(definition: ResourceDefinition, change: 1 | -1): void {
    this.#countsOf(definition).watchers += change;
  }

  /** A watch was closed because its reader did not keep up. */
  watchersClosed(): void {
    this.#closedSlow++;
  }

  /** Events have been sent. */
  watchEvents(count: number): void {
    this.#events += count;
  }
}

/** The labels that component-base of Kubernetes gives exemplars. */
const exemplarOf = ({ traceId, spanId }: Span, value: number, now: number): Exemplar => ({
  labels: { trace_id: traceId, span_id: spanId },
  value,
  time: now / 1000,
});

const nameOf = ({ group, version, plural }: ResourceDefinition): string => `${group}/${version}/${plural}`;

function labelsOf({ info, resource }: Measured): Labels {
  const { verb } = info;
  if (!resource) {
    const known = METHODS.has(verb) || VERBS.has(verb);
    return { verb: known ? verb : "other", group: "", version: "", resource: "other", subresource: "" };
  }
  const { group, version, plural: name } = resource.definition;
  // The resource was found together with its subresource and verb, so all three are ours.
  return { verb: VERBS.has(verb) ? verb : "other", group, version, resource: name, subresource: info.subresource };
}
