import { describe, expect, test } from "vitest";
import { structOf } from "../../../apply/schema/schema.ts";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { resourceQuota } from "./resource-quota.ts";

describe.each([neutral, kubernetes])("a ResourceQuota in the $name dialect", (dialect) => {
  const kind = new KindUnderTest(resourceQuota, contextOf(dialect));
  const causesOf = (spec: object): readonly string[] => kind.create({ spec }).causes;
  const selecting = (scopeName: string, operator: string, values?: string[], hard: object = {}): readonly string[] =>
    causesOf({
      hard,
      scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values ? { values } : {}) }] },
    }).map((cause) => cause.replace("spec.scopeSelector.matchExpressions", "").replace("FieldValue", ""));

  const counted =
    "cpu requests.cpu limits.memory requests.storage ephemeral-storage hugepages-2Mi requests.hugepages-2Mi " +
    "pods services services.nodeports services.loadbalancers configmaps resourcequotas count/configmaps " +
    "count/things.example.com requests.example.com/gpu example.com/gpu gold.storageclass.storage.k8s.io/requests.storage";

  test.each(counted.split(" "))("KIND-ResourceQuota-1, QUOTA-1: %s can be counted", (name) => {
    expect(causesOf({ hard: { [name]: "1" } })).toEqual([]);
  });

  test.each(["nosuch", "storage", "Bad Name", "count/", ""])("KIND-ResourceQuota-1, QUOTA-1: not %j", (name) => {
    expect(causesOf({ hard: { [name]: "1" } })).toEqual([`FieldValueInvalid spec.hard[${name}]`]);
  });

  test("KIND-ResourceQuota-1, QUOTA-1: numbers are whole, nothing is negative, storage may have a fraction", () => {
    for (const amount of ["-1", "1.5", "500m"]) {
      expect(causesOf({ hard: { pods: amount } })).toEqual(["FieldValueInvalid spec.hard[pods]"]);
    }
    expect(causesOf({ hard: { "requests.storage": "-1" } })).toEqual(["FieldValueInvalid spec.hard[requests.storage]"]);
    expect(causesOf({ hard: { "requests.storage": "1500m", pods: "1k", "requests.cpu": "1.5" } })).toEqual([]);
  });

  test("KIND-ResourceQuota-2, QUOTA-6: scopes are known, agree with each other and with what is counted", () => {
    const scoped = (scopes: string[], hard: object = {}): readonly string[] => causesOf({ scopes, hard });
    const wrong = ["FieldValueInvalid spec.scopes"];
    const ofPods = ["BestEffort", "CrossNamespacePodAffinity", "NotBestEffort", "NotTerminating", "PriorityClass"];
    for (const scope of ofPods) {
      expect(scoped([scope], { pods: "1" })).toEqual([]);
      expect(scoped([scope], { secrets: "1" })).toEqual(wrong);
      expect(scoped([scope], { "count/secrets": "1" })).toEqual([]);
    }
    expect(scoped(["VolumeAttributesClass"], { persistentvolumeclaims: "1", "requests.storage": "1" })).toEqual([]);
    expect(scoped(["VolumeAttributesClass"], { pods: "1" })).toEqual(wrong);
    expect(scoped(["BestEffort"], { cpu: "1" })).toEqual(wrong);
    expect(scoped(["NotBestEffort"], { cpu: "1" })).toEqual([]);
    expect(scoped(["Nonsense"])).toEqual(wrong);
    expect(scoped(["BestEffort", "NotBestEffort"])).toEqual(wrong);
    expect(scoped(["Terminating", "NotTerminating"])).toEqual(wrong);
    expect(scoped(["Terminating", "NotBestEffort"])).toEqual([]);
  });

  test("KIND-ResourceQuota-2: scopes stay, in any order; what is allowed may change", () => {
    const { object } = kind.create({ spec: { hard: { pods: "1" }, scopes: ["BestEffort", "Terminating"] } });
    const changed = (spec: object): readonly string[] => kind.change(object, { spec }).causes;
    expect(changed({ hard: { pods: "2" }, scopes: ["Terminating", "BestEffort"] })).toEqual([]);
    expect(changed({ hard: { pods: "1" }, scopes: ["Terminating"] })).toEqual(["FieldValueInvalid spec.scopes"]);
    expect(changed({ hard: { pods: "1" } })).toEqual(["FieldValueInvalid spec.scopes"]);
  });

  test("KIND-ResourceQuota-2: the selector stays, but where the reference lets it change", () => {
    const { object } = kind.create({ spec: {} });
    const scopeSelector = { matchExpressions: [{ scopeName: "PriorityClass", operator: "Exists" }] };
    const causes = dialect === kubernetes ? [] : ["FieldValueInvalid spec.scopes"];
    expect(kind.change(object, { spec: { scopeSelector } }).causes).toEqual(causes);
  });

  test("KIND-ResourceQuota-3, QUOTA-6: which scopes have names, and what goes with the operators", () => {
    for (const scope of ["PriorityClass", "VolumeAttributesClass"]) {
      for (const operator of ["In", "NotIn"]) {
        expect(selecting(scope, operator, ["a"])).toEqual([]);
        expect(selecting(scope, operator)).toEqual(["Required .values"]);
      }
      for (const operator of ["Exists", "DoesNotExist"]) {
        expect(selecting(scope, operator)).toEqual([]);
        expect(selecting(scope, operator, ["a"])).toEqual(["Invalid .values"]);
      }
      expect(selecting(scope, "Near")).toEqual(["Invalid .operator"]);
    }
    expect(selecting("BestEffort", "Exists", undefined, { pods: "1" })).toEqual([]);
    expect(selecting("BestEffort", "In", ["a"], { persistentvolumeclaims: "1" })).toEqual([
      "Invalid ",
      "Invalid .operator",
    ]);
    expect(selecting("Terminating", "DoesNotExist")).toEqual(["Invalid .operator"]);
    expect(selecting("Nonsense", "Exists")).toEqual(["Invalid .scopeName"]);
  });

  test("KIND-ResourceQuota-3: scopes of a selector do not contradict each other", () => {
    const matchExpressions = ["BestEffort", "NotBestEffort"].map((scopeName) => ({ scopeName, operator: "Exists" }));
    expect(causesOf({ scopeSelector: { matchExpressions } })).toEqual([
      "FieldValueInvalid spec.scopeSelector.matchExpressions",
    ]);
  });

  test("KIND-ResourceQuota-4: the status is written apart, and checked", () => {
    const status = { hard: { pods: "1" }, used: { pods: "0" } };
    const { object } = kind.create({ spec: { hard: { pods: "1" } }, status });
    expect(object["status"]).toEqual({});
    expect(kind.change(object, { status }).object["status"]).toEqual({});
    const written = kind.update(object, { ...object, spec: {}, status }, "status");
    expect(written).toMatchObject({ causes: [], object: { spec: { hard: { pods: "1" } }, status } });
    const refused = kind.update(
      object,
      { ...object, status: { hard: { nosuch: "1" }, used: { pods: "-1" } } },
      "status",
    );
    expect(refused.causes).toEqual(["FieldValueInvalid status.hard[nosuch]", "FieldValueInvalid status.used[pods]"]);
  });

  test("KIND-ResourceQuota-6: columns from the status, sorted, limits apart", () => {
    const { object } = kind.create({ spec: { hard: { pods: "4" } } });
    expect(kind.cells(object).slice(0, 2)).toEqual(["", ""]);
    const hard = { pods: "4", "limits.cpu": "2", "requests.memory": "1Gi" };
    object["status"] = { hard, used: { pods: "1", "limits.cpu": "500m" } };
    expect(kind.cells(object).slice(0, 2)).toEqual(["pods: 1/4, requests.memory: 0/1Gi", "limits.cpu: 500m/2"]);
  });

  test("KIND-ResourceQuota-7: no generation; hard has an owner per name", () => {
    expect(kind.create({ spec: {} }).object.metadata.generation).toBeUndefined();
    const spec = structOf(resourceQuota.schema).fields.get("spec")!.type;
    expect(spec.kind === "struct" && spec.fields.get("hard")!.type).toMatchObject({ kind: "map", atomic: false });
  });

  test("KIND-ResourceQuota-8: a delete answers with the object", () => {
    expect(resourceQuota.deleteReturns).toBe("object");
  });

  test("requests that exceed the limits are warned of", () => {
    const warned = (hard: object): readonly string[] => kind.create({ spec: { hard } }).warnings;
    expect(warned({ "requests.cpu": "3", "limits.cpu": "2" })).toHaveLength(1);
    expect(warned({ memory: "3Gi", "limits.memory": "2Gi" })).toHaveLength(1);
    expect(warned({ "requests.cpu": "2", "limits.cpu": "2", "ephemeral-storage": "9" })).toEqual([]);
  });

  test("DEC-9: amounts are rounded up to thousandths", () => {
    const { object } = kind.create({ spec: { hard: { memory: "0.5m", cpu: "1u" } } });
    expect(object["spec"]).toEqual({ hard: { memory: "1m", cpu: "1m" } });
  });
});
