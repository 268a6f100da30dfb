/** Reads the metrics of autoscalers from metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io. */
import { type Client, type ServedKind, StatusError } from "../../client/index.ts";
import { requirementsOf } from "../../meta/label-selector.ts";
import { labelSelectorOf } from "../../meta/selectors.ts";
import type { Slice } from "../../util/loop.ts";
import { parseGoMillis } from "../../util/go-duration.ts";
import type { MetricSpec } from "../../workloads/autoscaler/metric.ts";
import { type PodValue, type Reading, milliOf } from "../../workloads/autoscaler/readings.ts";

/** The parts for reading metrics. */
export interface MetricsRequest {
  readonly client: Client;
  readonly namespace: string;
  /** The selector of the Pods of the target, as text. */
  readonly selector: string;
  readonly signal: AbortSignal;
  /** The served kinds, for metrics of objects. */
  readonly kinds: () => Promise<readonly ServedKind[]>;
  /** Metrics that are read already cost no request, but each is a scan of all Pods. */
  readonly slice: Slice;
}

/** Reads metrics, each list of the resource metrics once; one that cannot be read is a text with the reason. */
export async function readMetrics(
  metrics: readonly MetricSpec[],
  request: MetricsRequest,
): Promise<readonly Reading[]> {
  const reader = new MetricsReader(request);
  const readings: Reading[] = [];
  for (const metric of metrics) {
    // oxlint-disable-next-line no-await-in-loop -- there are one or two; of thousands others are served between
    await request.slice.pause();
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    readings.push(await reader.read(metric));
  }
  return readings;
}

interface PodMetrics {
  readonly metadata: { readonly name: string };
  readonly timestamp: string;
  readonly window: string;
  readonly containers?: readonly { readonly name: string; readonly usage?: Readonly<Record<string, string>> }[];
}

interface MetricValue {
  readonly describedObject?: { readonly name: string };
  readonly timestamp?: string;
  /** In seconds; its name depends on the version. */
  readonly window?: number;
  readonly windowSeconds?: number;
  readonly value: string;
}

type Items<T> = { readonly items?: readonly T[] | null };

const DEFAULT_WINDOW_SECONDS = 60;

class MetricsReader {
  readonly #request: MetricsRequest;
  #podMetrics: Promise<readonly PodMetrics[]> | undefined;
  /** The usage of Pods, by resource and container: several metrics may need the same. */
  readonly #used = new Map<string, ReadonlyMap<string, PodValue>>();

  constructor(request: MetricsRequest) {
    this.#request = request;
  }

