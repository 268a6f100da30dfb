/**
 * The metrics of simulated nodes and of their Pods (`metrics.k8s.io/v1beta1`), in the form of metrics-server. They are served as long as
 * there is a simulated node, and no other server is registered for them.
 *
 * @module
 */
import { attempt } from "../client/index.ts";
import { APIService, Node } from "../client/kinds/index.ts";
import type { Pod } from "../client/kinds/index.ts";
import { METRICS_GROUP, METRICS_VERSION, metricsDefinitions } from "../kinds/metrics/v1beta1/index.ts";
import { formatTime } from "../meta/time.ts";
import type { AskedObjects, Kinds, Shown } from "../registry/index.ts";
import { type Controller, defineKeyController, sharedInformer } from "../runtime/index.ts";
import type { ApiObject, NewObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Simulation } from "../simulation/index.ts";
import type { Clock } from "../util/clock.ts";

/** The APIService of the group. */
const SERVICE = `${METRICS_VERSION}.${METRICS_GROUP}`;
/** The interval of metrics-server. */
const WINDOW = "15s";

/** The parts for making metrics. */
export interface MetricsParts {
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly simulation: () => Simulation | undefined;
}

/** Makes the objects of the metrics, for reads. */
export const simulatedMetrics = (parts: MetricsParts): Shown =>
  new Map([
    [`${METRICS_GROUP}/NodeMetrics`, (asked) => nodeMetrics(parts, asked)],
    [`${METRICS_GROUP}/PodMetrics`, (asked) => podMetrics(parts, asked)],
  ]);

/** The same function each time: its results are cached by the state of an object. */
const itself = (object: ApiObject): ApiObject => object;

async function podMetrics({ lookup, clock, simulation }: MetricsParts, asked: AskedObjects): Promise<NewObject[]> {
  const simulated = simulation();
  if (!simulated) return [];
  const { namespace, name } = asked;
  const one = name === undefined ? undefined : lookup.get("pods", namespace, name);
  const pods =
    name === undefined
      ? await lookup.collect("pods", itself, namespace === "" ? undefined : namespace)
      : one === undefined
        ? []
        : [one];
  const now = clock.now();
  const slice = clock.loop.slice();
  const metrics: object[] = [];
  for (const pod of pods as readonly unknown[] as readonly Pod[]) {
    const pause = slice.pause();
    // oxlint-disable-next-line no-await-in-loop -- of ten thousand Pods others are served between
    if (pause) await pause;
    if (!runsOnSimulated(pod, lookup, simulated)) continue;
    const containers = simulated.usage(pod).map((used) => ({ name: used.name, usage: quantitiesOf(used) }));
    if (containers.length === 0) continue;
    const { name: itsName, namespace: itsNamespace, labels } = pod.metadata;
    const metadata = {
      name: itsName,
      namespace: itsNamespace ?? "",
      ...(labels === undefined ? {} : { labels }),
    };
    metrics.push({ metadata: { ...metadata, ...created(now) }, ...whenOf(now), containers });
  }
  return metrics as NewObject[];
}

async function nodeMetrics({ lookup, clock, simulation }: MetricsParts, { name }: AskedObjects): Promise<NewObject[]> {
  const simulated = simulation();
  if (!simulated) return [];
  const one = name === undefined ? undefined : lookup.get("nodes", "", name);
  const all = name === undefined ? await lookup.collect("nodes", itself) : one === undefined ? [] : [one];
  const nodes = (all as readonly unknown[] as readonly Node[]).filter((node) => simulated.isSimulated(node));
  const wanted = new Set(nodes.map(({ metadata }) => metadata.name));
  const sums = new Map<string, { cpu: number; memory: number }>();
  const slice = clock.loop.slice();
  for (const pod of (await lookup.collect("pods", itself)) as readonly unknown[] as readonly Pod[]) {
    const pause = slice.pause();
    // oxlint-disable-next-line no-await-in-loop -- of ten thousand Pods others are served between
    if (pause) await pause;
    const { nodeName = "" } = pod.spec;
    if (!wanted.has(nodeName)) continue;
    const sum = sums.get(nodeName) ?? { cpu: 0, memory: 0 };
    for (const { cpu, memory } of simulated.usage(pod)) {
      sum.cpu += cpu;
      sum.memory += memory;
    }
    sums.set(nodeName, sum);
  }
  const now = clock.now();
  return nodes.map(({ metadata: { name: itsName, labels } }) => ({
    metadata: { name: itsName, ...(labels === undefined ? {} : { labels }), ...created(now) },
    ...whenOf(now),
    usage: quantitiesOf(sums.get(itsName) ?? { cpu: 0, memory: 0 }),
  })) as unknown as NewObject[];
}

