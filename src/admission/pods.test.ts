import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { AdmissionRequest, AdmissionStep } from "./contract.ts";
import { defaultTolerationSeconds, priority, runtimeClass, taintNodesByCondition } from "./pods.ts";
import { lookupOf, objectOf, reading, requestOf } from "./testing/requests.ts";
import { cpuMillis } from "../util/testing/cpu-time.ts";

const PODS = { group: "", plural: "pods", kind: "Pod" };

describe.each([neutral, kubernetes])("admission of Pods in the $name dialect", (dialect) => {
  const CLASSES = { group: "scheduling.k8s.io", plural: "priorityclasses", kind: "PriorityClass" };
  const priorityClass = (name: string, value: number, more: object = {}): ApiObject =>
    objectOf({ name }, { value, preemptionPolicy: "PreemptLowerPriority", ...more });

  /** What a step makes of the spec of a Pod. */
  async function admit(step: AdmissionStep, spec: object, more: Partial<AdmissionRequest> = {}): Promise<unknown> {
    const object = objectOf({ name: "p", namespace: "team" }, { spec });
    const request = requestOf({ ref: PODS, object, ...more });
    await step.mutate?.(request);
    await step.validate?.(request);
    return object["spec"];
  }

  describe("Priority", () => {
    const stepOf = (...classes: ApiObject[]): AdmissionStep =>
      reading(lookupOf({ "priorityclasses.scheduling.k8s.io": classes }), priority());
    const step = stepOf(priorityClass("high", 100, { preemptionPolicy: "Never" }));

    test("KIND-PriorityClass-6, KIND-PodAdmission-1: a Pod gets what its class has, which it may say itself", async () => {
      const got = { priorityClassName: "high", priority: 100, preemptionPolicy: "Never" };
      expect(await admit(step, { priorityClassName: "high" })).toEqual(got);
      expect(await admit(step, got)).toEqual(got);
    });

    test.each([
      { priorityClassName: "high", priority: 7 },
      { priorityClassName: "high", preemptionPolicy: "PreemptLowerPriority" },
      { priorityClassName: "nosuch" },
      { priority: 5 },
      { preemptionPolicy: "Never" },
    ])("KIND-PriorityClass-6: %j is refused", async (spec) => {
      await expect(admit(step, spec)).rejects.toMatchObject({ status: { reason: "Forbidden", code: 403 } });
    });

    test("KIND-PriorityClass-6: without a class it is 0, or what the global default gives", async () => {
      const none = { priority: 0, preemptionPolicy: "PreemptLowerPriority" };
      expect(await admit(step, {})).toEqual(none);
      expect(await admit(step, { priority: 0 })).toEqual(none);
      const given = stepOf(priorityClass("low", 5, { globalDefault: true }));
      expect(await admit(given, {})).toEqual({ ...none, priority: 5, priorityClassName: "low" });
      await expect(admit(given, { priority: 0 })).rejects.toMatchObject({ status: { code: 403 } });
    });

    test("of several global defaults, which servers may make at a time, the least counts", async () => {
      const several = [7, 3, 5].map((value) => priorityClass(`c${value}`, value, { globalDefault: true }));
      expect(await admit(stepOf(...several), {})).toMatchObject({ priorityClassName: "c3", priority: 3 });
    });

    test("KIND-PriorityClass-6: on update what is left out is kept, whatever the class says now", async () => {
      const old = objectOf({ name: "p" }, { spec: { priority: 42, preemptionPolicy: "Never" } });
      const update = { operation: "UPDATE", old } as const;
      expect(await admit(step, { priorityClassName: "gone" }, update)).toEqual({
        priorityClassName: "gone",
        priority: 42,
        preemptionPolicy: "Never",
      });
      expect(await admit(step, { priority: 1 }, update)).toMatchObject({ priority: 1 });
    });

    test("KIND-PriorityClass-5: there is one global default", async () => {
      const judge = async (name: string, operation: "CREATE" | "UPDATE", more: object): Promise<void> => {
        const there = stepOf(priorityClass("first", 1, { globalDefault: true }), priorityClass("second", 2));
        await there.validate!(requestOf({ ref: CLASSES, operation, object: objectOf({ name }, more) }));
      };
      const refusal = { status: { code: 403 } };
      await expect(judge("third", "CREATE", { globalDefault: true })).rejects.toMatchObject(refusal);
      await expect(judge("second", "UPDATE", { globalDefault: true })).rejects.toMatchObject(refusal);
      await expect(judge("first", "UPDATE", { globalDefault: true })).resolves.toBeUndefined();
      await expect(judge("third", "CREATE", { globalDefault: false })).resolves.toBeUndefined();
    });

    test("other kinds, subresources and deletes are left alone", async () => {
      expect(await admit(step, {}, { subresource: "status" })).toEqual({});
      expect(await admit(step, {}, { ref: { ...PODS, group: "example.com" } })).toEqual({});
      expect(await admit(step, {}, { operation: "DELETE" })).toEqual({});
    });
  });

  describe("DefaultTolerationSeconds", () => {
    const step = defaultTolerationSeconds(dialect);
    const key = (condition: string): string => `node.${dialect.labelDomain}/${condition}`;
    const added = (condition: string) => ({
      key: key(condition),
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 300,
    });
    const tolerations = async (...own: object[]): Promise<unknown> =>
      ((await admit(step, { tolerations: own })) as { tolerations: unknown }).tolerations;

    test("KIND-PodAdmission-2: two tolerations come behind those that are there", async () => {
      expect(await admit(step, {})).toEqual({ tolerations: [added("not-ready"), added("unreachable")] });
      const other = { key: "other", operator: "Exists" };
      expect(await tolerations(other)).toEqual([other, added("not-ready"), added("unreachable")]);
    });

    test("KIND-PodAdmission-2: each unless one covers its taint with NoExecute or with every effect", async () => {
      const ready = { key: key("not-ready"), operator: "Exists", effect: "NoExecute", tolerationSeconds: 10 };
      expect(await tolerations(ready)).toEqual([ready, added("unreachable")]);
      const reached = { key: key("unreachable"), operator: "Exists" };
      expect(await tolerations(reached)).toEqual([reached, added("not-ready")]);
      const scheduled = { ...ready, effect: "NoSchedule" };
      expect(await tolerations(scheduled)).toEqual([scheduled, added("not-ready"), added("unreachable")]);
      for (const all of [{ operator: "Exists" }, { operator: "Exists", effect: "NoExecute" }]) {
        expect(await tolerations(all)).toEqual([all]);
      }
    });

    test("KIND-PodAdmission-2: on update, too: one that was taken away comes back", async () => {
      const left = [added("unreachable")];
      expect(await admit(step, { tolerations: left }, { operation: "UPDATE" })).toEqual({
        tolerations: [...left, added("not-ready")],
      });
    });
  });

  describe("TaintNodesByCondition", () => {
    const step = taintNodesByCondition(dialect);
    const taint = { key: `node.${dialect.labelDomain}/not-ready`, effect: "NoSchedule" };
    const nodes = { ref: { group: "", plural: "nodes", kind: "Node" } };

    test("KIND-PodAdmission-5: a new Node gets the taint unless it has it", async () => {
      expect(await admit(step, {}, nodes)).toEqual({ taints: [taint] });
      const own = { key: "own", effect: "NoExecute" };
      expect(await admit(step, { taints: [own] }, nodes)).toEqual({ taints: [own, taint] });
      expect(await admit(step, { taints: [taint] }, nodes)).toEqual({ taints: [taint] });
    });

    test("KIND-PodAdmission-5: taking it away later is allowed", async () => {
      expect(await admit(step, {}, { ...nodes, operation: "UPDATE" })).toEqual({});
    });
  });

  describe("RuntimeClass", () => {
    const toleration = { key: "t", operator: "Exists", effect: "NoSchedule" };
    const overhead = { cpu: "100m", memory: "10Mi" };
    const full = objectOf(
      { name: "full" },
      { overhead: { podFixed: overhead }, scheduling: { nodeSelector: { k: "v" }, tolerations: [toleration] } },
    );
    const step = reading(
      lookupOf({ "runtimeclasses.node.k8s.io": [full, objectOf({ name: "plain" })] }),
      runtimeClass(),
    );
    const spec = { runtimeClassName: "full" };
    const all = { ...spec, overhead, nodeSelector: { k: "v" }, tolerations: [toleration] };
    const refusal = { status: { reason: "Forbidden", code: 403 } };

    test("KIND-PodAdmission-3: a Pod gets the overhead of its class, which it may say itself", async () => {
      expect(await admit(step, { ...spec })).toEqual(all);
      expect(await admit(step, { ...spec, overhead: { cpu: "0.1", memory: "10Mi" } })).toEqual(all);
    });

    test.each([
      { runtimeClassName: "full", overhead: { cpu: "200m" } },
      { runtimeClassName: "plain", overhead: { cpu: "1" } },
      { overhead: { cpu: "1" } },
      { runtimeClassName: "nosuch" },
    ])("KIND-PodAdmission-3: %j is refused", async (wrong) => {
      await expect(admit(step, wrong)).rejects.toMatchObject(refusal);
    });

    test("KIND-PodAdmission-3: a step after this one that changes the overhead is found out", async () => {
      const object = objectOf({ name: "p" }, { spec: { ...spec, overhead: { cpu: "1" } } });
      expect(() => step.validate!(requestOf({ ref: PODS, object }))).toThrow("Overhead");
    });

    test("KIND-PodAdmission-4: node selectors are merged, and may not contradict each other", async () => {
      expect(await admit(step, { ...spec, nodeSelector: { l: "w" } })).toMatchObject({
        nodeSelector: { k: "v", l: "w" },
      });
      await expect(admit(step, { ...spec, nodeSelector: { k: "other" } })).rejects.toMatchObject(refusal);
    });

    test.each([
      [[{ key: "x", operator: "Exists" }], [{ key: "x", operator: "Exists" }, toleration]],
      [[toleration], [toleration]],
      [[{ operator: "Exists" }], [{ operator: "Exists" }]],
      [[{ key: "t", operator: "Exists" }], [{ key: "t", operator: "Exists" }]],
      [[{ key: "t", operator: "Equal", value: "v", effect: "NoSchedule" }], [toleration]],
      [
        [{ key: "t", operator: "Equal", value: "v", effect: "NoExecute" }],
        [{ key: "t", operator: "Equal", value: "v", effect: "NoExecute" }, toleration],
      ],
    ])("KIND-PodAdmission-4: %j with what the class tolerates is %j", async (own, merged) => {
      expect(await admit(step, { ...spec, tolerations: own })).toMatchObject({ tolerations: merged });
    });

    test("KIND-PodAdmission-4: of NoExecute the longer one has the shorter one in it", async () => {
      const lasting = (tolerationSeconds?: number) => ({
        key: "a",
        operator: "Exists",
        effect: "NoExecute",
        ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
      });
      const merged = async (...own: object[]): Promise<unknown> =>
        ((await admit(step, { ...spec, tolerations: own })) as { tolerations: object[] }).tolerations.slice(0, -1);
      expect(await merged(lasting(5), lasting(9))).toEqual([lasting(9)]);
      expect(await merged(lasting(9), lasting(5))).toEqual([lasting(9)]);
      expect(await merged(lasting(9), lasting())).toEqual([lasting()]);
      expect(await merged(lasting(), lasting(9))).toEqual([lasting()]);
    });

    test("thousands of tolerations are merged at once", async () => {
      const many = Array.from({ length: 16_000 }, (_, i) => ({ key: "a", operator: "Equal", value: `${i}` }));
      const begun = cpuMillis();
      const { tolerations } = (await admit(step, { ...spec, tolerations: many })) as { tolerations: object[] };
      expect(tolerations).toHaveLength(16_001);
      expect(cpuMillis() - begun).toBeLessThan(100);
    });

    test("an update keeps what was given", async () => {
      expect(await admit(step, { runtimeClassName: "gone", overhead: { cpu: "3" } }, { operation: "UPDATE" })).toEqual({
        runtimeClassName: "gone",
        overhead: { cpu: "3" },
      });
    });
  });
});
