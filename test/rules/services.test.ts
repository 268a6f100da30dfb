/**
 * Services: what they are given, and keep, and give back, on a server of its own.
 *
 * @module
 */
import { describe, expect, test } from "vitest";
import type { Answer } from "./answer.ts";
import { type Api, fresh, serve } from "./api.ts";

const RANGES = { networks: ["10.1.0.0/28"], nodePorts: [30_000, 30_007] } as const;
const api = serve({ dialect: "kubernetes" });
const both = serve(
  { dialect: "kubernetes" },
  { serviceRanges: { networks: ["10.2.0.0/24", "fd00:2::/112"], nodePorts: [30_000, 32_767] } },
);
const small = serve({ dialect: "kubernetes" }, { serviceRanges: RANGES });
const neutral = serve();

const services = (ns: string): string => `/api/v1/namespaces/${ns}/services`;
const addresses = "/apis/networking.k8s.io/v1/ipaddresses";

/** A namespace with a way to create and change Services in it. */
async function place(server: Api) {
  const ns = fresh("ns");
  await server.post("/api/v1/namespaces", { metadata: { name: ns } });
  const create = (spec: object, query = {}, metadata: object = {}): Promise<Answer> =>
    server.post(services(ns), { metadata: { name: fresh("s"), ...metadata }, spec }, query);
  const path = (made: Answer): string => `${services(ns)}/${String(made.at("metadata.name"))}`;
  const change = (made: Answer, spec: object, query = {}): Promise<Answer> => server.merge(path(made), { spec }, query);
  return { ns, create, change, path };
}

const PORTS = [{ port: 80 }];
const ip = (answer: Answer): string => String(answer.at("spec.clusterIP"));

describe("what is filled in", () => {
  test("KIND-Service-1: type, affinity, protocol, target and policies", async () => {
    const { create } = await place(api);
    const { body } = await create({ ports: [{ port: 80, targetPort: 0 }] });
    expect(body["spec"]).toMatchObject({
      type: "ClusterIP",
      sessionAffinity: "None",
      internalTrafficPolicy: "Cluster",
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
    });
    const balanced = await create({ type: "LoadBalancer", ports: PORTS, sessionAffinity: "ClientIP" });
    expect(balanced.body["spec"]).toMatchObject({
      externalTrafficPolicy: "Cluster",
      allocateLoadBalancerNodePorts: true,
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
    });
    expect((await create({ ports: PORTS, externalIPs: ["8.8.8.8"] })).at("spec.externalTrafficPolicy")).toBe("Cluster");
    const name = await create({ type: "ExternalName", externalName: "a.example.com." });
    expect(name.body["spec"]).toEqual({
      type: "ExternalName",
      externalName: "a.example.com.",
      sessionAffinity: "None",
    });
  });

  test("KIND-Service-2: the families of a server that has one", async () => {
    const { create } = await place(api);
    const families = (made: Answer) => [made.at("spec.ipFamilies"), made.at("spec.ipFamilyPolicy")];
    expect(families(await create({ ports: PORTS }))).toEqual([["IPv4"], "SingleStack"]);
    const prefers = { ports: PORTS, ipFamilyPolicy: "PreferDualStack" };
    expect(families(await create(prefers))).toEqual([["IPv4"], "PreferDualStack"]);
    expect(families(await create({ clusterIP: "None" }))).toEqual([["IPv4", "IPv6"], "RequireDualStack"]);
    expect(families(await create({ clusterIP: "None", selector: { a: "b" } }))).toEqual([["IPv4"], "SingleStack"]);
    expect(families(await create({ type: "ExternalName", externalName: "a" }))).toEqual([undefined, undefined]);
  });
});

