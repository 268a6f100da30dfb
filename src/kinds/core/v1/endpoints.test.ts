import { expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { otherCoreKinds } from "./index.ts";

const kind = KindUnderTest.of(otherCoreKinds, "endpoints", contextOf(kubernetes));
const create = (...subsets: object[]) => kind.create({ subsets });
const there = { addresses: [{ ip: "10.0.0.1" }] };

test("KIND-Endpoints-1: protocols are filled in, and all else is stored as it was sent", () => {
  const subsets = [
    { addresses: [{ ip: "10.0.0.2" }, { ip: "10.0.0.1" }, { ip: "10.0.0.1" }], ports: [{ port: 80 }] },
    there,
  ];
  expect(create(...subsets).object["subsets"]).toEqual([
    { ...subsets[0], ports: [{ port: 80, protocol: "TCP" }] },
    there,
  ]);
  expect(create().object["subsets"]).toBeUndefined();
});

test("KIND-Endpoints-2, KIND-Endpoints-3: addresses by which programs are reached", () => {
  expect(create({ ports: [{ port: 80 }] }).causes).toEqual(["FieldValueRequired subsets[0]"]);
  expect(create({ notReadyAddresses: [{ ip: "fd00::1" }] }).causes).toEqual([]);
  for (const ip of ["x", "127.0.0.1", "0.0.0.0", "169.254.1.1", "224.0.0.1", "::"]) {
    expect(create({ addresses: [{ ip }] }).causes).toEqual(["FieldValueInvalid subsets[0].addresses[0].ip"]);
  }
  expect(create({ addresses: [{ ip: "10.0.0.1", hostname: "A", nodeName: "A" }] }).causes).toEqual([
    "FieldValueInvalid subsets[0].addresses[0].hostname",
    "FieldValueInvalid subsets[0].addresses[0].nodeName",
  ]);
  expect(create({ addresses: [{ ip: "010.0.0.1" }] }).warnings).toHaveLength(1);
});

test("KIND-Endpoints-4: ports", () => {
  const causes = (...ports: object[]) => create({ ...there, ports }).causes;
  expect(causes({ port: 80 }, { port: 81, name: "a" })).toEqual(["FieldValueRequired subsets[0].ports[0].name"]);
  expect(causes({ port: 0, name: "A", protocol: "tcp", appProtocol: "-" })).toEqual([
    "FieldValueInvalid subsets[0].ports[0].appProtocol",
    "FieldValueInvalid subsets[0].ports[0].name",
    "FieldValueInvalid subsets[0].ports[0].port",
    "FieldValueNotSupported subsets[0].ports[0].protocol",
  ]);
});

test("KIND-Endpoints-5, KIND-Endpoints-6: all of it may change, and nothing counts", () => {
  const { object } = create({ addresses: [{ ip: "10.0.0.1", nodeName: "a" }] });
  const changed = kind.change(object, { subsets: [{ addresses: [{ ip: "10.0.0.1", nodeName: "b" }] }] });
  expect([changed.causes, changed.object.metadata.generation]).toEqual([[], undefined]);
});

test("KIND-Endpoints-5: what was taken once stays", () => {
  const odd = { ...create(there).object, subsets: [{ addresses: [{ ip: "127.0.0.1" }] }] };
  expect(kind.change(odd, { metadata: { ...odd.metadata, labels: { l: "1" } } }).causes).toEqual([]);
});

test("KIND-Endpoints-7: the kind is deprecated, and a PUT creates", () => {
  expect(kind.definition).toMatchObject({ createOnUpdate: true, deprecated: expect.stringContaining("EndpointSlice") });
});

test("KIND-Endpoints-8: a table shows the first few that take requests", () => {
  const cell = (...subsets: object[]) => kind.cells(create(...subsets).object)[0];
  expect(cell()).toBe("<none>");
  expect(cell({ notReadyAddresses: [{ ip: "10.0.0.1" }] })).toBe("");
  expect(cell(there, { addresses: [{ ip: "fd00::1" }], ports: [{ port: 80 }] })).toBe("10.0.0.1,[fd00::1]:80");
  const two = {
    addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }],
    ports: [
      { name: "a", port: 1 },
      { name: "b", port: 2 },
    ],
  };
  expect(cell(two)).toBe("10.0.0.1:1,10.0.0.2:1,10.0.0.1:2 + 1 more...");
});
