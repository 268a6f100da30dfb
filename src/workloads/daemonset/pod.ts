/** The Pods of a DaemonSet: their node, their tolerations and their revision (WL-DS-1, WL-DS-2, WL-DS-7). */
import type { NewObject } from "../../client/kind.ts";
import type { DaemonSet, Pod } from "../../client/kinds/index.ts";
import { type PodTemplate, podFromTemplate } from "../common/template.ts";
import { NAME_FIELD } from "../nodes/node-selector.ts";
import type { Toleration } from "../nodes/tolerations.ts";

/** The label of Pods and revisions with the hash of the template. */
export const HASH = "controller-revision-hash";

const GENERATION_LABEL = "pod-template-generation";
const GENERATION_ANNOTATION = "deprecated.daemonset.template.generation";

const NODE = "node.kubernetes.io/";

/** The taints that a Pod of a DaemonSet tolerates in addition to those of its template. */
const TOLERATED: readonly (readonly [key: string, effect: string])[] = [
  ["not-ready", "NoExecute"],
  ["unreachable", "NoExecute"],
  ["disk-pressure", "NoSchedule"],
  ["memory-pressure", "NoSchedule"],
  ["pid-pressure", "NoSchedule"],
  ["unschedulable", "NoSchedule"],
];

/** Returns the tolerations of the Pods of a template. */
export function tolerationsOf({ spec }: PodTemplate): readonly Toleration[] {
  const tolerated = spec.hostNetwork ? [...TOLERATED, ["network-unavailable", "NoSchedule"] as const] : TOLERATED;
  const added = tolerated.map(([key, effect]): Toleration => ({ key: `${NODE}${key}`, operator: "Exists", effect }));
  // An existing toleration then has no end.
  const isAdded = (one: Toleration): boolean => added.some((other) => isAlike(one, other));
  const own = (spec.tolerations ?? []).map((one) => {
    const { tolerationSeconds: _, ...endless } = one;
    return isAdded(one) ? endless : one;
  });
  return [...own, ...added.filter((one) => !own.some((other) => isAlike(one, other)))];
}

const isAlike = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key && a.operator === b.operator && a.effect === b.effect && (a.value ?? "") === (b.value ?? "");

/** The generation of the template; undefined where the annotation is no number. */
export function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[GENERATION_ANNOTATION];
  return text !== undefined && /^[+-]?\d{1,19}$/.test(text) ? String(BigInt(text.replace(/^\+/, ""))) : undefined;
}

/** Creates the Pod for a node: it is not bound, but its affinity matches only this node. */
export function newPod(set: DaemonSet, node: string, hash: string): NewObject<Pod> {
  const { template } = set.spec;
  const generation = templateGeneration(set);
  const labels = {
    ...template.metadata?.labels,
    ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
    [HASH]: hash,
  };
  const { affinity } = template.spec;
  const spec = {
    ...template.spec,
    tolerations: tolerationsOf(template),
    affinity: {
      ...affinity,
      nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: onlyOn(node) },
    },
  };
  return podFromTemplate({ ...template, metadata: { ...template.metadata, labels }, spec } as PodTemplate, set);
}

const onlyOn = (node: string): object => ({
  nodeSelectorTerms: [{ matchFields: [{ key: NAME_FIELD, operator: "In", values: [node] }] }],
});

/** The node of a Pod: the one where it is bound, or the only one that its affinity matches; undefined where there is none. */
export function targetOf({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const fields = terms.flatMap(({ matchFields = [] }) => matchFields);
  const names = fields.find(({ key, operator }) => key === NAME_FIELD && operator === "In")?.values ?? [];
  return names.length === 1 ? names[0] : undefined;
}

/** Whether a Pod has the template in the spec, by its hash or by the generation of the template. */
export function isUpdated(set: DaemonSet, { metadata: { labels = {} } }: Pod, hash: string): boolean {
  const generation = templateGeneration(set);
  return labels[HASH] === hash || (generation !== undefined && labels[GENERATION_LABEL] === generation);
}
