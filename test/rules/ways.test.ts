/**
 * What lies below Pods and Services: containers to look around, other sizes, and ways that end at this server.
 *
 * @module
 */
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { Programs } from "../../src/server/request/context.ts";
import type { Answer } from "./answer.ts";
import { fresh, serve } from "./api.ts";

/** The node whose logs this server reaches. */
const NEAR = "near";
/** The requests to connectors; `signal` shows whether one has ended. */
const asked: { readonly way: string; readonly tail: string | undefined; readonly signal: AbortSignal }[] = [];
const programs: Programs = (way, object, parameter, signal) => {
  const { nodeName } = (object as unknown as { spec: { nodeName: string } }).spec;
  if (way !== "log" || nodeName !== NEAR) return undefined;
  asked.push({ way, tail: parameter("tailLines"), signal });
  return (async () => Readable.from([Buffer.from("one\n"), Buffer.from("two\n")]))();
};
const api = serve({ dialect: "kubernetes" }, { server: { programs } });
const pods = "/api/v1/namespaces/default/pods";
const sized = { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "200m", memory: "128Mi" } };
const CONTAINER = { name: "c", image: "i", resources: sized };

/** A Pod of its own, and its path. */
async function pod(spec: object = {}, metadata: object = {}): Promise<string> {
  const name = fresh("p");
  const body = { metadata: { name, ...metadata }, spec: { containers: [CONTAINER], ...spec } };
  expect((await api.post(pods, body)).causes).toEqual([]);
  return `${pods}/${name}`;
}

describe("ephemeral containers", () => {
  const add = (path: string, container: object): Promise<Answer> =>
    api.strategic(`${path}/ephemeralcontainers`, { spec: { ephemeralContainers: [container] } });

  test("KIND-Pod-10: they are added on a path of their own, count, and nothing else changes", async () => {
    const path = await pod();
    const added = await api.strategic(`${path}/ephemeralcontainers`, {
      metadata: { labels: { l: "1" } },
      spec: { containers: [{ name: "c", image: "other" }], ephemeralContainers: [{ name: "d", image: "b" }] },
    });
    expect(added.at("metadata.generation")).toBe(2);
    expect([added.at("metadata.labels"), added.at("spec.containers.0.image")]).toEqual([undefined, "i"]);
    expect((await api.get(`${path}/ephemeralcontainers`)).at("spec.ephemeralContainers.0.name")).toBe("d");
  });

  test("KIND-Pod-10: what was there stays", async () => {
    const path = await pod();
    await add(path, { name: "d", image: "b" });
    const causes = ["FieldValueForbidden spec.ephemeralContainers"];
    expect((await add(path, { name: "d", image: "c" })).causes).toEqual(causes);
    const removal = [{ op: "remove", path: "/spec/ephemeralContainers/0" }];
    expect((await api.jsonPatch(`${path}/ephemeralcontainers`, removal)).causes).toEqual(causes);
  });

  test.each<[object, string]>([
    [{ ports: [{ containerPort: 1 }] }, "FieldValueForbidden spec.ephemeralContainers[0].ports"],
    [{ livenessProbe: { tcpSocket: { port: 1 } } }, "FieldValueForbidden spec.ephemeralContainers[0].livenessProbe"],
    [{ resources: { requests: { cpu: "1" } } }, "FieldValueForbidden spec.ephemeralContainers[0].resources"],
    [{ restartPolicy: "Always" }, "FieldValueForbidden spec.ephemeralContainers[0].restartPolicy"],
    [{ targetContainerName: "x" }, "FieldValueNotFound spec.ephemeralContainers[0].targetContainerName"],
    [{ name: "c" }, "FieldValueDuplicate spec.ephemeralContainers[0].name"],
  ])("KIND-Pod-10: one with %j is refused", async (members, cause) => {
    expect((await add(await pod(), { name: "d", image: "b", ...members })).causes).toEqual([cause]);
  });

  test("KIND-Pod-10: no mount of a part of a volume, no Pod of a node", async () => {
    const path = await pod({ volumes: [{ name: "v", emptyDir: {} }] });
    const mount = { name: "v", mountPath: "/v", subPath: "s" };
    expect((await add(path, { name: "d", image: "b", volumeMounts: [mount] })).causes).toEqual([
      "FieldValueForbidden spec.ephemeralContainers[0].volumeMounts[0].subPath",
    ]);
  });
});

