import { expect, test } from "vitest";
import { neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { service } from "./service.ts";

const kind = new KindUnderTest(service(contextOf(neutral)), contextOf(neutral));
const create = (spec: object): readonly string[] => kind.create({ spec }).causes;

test("a Service gets the defaults of its type and its ports", () => {
  const { object, causes } = kind.create({
    spec: { ports: [{ port: 80 }, { port: 443, name: "s", targetPort: "tls" }] },
  });
  expect(causes).toEqual(["FieldValueRequired spec.ports[0].name"]);
  expect(object["spec"]).toEqual({
    type: "ClusterIP",
    sessionAffinity: "None",
    ports: [
      { port: 80, protocol: "TCP", targetPort: 80 },
      { port: 443, name: "s", protocol: "TCP", targetPort: "tls" },
    ],
  });
});

test.each([
  [{}, ["FieldValueRequired spec.ports"]],
  [{ clusterIP: "None" }, []],
  [{ type: "ExternalName", externalName: "a.example.com." }, []],
  [{ type: "ExternalName" }, ["FieldValueRequired spec.externalName"]],
  [{ type: "ExternalName", externalName: "a b" }, ["FieldValueInvalid spec.externalName"]],
  [{ type: "Odd", ports: [{ port: 80 }] }, ["FieldValueNotSupported spec.type"]],
  [{ ports: [{ port: 0 }] }, ["FieldValueInvalid spec.ports[0].port", "FieldValueInvalid spec.ports[0].targetPort"]],
  [{ ports: [{ port: 80, protocol: "tcp" }] }, ["FieldValueNotSupported spec.ports[0].protocol"]],
  [{ ports: [{ port: 80, name: "A" }] }, ["FieldValueInvalid spec.ports[0].name"]],
  [
    {
      ports: [
        { port: 80, name: "a" },
        { port: 81, name: "a" },
      ],
    },
    ["FieldValueDuplicate spec.ports[1].name"],
  ],
  [
    {
      ports: [
        { port: 80, name: "a" },
        { port: 80, name: "b" },
      ],
    },
    ["FieldValueDuplicate spec.ports[1]"],
  ],
])("%j has the faults %j", (spec, faults) => {
  expect(create(spec)).toEqual(faults);
});

test("DEC-2: it is called a DNS label that begins with a letter", () => {
  const body = { spec: { clusterIP: "None" } };
  expect(kind.create({ ...body, metadata: { name: "0a" } }).causes).toEqual(["FieldValueInvalid metadata.name"]);
});

test("it is shown with its addresses and ports", () => {
  const show = (spec: object, status: object = {}): unknown[] =>
    kind.cells({ ...kind.create({ spec }).object, status });
  expect(show({ ports: [{ port: 80, nodePort: 30000 }], selector: { b: "2", a: "1" } })).toEqual([
    "ClusterIP",
    "<none>",
    "<none>",
    "80:30000/TCP",
    "0s",
    "a=1,b=2",
  ]);
  expect(show({ type: "ExternalName", externalName: "e" })).toEqual([
    "ExternalName",
    "<none>",
    "e",
    "<none>",
    "0s",
    "<none>",
  ]);
  const balanced = { type: "LoadBalancer", clusterIP: "10.0.0.1", ports: [{ port: 80 }] };
  expect(show(balanced)[2]).toBe("<pending>");
  expect(show(balanced, { loadBalancer: { ingress: [{ ip: "1.2.3.4" }, { hostname: "h" }] } })[2]).toBe("1.2.3.4,h");
});

test("its status is what its own writes say", () => {
  const { object } = kind.create({ spec: { clusterIP: "None" }, status: { loadBalancer: { ingress: [{ ip: "1" }] } } });
  expect(object["status"]).toEqual({ loadBalancer: {} });
  const body = { spec: { clusterIP: "x" }, status: { loadBalancer: { ingress: [{ ip: "1" }] } } };
  expect(kind.update(object, body, "status").object).toMatchObject({
    spec: { clusterIP: "None" },
    status: body.status,
  });
});
