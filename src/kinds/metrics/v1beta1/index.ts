/**
 * NodeMetrics and PodMetrics: the usage of nodes and of the containers of Pods, in the form of metrics-server. They are made for each read
 * and never stored; their content comes from `cluster/simulated-metrics.ts`. They are served only where there are simulated nodes.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { addQuantities } from "../../../meta/quantity.ts";
import { textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

/** The group of the metrics of nodes and Pods. */
export const METRICS_GROUP = "metrics.k8s.io";
/** Its version. */
export const METRICS_VERSION = "v1beta1";

const usage = t.required(t.map(t.quantity(), "The usage: `cpu` and `memory`."));
const when = {
  timestamp: t.required(t.time("The end of the time that was measured.")),
  window: t.required(t.text("How long was measured, such as `15s`.")),
};

const nodeSchema = objectSchema("The usage of a node.", { ...when, usage });

const Container = t.struct("The usage of a container.", {
  name: t.required(t.text("The name of the container.")),
  usage,
});

const podSchema = objectSchema("The usage of the containers of a Pod.", {
  ...when,
  containers: t.required(t.atomicList(Container, "The containers.")),
});

type PodMetrics = ObjectOf<typeof podSchema>;

const sum = ({ containers }: PodMetrics, name: string): string =>
  containers.map((container) => container.usage[name] ?? "0").reduce((a, b) => addQuantities(a, b), "0");

const shared = {
  group: METRICS_GROUP,
  version: METRICS_VERSION,
  verbs: ["get", "list"],
  shown: true,
} as const;

const NODE_METRICS = defineResource(nodeSchema, {
  ...shared,
  kind: "NodeMetrics",
  plural: "nodes",
  scope: "Cluster",
  columns: [
    textColumn("cpu", "CPUs in use.", (object) => object.usage["cpu"] ?? "0"),
    textColumn("memory", "Memory in use.", (object) => object.usage["memory"] ?? "0"),
    textColumn("Window", "How long was measured.", ({ window }) => window),
  ],
});

const POD_METRICS = defineResource(podSchema, {
  ...shared,
  kind: "PodMetrics",
  plural: "pods",
  scope: "Namespaced",
  columns: [
    textColumn("cpu", "CPUs in use.", (object) => sum(object, "cpu")),
    textColumn("memory", "Memory in use.", (object) => sum(object, "memory")),
    textColumn("Window", "How long was measured.", ({ window }) => window),
  ],
});

/** The definitions of the metrics of nodes and Pods; a server adds them only after its start. */
export const metricsDefinitions: readonly ResourceDefinition[] = [NODE_METRICS, POD_METRICS];
