/**
 * The schema of the scheduling of a Pod: affinity, tolerations, spreading (SUP-5).
 *
 * @module
 */
import * as t from "../../../../meta/types.ts";
import { LabelSelector } from "../../../../schema/validation/label-selector.ts";
import { NodeSelector, NodeSelectorTerm } from "../../../rules/node-selector.ts";

const PodAffinityTerm = t.struct("Pods near or far from which the Pod is to run.", {
  labelSelector: t.pointer(LabelSelector),
  namespaces: t.optional(t.atomicList(t.text(), "The namespaces of the pods.")),
  topologyKey: t.required(t.text("The label of nodes that defines a topology domain.")),
  namespaceSelector: t.pointer(LabelSelector),
  matchLabelKeys: t.optional(t.atomicList(t.text(), "Labels whose values must be those of the Pod.")),
  mismatchLabelKeys: t.optional(t.atomicList(t.text(), "Labels whose values must differ from those of the Pod.")),
});

const podAffinity = (description: string) =>
  t.struct(description, {
    requiredDuringSchedulingIgnoredDuringExecution: t.optional(t.atomicList(PodAffinityTerm, "The requirements.")),
    preferredDuringSchedulingIgnoredDuringExecution: t.optional(
      t.atomicList(
        t.struct("A wish and its weight.", {
          weight: t.required(t.int32("1 to 100.")),
          podAffinityTerm: t.required(PodAffinityTerm),
        }),
        "The preferences.",
      ),
    ),
  });

/** The affinity of a Pod, and its anti-affinity. */
export const Affinity = t.struct("The affinity and anti-affinity of the Pod.", {
  nodeAffinity: t.pointer(
    t.struct("The nodes that are meant.", {
      requiredDuringSchedulingIgnoredDuringExecution: t.pointer(NodeSelector),
      preferredDuringSchedulingIgnoredDuringExecution: t.optional(
        t.atomicList(
          t.struct("A wish and its weight.", {
            weight: t.required(t.int32("1 to 100.")),
            preference: t.required(NodeSelectorTerm),
          }),
          "The preferences.",
        ),
      ),
    }),
  ),
  podAffinity: t.pointer(podAffinity("Pods near which the Pod is to run.")),
  podAntiAffinity: t.pointer(podAffinity("Pods far from which the Pod is to run.")),
});

/** A taint that the Pod tolerates. */
export const Toleration = t.struct("A taint that does not keep the Pod away.", {
  key: t.optional(t.text("The key of the taint; all when empty.")),
  operator: t.optional(t.text("`Equal` when unset, or `Exists`.")),
  value: t.optional(t.text("The value of the taint.")),
  effect: t.optional(t.text("`NoSchedule`, `PreferNoSchedule` or `NoExecute`; all when empty.")),
  tolerationSeconds: t.pointer(t.int64("Seconds that a NoExecute taint is tolerated.")),
});

/** How pods are spread. */
export const TopologySpreadConstraint = t.struct("How pods are spread over nodes.", {
  maxSkew: t.required(t.int32("How unevenly at most.")),
  topologyKey: t.required(t.text("The label of nodes that defines a topology domain.")),
  whenUnsatisfiable: t.required(t.text("`DoNotSchedule` or `ScheduleAnyway`.")),
  labelSelector: t.pointer(LabelSelector),
  minDomains: t.pointer(t.int32("How many places there must be.")),
  nodeAffinityPolicy: t.pointer(t.text("`Honor` or `Ignore`.")),
  nodeTaintsPolicy: t.pointer(t.text("`Honor` or `Ignore`.")),
  matchLabelKeys: t.optional(t.atomicList(t.text(), "Labels whose values must be those of the Pod.")),
});
