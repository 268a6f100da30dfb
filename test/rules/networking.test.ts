/**
 * Networking: the class that an Ingress is given, lists that have one owner, and what the kinds answer, on a served API.
 *
 * @module
 */
import { describe, expect, test } from "vitest";
import type { RawOptions } from "../../src/app/options/options.ts";
import type { Members } from "./answer.ts";
import { fresh, serve } from "./api.ts";

const api = serve({ dialect: "kubernetes" });
const networking = "/apis/networking.k8s.io/v1/namespaces/default";
const backend = (name: string) => ({ service: { name, port: { number: 80 } } });

const dialects: readonly [RawOptions["dialect"], labelDomain: string][] = [
  ["kubernetes", "kubernetes.io"],
  ["neutral", "svc.io"],
];

describe.each(dialects)("%s", (dialect, labelDomain) => {
  const served = serve({ dialect: dialect! });
  const group = "/apis/networking.k8s.io/v1";

  test("KIND-Ingress-1: an Ingress without a class gets the newest that is marked, one with a class keeps it", async () => {
    const make = (metadata: object, more: object = {}) =>
      served.post(`${group}/namespaces/default/ingresses`, {
        metadata: { name: fresh("i"), ...metadata },
        spec: { defaultBackend: backend("s"), ...more },
      });
    const classed = async (...of: Parameters<typeof make>) => (await make(...of)).at("spec.ingressClassName");
    const mark = (name: string, value: string) =>
      served.post(`${group}/ingressclasses`, {
        metadata: { name, annotations: { [`ingressclass.${labelDomain}/is-default-class`]: value } },
        spec: { controller: "example.com/c" },
      });
    await mark("plain", "false");
    expect(await classed({})).toBeUndefined();
    const before = await make({});
    await mark("old", "true");
    await served.pass(2000);
    await mark("new", "true");
    expect(await classed({})).toBe("new");
    expect(await classed({}, { ingressClassName: "old" })).toBe("old");
    expect(await classed({ annotations: { [`${labelDomain}/ingress.class`]: "x" } })).toBeUndefined();
    const path = `${group}/namespaces/default/ingresses/${String(before.at("metadata.name"))}`;
    const updated = await served.merge(path, { metadata: { labels: { l: "1" } } });
    expect(updated.at("spec.ingressClassName")).toBeUndefined();
  });

  test("KIND-All-9: every answer about Endpoints tells that they are deprecated", async () => {
    const path = "/api/v1/namespaces/default/endpoints";
    const told = [expect.stringContaining("discovery.k8s.io/v1 EndpointSlice")];
    const subsets = [{ addresses: [{ ip: "10.9.9.9" }] }];
    const made = await served.put(`${path}/e`, { metadata: { name: "e" }, subsets });
    expect([made.status, made.warnings]).toEqual([201, told]);
    expect((await served.get(path)).warnings).toEqual(told);
    expect((await served.delete(`${path}/e`)).warnings).toEqual(told);
  });
});

interface OneOwner {
  readonly rule: string;
  /** The collection below the group version. */
  readonly plural: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** What an object needs beside it. */
  readonly base: object;
  readonly member: string;
  readonly first: unknown;
  readonly second: unknown;
}