describe("addresses", () => {
  test("KIND-Service-3: each gets one of the range, or the one that it asks for", async () => {
    const { create } = await place(api);
    const made = await create({ ports: PORTS });
    expect(made.at("spec.clusterIPs")).toEqual([ip(made)]);
    expect(ip(made)).toMatch(/^10\.0\.0\.\d+$/);
    expect(ip(await create({ ports: PORTS, clusterIP: "10.0.0.9" }))).toBe("10.0.0.9");
    for (const clusterIP of ["10.0.0.9", "10.0.0.0", "10.0.0.255", "10.9.0.1"]) {
      const refused = await create({ ports: PORTS, clusterIP });
      expect([refused.status, refused.causes]).toEqual([422, ["FieldValueInvalid spec.clusterIPs"]]);
    }
    expect((await create({ ports: PORTS, clusterIP: "x" })).causes).toEqual(["FieldValueInvalid spec.clusterIPs[0]"]);
    const differs = await create({ ports: PORTS, clusterIP: "10.0.0.7", clusterIPs: ["10.0.0.8"] });
    expect(differs.causes).toEqual(["FieldValueInvalid spec.clusterIPs"]);
  });

  test("KIND-Service-4: an IPAddress shows who has it, and goes with the service", async () => {
    const { ns, create, path } = await place(api);
    const made = await create({ ports: PORTS });
    const shown = await api.get(`${addresses}/${ip(made)}`);
    expect(shown.at("metadata.labels")).toEqual({
      "ipaddress.kubernetes.io/ip-family": "IPv4",
      "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
    });
    const name = made.at("metadata.name");
    expect(shown.at("spec.parentRef")).toEqual({ resource: "services", namespace: ns, name });
    await api.delete(path(made));
    expect((await api.get(`${addresses}/${ip(made)}`)).status).toBe(404);
    const other = await neutral.post(services("default"), { metadata: { name: "n" }, spec: { ports: PORTS } });
    const there = await neutral.get(`${addresses}/${ip(other)}`);
    expect(there.at("spec.parentRef.name")).toBe("n");
  });

  test("KIND-Service-4: addresses are of the upper part of the range, until that is used up", async () => {
    const { create } = await place(api);
    for (let i = 0; i < 20; i++) expect(Number(ip(await create({ ports: PORTS })).split(".")[3])).toBeGreaterThan(16);
  });

  test("KIND-Service-3: when no address is left, that is reported and nothing is stored", async () => {
    const { create, path } = await place(small);
    // One of the fourteen is that of the server's own service.
    const made: Answer[] = [];
    for (let i = 0; i < 13; i++) made.push(await create({ ports: PORTS }));
    expect(new Set(made.map(ip)).size).toBe(13);
    const refused = await create({ ports: PORTS });
    expect(refused.causes).toEqual(["FieldValueInvalid spec.clusterIPs"]);
    await small.delete(path(made[3]!));
    expect(ip(await create({ ports: PORTS }))).toBe(ip(made[3]!));
    await small.delete(services(String(made[0]!.at("metadata.namespace"))));
    const { names } = await small.get(addresses);
    expect(names).toEqual(["10.1.0.1"]);
  });

  test("KIND-Service-6: a dry run takes nothing and does not see what is taken", async () => {
    const { create } = await place(api);
    const dry = { dryRun: "All" };
    const asked = { ports: PORTS, clusterIP: "10.0.0.5" };
    expect(ip(await create(asked, dry))).toBe("10.0.0.5");
    expect((await create(asked)).status).toBe(201);
    expect((await create(asked, dry)).status).toBe(201);
    expect(ip(await create({ ports: PORTS }, dry))).toMatch(/^10\.0\.0\.\d+$/);
    const ports = await create({ type: "NodePort", ports: [{ port: 80, nodePort: 29_000 }] }, dry);
    expect(ports.causes).toEqual(["FieldValueInvalid spec.ports[0].nodePort"]);
  });

  test("KIND-Service-6: what a dry run shows for what it would get is the same each time", async () => {
    const { create } = await place(api);
    const ports = [80, 81, 82].map((port) => ({ port, name: `p${port}` }));
    ports[1] = { ...ports[1]!, nodePort: 30_200 } as never;
    const spec = { type: "LoadBalancer", externalTrafficPolicy: "Local", ports };
    const shown = await create(spec, { dryRun: "All" });
    expect(ip(shown)).toBe("10.0.0.0");
    expect((shown.at("spec.ports") as { nodePort: number }[]).map(({ nodePort }) => nodePort)).toEqual([
      32_769, 30_200, 32_770,
    ]);
    expect(shown.at("spec.healthCheckNodePort")).toBe(32_771);
  });

  test("KIND-Service-3: what a refused service took comes back", async () => {
    const { create } = await place(api);
    const asked = { clusterIP: "10.0.0.6", ports: PORTS };
    expect((await create({ ...asked, trafficDistribution: "Odd" })).causes).toEqual([
      "FieldValueNotSupported spec.trafficDistribution",
    ]);
    expect((await create(asked)).status).toBe(201);
  });

  test("KIND-Service-13: families by policy, on a server that has both", async () => {
    const { create, change } = await place(both);
    const second = await create({ ports: PORTS, ipFamilyPolicy: "PreferDualStack" });
    expect(second.at("spec.ipFamilies")).toEqual(["IPv4", "IPv6"]);
    expect((second.at("spec.clusterIPs") as string[])[1]).toMatch(/^fd00:2::/);
    const single = await create({ ports: PORTS, ipFamilies: ["IPv6"] });
    expect(ip(single)).toMatch(/^fd00:2::/);
    const grown = await change(single, { ipFamilyPolicy: "RequireDualStack" });
    expect(grown.at("spec.ipFamilies")).toEqual(["IPv6", "IPv4"]);
    const [, gained] = grown.at("spec.clusterIPs") as string[];
    expect((await both.get(`${addresses}/${gained}`)).status).toBe(200);
    const shrunk = await change(grown, { ipFamilyPolicy: "SingleStack" });
    expect(shrunk.at("spec.clusterIPs")).toEqual([ip(single)]);
    expect((await both.get(`${addresses}/${gained}`)).status).toBe(404);
    const less = await change(second, { clusterIPs: [ip(second)] });
    expect(less.causes).toEqual(["FieldValueInvalid spec.ipFamilyPolicy"]);
  });

  test("KIND-Service-13: what a server with one family refuses", async () => {
    const { create } = await place(api);
    const causes = async (spec: object) => (await create({ ports: PORTS, ...spec })).causes;
    expect(await causes({ ipFamilyPolicy: "RequireDualStack" })).toEqual(["FieldValueInvalid spec.ipFamilyPolicy"]);
    expect(await causes({ ipFamilies: ["IPv6"] })).toEqual(["FieldValueInvalid spec.ipFamilies[0]"]);
    expect(await causes({ clusterIP: "fd00::1" })).toEqual(["FieldValueInvalid spec.clusterIPs[0]"]);
    expect(await causes({ ipFamilies: ["IPv4", "IPv4"] })).toEqual(["FieldValueDuplicate spec.ipFamilies[1]"]);
    expect(await causes({ ipFamilies: ["Odd"] })).toEqual(["FieldValueNotSupported spec.ipFamilies[0]"]);
    const two = { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "SingleStack" };
    expect(await causes(two)).toEqual(["FieldValueInvalid spec.ipFamilyPolicy"]);
  });
});

