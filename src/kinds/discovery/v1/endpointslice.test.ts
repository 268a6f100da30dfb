import { expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { FieldErrors } from "../../../meta/field-errors.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { discoveryGroup } from "./index.ts";

const ctx = contextOf(kubernetes);
const slices = KindUnderTest.of(discoveryGroup, "endpointslices", ctx);
const create = (members: object = {}) => slices.create({ addressType: "IPv4", ...members });
const endpoint = (...addresses: string[]) => ({ addresses });
const around = (members: object) => create({ endpoints: [{ addresses: ["10.0.0.1"], ...members }] });

test("KIND-EndpointSlice-1: the type of the addresses stays; empty lists are null", () => {
  const { object } = create({ endpoints: [], ports: [] });
  expect([object["endpoints"], object["ports"]]).toEqual([null, null]);
  expect(slices.create({}).causes).toEqual(["FieldValueRequired addressType"]);
  expect(create({ addressType: "Odd" }).causes).toEqual(["FieldValueNotSupported addressType"]);
  expect(slices.change(object, { addressType: "IPv6" }).causes).toEqual(["FieldValueInvalid addressType"]);
});

test("KIND-EndpointSlice-2: names and protocols of ports, and conditions, are filled in", () => {
  const { object } = create({ endpoints: [endpoint("10.0.0.1")], ports: [{ port: 80 }] });
  expect(object["ports"]).toEqual([{ name: "", protocol: "TCP", port: 80 }]);
  expect(object["endpoints"]).toEqual([{ addresses: ["10.0.0.1"], conditions: {} }]);
});

test("KIND-EndpointSlice-3: addresses of the type by which a program is reached", () => {
  const causes = (addressType: string, ...addresses: string[]) =>
    create({ addressType, endpoints: [{ addresses }] }).causes;
  const at = "endpoints[0].addresses";
  expect(causes("IPv4")).toEqual([`FieldValueRequired ${at}`]);
  expect(causes("IPv4", ...Array.from({ length: 101 }, (_, i) => `10.0.0.${i + 1}`))).toEqual([
    `FieldValueTooMany ${at}`,
  ]);
  expect(causes("IPv4", "10.0.0.1")).toEqual([]);
  expect(causes("IPv4", "fd00::1")).toEqual([`FieldValueInvalid ${at}`]);
  expect(causes("IPv4", "10.0.0.1", "10.0.0.1")).toEqual([]);
  expect(causes("IPv6", "fd00::1")).toEqual([]);
  expect(causes("IPv6", "FD00::1")).toEqual([`FieldValueInvalid ${at}[0]`]);
  expect(causes("IPv6", "10.0.0.1")).toEqual([`FieldValueInvalid ${at}`]);
  for (const bad of ["x", "127.0.0.1", "0.0.0.0", "169.254.1.1", "224.0.0.1"]) {
    expect(causes("IPv4", bad)).toEqual([`FieldValueInvalid ${at}[0]`]);
  }
  expect(causes("FQDN", "a.example.com")).toEqual([]);
  expect(causes("FQDN", "a.example.com.")).toEqual([]);
  expect(causes("FQDN", "a")).toEqual([`FieldValueInvalid ${at}[0]`]);
  expect(causes("FQDN", `${"a".repeat(64)}.b`)).toEqual([`FieldValueInvalid ${at}[0]`]);
  expect(causes("FQDN", "")).toEqual([`FieldValueRequired ${at}[0]`]);
  const many = Array.from({ length: 1001 }, () => endpoint("10.0.0.1"));
  expect(create({ endpoints: many }).causes).toEqual(["FieldValueTooMany endpoints"]);
});

test("KIND-EndpointSlice-3: what was taken once stays", () => {
  const { object } = create({ endpoints: [endpoint("10.0.0.1")] });
  const odd = { ...object, endpoints: [{ ...endpoint("127.0.0.1"), conditions: {} }] };
  expect(slices.change(odd, { ports: [{ port: 1 }] }).causes).toEqual([]);
});

test("KIND-EndpointSlice-4: names of hosts and nodes, and hints", () => {
  const zones = (...names: string[]) => ({ hints: { forZones: names.map((name) => ({ name })) } });
  expect(around({ hostname: "A", nodeName: "A" }).causes).toEqual([
    "FieldValueInvalid endpoints[0].hostname",
    "FieldValueInvalid endpoints[0].nodeName",
  ]);
  const at = "endpoints[0].hints.forZones";
  expect(around(zones("a", "a")).causes).toEqual([`FieldValueDuplicate ${at}[1].name`]);
  expect(around(zones("a b")).causes).toEqual([`FieldValueInvalid ${at}[0].name`]);
  expect(around(zones(...Array.from("abcdefgh"))).causes).toEqual([]);
  expect(around(zones(...Array.from("abcdefghi"))).causes).toEqual([`FieldValueTooMany ${at}`]);
  const many = zones(...Array.from("abcdefghi"));
  expect(around({ hints: { ...many.hints, forNodes: [{ name: "A" }] } }).causes).toEqual([`FieldValueTooMany ${at}`]);
  expect(around({ hints: { forNodes: [{ name: "A" }] } }).causes).toEqual([
    "FieldValueInvalid endpoints[0].hints.forNodes[0].name",
  ]);
});

test("KIND-EndpointSlice-5: ports have different names, their numbers are not looked at", () => {
  const causes = (...ports: object[]) => create({ ports }).causes;
  expect(causes({ port: 0 }, { name: "a", port: 99_999 })).toEqual([]);
  expect(causes({}, {})).toEqual(["FieldValueDuplicate ports[1].name"]);
  const errors = new FieldErrors();
  const ports = Array.from({ length: 20_001 }, () => ({ protocol: "TCP" }));
  slices.definition.validate?.({ ...create().object, ports }, errors, { ...ctx, warnings: [] });
  expect(errors.causes).toMatchObject([{ reason: "FieldValueTooMany", field: "ports" }]);
  expect(causes({ name: "A", protocol: "tcp", appProtocol: "-" })).toEqual([
    "FieldValueInvalid ports[0].appProtocol",
    "FieldValueInvalid ports[0].name",
    "FieldValueNotSupported ports[0].protocol",
  ]);
});

test("KIND-EndpointSlice-6: endpoints, ports and labels count, annotations do not", () => {
  const { object } = create();
  const generation = (changes: object) => slices.change(object, changes).object.metadata.generation;
  expect(generation({ endpoints: [endpoint("10.0.0.1")] })).toBe(2);
  expect(generation({ ports: [{ port: 1 }] })).toBe(2);
  expect(generation({ metadata: { ...object.metadata, labels: { a: "b" } } })).toBe(2);
  expect(generation({ metadata: { ...object.metadata, annotations: { a: "b" } } })).toBe(1);
});

test("KIND-EndpointSlice-7, KIND-All-22: names in place of addresses, and unusual addresses, get warnings", () => {
  expect(create({ addressType: "FQDN" }).warnings).toHaveLength(1);
  expect(create({ endpoints: [endpoint("10.0.0.01")] }).warnings).toEqual([
    expect.stringContaining("endpoints[0].addresses[0]"),
  ]);
});

test("where programs are, as old clients said it, is dropped", () => {
  const topology = { deprecatedTopology: { "kubernetes.io/hostname": "n" } };
  const { object } = around(topology);
  expect(object["endpoints"]).toEqual([{ addresses: ["10.0.0.1"], conditions: {} }]);
  const changed = slices.change(object, { endpoints: [{ ...endpoint("10.0.0.3"), ...topology }] });
  expect(changed.object["endpoints"]).toEqual([{ addresses: ["10.0.0.3"], conditions: {} }]);
  // It counts before it is dropped.
  const same = slices.change(object, { endpoints: [{ ...endpoint("10.0.0.1"), ...topology }] }).object;
  expect([same["endpoints"], same.metadata.generation]).toEqual([object["endpoints"], 2]);
});

test("KIND-EndpointSlice-9: a table shows the first few", () => {
  const cells = (members: object) => slices.cells(create(members).object).slice(0, 3);
  expect(cells({})).toEqual(["IPv4", "<unset>", "<unset>"]);
  const endpoints = [endpoint("10.0.0.1", "10.0.0.2"), endpoint("10.0.0.3", "10.0.0.4")];
  expect(cells({ endpoints, ports: [{ port: 80 }, { name: "a" }] })).toEqual([
    "IPv4",
    "80,a",
    "10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...",
  ]);
});
