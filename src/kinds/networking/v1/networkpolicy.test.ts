import { expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { networkingGroup } from "./index.ts";

const policies = KindUnderTest.of(networkingGroup, "networkpolicies", contextOf(kubernetes));
const create = (spec: object) => policies.create({ spec });
const from = (...peers: object[]) => ({ ingress: [{ from: peers }] });
const ports = (...all: object[]) => ({ ingress: [{ ports: all }] });
const selector = { matchLabels: { a: "b" } };

test("KIND-NetworkPolicy-1, KIND-NetworkPolicy-6: what is filled in", () => {
  expect(create({}).object["spec"]).toEqual({ podSelector: {}, policyTypes: ["Ingress"] });
  expect(create({ egress: [] }).object["spec"]).toMatchObject({ policyTypes: ["Ingress"] });
  expect(create({ egress: [{ ports: [{ port: 1 }] }] }).object["spec"]).toMatchObject({
    egress: [{ ports: [{ port: 1, protocol: "TCP" }] }],
    policyTypes: ["Ingress", "Egress"],
  });
  expect(create({ egress: [{}], policyTypes: ["Ingress"] }).object["spec"]).toMatchObject({ policyTypes: ["Ingress"] });
});

test("KIND-NetworkPolicy-2: at most two directions", () => {
  const causes = (...policyTypes: string[]) => create({ policyTypes }).causes;
  expect(causes("Egress", "Egress")).toEqual([]);
  expect(causes("Odd")).toEqual(["FieldValueNotSupported spec.policyTypes[0]"]);
  expect(causes("Ingress", "Egress", "Egress")).toEqual(["FieldValueInvalid spec.policyTypes"]);
});

test("KIND-NetworkPolicy-3: a peer is addresses alone, or selectors", () => {
  const ipBlock = { cidr: "10.0.0.0/8" };
  expect(create(from({ podSelector: selector, namespaceSelector: {} }, { ipBlock })).causes).toEqual([]);
  expect(create(from({})).causes).toEqual(["FieldValueRequired spec.ingress[0].from[0]"]);
  expect(create(from({ ipBlock, podSelector: {} })).causes).toEqual(["FieldValueForbidden spec.ingress[0].from[0]"]);
  const bad = { matchExpressions: [{ key: "a", operator: "Odd" }] };
  expect(create({ podSelector: bad }).causes).toEqual([
    "FieldValueInvalid spec.podSelector.matchExpressions[0].operator",
  ]);
});

test("KIND-NetworkPolicy-4: networks, and parts of them", () => {
  const at = "spec.egress[0].to[0].ipBlock";
  const causes = (ipBlock: object) => create({ egress: [{ to: [{ ipBlock }] }] }).causes;
  expect(causes({})).toEqual([`FieldValueRequired ${at}.cidr`]);
  expect(causes({ cidr: "x", except: ["y"] })).toEqual([`FieldValueInvalid ${at}.cidr`]);
  expect(causes({ cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] })).toEqual([]);
  for (const bad of ["10.0.0.0/8", "11.0.0.0/16", "fd00::/64", "x"]) {
    expect(causes({ cidr: "10.0.0.0/8", except: [bad] })).toEqual([`FieldValueInvalid ${at}.except[0]`]);
  }
});

test("KIND-All-22: unusual networks are accepted with a warning", () => {
  const { causes, warnings } = create(from({ ipBlock: { cidr: "10.0.0.1/8" } }));
  expect([causes, warnings]).toEqual([[], [expect.stringContaining("spec.ingress[0].from[0].ipBlock.cidr")]]);
});

test("KIND-NetworkPolicy-5: ports by number, by name, and several behind one another", () => {
  const at = "spec.ingress[0].ports[0]";
  expect(create(ports({ port: "http" }, { port: 1, endPort: 2 }, {})).causes).toEqual([]);
  expect(create(ports({ port: 0 })).causes).toEqual([`FieldValueInvalid ${at}.port`]);
  expect(create(ports({ port: "A" })).causes).toEqual([`FieldValueInvalid ${at}.port`]);
  for (const bad of [
    { port: 5, endPort: 4 },
    { port: "a", endPort: 4 },
    { endPort: 4 },
    { port: 5, endPort: 70_000 },
  ]) {
    expect(create(ports(bad)).causes).toEqual([`FieldValueInvalid ${at}.endPort`]);
  }
  expect(create(ports({ protocol: "tcp" })).causes).toEqual([`FieldValueNotSupported ${at}.protocol`]);
});

test("KIND-NetworkPolicy-6: all of it may change", () => {
  const { object } = create(from({ ipBlock: { cidr: "10.0.0.0/8" } }));
  const changed = policies.change(object, { spec: { podSelector: selector } });
  expect([changed.causes, changed.object.metadata.generation]).toEqual([[], 2]);
});

test("KIND-NetworkPolicy-8: a table shows the selected Pods", () => {
  expect(policies.cells(create({}).object)[0]).toBe("<none>");
  expect(policies.cells(create({ podSelector: selector }).object)[0]).toBe("a=b");
});

test("KIND-NetworkPolicy-6: what is sent empty and was not there counts for Kubernetes, though nothing changes", () => {
  for (const dialect of [neutral, kubernetes]) {
    const kind = KindUnderTest.of(networkingGroup, "networkpolicies", contextOf(dialect));
    const { object } = kind.create({ spec: { podSelector: {} } });
    const generation = (spec: object) => kind.change(object, { spec }).object.metadata.generation;
    expect(generation({ podSelector: {}, policyTypes: [] })).toBe(1);
    expect(generation({ podSelector: { matchExpressions: [] } })).toBe(dialect === kubernetes ? 2 : 1);
    expect(generation({ podSelector: {}, ingress: [] })).toBe(dialect === kubernetes ? 2 : 1);
  }
});
