/**
 * Admission of changes of running Pods that need a feature of their node.
 *
 * @module
 */
import type { Pod } from "../kinds/core/v1/pod/defaults.ts";
import { sameResources } from "../kinds/rules/quantities.ts";
import { compareQuantities } from "../meta/quantity.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { type AdmissionStep, concerns, refusal } from "./contract.ts";
import { isPod } from "./pods.ts";

const PODS = { group: "", plural: "pods" };
const isNode = guardOf<ApiObject & { readonly status?: { readonly declaredFeatures?: readonly string[] } }>("Node");

/** Refuses changes of a Pod that need a feature which its node does not declare. */
export const nodeDeclaredFeatureValidator: AdmissionStep = {
  name: "NodeDeclaredFeatureValidator",
  resources: [PODS],
  validate(request) {
    const { operation, subresource, object, old, lookup } = request;
    if (operation !== "UPDATE" || !concerns(request, PODS) || !["", "resize"].includes(subresource)) return;
    if (!isPod(object) || !isPod(old) || !object.spec.nodeName) return;
    const needed = neededFeatures(object, old);
    if (needed.length === 0) return;
    const { nodeName } = object.spec;
    const node = lookup.get("nodes", "", nodeName);
    if (!isNode(node)) throw refusal(request, `node "${nodeName}" not found`);
    const missing = needed.filter((feature) => !node.status?.declaredFeatures?.includes(feature));
    if (missing.length === 0) return;
    const features = missing.join(", ");
    throw refusal(request, `pod update requires features ${features} which are not available on node "${nodeName}"`);
  },
};

/** The features that a change of a Pod needs. */
const neededFeatures = (pod: Pod, old: Pod): readonly string[] => [
  ...(isGuaranteedWithOtherCpu(pod, old) ? ["GuaranteedQoSPodCPUResize"] : []),
  ...(hasOtherResources(pod, old) ? ["InPlacePodLevelResourcesVerticalScaling"] : []),
];

function isGuaranteedWithOtherCpu({ spec }: Pod, old: Pod): boolean {
  if ((old.status as { readonly qosClass?: string } | undefined)?.qosClass !== "Guaranteed") return false;
  const cpuOf = (containers: Pod["spec"]["containers"], i: number): string =>
    containers?.[i]?.resources?.requests?.["cpu"] ?? "0";
  return (old.spec.containers ?? []).some((_, i) => {
    const [before, now] = [cpuOf(old.spec.containers, i), cpuOf(spec.containers, i)];
    return compareQuantities(before, now) !== 0;
  });
}

function hasOtherResources({ spec: { resources } }: Pod, { spec: { resources: old } }: Pod): boolean {
  if (!resources && !old) return false;
  return !(
    sameResources(resources?.requests ?? {}, old?.requests ?? {}) &&
    sameResources(resources?.limits ?? {}, old?.limits ?? {})
  );
}
