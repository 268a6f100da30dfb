import { expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { networkingGroup } from "./index.ts";

const networks = KindUnderTest.of(networkingGroup, "servicecidrs", contextOf(kubernetes));
const range = (...cidrs: string[]) => ({ spec: { cidrs } });

test("KIND-ServiceCIDR-1: one network, or one of each family, without bits of hosts", () => {
  expect(networks.create(range("10.0.0.0/24")).causes).toEqual([]);
  expect(networks.create(range("10.0.0.0/24", "fd00::/112")).causes).toEqual([]);
  expect(networks.create(range()).causes).toEqual(["FieldValueRequired spec.cidrs"]);
  for (const wrong of ["10.0.0.1/24", "010.0.0.0/24", "10.0.0.0/024", "FD00::/112", "fd00:0::/112", "10.0.0.0", "x"]) {
    expect(networks.create(range(wrong)).causes).toEqual(["FieldValueInvalid spec.cidrs[0]"]);
  }
  expect(networks.create(range("10.0.0.0/24", "10.0.1.0/24")).causes).toEqual(["FieldValueInvalid spec.cidrs"]);
  expect(networks.create(range("10.0.0.0/24", "fd00::/112", "x")).causes).toEqual(["FieldValueInvalid spec.cidrs"]);
});

test("KIND-ServiceCIDR-2: what is there stays, and a second family may come", () => {
  const { object } = networks.create(range("10.0.0.0/24"));
  expect(networks.change(object, range("10.0.0.0/24", "fd00::/112")).causes).toEqual([]);
  expect(networks.change(object, range("10.0.0.0/24", "fd00::1/112")).causes).toEqual([
    "FieldValueInvalid spec.cidrs[1]",
  ]);
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
