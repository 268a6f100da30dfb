/**
 * What the server counts: requests, their time and size, and watchers, under the names that dashboards for
 * kube-apiserver know.
 *
 * Labels come from what is served, never from what a client sends (CVE-2020-8552): resources that exist, verbs that we
 * know, answers that we give. Everything else is `other`. The series of a resource are there as long as it is served,
 * whatever becomes of its definition.
 *
 * @module
 */
import type { ResourceDefinition } from "../../schema/definition.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import type { KindsChange, Registry, Resource } from "../../registry/contract.ts";
import { type Collector, type Labels, type Metric, expose, single } from "../../util/exposition.ts";
import type { Running } from "./limits.ts";
import { RequestSeries, requestMetrics } from "./request-series.ts";

const VERBS = new Set(["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]);
const METHODS = new Set(["get", "head", "post", "put", "options"]);

/** What is counted of a request. */
export interface Measured {
  readonly info: RequestInfo;
  readonly resource: Resource | undefined;
  /** The code of the response, and the bytes of its body. */
  readonly response: { readonly code: number; readonly bytesOut: number };
}

/** What is counted of one resource in one group and version. */
interface ResourceCounts {
  readonly labels: Labels;
  readonly series: Map<string, RequestSeries>;
  watchers: number;
}

/** The metrics of one server. */
export class ServerMetrics implements Disposable {
  readonly #registry: Pick<Registry, "find" | "onChange">;
  readonly #byName = new Map<string, ResourceCounts>();
  /** The same, found without a name. */
  readonly #byDefinition = new WeakMap<ResourceDefinition, ResourceCounts>();
  readonly #others = new Map<string, RequestSeries>();
  readonly #collectors: readonly Collector[];
  readonly #running: Readonly<Running>;
  readonly #kinds: Disposable;
  #events = 0;
  #closedSlow = 0;

  /** @param running read whenever the metrics are */
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

  /** Counts a request that has been answered. */
  answered(request: Measured, millis: number): void {
    const { verb } = request.info;
    const { code, bytesOut } = request.response;
    this.#seriesOf(request, verb).add(code, millis / 1000, verb === "watch" ? undefined : bytesOut);
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
    const counts = this.#byName.get(name) ?? { labels: { group, version, resource }, series: new Map(), watchers: 0 };
    // What is answered after its resource has gone is not told any more.
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

  /** Everything as text, in the Prometheus exposition format. */
  async text(): Promise<string> {
    const known = [...[...this.#byName.values()].map(({ series }) => series), this.#others];
    const series = known.flatMap((one) => [...one.values()]);
    const others = await Promise.all(this.#collectors.map(async (collect) => collect()));
    return expose([...requestMetrics(series), ...this.#own(), ...others.flat()]);
  }

  #own(): Metric[] {
    const closed = [{ labels: { reason: "slow" }, value: this.#closedSlow }];
    return [
      {
        name: "apiserver_longrunning_requests",
        type: "gauge",
        help: "Watches that are running.",
        samples: [...this.#byName.values()].map(({ labels, watchers }) => ({ labels, value: watchers })),
      },
      single("counter", "apiserver_watch_events_total", "Events that were sent to watchers.", this.#events),
      {
        name: "apiserver_terminated_watchers_total",
        type: "counter",
        help: "Watches that were closed because their reader did not keep up.",
        samples: this.#closedSlow > 0 ? closed : [],
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
