/**
 * What the server counts: requests, their time and size, and watchers, under the names that dashboards for
 * kube-apiserver know.
 *
 * Labels come from what is served, never from what a client sends (CVE-2020-8552): resources that exist, verbs that we
 * know, answers that we give. Everything else is `other`.
 *
 * @module
 */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ResourceDefinition } from "../api/definition.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import type { Resource } from "../registry/contract.ts";

/** Adds metrics of other rooms (store, cache, process) to `/metrics`. */
export type Collector = (register: Registry) => void;

const LABELS = ["verb", "group", "version", "resource", "subresource"] as const;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
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

/** The series of one verb on one resource; kept, because finding them by their labels costs more than counting. */
interface Series {
  readonly seconds: { observe(value: number): void };
  readonly bytes: { observe(value: number): void };
  readonly codes: Map<number, { inc(): void }>;
}

/** The metrics of one server. */
export class ServerMetrics {
  readonly register: Registry = new Registry();
  readonly #series = new Map<string, Series>();
  readonly #total: Counter;
  readonly #seconds: Histogram;
  readonly #bytes: Histogram;
  readonly #watchers: Gauge;
  readonly #watchEvents: Counter;
  readonly #watchersClosed: Counter;
  readonly #running: Gauge;

  constructor(collectors: readonly Collector[] = []) {
    const registers = [this.register];
    this.#total = new Counter({
      name: "apiserver_request_total",
      help: "Requests by verb, resource and code of the answer.",
      labelNames: [...LABELS, "code"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "apiserver_request_duration_seconds",
      help: "Seconds from the first byte of a request to its answer; for watches to their start.",
      labelNames: LABELS,
      buckets: SECONDS,
      registers,
    });
    this.#bytes = new Histogram({
      name: "apiserver_response_sizes",
      help: "Bytes of answers before compression; watches are not counted.",
      labelNames: LABELS,
      buckets: BYTES,
      registers,
    });
    this.#watchers = new Gauge({
      name: "apiserver_longrunning_requests",
      help: "Watches that are running.",
      labelNames: ["group", "version", "resource"],
      registers,
    });
    this.#watchEvents = new Counter({
      name: "apiserver_watch_events_total",
      help: "Events that were sent to watchers.",
      registers,
    });
    this.#watchersClosed = new Counter({
      name: "apiserver_terminated_watchers_total",
      help: "Watches that were closed because their reader did not keep up.",
      labelNames: ["reason"],
      registers,
    });
    this.#running = new Gauge({
      name: "apiserver_current_inflight_requests",
      help: "Requests that are running now, without watches.",
      labelNames: ["request_kind"],
      registers,
    });
    for (const collect of collectors) collect(this.register);
  }

  /** Counts a request that has been answered. */
  answered(request: Measured, millis: number): void {
    const { info, resource, code } = request;
    const verb = info?.verb ?? "";
    const id = resource ? `${verb} ${plural(resource.definition)} ${info!.subresource}` : verb;
    let series = this.#series.get(id);
    if (!series) this.#series.set(id, (series = this.#newSeries(request)));
    series.seconds.observe(millis / 1000);
    if (verb !== "watch") series.bytes.observe(request.bytesOut);
    let total = series.codes.get(code);
    if (!total) series.codes.set(code, (total = this.#total.labels({ ...labelsOf(request), code: String(code) })));
    total.inc();
    // Only what exists has a series of its own, so the map is as bounded as the labels are; this guards the guard.
    if (this.#series.size > 10_000) this.#series.clear();
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
    this.#watchEvents.inc(count);
  }

  /** How many requests run now. */
  running(reads: number, writes: number): void {
    this.#running.set({ request_kind: "readOnly" }, reads);
    this.#running.set({ request_kind: "mutating" }, writes);
  }

  #newSeries(request: Measured): Series {
    const labels = labelsOf(request);
    return { seconds: this.#seconds.labels(labels), bytes: this.#bytes.labels(labels), codes: new Map() };
  }
}

const names = new WeakMap<ResourceDefinition, string>();

function plural(definition: ResourceDefinition): string {
  let name = names.get(definition);
  if (name === undefined) {
    name = `${definition.group}/${definition.version}/${definition.plural}`;
    names.set(definition, name);
  }
  return name;
}

function labelsOf({ info, resource }: Measured): Record<(typeof LABELS)[number], string> {
  const verb = info?.verb ?? "";
  if (!resource) {
    const known = METHODS.has(verb) || VERBS.has(verb);
    return { verb: known ? verb : "other", group: "", version: "", resource: "other", subresource: "" };
  }
  const { group, version, plural: name } = resource.definition;
  // The resource was found together with its subresource and verb, so all three are ours.
  return { verb: VERBS.has(verb) ? verb : "other", group, version, resource: name, subresource: info!.subresource };
}
