/**
 * The schema of where a Pod may run: affinity, tolerations, spreading (SUP-5).
 *
 * @module
 */
import { atomicList, int32, int64, optional, pointer, required, struct, text } from "../../../../meta/types.ts";
import { LabelSelector } from "../../../../schema/validation/label-selector.ts";
import { NodeSelector, NodeSelectorTerm } from "../../../rules/node-selector.ts";

const PodAffinityTerm = struct("Pods near or far from which the Pod is to run.", {
  labelSelector: pointer(LabelSelector),
  namespaces: optional(atomicList(text(), "The namespaces of the pods.")),
  topologyKey: required(text("The label of nodes that says what near is.")),
  namespaceSelector: pointer(LabelSelector),
  matchLabelKeys: optional(atomicList(text(), "Labels whose values must be those of the Pod.")),
  mismatchLabelKeys: optional(atomicList(text(), "Labels whose values must differ from those of the Pod.")),
});

const podAffinity = (description: string) =>
  struct(description, {
    requiredDuringSchedulingIgnoredDuringExecution: optional(atomicList(PodAffinityTerm, "What must hold.")),
    preferredDuringSchedulingIgnoredDuringExecution: optional(
      atomicList(
        struct("A wish and its weight.", {
          weight: required(int32("1 to 100.")),
          podAffinityTerm: required(PodAffinityTerm),
        }),
        "What is wished for.",
      ),
    ),
  });

/** Near what and far from what a Pod is to run. */
export const Affinity = struct("Near what and far from what the Pod is to run.", {
  nodeAffinity: pointer(
    struct("The nodes that are meant.", {
      requiredDuringSchedulingIgnoredDuringExecution: pointer(NodeSelector),
      preferredDuringSchedulingIgnoredDuringExecution: optional(
        atomicList(
          struct("A wish and its weight.", {
            weight: required(int32("1 to 100.")),
            preference: required(NodeSelectorTerm),
          }),
          "What is wished for.",
        ),
      ),
    }),
  ),
  podAffinity: pointer(podAffinity("Pods near which the Pod is to run.")),
  podAntiAffinity: pointer(podAffinity("Pods far from which the Pod is to run.")),
});

/** A taint that does not keep the Pod away. */
export const Toleration = struct("A taint that does not keep the Pod away.", {
  key: optional(text("The key of the taint; all when empty.")),
  operator: optional(text("`Equal` when unset, or `Exists`.")),
  value: optional(text("The value of the taint.")),
  effect: optional(text("`NoSchedule`, `PreferNoSchedule` or `NoExecute`; all when empty.")),
  tolerationSeconds: pointer(int64("Seconds that a NoExecute taint is tolerated.")),
});

/** How pods are spread. */
export const TopologySpreadConstraint = struct("How pods are spread over nodes.", {
  maxSkew: required(int32("How unevenly at most.")),
  topologyKey: required(text("The label of nodes that says what one place is.")),
  whenUnsatisfiable: required(text("`DoNotSchedule` or `ScheduleAnyway`.")),
  labelSelector: pointer(LabelSelector),
  minDomains: pointer(int32("How many places there must be.")),
  nodeAffinityPolicy: pointer(text("`Honor` or `Ignore`.")),
  nodeTaintsPolicy: pointer(text("`Honor` or `Ignore`.")),
  matchLabelKeys: optional(atomicList(text(), "Labels whose values must be those of the Pod.")),
});
