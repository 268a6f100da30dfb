/**
 * Admission of where Pods may run: node selectors and tolerations of their namespace, tolerations for what they request, and
 * labels of the node that they are bound to.
 *
 * Fields that these steps add have no owner: ownership is recorded before admission.
 *
 * @module
 */
import type { Pod } from "../kinds/core/v1/pod/defaults.ts";
import { qosClass } from "../kinds/core/v1/pod/qos.ts";
import { isExtended } from "../kinds/rules/quantities.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { ApiObject } from "../schema/definition.ts";
import { guardOf } from "../schema/api-object.ts";
import { isObject } from "../value/value.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "./contract.ts";
import { isPod } from "./pods.ts";
import { type Toleration, covers, mergeTolerations } from "./tolerations.ts";

const PODS = { group: "", plural: "pods" };

const isBinding = guardOf<ApiObject & { readonly target?: { readonly kind?: string; readonly name?: string } }>(
  "Binding",
);

/** The Pod of a create, or of an update too; undefined for other requests. */
function podOf(request: AdmissionRequest, ...operations: AdmissionRequest["operation"][]): Pod | undefined {
  const { operation, subresource, object } = request;
  if (!operations.includes(operation) || subresource !== "" || !concerns(request, PODS)) return undefined;
  return isPod(object) ? object : undefined;
}

const namespaceAnnotation = ({ lookup, namespace }: AdmissionRequest, key: string): string | undefined =>
  lookup.get("namespaces", "", namespace)?.metadata.annotations?.[key];

