import { expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { networkingGroup } from "./index.ts";

const ingresses = KindUnderTest.of(networkingGroup, "ingresses", contextOf(kubernetes));
const backend = { service: { name: "s", port: { number: 80 } } };
const path = (members: object = {}) => ({ path: "/", pathType: "Prefix", backend, ...members });
const causes = (spec: object): readonly string[] => ingresses.create({ spec }).causes;
const rule = (members: object) => ({ rules: [{ host: "h.example.com", ...members }] });
const paths = (...all: object[]) => rule({ http: { paths: all } });

test("KIND-Ingress-1: nothing is filled in but where requests are taken", () => {
  const { object } = ingresses.create({
    spec: { defaultBackend: backend },
    status: { loadBalancer: { ingress: [{}] } },
  });
  expect(object["spec"]).toEqual({ defaultBackend: backend });
  expect(object["status"]).toEqual({ loadBalancer: {} });
  expect(object.metadata.generation).toBe(1);
});

test("KIND-Ingress-2: a backend or a rule", () => {
  expect(causes({})).toEqual(["FieldValueInvalid spec"]);
  expect(causes({ rules: [{ host: "a.b" }] })).toEqual([]);
});

test("KIND-Ingress-3: hosts are names, or all below one", () => {
  for (const host of ["a.example.com", "*.example.com", "localhost"]) expect(causes({ rules: [{ host }] })).toEqual([]);
  const long = Array.from({ length: 4 }, () => "a".repeat(63)).join(".");
  for (const host of ["A.example.com", "*", "*.", "*.*.com", "a.*.com", "*a.com", "10.0.0.1", `*.${long.slice(3)}`]) {
    expect(causes({ rules: [{ host }] })).toEqual(["FieldValueInvalid spec.rules[0].host"]);
  }
});

test("KIND-Ingress-4: paths and their types", () => {
  const at = "spec.rules[0].http.paths";
  expect(causes(rule({ http: {} }))).toEqual([`FieldValueRequired ${at}`]);
  expect(causes(paths({ path: "/", backend }))).toEqual([`FieldValueRequired ${at}[0].pathType`]);
  expect(causes(paths(path({ pathType: "Odd" })))).toEqual([`FieldValueNotSupported ${at}[0].pathType`]);
  for (const bad of ["", "a", "/a//b", "/./a", "/../a", "/%2f", "/%2F", "/a/..", "/a/."]) {
    expect(causes(paths(path({ path: bad })))).toEqual([`FieldValueInvalid ${at}[0].path`]);
  }
  expect(causes(paths(path({ path: "", pathType: "ImplementationSpecific" })))).toEqual([]);
  expect(causes(paths(path({ path: "/a//b", pathType: "ImplementationSpecific" })))).toEqual([]);
  expect(causes(paths(path({ path: "a", pathType: "ImplementationSpecific" })))).toEqual([
    `FieldValueInvalid ${at}[0].path`,
  ]);
});

test("KIND-Ingress-5: a backend is a service with a port, or a resource", () => {
  const at = "spec.defaultBackend";
  const of = (defaultBackend: object) => causes({ defaultBackend });
  const resource = { kind: "Bucket", name: "b" };
  expect(of({})).toEqual([`FieldValueInvalid ${at}`]);
  expect(of({ ...backend, resource })).toEqual([`FieldValueInvalid ${at}`]);
  expect(of({ resource })).toEqual([]);
  expect(of({ resource: { apiGroup: "Bad_", name: "a/b" } })).toEqual([
    `FieldValueInvalid ${at}.resource.apiGroup`,
    `FieldValueInvalid ${at}.resource.name`,
    `FieldValueRequired ${at}.resource.kind`,
  ]);
  expect(of({ service: { name: "s" } })).toEqual([`FieldValueRequired ${at}`]);
  expect(of({ service: { name: "s", port: { name: "a", number: 1 } } })).toEqual([`FieldValueInvalid ${at}`]);
  expect(of({ service: { name: "0s", port: { number: 70_000 } } })).toEqual([
    `FieldValueInvalid ${at}.service.name`,
    `FieldValueInvalid ${at}.service.port.number`,
  ]);
  expect(of({ service: { port: { name: "A" } } })).toEqual([
    `FieldValueInvalid ${at}.service.port.name`,
    `FieldValueRequired ${at}.service.name`,
  ]);
});

test("KIND-Ingress-6, KIND-Ingress-8: hosts and secrets of TLS, and the class, are names", () => {
  const spec = { defaultBackend: backend };
  expect(causes({ ...spec, tls: [{}] })).toEqual([]);
  expect(causes({ ...spec, tls: [{ hosts: ["A"], secretName: "A" }], ingressClassName: "" })).toEqual([
    "FieldValueInvalid spec.ingressClassName",
    "FieldValueInvalid spec.tls[0].hosts[0]",
    "FieldValueInvalid spec.tls[0].secretName",
  ]);
  const { object } = ingresses.create({ spec: { ...spec, ingressClassName: "a" } });
  const changed = ingresses.change(object, { spec: { ...spec, ingressClassName: "b" } });
  expect([changed.causes, changed.object.metadata.generation]).toEqual([[], 2]);
});

test("KIND-Ingress-7: the old annotation gets a warning, and does not contradict the class on create", () => {
  const annotated = (ingressClassName?: string) => ({
    metadata: { name: "x", annotations: { "kubernetes.io/ingress.class": "a" } },
    spec: { defaultBackend: backend, ...(ingressClassName ? { ingressClassName } : {}) },
  });
  const { object, warnings } = ingresses.create(annotated());
  expect(warnings).toEqual([expect.stringContaining("kubernetes.io/ingress.class")]);
  expect(ingresses.create(annotated("a")).causes).toEqual([]);
  expect(ingresses.create(annotated("b")).causes).toEqual([
    "FieldValueInvalid annotations.kubernetes.io/ingress.class",
  ]);
  expect(ingresses.update(object, annotated("b"))).toMatchObject({ causes: [], warnings: [] });
});

test("KIND-Ingress-9: the status says addresses and names", () => {
  const { object } = ingresses.create({ spec: { defaultBackend: backend } });
  const write = (...ingress: object[]) =>
    ingresses.update(object, { ...object, status: { loadBalancer: { ingress } } }, "status");
  expect(write({ ip: "1.2.3.4" }, { hostname: "h" }).causes).toEqual([]);
  expect(write({ ip: "x" }, { hostname: "1.2.3.4" }).causes).toEqual([
    "FieldValueInvalid status.loadBalancer.ingress[0].ip",
    "FieldValueInvalid status.loadBalancer.ingress[1].hostname",
  ]);
  const odd = write({ ip: "10.0.0.01" });
  expect([odd.causes, odd.warnings]).toEqual([[], [expect.stringContaining("status.loadBalancer.ingress[0].ip")]]);
  expect(ingresses.cells(write({ hostname: "h" }, { ip: "9.9.9.9" }).object)[2]).toBe("9.9.9.9,h");
});

test("KIND-Ingress-11: what a table shows", () => {
  const cells = (spec: object) => ingresses.cells(ingresses.create({ spec }).object).slice(0, 4);
  expect(cells({ defaultBackend: backend })).toEqual(["<none>", "*", "", "80"]);
  const hosts = (...all: string[]) => ({ rules: all.map((host) => ({ host })) });
  expect(cells({ ...hosts("a.b", "c.d", "e.f", "g.h"), tls: [{}], ingressClassName: "c" })).toEqual([
    "c",
    "a.b,c.d,e.f + 1 more...",
    "",
    "80, 443",
  ]);
  expect(cells(hosts("a.b", "", "c.d", "e.f"))[1]).toBe("a.b,c.d,e.f");
});