describe("ports on nodes", () => {
  const nodePorts = (made: Answer): number[] =>
    (made.at("spec.ports") as { nodePort: number }[]).map(({ nodePort }) => nodePort);

  test("KIND-Service-5: they are in the range, unique, and shared by protocols of one port", async () => {
    const { create } = await place(api);
    const [given] = nodePorts(await create({ type: "NodePort", ports: PORTS }));
    expect(given).toBeGreaterThanOrEqual(30_000);
    expect(given).toBeLessThanOrEqual(32_767);
    for (const nodePort of [given, 29_999]) {
      const refused = await create({ type: "NodePort", ports: [{ port: 80, nodePort }] });
      expect(refused.causes).toEqual(["FieldValueInvalid spec.ports[0].nodePort"]);
    }
    const dns = [
      { name: "t", port: 53 },
      { name: "u", port: 53, protocol: "UDP" },
    ];
    const [tcp, udp] = nodePorts(await create({ type: "NodePort", ports: dns }));
    expect(tcp).toBe(udp);
    const none = { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: PORTS };
    expect(nodePorts(await create(none))).toEqual([undefined]);
    const local = await create({ type: "LoadBalancer", externalTrafficPolicy: "Local", ports: PORTS });
    expect(local.at("spec.healthCheckNodePort")).toBeGreaterThanOrEqual(30_000);
  });

  test("KIND-Service-5: when no port is left, that is reported", async () => {
    const { ns, create } = await place(small);
    const many = Array.from({ length: 8 }, (_, i) => ({ name: `p${i}`, port: 80 + i }));
    const made = await create({ type: "NodePort", ports: many });
    expect(new Set(nodePorts(made)).size).toBe(8);
    const refused = await create({ type: "NodePort", ports: PORTS });
    expect(refused.causes).toEqual(["FieldValueInvalid spec.ports[0].nodePort"]);
    await small.delete(services(ns));
    expect((await create({ type: "NodePort", ports: many })).status).toBe(201);
    await small.delete(services(ns));
  });

  test("KIND-Service-7: an update that leaves out what was given keeps it", async () => {
    const { create, change, path } = await place(api);
    const made = await create({ type: "NodePort", ports: [{ name: "a", port: 80 }] });
    const put = await api.put(path(made), {
      metadata: { name: made.at("metadata.name") },
      spec: { type: "NodePort", ports: [{ name: "a", port: 81 }] },
    });
    expect([ip(put), nodePorts(put)]).toEqual([ip(made), nodePorts(made)]);
    const other = await change(made, { clusterIP: "10.0.0.77" });
    expect(other.causes).toEqual(["FieldValueInvalid spec.clusterIPs[0]"]);
    const moved = await change(made, { ports: [{ name: "a", port: 80, nodePort: 31_234 }] });
    expect(nodePorts(moved)).toEqual([31_234]);
    const [before] = nodePorts(made);
    expect((await create({ type: "NodePort", ports: [{ port: 80, nodePort: before }] })).status).toBe(201);
  });
});