describe("resize", () => {
  const resize = (path: string, container: object): Promise<Answer> =>
    api.strategic(`${path}/resize`, { spec: { containers: [{ name: "c", ...container }] } });

  test("KIND-Pod-11: cpu and memory change and count, all else stays", async () => {
    const path = await pod();
    const changed = await resize(path, { image: "other", resources: { requests: { cpu: "150m" } } });
    expect(changed.at("spec.containers.0.resources.requests.cpu")).toBe("150m");
    expect([changed.at("metadata.generation"), changed.at("spec.containers.0.image")]).toEqual([2, "i"]);
  });

  test("KIND-Pod-11: nothing else of the resources, no other container, no limit less", async () => {
    const path = await pod();
    const causes = async (container: object) => (await resize(path, container)).causes;
    expect(await causes({ resources: { requests: { "ephemeral-storage": "1Gi" } } })).toEqual([
      "FieldValueForbidden spec",
    ]);
    expect(await causes({ name: "n", image: "i" })).toEqual(["FieldValueForbidden spec.containers"]);
    expect(await causes({ resources: { limits: { cpu: null } } })).toEqual([
      "FieldValueForbidden spec.containers[0].resources.limits",
    ]);
    const removed = await resize(path, { resources: { requests: { cpu: null } } });
    expect(removed.at("spec.containers.0.resources.requests.cpu")).toBe("200m");
  });

  test("KIND-Pod-11: of init containers those that stay", async () => {
    const init = [
      { name: "i", image: "i", resources: sized },
      { name: "s", image: "i", restartPolicy: "Always", resources: sized },
    ];
    const path = await pod({ initContainers: init });
    const change = (name: string) =>
      api.strategic(`${path}/resize`, {
        spec: { initContainers: [{ name, resources: { requests: { cpu: "150m" } } }] },
      });
    expect((await change("i")).causes).toEqual(["FieldValueForbidden spec"]);
    expect((await change("s")).status).toBe(200);
  });

  test("KIND-Pod-12: the quality of service stays; Pods of windows and with sizes of their own are left alone", async () => {
    const same = { requests: sized.limits, limits: sized.limits };
    const guaranteed = await pod({ containers: [{ ...CONTAINER, resources: same }] });
    expect((await resize(guaranteed, { resources: { requests: { cpu: "1m" } } })).causes).toEqual([
      "FieldValueInvalid spec",
    ]);
    const windows = await pod({ os: { name: "windows" } });
    expect((await resize(windows, { resources: { requests: { cpu: "150m" } } })).causes).toEqual([
      "FieldValueForbidden []",
    ]);
  });

  test("KIND-Pod-11: who resizes owns what it changed, and nothing else", async () => {
    const path = await pod();
    await api.patch(
      `${path}/resize`,
      "application/strategic-merge-patch+json",
      { spec: { containers: [{ name: "c", resources: { requests: { cpu: "150m" } } }] } },
      { fieldManager: "vpa" },
    );
    const entries = (await api.get(path)).at("metadata.managedFields") as { manager: string; fieldsV1: unknown }[];
    expect(entries.find(({ manager }) => manager === "vpa")!.fieldsV1).toEqual({
      "f:spec": { "f:containers": { 'k:{"name":"c"}': { "f:resources": { "f:requests": { "f:cpu": {} } } } } },
    });
  });
});

