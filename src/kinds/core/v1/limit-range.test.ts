import { describe, expect, test } from "vitest";
import { structOf } from "../../../apply/schema/schema.ts";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { type LimitRange, limitRange } from "./limit-range.ts";

describe.each([neutral, kubernetes])("a LimitRange in the $name dialect", (dialect) => {
  const kind = new KindUnderTest(limitRange, contextOf(dialect));
  const causesOf = (...limits: object[]): readonly string[] => kind.create({ spec: { limits } }).causes;
  /** The causes of one limit, without the way to it. */
  const wrong = (limit: object): readonly string[] =>
    causesOf(limit)
      .map((cause) => cause.replace("FieldValue", "").replace("spec.limits[0].", ""))
      .toSorted();

  test("KIND-LimitRange-1, QUOTA-10: default, defaultRequest and min follow one another, resource by resource", () => {
    const limit = {
      type: "Container",
      max: { cpu: "2", memory: "2Gi" },
      min: { cpu: "100m", "ephemeral-storage": "1Gi" },
      default: { cpu: "1" },
      defaultRequest: { memory: "1Gi" },
    };
    const { object, causes } = kind.create({ spec: { limits: [limit] } });
    expect(causes).toEqual([]);
    expect((object as LimitRange).spec.limits).toEqual([
      {
        ...limit,
        default: { cpu: "1", memory: "2Gi" },
        defaultRequest: { cpu: "1", memory: "1Gi", "ephemeral-storage": "1Gi" },
      },
    ]);
  });

  test("KIND-LimitRange-1, QUOTA-10: nothing is filled in for other types, nor where nothing is said", () => {
    const limits = [
      { type: "Pod", max: { cpu: "2" } },
      { type: "example.com/x", min: { cpu: "1" } },
      { type: "Container" },
    ];
    expect((kind.create({ spec: { limits } }).object as LimitRange).spec.limits).toEqual(limits);
  });

  test("KIND-LimitRange-2, QUOTA-10: the types, each once", () => {
    const claims = { type: "PersistentVolumeClaim", max: { storage: "1Gi" } };
    expect(causesOf({ type: "Pod" }, { type: "Container" }, claims, { type: "example.com/thing" })).toEqual([]);
    for (const type of ["", "Nothing", "a b", "example.com/"]) expect(wrong({ type })).toEqual(["Invalid type"]);
    expect(causesOf({ type: "Pod" }, { type: "Pod" })).toEqual(["FieldValueDuplicate spec.limits[1].type"]);
  });

  test("KIND-LimitRange-3, QUOTA-10: what a Pod cannot have, and what a claim must have", () => {
    expect(wrong({ type: "Pod", default: { cpu: "1" } })).toEqual(["Forbidden default"]);
    expect(wrong({ type: "Pod", defaultRequest: { nosuch: "1" } })).toEqual(["Forbidden defaultRequest"]);
    for (const more of [{}, { max: { cpu: "1" } }, { default: { storage: "1Gi" } }]) {
      expect(wrong({ type: "PersistentVolumeClaim", ...more })).toEqual(["Required limits"]);
    }
    expect(wrong({ type: "PersistentVolumeClaim", min: { storage: "1Gi" } })).toEqual([]);
  });

  test.each([
    [{ min: { cpu: "2" }, max: { cpu: "1" } }, ["defaultRequest[cpu]", "default[cpu]", "min[cpu]"]],
    [{ default: { cpu: "3" }, max: { cpu: "2" } }, ["defaultRequest[cpu]", "default[cpu]"]],
    [{ defaultRequest: { cpu: "2" }, default: { cpu: "1" } }, ["defaultRequest[cpu]"]],
    [{ defaultRequest: { cpu: "1" }, min: { cpu: "2" } }, ["defaultRequest[cpu]"]],
    [{ defaultRequest: { cpu: "3" }, max: { cpu: "2" } }, ["defaultRequest[cpu]"]],
    [
      { default: { cpu: "1" }, min: { cpu: "2" }, defaultRequest: { cpu: "2" } },
      ["defaultRequest[cpu]", "default[cpu]"],
    ],
    [{ min: { cpu: "1" }, defaultRequest: { cpu: "1" }, default: { cpu: "1000m" }, max: { cpu: "1" } }, []],
  ])("KIND-LimitRange-4, QUOTA-10: %j is in order but for %j", (limit, fields) => {
    expect(wrong({ type: "Container", ...limit })).toEqual(fields.map((field) => `Invalid ${field}`));
  });

  test("KIND-LimitRange-5, QUOTA-10: a ratio is at least 1 and at most max/min", () => {
    const ratio = (cpu: string, more: object = {}): readonly string[] =>
      wrong({ type: "Pod", maxLimitRequestRatio: { cpu }, ...more });
    expect(ratio("1")).toEqual([]);
    expect(ratio("500m")).toEqual(["Invalid maxLimitRequestRatio[cpu]"]);
    expect(ratio("2", { min: { cpu: "1" }, max: { cpu: "2" } })).toEqual([]);
    expect(ratio("2001m", { min: { cpu: "1" }, max: { cpu: "2" } })).toEqual(["Invalid maxLimitRequestRatio[cpu]"]);
    expect(ratio("1000", { min: { cpu: "0" }, max: { cpu: "2" } })).toEqual([]);
  });

  test("KIND-LimitRange-6: of what cannot be promised twice the default is the request", () => {
    const limit = { default: { "example.com/gpu": "2" }, defaultRequest: { "example.com/gpu": "1" } };
    expect(wrong({ type: "Container", ...limit })).toEqual(["Invalid defaultRequest[example.com/gpu]"]);
    expect(wrong({ type: "Container", default: { "example.com/gpu": "2" } })).toEqual([]);
    const pages = { default: { "hugepages-2Mi": "4Mi" }, defaultRequest: { "hugepages-2Mi": "2Mi" } };
    expect(wrong({ type: "Container", ...pages })).toEqual(["Invalid defaultRequest[hugepages-2Mi]"]);
  });

  test("KIND-LimitRange-7: names of resources; an empty object is taken", () => {
    for (const name of ["nosuch", "a b", "pods"]) {
      expect(wrong({ type: "Pod", max: { [name]: "1" } })).toEqual([`Invalid max[${name}]`]);
      expect(wrong({ type: "Pod", maxLimitRequestRatio: { [name]: "1" } })).toEqual([
        `Invalid maxLimitRequestRatio[${name}]`,
      ]);
    }
    expect(wrong({ type: "example.com/thing", max: { pods: "1", "example.com/a": "1" } })).toEqual([]);
    expect(wrong({ type: "example.com/thing", max: { nosuch: "1" } })).toEqual(["Invalid max[nosuch]"]);
    for (const body of [{}, { spec: {} }, { spec: { limits: [] } }]) expect(kind.create(body).causes).toEqual([]);
  });

  test("KIND-LimitRange-8: everything may change; limits has one owner; no status, no generation; a PUT creates", () => {
    const { object } = kind.create({ spec: { limits: [{ type: "Pod", max: { cpu: "1" } }] } });
    expect(object.metadata.generation).toBeUndefined();
    expect(kind.change(object, { spec: { limits: [{ type: "Pod", min: { memory: "1" } }] } }).causes).toEqual([]);
    expect(kind.change(object, { spec: { limits: [{ type: "no" }] } }).causes).toEqual([
      "FieldValueInvalid spec.limits[0].type",
    ]);
    const { fields } = structOf(limitRange.schema);
    expect(fields.has("status")).toBe(false);
    const spec = fields.get("spec")!.type;
    expect(spec.kind === "struct" && spec.fields.get("limits")!.type).toMatchObject({
      merge: "atomic",
      patchStrategy: [],
    });
    expect(limitRange.createOnUpdate).toBe(true);
  });

  test("KIND-LimitRange-9: the column is the time itself", () => {
    const { object } = kind.create({});
    expect(kind.columns(object)).toEqual([["Created At", object.metadata.creationTimestamp]]);
  });

  test("DEC-9: amounts are rounded up to thousandths, also those that are filled in", () => {
    const { object } = kind.create({ spec: { limits: [{ type: "Container", max: { cpu: "1500u" } }] } });
    const cpu = { cpu: "2m" };
    expect(object["spec"]).toEqual({ limits: [{ type: "Container", max: cpu, default: cpu, defaultRequest: cpu }] });
  });
});