describe("changes", () => {
  test("KIND-Service-8: another type takes back what it has no use for", async () => {
    const { create, change, path } = await place(api);
    const made = await create({ type: "LoadBalancer", loadBalancerClass: "example.com/c", ports: PORTS });
    await api.merge(`${path(made)}/status`, { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } });
    const inside = await change(made, { type: "ClusterIP" });
    const { spec, status } = inside.body as { spec: Record<string, unknown>; status: unknown };
    for (const member of ["externalTrafficPolicy", "allocateLoadBalancerNodePorts", "loadBalancerClass"]) {
      expect(spec[member]).toBeUndefined();
    }
    expect(spec["ports"]).toEqual([{ port: 80, protocol: "TCP", targetPort: 80 }]);
    expect(status).toEqual({ loadBalancer: {} });
    const name = await change(made, { type: "ExternalName", externalName: "a.example.com" });
    expect([name.at("spec.clusterIP"), name.at("spec.ipFamilies")]).toEqual([undefined, undefined]);
    expect((await api.get(`${addresses}/${ip(made)}`)).status).toBe(404);
    expect(ip(await change(made, { type: "ClusterIP" }))).toMatch(/^10\.0\.0\./);
  });

  test("KIND-Service-9: with an address and without are ways apart, but for ExternalName between", async () => {
    const { create, change } = await place(api);
    const headless = await create({ clusterIP: "None", ports: PORTS, selector: { a: "b" } });
    expect((await change(headless, { clusterIP: "10.0.0.78", clusterIPs: null })).causes).toEqual([
      "FieldValueInvalid spec.clusterIPs[0]",
    ]);
    const made = await create({ ports: PORTS });
    expect((await change(made, { clusterIP: "None", clusterIPs: ["None"] })).causes).toEqual([
      "FieldValueInvalid spec.clusterIPs[0]",
    ]);
    await change(headless, { type: "ExternalName", externalName: "a" });
    expect(ip(await change(headless, { type: "ClusterIP" }))).toMatch(/^10\.0\.0\./);
  });

  test("KIND-Service-12: the class of a load balancer stays", async () => {
    const { create, change } = await place(api);
    const made = await create({ type: "LoadBalancer", ports: PORTS });
    const changed = await change(made, { loadBalancerClass: "example.com/c" });
    expect(changed.causes).toEqual(["FieldValueInvalid spec.loadBalancerClass"]);
  });

  test("KIND-All-6: a PUT creates", async () => {
    const { ns } = await place(api);
    const put = await api.put(`${services(ns)}/p`, { metadata: { name: "p" }, spec: { ports: PORTS } });
    expect([put.status, ip(put)]).toEqual([201, expect.stringMatching(/^10\.0\.0\./)]);
  });
});