describe("ways to programs", () => {
  test("KIND-Pod-22: a Pod without a node has no log, and nothing to talk to", async () => {
    const path = await pod();
    expect((await api.get(`${path}/log`)).status).toBe(204);
    for (const way of ["exec", "attach", "portforward"]) {
      expect([(await api.get(`${path}/${way}`)).status, (await api.post(`${path}/${way}`, {})).status]).toEqual([
        400, 400,
      ]);
    }
    expect((await api.get(`${path}/log`, { container: "x" })).status).toBe(400);
    const lines = await api.get(`${path}/log`, { tailLines: "-1" });
    expect([lines.status, lines.causes]).toEqual([422, ["FieldValueInvalid tailLines"]]);
    expect((await api.get(`${path}/log`, { limitBytes: "x" })).status).toBe(400);
    expect((await api.get(`${pods}/nobody/log`)).status).toBe(404);
  });

  test("KIND-Pod-22: of several containers one must be named", async () => {
    const path = await pod({ containers: [CONTAINER, { ...CONTAINER, name: "d" }] });
    const unnamed = await api.get(`${path}/log`);
    expect([unnamed.status, unnamed.at("message")]).toEqual([400, expect.stringContaining("c, d")]);
    expect((await api.get(`${path}/log`, { container: "d" })).status).toBe(204);
  });

  test("the log of a Pod on a node that this server reaches is what its agent says, as plain text", async () => {
    await api.post("/api/v1/nodes", { metadata: { name: NEAR } });
    const path = await pod({ nodeName: NEAR });
    const answer = await api.get(`${path}/log`, { tailLines: "2" });
    expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([200, "text/plain", "one\ntwo\n"]);
    expect(asked.map(({ way, tail, signal }) => [way, tail, signal.aborted])).toEqual([["log", "2", true]]);
    expect((await api.get(`${path}/log`, { tailLines: "-1" })).status).toBe(422);
    expect((await api.post(`${path}/exec`, {})).status).toBe(503);
  });

  test("a connection to a Pod goes to its node: a missing node, or no agent, is reported", async () => {
    const path = await pod({ nodeName: fresh("node") });
    expect((await api.get(`${path}/log`)).at("details.kind")).toBe("nodes");
    const name = fresh("node");
    await api.post("/api/v1/nodes", { metadata: { name } });
    const there = await pod({ nodeName: name });
    const log = await api.get(`${there}/log`);
    expect([log.status, log.at("message")]).toEqual([503, expect.stringContaining(`asks no agent of node ${name}`)]);
    expect((await api.post(`${there}/exec`, {})).status).toBe(503);
  });

  test("proxies take paths of their own, and names with schemes and ports", async () => {
    const path = await pod();
    expect((await api.get(`${path}/proxy/a/b`)).status).toBe(400);
    expect((await api.get(`${path}:8080/proxy`)).status).toBe(400);
    expect((await api.get(`${pods}/https:nobody:443/proxy`)).at("details.name")).toBe("nobody");
    expect((await api.get(`${path}/log/a`)).status).toBe(404);
    expect((await api.put(`${path}/log`, {})).status).toBe(405);
    const node = fresh("node");
    await api.post("/api/v1/nodes", { metadata: { name: node } });
    const reached = async (type: string, address: string): Promise<number> => {
      const addresses = [{ type, address }];
      await api.merge(`/api/v1/nodes/${node}/status`, { status: { addresses } });
      return (await api.get(`/api/v1/nodes/https:${node}:10250/proxy/metrics`)).status;
    };
    expect((await api.get(`/api/v1/nodes/${node}/proxy`)).status).toBe(400);
    expect(await reached("InternalIP", "127.0.0.1")).toBe(400);
    expect(await reached("InternalIP", "10.0.0.1")).toBe(503);
    expect(await reached("Hostname", "n1.example.com")).toBe(503);
    const services = "/api/v1/namespaces/default/services";
    expect((await api.get(`${services}/kubernetes/proxy/a`)).status).toBe(404);
    expect((await api.delete(`${services}/nobody/proxy`)).at("details.name")).toBe("nobody");
  });
});