/** Whether a Pod has a container with metrics. */
function runsOnSimulated({ spec, status }: Pod, lookup: Lookup, simulated: Simulation): boolean {
  if (!spec.nodeName || status?.phase !== "Running") return false;
  const node = lookup.get("nodes", "", spec.nodeName);
  return node !== undefined && simulated.isSimulated(node as unknown as Node);
}

/** Whole nanocores and Ki, as metrics-server writes them. */
const quantitiesOf = ({ cpu, memory }: { readonly cpu: number; readonly memory: number }) => ({
  cpu: cpu === 0 ? "0" : `${digitsOf(Math.round(cpu))}n`,
  memory: memory === 0 ? "0" : `${digitsOf(Math.ceil(memory / 1024))}Ki`,
});

/** A Pod may request `1e400` of a CPU, and readers of the metrics accept no `Infinity` and no `1e+21`. */
const digitsOf = (number: number): string => String(Math.min(number, Number.MAX_SAFE_INTEGER));

const created = (now: number) => ({ creationTimestamp: formatTime(now) });
const whenOf = (now: number) => ({ timestamp: formatTime(now), window: WINDOW });

/**
 * The controller that serves the group while there is a simulated node, with an APIService like that of metrics-server. An APIService that
 * names another server for the group has precedence: then the group is not served, since this server does not proxy.
 */
export function metricsController(kinds: Kinds, simulation: () => Simulation | undefined): Controller {
  const nodes = sharedInformer(Node);
  const services = sharedInformer(APIService);
  return defineKeyController({
    name: "keelson-simulated-metrics",
    uses: [nodes, services],
    concurrency: 1,
    begin({ own }, add) {
      add(SERVICE);
      const [onNodes, onServices] = [
        own(nodes).on(({ type }) => {
          if (type !== "changed") add(SERVICE);
        }),
        own(services).on(({ object }) => {
          if (object.metadata.name === SERVICE) add(SERVICE);
        }),
      ];
      return {
        [Symbol.dispose]() {
          onNodes[Symbol.dispose]();
          onServices[Symbol.dispose]();
        },
      };
    },
    async reconcile({ informer, client }) {
      const simulated = simulation();
      const hasNodes =
        simulated !== undefined &&
        informer(nodes)
          .list()
          .some((node) => simulated.isSimulated(node));
      const service = informer(services).get({ name: SERVICE });
      const isForeign = service?.spec.service !== undefined;
      await serve(kinds, hasNodes && !isForeign);
      if (hasNodes && !service) await attempt(client.resource(APIService).create(apiService), "AlreadyExists");
      if (!hasNodes && service && !isForeign)
        await attempt(client.resource(APIService).delete({ name: SERVICE }), "NotFound");
    },
  });
}

const apiService = {
  metadata: { name: SERVICE, labels: { "k8s-app": "metrics-server" } },
  spec: { group: METRICS_GROUP, version: METRICS_VERSION, groupPriorityMinimum: 100, versionPriority: 100 },
};

/** Starts or stops serving the group. */
async function serve(kinds: Kinds, wanted: boolean): Promise<void> {
  const isServed = kinds.hasGroup(METRICS_GROUP);
  if (wanted === isServed) return;
  for (const definition of metricsDefinitions) {
    // oxlint-disable-next-line no-await-in-loop -- two
    await (wanted ? kinds.set({ versions: [definition] }) : kinds.remove(`${definition.plural}.${METRICS_GROUP}`));
  }
}
