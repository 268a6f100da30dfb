import { expect, test } from "vitest";
import type { AdmissionStep } from "./contract.ts";
import { stepsOf } from "./steps-of.ts";

const PODS = { group: "", plural: "pods", kind: "Pod" };
const MAPS = { group: "", plural: "configmaps", kind: "ConfigMap" };
const OTHERS = { group: "example.com", plural: "pods", kind: "Pod" };

const nothing = (): void => {};
const everywhere: AdmissionStep = { name: "everywhere", mutate: nothing, validate: nothing };
const ofPods: AdmissionStep = { name: "of pods", resources: [PODS], validate: nothing, commit: () => undefined };
const chain = [everywhere, ofPods];

test("a step is asked about the resources that it names, by group and plural, and one that names none about all", () => {
  expect(stepsOf(chain, PODS).validate).toEqual([everywhere, ofPods]);
  expect(stepsOf(chain, MAPS).validate).toEqual([everywhere]);
  expect(stepsOf(chain, OTHERS).validate).toEqual([everywhere]);
});

test("it is asked for what it does", () => {
  const { mutate, commit } = stepsOf(chain, PODS);
  expect(mutate).toEqual([everywhere]);
  expect(commit).toEqual([ofPods]);
});

test("what was found is found once, for each chain", () => {
  expect(stepsOf(chain, PODS)).toBe(stepsOf(chain, PODS));
  expect(stepsOf([ofPods], PODS).validate).toEqual([ofPods]);
});
