/**
 * What the server counts: requests, their time and size, and watchers, under the names that dashboards for
 * kube-apiserver know.
 *
 * Labels come from what is served, never from what a client sends (CVE-2020-8552): resources that exist, verbs that we
 * know, answers that we give. Everything else is `other`.
 *
 * @module
 */
import { Counter, Gauge, Registry } from "prom-client";
import type { ResourceDefinition } from "../api/definition.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import type { Resource } from "../registry/contract.ts";
import { type Labels, RequestSeries, requestMetrics } from "./request-series.ts";

/** Adds metrics of other rooms (store, cache, process) to `/metrics`. */
export type Collector = (register: Registry) => void;

const VERBS = new Set(["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]);
const METHODS = new Set(["get", "head", "post", "put", "options"]);

/** What is counted of a request. */
export interface Measured {
  readonly info: RequestInfo | undefined;
  readonly resource: Resource | undefined;
  /** The code of the answer. */
  readonly code: number;
  /** Bytes of its body. */
  readonly bytesOut: number;
}

/** The metrics of one server. */
export class ServerMetrics {
  readonly register: Registry = new Registry();
  readonly #byResource = new Map<ResourceDefinition, Map<string, RequestSeries>>();
  readonly #others = new Map<string, RequestSeries>();
  readonly #watchers: Gauge;
  #events = 0;
  readonly #watchersClosed: Counter;

  /** @param running how many requests run: reads at 1, writes at 2; looked at when the metrics are asked for */
  constructor(collectors: readonly Collector[], running: Readonly<Record<1 | 2, number>>) {
    const registers = [this.register];
    this.#watchers = new Gauge({
      name: "apiserver_longrunning_requests",
      help: "Watches that are running.",
      labelNames: ["group", "version", "resource"],
      registers,
    });
    // Counted as a plain number, because every watcher counts every event, and told when somebody asks.
    let told = 0;
    const events = new Counter({
      name: "apiserver_watch_events_total",
      help: "Events that were sent to watchers.",
      registers,
      collect: () => {
        events.inc(this.#events - told);
        told = this.#events;
      },
    });
    this.#watchersClosed = new Counter({
      name: "apiserver_terminated_watchers_total",
      help: "Watches that were closed because their reader did not keep up.",
      labelNames: ["reason"],
      registers,
    });
    const inFlight = new Gauge({
      name: "apiserver_current_inflight_requests",
      help: "Requests that are running now, without watches.",
      labelNames: ["request_kind"],
      registers,
      collect: () => {
        inFlight.set({ request_kind: "readOnly" }, running[1]);
        inFlight.set({ request_kind: "mutating" }, running[2]);
      },
    });
    for (const collect of collectors) collect(this.register);
  }

  /** Counts a request that has been answered. */
  answered(request: Measured, millis: number): void {
    const verb = request.info?.verb ?? "";
    this.#seriesOf(request, verb).add(request.code, millis / 1000, verb === "watch" ? undefined : request.bytesOut);
  }

  #seriesOf(request: Measured, verb: string): RequestSeries {
    let known = this.#others;
    let id = "other";
    if (request.resource) {
      const { definition } = request.resource;
      const { subresource } = request.info!;
      id = subresource === "" ? verb : `${verb} ${subresource}`;
      known = this.#byResource.get(definition) ?? new Map<string, RequestSeries>();
      if (known.size === 0) this.#byResource.set(definition, known);
    } else if (METHODS.has(verb) || VERBS.has(verb)) {
      id = verb;
    }
    let series = known.get(id);
    if (!series) known.set(id, (series = new RequestSeries(labelsOf(request))));
    return series;
  }

  /** Everything as text, in the Prometheus exposition format. */
  async text(): Promise<string> {
    const series = [...this.#byResource.values(), this.#others].flatMap((known) => [...known.values()]);
    return `${requestMetrics(series)}\n${await this.register.metrics()}`;
  }

  /** A watch has begun (1) or ended (-1). */
  watchers({ group, version, plural: resource }: ResourceDefinition, change: 1 | -1): void {
    this.#watchers.inc({ group, version, resource }, change);
  }

  /** A watch was closed by us. */
  watchersClosed(reason: "slow"): void {
    this.#watchersClosed.inc({ reason });
  }

  /** Events have been sent. */
  watchEvents(count: number): void {
    this.#events += count;
  }
}

function labelsOf({ info, resource }: Measured): Labels {
  const verb = info?.verb ?? "";
  if (!resource) {
    const known = METHODS.has(verb) || VERBS.has(verb);
    return { verb: known ? verb : "other", group: "", version: "", resource: "other", subresource: "" };
  }
  const { group, version, plural: name } = resource.definition;
  // The resource was found together with its subresource and verb, so all three are ours.
  return { verb: VERBS.has(verb) ? verb : "other", group, version, resource: name, subresource: info!.subresource };
}