/** Refuses a required anti-affinity by another topology than the host name, which would exclude other Pods from a whole zone. */
export function limitPodHardAntiAffinityTopology({ labelDomain }: Dialect): AdmissionStep {
  const hostname = `${labelDomain}/hostname`;
  return {
    name: "LimitPodHardAntiAffinityTopology",
    resources: [PODS],
    validate(request) {
      const terms = podOf(request, "CREATE", "UPDATE")?.spec.affinity?.podAntiAffinity;
      const wrong = terms?.requiredDuringSchedulingIgnoredDuringExecution?.find(
        ({ topologyKey }) => topologyKey !== hostname,
      );
      if (!wrong) return;
      const what = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wrong.topologyKey}`;
      throw refusal(request, `${what} but only key ${hostname} is allowed`);
    },
  };
}

/** Gives new Pods the node selector of their namespace, and refuses those that contradict it. */
export function podNodeSelector({ labelDomain }: Dialect): AdmissionStep {
  const key = `scheduler.alpha.${labelDomain}/node-selector`;
  const conflict = "pod node label selector conflicts with its namespace node label selector";
  const selectorOf = (request: AdmissionRequest): Readonly<Record<string, string>> =>
    parsePairs(namespaceAnnotation(request, key) ?? "", request);
  const check = (request: AdmissionRequest, selector: Readonly<Record<string, string>>, pod: Pod): void => {
    const own = pod.spec.nodeSelector ?? {};
    const isOther = ([name, value]: [string, string]): boolean => Object.hasOwn(own, name) && own[name] !== value;
    if (Object.entries(selector).some(isOther)) throw refusal(request, conflict);
  };
  return {
    name: "PodNodeSelector",
    resources: [PODS],
    mutate(request) {
      const pod = podOf(request, "CREATE");
      if (!pod) return;
      const selector = selectorOf(request);
      check(request, selector, pod);
      if (Object.keys(selector).length > 0) pod.spec.nodeSelector = { ...selector, ...pod.spec.nodeSelector };
    },
    validate(request) {
      const pod = podOf(request, "CREATE");
      if (pod) check(request, selectorOf(request), pod);
    },
  };
}

/** Reads `zone=a,disk=fast`. */
function parsePairs(text: string, request: AdmissionRequest): Readonly<Record<string, string>> {
  if (text === "") return {};
  const pairs = text.split(",").map((part) => part.split("=").map((side) => side.trim()));
  if (pairs.some((sides) => sides.length !== 2)) {
    throw refusal(
      request,
      `expected the node selector of its namespace to be key=value pairs, got ${JSON.stringify(text)}`,
    );
  }
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** The most comparisons of tolerations of a Pod with those that its namespace allows. */
const MAX_COMPARED = 1_000_000;
/** The most tolerations of a Pod where its namespace has such a list. */
const MAX_TOLERATIONS = 1000;

/** Gives Pods the tolerations of their namespace, and refuses those that its list of allowed ones does not cover. */
export function podTolerationRestriction({ labelDomain }: Dialect): AdmissionStep {
  const defaults = `scheduler.alpha.${labelDomain}/defaultTolerations`;
  const allowed = `scheduler.alpha.${labelDomain}/tolerationsWhitelist`;
  const pressure = { key: `node.${labelDomain}/memory-pressure`, operator: "Exists", effect: "NoSchedule" };
  return {
    name: "PodTolerationRestriction",
    resources: [PODS],
    mutate(request) {
      const pod = podOf(request, "CREATE", "UPDATE");
      if (!pod) return;
      const added = request.operation === "CREATE" ? tolerationsOf(request, defaults) : [];
      const more = qosClass(pod.spec) === "BestEffort" ? [] : [pressure];
      const merged = mergeTolerations([...(pod.spec.tolerations ?? []), ...added, ...more]);
      if (added.length + more.length > 0) pod.spec.tolerations = [...merged];
    },
    validate(request) {
      const own = podOf(request, "CREATE", "UPDATE")?.spec.tolerations ?? [];
      if (own.length === 0) return;
      const list = tolerationsOf(request, allowed);
      const most = Math.min(MAX_TOLERATIONS, Math.floor(MAX_COMPARED / list.length));
      if (list.length > 0 && own.length > most) {
        throw refusal(request, `expected at most ${most} tolerations, got ${own.length}`);
      }
      if (list.length === 0 || own.every((one) => list.some((other) => covers(other, one)))) return;
      const what = "pod tolerations (possibly merged with namespace default tolerations)";
      throw refusal(request, `${what} conflict with its namespace whitelist`);
    },
  };
}

/** The tolerations in an annotation of a namespace, a JSON list; none without the annotation. */
function tolerationsOf(request: AdmissionRequest, key: string): readonly Toleration[] {
  const text = namespaceAnnotation(request, key) ?? "";
  const value = text === "" ? [] : parseJson(text);
  if (Array.isArray(value) && value.every(isObject)) return value.map(tolerationOf);
  throw refusal(request, `expected the annotation ${key} of its namespace to be a JSON list of tolerations`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A toleration with those members of a value that have the right type. */
function tolerationOf(value: Readonly<Record<string, unknown>>): Toleration {
  const texts = (["key", "operator", "value", "effect"] as const).filter((name) => typeof value[name] === "string");
  const { tolerationSeconds: seconds } = value;
  return {
    ...Object.fromEntries(texts.map((name) => [name, value[name]])),
    ...(typeof seconds === "number" ? { tolerationSeconds: seconds } : {}),
  };
}

/** Gives Pods that request an extended resource a toleration of the taint with its name. */
export const extendedResourceToleration = (dialect: Dialect): AdmissionStep => ({
  name: "ExtendedResourceToleration",
  resources: [PODS],
  mutate(request) {
    const pod = podOf(request, "CREATE", "UPDATE");
    if (!pod) return;
    const { containers, initContainers } = pod.spec;
    const tolerations = pod.spec.tolerations ?? [];
    const names = [...(containers ?? []), ...(initContainers ?? [])].flatMap(({ resources }) =>
      Object.keys(resources?.requests ?? {}),
    );
    const extended = [...new Set(names)].filter((name) => isExtended(name, dialect)).toSorted();
    const missing = extended
      .map((key) => ({ key, operator: "Exists", effect: "NoSchedule" }))
      .filter((wanted) => !tolerations.some((one) => isLike(one, wanted)));
    if (missing.length > 0) pod.spec.tolerations = [...tolerations, ...missing];
  },
});

const isLike = (one: Toleration, { key, operator, effect }: Toleration): boolean =>
  one.key === key && one.operator === operator && one.effect === effect && (one.value ?? "") === "";

/** Copies the zone and the region of a node to the Pods that are bound to it, and to new Pods that name it. */
export function podTopologyLabels({ labelDomain }: Dialect): AdmissionStep {
  const copied = ["zone", "region"].map((name) => `topology.${labelDomain}/${name}`);
  const labelsOf = ({ lookup }: AdmissionRequest, name: string): Record<string, string> => {
    const labels = lookup.get("nodes", "", name)?.metadata.labels ?? {};
    return Object.fromEntries(copied.filter((key) => Object.hasOwn(labels, key)).map((key) => [key, labels[key]!]));
  };
  return {
    name: "PodTopologyLabels",
    resources: [PODS],
    mutate(request) {
      const { operation, object } = request;
      const node = operation === "CREATE" && concerns(request, PODS) ? nodeOf(request) : undefined;
      if (!object || !node) return;
      const labels = labelsOf(request, node);
      if (Object.keys(labels).length > 0) object.metadata.labels = { ...object.metadata.labels, ...labels };
    },
  };
}

/** The node that a Pod is bound to by a request; undefined for none. */
function nodeOf({ subresource, object }: AdmissionRequest): string | undefined {
  if (subresource === "binding" && isBinding(object)) {
    return object.target?.kind === "Node" ? object.target.name : undefined;
  }
  return subresource === "" && isPod(object) ? object.spec.nodeName : undefined;
}