describe("rules", () => {
  const NAMED = { name: "a", port: 80 };
  test.each<[object, string[]]>([
    [{}, ["FieldValueRequired spec.ports"]],
    [{ ports: [{ port: 80 }, NAMED] }, ["FieldValueRequired spec.ports[0].name", "FieldValueDuplicate spec.ports[1]"]],
    [{ ports: [NAMED, { ...NAMED, port: 81 }] }, ["FieldValueDuplicate spec.ports[1].name"]],
    [{ ports: [{ port: 80, name: "A" }] }, ["FieldValueInvalid spec.ports[0].name"]],
    [{ ports: [{ port: 80, targetPort: "A_" }] }, ["FieldValueInvalid spec.ports[0].targetPort"]],
    [{ ports: [{ port: 70_000, targetPort: 1 }] }, ["FieldValueInvalid spec.ports[0].port"]],
    [{ ports: [{ port: 80, protocol: "tcp" }] }, ["FieldValueNotSupported spec.ports[0].protocol"]],
    [{ ports: [{ port: 80, appProtocol: "-" }] }, ["FieldValueInvalid spec.ports[0].appProtocol"]],
    [{ ports: [{ port: 80, nodePort: 30_000 }] }, ["FieldValueForbidden spec.ports[0].nodePort"]],
  ])("KIND-Service-10: ports of %j", async (spec, causes) => {
    const { create } = await place(api);
    expect((await create(spec)).causes).toEqual(causes.toSorted());
  });

  test.each<[object, string[]]>([
    [{ type: "NodePort", clusterIP: "None" }, ["FieldValueInvalid spec.clusterIPs[0]"]],
    [{ type: "ExternalName" }, ["FieldValueRequired spec.externalName"]],
    [{ type: "ExternalName", externalName: "a b" }, ["FieldValueInvalid spec.externalName"]],
    [{ type: "ExternalName", externalName: "10.0.0.1" }, []],
    [{ type: "ExternalName", externalName: "a", clusterIP: "10.0.0.99" }, ["FieldValueForbidden spec.clusterIPs"]],
    [{ externalTrafficPolicy: "Local" }, ["FieldValueInvalid spec.externalTrafficPolicy"]],
    [{ healthCheckNodePort: 30_000 }, ["FieldValueInvalid spec.healthCheckNodePort"]],
    [{ loadBalancerClass: "a.b/c" }, ["FieldValueForbidden spec.loadBalancerClass"]],
    [{ allocateLoadBalancerNodePorts: true }, ["FieldValueForbidden spec.allocateLoadBalancerNodePorts"]],
    [{ loadBalancerSourceRanges: ["10.0.0.0/8"] }, ["FieldValueForbidden spec.LoadBalancerSourceRanges"]],
    [{ type: "LoadBalancer", loadBalancerSourceRanges: ["x"] }, ["FieldValueInvalid spec.LoadBalancerSourceRanges[0]"]],
    [
      { type: "Odd" },
      ["FieldValueNotSupported spec.type", "FieldValueRequired spec.internalTrafficPolicy"].slice(0, 1),
    ],
    [{ selector: { "a b": "c" } }, ["FieldValueInvalid spec.selector"]],
  ])("KIND-Service-11: what a type has no use for, %j", async (spec, causes) => {
    const { create } = await place(api);
    expect((await create({ ports: PORTS, ...spec })).causes).toEqual(causes);
  });

  test("KIND-Service-14: external addresses are left to other programs, and unusual ones get a warning", async () => {
    const { create } = await place(api);
    for (const bad of ["127.0.0.1", "0.0.0.0", "169.254.0.1", "224.0.0.1", "x"]) {
      expect((await create({ ports: PORTS, externalIPs: [bad] })).causes).toEqual([
        "FieldValueInvalid spec.externalIPs[0]",
      ]);
    }
    expect((await create({ ports: PORTS, externalIPs: ["8.8.08.8"] })).warnings).toEqual([
      expect.stringContaining("spec.externalIPs[0]"),
    ]);
    const idle = await create({ clusterIP: "None", externalIPs: ["8.8.8.8"], sessionAffinity: "ClientIP" });
    expect(idle.warnings).toHaveLength(2);
    const name = { type: "ExternalName", externalName: "a", externalIPs: ["8.8.8.8"] };
    expect((await create(name)).warnings).toEqual([expect.stringContaining("externalIPs")]);
  });

  test("KIND-Service-15: traffic and time", async () => {
    const { create } = await place(api);
    for (const trafficDistribution of ["PreferClose", "PreferSameZone", "PreferSameNode"]) {
      expect((await create({ ports: PORTS, trafficDistribution })).status).toBe(201);
    }
    for (const timeoutSeconds of [0, 86_401]) {
      const spec = {
        ports: PORTS,
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds } },
      };
      expect((await create(spec)).causes).toEqual([
        "FieldValueInvalid spec.sessionAffinityConfig.clientIP.timeoutSeconds",
      ]);
    }
  });

  test("KIND-Service-16: the status of a load balancer", async () => {
    const { create, path } = await place(api);
    const made = await create({ type: "LoadBalancer", ports: PORTS });
    const write = (ingress: object[]) => api.merge(`${path(made)}/status`, { status: { loadBalancer: { ingress } } });
    expect((await write([{ ip: "1.2.3.4" }, { hostname: "h.example.com" }])).at("status.loadBalancer.ingress")).toEqual(
      [{ ip: "1.2.3.4", ipMode: "VIP" }, { hostname: "h.example.com" }],
    );
    const field = "status.loadBalancer.ingress[0]";
    expect((await write([{ ip: "x" }])).causes).toEqual([`FieldValueInvalid ${field}.ip`]);
    expect((await write([{ hostname: "1.2.3.4" }])).causes).toEqual([`FieldValueInvalid ${field}.hostname`]);
    expect((await write([{ hostname: "h", ipMode: "VIP" }])).causes).toEqual([`FieldValueForbidden ${field}.ipMode`]);
    expect((await write([{ ip: "1.2.3.4", ipMode: "Odd" }])).causes).toEqual([
      `FieldValueNotSupported ${field}.ipMode`,
    ]);
    const inside = await create({ ports: PORTS });
    const refused = await api.merge(`${path(inside)}/status`, {
      status: { loadBalancer: { ingress: [{ ip: "1.1.1.1" }] } },
    });
    expect(refused.causes).toEqual(["FieldValueForbidden status.loadBalancer.ingress"]);
  });

  test("KIND-Service-17: what a table shows", async () => {
    const { ns, create, path } = await place(api);
    const made = await create({
      type: "LoadBalancer",
      ports: [{ port: 80, nodePort: 31_777 }],
      selector: { b: "1", a: "2" },
    });
    const cells = async (of: Answer) => {
      const table = await api.get(path(of), {}, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
      return (table.at("rows.0.cells") as unknown[]).slice(1);
    };
    expect(await cells(made)).toEqual(["LoadBalancer", ip(made), "<pending>", "80:31777/TCP", "0s", "a=2,b=1"]);
    const ingress = [{ ip: "9.9.9.9" }, { hostname: "1.example.com" }];
    await api.merge(`${path(made)}/status`, { status: { loadBalancer: { ingress } } });
    expect((await cells(made))[2]).toBe("1.example.com,9.9.9.9");
    expect(await cells(await create({ clusterIP: "None" }))).toEqual([
      "ClusterIP",
      "None",
      "<none>",
      "<none>",
      "0s",
      "<none>",
    ]);
    const name = await create({ type: "ExternalName", externalName: "a.b" });
    expect((await cells(name)).slice(0, 3)).toEqual(["ExternalName", "<none>", "a.b"]);
    const found = await api.get(services(ns), { fieldSelector: `spec.clusterIP=${ip(made)}` });
    expect(found.names).toEqual([made.at("metadata.name")]);
  });

  test("KIND-Service-18: a strategic merge knows a port by its number", async () => {
    const { create, path } = await place(api);
    const made = await create({ ports: PORTS });
    const patched = await api.strategic(path(made), { spec: { ports: [{ port: 80, protocol: "UDP" }] } });
    expect(patched.at("spec.ports")).toEqual([{ port: 80, protocol: "UDP", targetPort: 80 }]);
  });

  test("DEC-2: it is called a DNS label that begins with a letter", async () => {
    const { create } = await place(api);
    expect((await create({ clusterIP: "None" }, {}, { name: "0a" })).causes).toEqual([
      "FieldValueInvalid metadata.name",
    ]);
  });
});

