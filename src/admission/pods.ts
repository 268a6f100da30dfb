/**
 * Admission of Pods and of the nodes that they run on: priorities, default tolerations, and the requirements of runtime classes
 * (KIND-PodAdmission-1..6, KIND-PriorityClass-5, 6). Templates are not changed: the Pods that are made from them are.
 *
 * Fields that these steps add have no owner: ownership is recorded before admission.
 *
 * @module
 */
import type { Pod } from "../kinds/core/v1/pod/defaults.ts";
import type { PodSpec } from "../kinds/core/v1/pod/spec-schema.ts";
import { sameResources } from "../kinds/rules/quantities.ts";
import type { RuntimeClass } from "../kinds/node/v1/runtime-class.ts";
import type { PriorityClass } from "../kinds/scheduling/v1/priority-class.ts";
import type { Dialect } from "../meta/dialect.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "./contract.ts";
import { KeptObjects } from "./kept-objects.ts";
import { type Toleration, mergeTolerations } from "./tolerations.ts";

const PODS = { group: "", plural: "pods" };
const NODES = { group: "", plural: "nodes" };

/** Whether an object is a Pod. */
export const isPod = guardOf<Pod>("Pod");
const isPriorityClass = guardOf<PriorityClass>("PriorityClass");
const isRuntimeClass = guardOf<RuntimeClass>("RuntimeClass");
const isNode = guardOf<Node>("Node");

/** The spec of a Pod that is written; undefined for other requests. */
function podOf(request: AdmissionRequest, ...operations: AdmissionRequest["operation"][]): PodSpec | undefined {
  const { operation, subresource, object } = request;
  if (!operations.includes(operation) || subresource !== "" || !concerns(request, PODS)) return undefined;
  return isPod(object) ? object.spec : undefined;
}

/** Gives Pods the priority of their class, and refuses a second default class. */
export function priority(): AdmissionStep {
  const classes = { group: "scheduling.k8s.io", plural: "priorityclasses" };
  const resource = `${classes.plural}.${classes.group}`;
  const readDefault = (object: ApiObject): PriorityClass | undefined =>
    isPriorityClass(object) && object.globalDefault === true ? object : undefined;

  const defaults = new KeptObjects(resource, readDefault);
  /** Continues with the default class; where servers have made several at the same time, with the one of the lowest priority. */
  const withDefault = (
    { lookup }: AdmissionRequest,
    next: (found: PriorityClass | undefined) => void,
  ): void | Promise<void> => {
    const found = defaults.of(lookup);
    return found instanceof Promise ? found.then((all) => next(leastOf(all))) : next(leastOf(found));
  };

  const give = (request: AdmissionRequest, spec: PodSpec, from: Pick<PriorityClass, "value" | "preemptionPolicy">) => {
    const { value, preemptionPolicy } = from;
    if (spec.priority !== undefined && spec.priority !== value) {
      throw refusal(request, computed(`integer value of priority (${spec.priority})`, value));
    }
    spec.priority = value;
    if (preemptionPolicy === undefined) return;
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
      throw refusal(request, computed(`string value of PreemptionPolicy (${spec.preemptionPolicy})`, preemptionPolicy));
    }
    spec.preemptionPolicy = preemptionPolicy;
  };

  return {
    name: "Priority",
    resources: [PODS, classes],
    mutate(request) {
      const changed = podOf(request, "UPDATE");
      if (changed) return keepPriority(changed, isPod(request.old) ? request.old.spec : undefined);
      const spec = podOf(request, "CREATE");
      if (!spec) return undefined;
      const { priorityClassName: name = "" } = spec;
      if (name === "") {
        return withDefault(request, (found) => {
          if (found) spec.priorityClassName = found.metadata.name ?? "";
          give(request, spec, found ?? { value: 0, preemptionPolicy: "PreemptLowerPriority" });
        });
      }
      const named = request.lookup.get(resource, "", name);
      if (!isPriorityClass(named)) throw refusal(request, `no PriorityClass with name ${name} was found`);
      return give(request, spec, named);
    },
    validate(request) {
      const { operation, subresource, object } = request;
      if (subresource !== "" || !concerns(request, classes) || !object || !readDefault(object)) return undefined;
      return withDefault(request, (other) => {
        if (!other || (operation === "UPDATE" && other.metadata.name === object.metadata.name)) return;
        const taken = `PriorityClass ${other.metadata.name} is already marked as default`;
        throw refusal(request, `${taken}. Only one default can exist`);
      });
    },
  };
}

