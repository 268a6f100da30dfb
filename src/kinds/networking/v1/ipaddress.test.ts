import { expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { networkingGroup } from "./index.ts";

const addresses = KindUnderTest.of(networkingGroup, "ipaddresses", contextOf(kubernetes));
const networks = KindUnderTest.of(networkingGroup, "servicecidrs", contextOf(kubernetes));
const parentRef = { resource: "services", namespace: "n", name: "s" };
const address = (name: string, parent: object | null = parentRef) => ({
  metadata: { name },
  spec: { parentRef: parent },
});

test("KIND-IPAddress-1: it is called by its address, as that is usually written", () => {
  for (const right of ["10.0.0.1", "fd00::1", "2001:db8::ffff"]) {
    expect(addresses.create(address(right)).causes).toEqual([]);
  }
  for (const wrong of ["x", "10.0.0.256", "10.0.00.1", "10.0.0.1/32", "::ffff:1.2.3.4", "fd00:0::1", "FD00::1"]) {
    expect(addresses.create(address(wrong)).causes).toEqual(["FieldValueInvalid metadata.name"]);
  }
});

test("KIND-IPAddress-1: somebody has it, who stays", () => {
  expect(addresses.create(address("10.0.0.1", null)).causes).toEqual(["FieldValueRequired spec.parentRef"]);
  expect(addresses.create(address("10.0.0.1", {})).causes).toEqual([
    "FieldValueRequired spec.parentRef.name",
    "FieldValueRequired spec.parentRef.resource",
  ]);
  expect(addresses.create(address("10.0.0.1", { ...parentRef, group: "Bad_", name: "a/b" })).causes).toEqual([
    "FieldValueInvalid spec.parentRef.group",
    "FieldValueInvalid spec.parentRef.name",
  ]);
  const { object } = addresses.create(address("10.0.0.1"));
  const other = { spec: { parentRef: { ...parentRef, name: "other" } } };
  expect(addresses.change(object, other).causes).toEqual(["FieldValueInvalid spec.parentRef"]);
  expect(addresses.change(object, { metadata: { ...object.metadata, labels: { l: "1" } } }).causes).toEqual([]);
});

test("the table says who has an address", () => {
  const cells = (parent: object) => addresses.cells(addresses.create(address("10.0.0.1", parent)).object);
  expect(cells(parentRef)).toEqual(["services/n/s"]);
  expect(cells({ group: "example.com", resource: "things", name: "t" })).toEqual(["things.example.com/t"]);
});

const range = (...cidrs: string[]) => ({ spec: { cidrs } });

test("KIND-ServiceCIDR-1: one network, or one of each family, without bits of hosts", () => {
  expect(networks.create(range("10.0.0.0/24")).causes).toEqual([]);
  expect(networks.create(range("10.0.0.0/24", "fd00::/112")).causes).toEqual([]);
  expect(networks.create(range()).causes).toEqual(["FieldValueRequired spec.cidrs"]);
  expect(networks.create(range("10.0.0.1/24")).causes).toEqual(["FieldValueInvalid spec.cidrs[0]"]);
  expect(networks.create(range("10.0.0.0/24", "10.0.1.0/24")).causes).toEqual(["FieldValueInvalid spec.cidrs"]);
  expect(networks.create(range("10.0.0.0/24", "fd00::/112", "x")).causes).toEqual(["FieldValueInvalid spec.cidrs"]);
});

test("KIND-ServiceCIDR-2: what is there stays, and a second family may come", () => {
  const { object } = networks.create(range("10.0.0.0/24"));
  expect(networks.change(object, range("10.0.0.0/24", "fd00::/112")).causes).toEqual([]);
  expect(networks.change(object, range("10.0.1.0/24")).causes).toEqual(["FieldValueInvalid spec.cidrs[0]"]);
  expect(networks.change(object, range("10.0.0.0/24", "10.0.1.0/24")).causes).toEqual(["FieldValueInvalid spec.cidrs"]);
  const both = networks.create(range("10.0.0.0/24", "fd00::/112")).object;
  expect(networks.change(both, range("10.0.0.0/24")).causes).toEqual(["FieldValueInvalid spec.cidrs"]);
  expect(networks.cells(both)[0]).toBe("10.0.0.0/24,fd00::/112");
});

test("KIND-ServiceCIDR-3: a create and an update write the status, too", () => {
  const time = "2026-01-01T00:00:00Z";
  const status = {
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: time, reason: "R", message: "" }],
  };
  const { object } = networks.create({ ...range("10.0.0.0/24"), status });
  expect(object["status"]).toEqual(status);
  expect(networks.change(object, { status: {} }).object["status"]).toEqual({});
});

test("KIND-All-2: a write of the status leaves metadata as they are", () => {
  const { object } = networks.create(range("10.0.0.0/24"));
  const sent = { ...object, metadata: { ...object.metadata, labels: { l: "1" } }, ...range("10.0.9.0/24") };
  const written = networks.update(object, sent, "status").object;
  expect(written).toMatchObject(range("10.0.0.0/24"));
  expect(written.metadata.labels).toBeUndefined();
});
