import { expect, test } from "vitest";
import type { Pod } from "../../client/kinds/index.ts";
import {
  type AffinityTerm,
  isOfUnknownNamespaces,
  podsMatching,
  requiredAffinity,
  requiredAntiAffinity,
} from "./pod-terms.ts";

const podOf = (namespace: string, labels: object = {}) =>
  ({ metadata: { namespace, labels }, spec: {} }) as unknown as Pod;
const owner = podOf("home", { app: "a", version: "1" });
const termOf = (more: object = {}) =>
  ({ topologyKey: "zone", labelSelector: { matchLabels: { app: "a" } }, ...more }) as unknown as AffinityTerm;
const ALIKE = { app: "a", version: "1" };

test.each<[string, object, Pod, boolean]>([
  ["its own namespace", {}, podOf("home", ALIKE), true],
  ["no other namespace", {}, podOf("other", ALIKE), false],
  ["the namespaces that it names", { namespaces: ["other"] }, podOf("other", ALIKE), true],
  ["its own not where it names others", { namespaces: ["other"] }, podOf("home", ALIKE), false],
  ["all namespaces with an empty selector", { namespaceSelector: {} }, podOf("other", ALIKE), true],
  ["none by the labels of namespaces", { namespaceSelector: { matchLabels: { x: "y" } } }, podOf("home", ALIKE), false],
  ["no other labels", {}, podOf("home", { app: "b" }), false],
  ["nothing without a selector", { labelSelector: undefined }, podOf("home", ALIKE), false],
  ["the same value of a label", { matchLabelKeys: ["version"] }, podOf("home", ALIKE), true],
  ["no other value of a label", { matchLabelKeys: ["version"] }, podOf("home", { app: "a", version: "2" }), false],
  ["another value of a label", { mismatchLabelKeys: ["version"] }, podOf("home", { app: "a", version: "2" }), true],
  ["not the same value of a label", { mismatchLabelKeys: ["version"] }, podOf("home", ALIKE), false],
  ["any value of a label that its owner has not", { matchLabelKeys: ["x"] }, podOf("home", { app: "a", x: "1" }), true],
])("a term selects in %s", (_, more, pod, matches) => {
  expect(podsMatching(termOf(more), owner)(pod)).toBe(matches);
});

test.each<[object, boolean]>([
  [{}, false],
  [{ namespaceSelector: {} }, false],
  [{ namespaceSelector: { matchLabels: { x: "y" } } }, true],
  [{ namespaceSelector: { matchExpressions: [{ key: "x", operator: "Exists" }] } }, true],
])("a term with %j asks for the labels of namespaces: %s", (more, isUnknown) => {
  expect(isOfUnknownNamespaces(termOf(more))).toBe(isUnknown);
});

test("the terms of a Pod are those that are required", () => {
  const [near, far] = [termOf({ topologyKey: "near" }), termOf({ topologyKey: "far" })];
  const required = (term: AffinityTerm) => ({ requiredDuringSchedulingIgnoredDuringExecution: [term] });
  const affinity = { podAffinity: required(near), podAntiAffinity: required(far) };
  const pod = { metadata: {}, spec: { affinity } } as unknown as Pod;
  expect([requiredAffinity(pod), requiredAntiAffinity(pod)]).toEqual([[near], [far]]);
  expect([requiredAffinity(owner), requiredAntiAffinity(owner)]).toEqual([[], []]);
});