/** Why a Pod may not set what its class sets. */
const computed = (what: string, value: string | number | undefined): string =>
  `the ${what} must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;

const leastOf = (classes: readonly PriorityClass[]): PriorityClass | undefined =>
  classes.toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];

/** A Pod keeps its priority where an update omits it. */
function keepPriority(spec: PodSpec, old: PodSpec | undefined): void {
  if (spec.priority === undefined && old?.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old?.preemptionPolicy !== undefined) {
    spec.preemptionPolicy = old.preemptionPolicy;
  }
}

const LOST_SECONDS = 300;

/** Lets Pods stay for five minutes on nodes that do not respond, unless their tolerations differ (KIND-PodAdmission-2). */
export function defaultTolerationSeconds({ labelDomain }: Dialect): AdmissionStep {
  const taints = ["not-ready", "unreachable"].map((condition) => `node.${labelDomain}/${condition}`);
  return {
    name: "DefaultTolerationSeconds",
    resources: [PODS],
    mutate(request) {
      const spec = podOf(request, "CREATE", "UPDATE");
      if (!spec) return;
      const { tolerations = [] } = spec;
      const missing = taints.filter((taint) => !tolerations.some((one) => isOfLoss(one, taint)));
      if (missing.length === 0) return;
      const added = missing.map((key) => ({
        key,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: LOST_SECONDS,
      }));
      spec.tolerations = [...tolerations, ...added];
    },
  };
}

/** Whether a toleration limits how long a Pod stays on a node with a taint. */
const isOfLoss = ({ key = "", effect = "" }: Toleration, taint: string): boolean =>
  (key === taint || key === "") && (effect === "NoExecute" || effect === "");

interface Node extends ApiObject {
  spec?: { taints?: { readonly key: string; readonly effect: string }[] };
}

/** Keeps Pods away from a new node until a controller has found it ready (KIND-PodAdmission-5). */
export function taintNodesByCondition({ labelDomain }: Dialect): AdmissionStep {
  const taint = { key: `node.${labelDomain}/not-ready`, effect: "NoSchedule" };
  return {
    name: "TaintNodesByCondition",
    resources: [NODES],
    mutate(request) {
      const { operation, subresource, object } = request;
      if (operation !== "CREATE" || subresource !== "" || !concerns(request, NODES) || !isNode(object)) return;
      const spec = (object.spec ??= {});
      const { taints = [] } = spec;
      if (taints.some(({ key, effect }) => key === taint.key && effect === taint.effect)) return;
      spec.taints = [...taints, taint];
    },
  };
}

const OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const UNDEFINED_OVERHEAD = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";

/** Gives Pods the overhead and the nodes of their runtime class (KIND-PodAdmission-3, KIND-PodAdmission-4). */
export function runtimeClass(): AdmissionStep {
  const resource = "runtimeclasses.node.k8s.io";
  const classOf = (request: AdmissionRequest, { runtimeClassName: name }: PodSpec): RuntimeClass | undefined => {
    if (name === undefined) return undefined;
    const found = request.lookup.get(resource, "", name);
    if (!isRuntimeClass(found)) throw refusal(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
    return found;
  };
  return {
    name: "RuntimeClass",
    resources: [PODS],
    mutate(request) {
      const spec = podOf(request, "CREATE");
      const found = spec && classOf(request, spec);
      if (!found) return;
      if (found.overhead) setOverhead(request, spec, found.overhead.podFixed);
      if (found.scheduling) setScheduling(request, spec, found.scheduling);
    },
    validate(request) {
      const spec = podOf(request, "CREATE");
      if (!spec) return;
      const overhead = classOf(request, spec)?.overhead;
      if (overhead ? sameResources(overhead.podFixed, spec.overhead) : spec.overhead === undefined) return;
      throw refusal(request, overhead ? OTHER_OVERHEAD : UNDEFINED_OVERHEAD);
    },
  };
}

function setOverhead(request: AdmissionRequest, spec: PodSpec, podFixed: Readonly<Record<string, string>> = {}): void {
  if (spec.overhead && !sameResources(podFixed, spec.overhead)) {
    throw refusal(request, OTHER_OVERHEAD);
  }
  if (Object.keys(podFixed).length > 0) spec.overhead = { ...podFixed };
}

type Scheduling = NonNullable<RuntimeClass["scheduling"]>;

function setScheduling(request: AdmissionRequest, spec: PodSpec, { nodeSelector, tolerations }: Scheduling): void {
  for (const [key, wanted] of Object.entries(nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key];
    if (own === undefined || own === wanted) continue;
    throw refusal(
      request,
      `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${wanted}; pod.spec.nodeSelector[${key}] = ${own}`,
    );
  }
  if (nodeSelector) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
  const merged = mergeTolerations([...(spec.tolerations ?? []), ...(tolerations ?? [])]);
  if (merged.length > 0) spec.tolerations = [...merged];
}