test("KIND-Service-20: the server has a service of its own, and shows its range", async () => {
  const own = await api.get(`${services("default")}/kubernetes`);
  expect(own.body["spec"]).toMatchObject({ clusterIP: "10.0.0.1", ports: [{ name: "https", port: 443 }] });
  expect((await api.get(`${addresses}/10.0.0.1`)).at("spec.parentRef.name")).toBe("kubernetes");
  const range = await api.get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes");
  expect(range.at("spec.cidrs")).toEqual(["10.0.0.0/24"]);
  expect(range.at("status.conditions.0.status")).toBe("True");
  expect((await neutral.get(`${services("default")}/kubernetes`)).status).toBe(404);
});

describe("several servers of one store, and one that ended too early", () => {
  const later = serve({ dialect: "kubernetes" });

  test("KIND-Service-19: what a collection had comes back with it", async () => {
    const { ns, create } = await place(api);
    const made = await create({ ports: PORTS });
    await create({ type: "NodePort", ports: [{ port: 80, nodePort: 32_001 }] });
    await api.delete(services(ns));
    expect((await create({ ports: PORTS, clusterIP: ip(made) })).status).toBe(201);
    expect((await create({ type: "NodePort", ports: [{ port: 80, nodePort: 32_001 }] })).status).toBe(201);
  });

  test("what was taken for nothing is found and given back; what is not taken is taken", async () => {
    const { store } = later.world.cluster;
    const lost = Buffer.from("default/nobody");
    await store.write({ type: "create", key: "/stocks/nodeports/31000", value: lost });
    const asked = { type: "NodePort", ports: [{ port: 80, nodePort: 31_000 }] };
    const { create } = await place(later);
    expect((await create(asked)).status).toBe(422);
    const made = await create({ type: "NodePort", ports: [{ port: 80, nodePort: 31_001 }] });
    const record = await store.get("/stocks/nodeports/31001");
    await store.write({ type: "delete", key: record!.key, value: record!.value, expected: record!.revision });
    for (const ms of [2000, 300_000, 300_000]) await later.pass(ms);
    expect((await create(asked)).status).toBe(201);
    expect((await create({ type: "NodePort", ports: [{ port: 80, nodePort: 31_001 }] })).causes).toEqual([
      "FieldValueInvalid spec.ports[0].nodePort",
    ]);
    expect((await later.get(`${addresses}/${ip(made)}`)).status).toBe(200);
  });
});
