import { expect, test } from "vitest";
import { neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { node } from "./node.ts";

const ctx = contextOf(neutral);
const kind = new KindUnderTest(node(ctx), ctx);

const taint = { key: "a.b/c", value: "d", effect: "NoSchedule" };

test("SUP-6: a Node is shown with its state, its roles and what runs on it", () => {
  const { object, causes } = kind.create({
    metadata: { name: "x", labels: { "node-role.svc.io/b": "", "svc.io/role": "a" } },
    spec: { unschedulable: true, taints: [taint] },
    status: {
      conditions: [{ type: "Ready", status: "True" }],
      addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
      nodeInfo: { kubeletVersion: "v1", osImage: "os" },
    },
  });
  expect(causes).toEqual([]);
  expect(kind.cells(object)).toEqual([
    "Ready,SchedulingDisabled",
    "a,b",
    "0s",
    "v1",
    "10.0.0.1",
    "<none>",
    "os",
    "<unknown>",
    "<unknown>",
  ]);
  expect(kind.definition.selectableFields!["spec.unschedulable"]!(object)).toBe("true");
});

test("a Node of which nothing is known is shown as such", () => {
  const { object } = kind.create({});
  expect(kind.cells(object).slice(0, 4)).toEqual(["Unknown", "<none>", "0s", ""]);
  const notReady = { ...object, status: { conditions: [{ type: "Ready", status: "Unknown" }] } };
  expect(kind.cells(notReady)[0]).toBe("NotReady");
});

test.each([
  [{ ...taint, key: "a b" }, "FieldValueInvalid spec.taints[0].key"],
  [{ ...taint, value: "a b" }, "FieldValueInvalid spec.taints[0].value"],
  [{ ...taint, effect: "" }, "FieldValueRequired spec.taints[0].effect"],
  [{ ...taint, effect: "Other" }, "FieldValueNotSupported spec.taints[0].effect"],
])("the taint %j is told as %j", (wrong, cause) => {
  expect(kind.create({ spec: { taints: [wrong] } }).causes).toEqual([cause]);
});

test("two taints of one key and effect are told", () => {
  const causes = kind.create({ spec: { taints: [taint, { ...taint, value: "e" }] } }).causes;
  expect(causes).toEqual(["FieldValueDuplicate spec.taints[1]"]);
});

test("an update leaves the status, a status write the spec", () => {
  const old = { ...kind.create({ spec: { unschedulable: true } }).object, status: { phase: "p" } };
  const body = { spec: { podCIDR: "c" }, status: { phase: "q" } };
  expect(kind.update(old, body).object).toMatchObject({ spec: { podCIDR: "c" }, status: { phase: "p" } });
  expect(kind.update(old, body, "status").object).toMatchObject({
    spec: { unschedulable: true },
    status: { phase: "q" },
  });
});

test("SUP-6: podCIDR is the first of podCIDRs, networks are of two families at most, and stay", () => {
  expect(kind.create({ spec: { podCIDR: "10.0.0.0/24" } }).object["spec"]).toMatchObject({ podCIDRs: ["10.0.0.0/24"] });
  const { object } = kind.create({ spec: { podCIDRs: ["10.0.0.0/24", "fd00::/64"], providerID: "p://x" } });
  expect(object["spec"]).toMatchObject({ podCIDR: "10.0.0.0/24" });
  expect(kind.create({ spec: { podCIDR: "10.0.0.0" } }).causes).toEqual(["FieldValueInvalid spec.podCIDRs[0]"]);
  expect(kind.create({ spec: { podCIDRs: ["10.0.0.0/24", "10.0.1.0/24"] } }).causes).toEqual([
    "FieldValueInvalid spec.podCIDRs",
  ]);
  expect(kind.update(object, { spec: { podCIDR: "10.0.1.0/24", providerID: "p://y" } }).causes).toEqual([
    "FieldValueForbidden spec.podCIDRs",
    "FieldValueForbidden spec.providerID",
  ]);
});