  async read({ type, resource, containerResource, pods, object, external }: MetricSpec): Promise<Reading> {
    try {
      if (type === "Resource" && resource) return { pods: await this.#resource(resource.name) };
      if (type === "ContainerResource" && containerResource) {
        return { pods: await this.#resource(containerResource.name, containerResource.container) };
      }
      if (type === "Pods" && pods) return { pods: await this.#ofPods(pods.metric) };
      if (type === "Object" && object) return { value: await this.#ofObject(object) };
      if (type === "External" && external) return { value: await this.#external(external.metric) };
      return `expected a known type of metric with its member, got ${JSON.stringify(type)}`;
    } catch (error) {
      if (!(error instanceof StatusError || error instanceof NoMetrics)) throw error;
      const api = API[type] ?? "metrics API";
      if (error instanceof NoMetrics) return error.message === "" ? `no metrics returned from ${api}` : error.message;
      return `unable to fetch metrics from ${api}: ${refusalOf(error, type, external)}`;
    }
  }

  /** The usage of a resource by Pods, or by one container of each; a Pod with incomplete metrics is left out. */
  async #resource(resource: string, container?: string): Promise<ReadonlyMap<string, PodValue>> {
    const { client, namespace, selector, signal } = this.#request;
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods${query({ labelSelector: selector })}`;
    this.#podMetrics ??= client.json<Items<PodMetrics>>("GET", path, { signal }).then(({ items }) => items ?? []);
    const all = await this.#podMetrics;
    if (all.length === 0) throw new NoMetrics();
    const id = JSON.stringify([resource, container]);
    const known = this.#used.get(id);
    if (known) return known;
    const values = new Map<string, PodValue>();
    this.#used.set(id, values);
    for (const { metadata, timestamp, window, containers = [] } of all) {
      const counted = container === undefined ? containers : containers.filter(({ name }) => name === container);
      const usages = counted.map(({ usage }) => usage?.[resource]);
      if (usages.length === 0 || usages.includes(undefined)) continue;
      const value = usages.reduce((total, usage) => total + milliOf(usage!), 0);
      values.set(metadata.name, { value, at: Date.parse(timestamp), window: parseGoMillis(window) ?? 0 });
    }
    return values;
  }

  async #ofPods({ name, selector }: MetricName): Promise<ReadonlyMap<string, PodValue>> {
    const { namespace, selector: podSelector } = this.#request;
    const items = await this.#custom(`namespaces/${encodeURIComponent(namespace)}/pods/*/${encodeURIComponent(name)}`, {
      labelSelector: podSelector,
      metricLabelSelector: textOfSelector(selector),
    });
    return new Map(
      items.map(({ describedObject, timestamp = "", window, windowSeconds, value }) => {
        const seconds = windowSeconds ?? window ?? DEFAULT_WINDOW_SECONDS;
        const read = { value: milliOf(value), at: Date.parse(timestamp), window: seconds * 1000 };
        return [describedObject?.name ?? "", read];
      }),
    );
  }

  async #ofObject({ describedObject, metric }: NonNullable<MetricSpec["object"]>): Promise<number> {
    const { namespace, kinds } = this.#request;
    const { kind, apiVersion = "v1", name } = describedObject;
    const space = encodeURIComponent(namespace);
    const isNamespace = kind === "Namespace" && !apiVersion.includes("/");
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/", 2) : ["", apiVersion];
    const served = isNamespace ? [] : await kinds();
    const found =
      served.find((one) => one.kind === kind && one.group === group && one.version === version) ??
      served.find((one) => one.kind === kind && one.group === group);
    if (!isNamespace && !found)
      throw new NoMetrics(
        `unable to fetch metrics from custom metrics API: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
      );
    const resource = found && (found.group === "" ? found.plural : `${found.plural}.${found.group}`);
    const of = resource === undefined ? "metrics" : `${resource}/${encodeURIComponent(name)}`;
    const path = `namespaces/${space}/${of}/${encodeURIComponent(metric.name)}`;
    const [first] = await this.#custom(path, { metricLabelSelector: textOfSelector(metric.selector) });
    return milliOf(first!.value);
  }

  async #external({ name, selector }: MetricName): Promise<number> {
    const { client, namespace, signal } = this.#request;
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
    const labelSelector = textOfSelector(selector);
    const { items } = await client.json<Items<MetricValue>>("GET", path + query({ labelSelector }), { signal });
    if (!items || items.length === 0) throw new NoMetrics();
    return items.reduce((total, { value }) => total + milliOf(value), 0);
  }

  /** Reads values in the newest version that both sides know. */
  async #custom(path: string, parameters: Readonly<Record<string, string>>): Promise<readonly MetricValue[]> {
    const { client, signal } = this.#request;
    const group = `/apis/${CUSTOM}`;
    const { versions = [] } = await client.json<{ versions?: { version: string }[] }>("GET", group, { signal });
    const version = versions.some((one) => one.version === "v1beta2") ? "v1beta2" : "v1beta1";
    const { items } = await client.json<Items<MetricValue>>("GET", `${group}/${version}/${path}${query(parameters)}`, {
      signal,
    });
    if (!items || items.length === 0) throw new NoMetrics();
    return items;
  }
}

const CUSTOM = "custom.metrics.k8s.io";

/** Why a metric cannot be read; an API that is not served has the message of kube-controller-manager. */
function refusalOf({ status }: StatusError, type: string, external: MetricSpec["external"] | undefined): string {
  const { code, message = "", details } = status;
  if (code !== 404 || details?.name !== undefined) return message;
  if (type === "Pods" || type === "Object") return `no custom metrics API (${CUSTOM}) registered`;
  const what = external ? `${external.metric.name}.external.metrics.k8s.io` : "pods.metrics.k8s.io";
  return `the server could not find the requested resource (get ${what})`;
}

/** The API responds, and has no values. */
class NoMetrics extends Error {}

const API: Readonly<Record<string, string>> = {
  Resource: "resource metrics API",
  ContainerResource: "resource metrics API",
  Pods: "custom metrics API",
  Object: "custom metrics API",
  External: "external metrics API",
};

type MetricName = NonNullable<MetricSpec["external"]>["metric"];

const textOfSelector = (selector: MetricName["selector"]): string =>
  selector ? labelSelectorOf(requirementsOf(selector)).text : "";

function query(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== "");
  return pairs.length === 0 ? "" : `?${pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`;
}