const ingress = { plural: "ingresses", apiVersion: "networking.k8s.io/v1", kind: "Ingress" };
const policy = { plural: "networkpolicies", apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" };
const slice = { plural: "endpointslices", apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" };
const endpoints = { plural: "endpoints", apiVersion: "v1", kind: "Endpoints" };
const port = (number: number) => ({ ports: [{ port: number, protocol: "TCP" }] });
const named = (name: string) => ({ name, protocol: "TCP" });
const reached = (address: string) => ({ addresses: [address], conditions: {} });
const subset = (ip: string) => ({ addresses: [{ ip }] });

const members: readonly OneOwner[] = [
  {
    ...ingress,
    rule: "KIND-Ingress-10",
    base: {},
    member: "spec.rules",
    first: [{ host: "a.b" }, { host: "c.d" }],
    second: [{ host: "e.f" }],
  },
  {
    ...ingress,
    rule: "KIND-Ingress-10",
    base: { spec: { defaultBackend: backend("s") } },
    member: "spec.tls",
    first: [{ secretName: "a" }, { secretName: "b" }],
    second: [{ secretName: "c" }],
  },
  {
    ...policy,
    rule: "KIND-NetworkPolicy-7",
    base: {},
    member: "spec.ingress",
    first: [port(1), port(2)],
    second: [port(3)],
  },
  {
    ...policy,
    rule: "KIND-NetworkPolicy-7",
    base: {},
    member: "spec.egress",
    first: [port(1), port(2)],
    second: [port(3)],
  },
  {
    ...slice,
    rule: "KIND-EndpointSlice-8",
    base: { addressType: "IPv4" },
    member: "endpoints",
    first: [reached("10.0.0.1"), reached("10.0.0.2")],
    second: [reached("10.0.0.3")],
  },
  {
    ...slice,
    rule: "KIND-EndpointSlice-8",
    base: { addressType: "IPv4", endpoints: [reached("10.0.0.1")] },
    member: "ports",
    first: [named("a"), named("b")],
    second: [named("c")],
  },
  {
    ...endpoints,
    rule: "KIND-Endpoints-6",
    base: {},
    member: "subsets",
    first: [subset("10.0.0.1"), subset("10.0.0.2")],
    second: [subset("10.0.0.3")],
  },
];

/** The object with a value at a dotted path of one or two names. */
function withMember(object: Members, member: string, value: unknown): object {
  const [name = "", inner] = member.split(".");
  return { ...object, [name]: inner === undefined ? value : { ...(object["spec"] as object), [inner]: value } };
}

test.each(members)("$rule: $member has one owner, and is replaced by a strategic merge", async (of) => {
  const { plural, apiVersion, kind, base, member, first, second } = of;
  const root = apiVersion === "v1" ? "/api" : "/apis";
  const name = fresh("x");
  const path = `${root}/${apiVersion}/namespaces/default/${plural}/${name}`;
  const body = (value: unknown): object => withMember({ apiVersion, kind, metadata: { name }, ...base }, member, value);
  const made = await api.apply(path, "a", body(first));
  expect(made.status).toBe(201);
  expect(made.owners["a Apply"]).toContain(member);
  const other = await api.apply(path, "b", body(second));
  expect([other.status, other.fields]).toEqual([409, [`.${member}`]]);
  expect((await api.strategic(path, withMember({}, member, second))).at(member)).toEqual(second);
});

test("KIND-NetworkPolicy-7: the selector has one owner", async () => {
  const name = fresh("x");
  const path = `${networking}/networkpolicies/${name}`;
  const body = (label: string): object => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name },
    spec: { podSelector: { matchLabels: { [label]: "v" } } },
  });
  expect((await api.apply(path, "a", body("l"))).owners["a Apply"]).toEqual(["spec.podSelector"]);
  expect((await api.apply(path, "b", body("m"))).fields).toEqual([".spec.podSelector"]);
});

test("KIND-EndpointSlice-10: fields that select are name and namespace alone", async () => {
  const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
  const name = fresh("x");
  await api.post(path, { metadata: { name }, addressType: "IPv4", endpoints: [] });
  const select = (fieldSelector: string) => api.get(path, { fieldSelector });
  expect((await select(`metadata.name=${name},metadata.namespace=default`)).names).toEqual([name]);
  expect((await select("addressType=IPv4")).status).toBe(400);
});

test("KIND-ServiceCIDR-3: who writes the status by an object has it", async () => {
  const status = {
    conditions: [{ type: "T", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "m" }],
  };
  const applied = await api.apply("/apis/networking.k8s.io/v1/servicecidrs/x", "a", {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "x" },
    spec: { cidrs: ["192.168.0.0/24"] },
    status,
  });
  expect(applied.at("status")).toEqual(status);
  expect(applied.owners["a Apply"]).toContain('status.conditions[k:{"type":"T"}].status');
});

describe("a hundred thousand addresses delay no other", () => {
  const side = <T>(length: number, one: (i: number) => T): T[] => Array.from({ length }, (_, i) => one(i));

  test("in an EndpointSlice", { timeout: 30_000 }, async () => {
    const made = await api.post("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
      metadata: { name: fresh("x") },
      addressType: "IPv4",
      endpoints: side(1000, (i) => ({ addresses: side(100, (j) => `10.0.${i % 256}.${j + 1}`) })),
    });
    expect(made.status).toBe(201);
  });

  test("in a NetworkPolicy", { timeout: 30_000 }, async () => {
    const ipBlock = { cidr: "fd00::/8", except: side(5000, () => "fd01:0:0:1::/64") };
    const made = await api.post(
      `${networking}/networkpolicies`,
      {
        metadata: { name: fresh("x") },
        spec: { ingress: [{ from: side(20, () => ({ ipBlock })) }] },
      },
      { dryRun: "All" },
    );
    expect(made.status).toBe(201);
  });
});
