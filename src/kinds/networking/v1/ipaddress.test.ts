import { expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { networkingGroup } from "./index.ts";

const addresses = KindUnderTest.of(networkingGroup, "ipaddresses", contextOf(kubernetes));
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

test("KIND-IPAddress-1: it has an owner, which is immutable", () => {
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
  expect(addresses.change(object, { spec: {} }).causes).toEqual([
    "FieldValueInvalid spec.parentRef",
    "FieldValueRequired spec.parentRef",
  ]);
  expect(addresses.change(object, { metadata: { ...object.metadata, labels: { l: "1" } } }).causes).toEqual([]);
});

test("the table says who has an address", () => {
  const cells = (parent: object) => addresses.cells(addresses.create(address("10.0.0.1", parent)).object);
  expect(cells(parentRef)).toEqual(["services/n/s"]);
  expect(cells({ group: "example.com", resource: "things", name: "t" })).toEqual(["things.example.com/t"]);
});
