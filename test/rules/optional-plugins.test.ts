/** Admission plugins that are off by default, from outside. */
import { describe, expect, test } from "vitest";
import { fresh, serve } from "./api.ts";

describe("with NamespaceAutoProvision", () => {
  const api = serve({ dialect: "kubernetes", "enable-admission-plugins": "NamespaceAutoProvision" });

  test("a create makes its namespace, a dry run and a refused one do not", async () => {
    const [made, tried, refused] = [fresh("ns"), fresh("ns"), fresh("ns")];
    const create = (namespace: string, name: string, query = {}) =>
      api.post(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name } }, query);
    expect((await create(made, "a")).status).toBe(201);
    expect((await create(tried, "a", { dryRun: "All" })).status).toBe(201);
    expect((await create(refused, "A_")).status).toBe(422);
    const statusOf = async (name: string) => (await api.get(`/api/v1/namespaces/${name}`)).status;
    expect([await statusOf(made), await statusOf(tried), await statusOf(refused)]).toEqual([200, 404, 404]);
  });
});

describe("with AlwaysPullImages, DenyServiceExternalIPs and PodNodeSelector", () => {
  const plugins = "AlwaysPullImages,DenyServiceExternalIPs,PodNodeSelector";
  const api = serve({ dialect: "kubernetes", "enable-admission-plugins": plugins });

  test("a Pod has the policy Always and the node selector of its namespace", async () => {
    const name = fresh("ns");
    const annotations = { "scheduler.alpha.kubernetes.io/node-selector": "zone=a" };
    await api.post("/api/v1/namespaces", { metadata: { name, annotations } });
    const path = `/api/v1/namespaces/${name}/pods`;
    const create = (nodeSelector: object) =>
      api.post(path, {
        metadata: { name: fresh("p") },
        spec: { nodeSelector, containers: [{ name: "a", image: "i:1", imagePullPolicy: "Never" }] },
      });
    const made = await create({ disk: "fast" });
    expect(made.body).toMatchObject({
      spec: { nodeSelector: { zone: "a", disk: "fast" }, containers: [{ imagePullPolicy: "Always" }] },
    });
    expect((await create({ zone: "b" })).status).toBe(403);
  });

  test("a Service with an external address is refused", async () => {
    const service = (externalIPs: string[]) =>
      api.post("/api/v1/namespaces/default/services", {
        metadata: { name: fresh("s") },
        spec: { ports: [{ port: 80 }], externalIPs },
      });
    expect((await service([])).status).toBe(201);
    expect((await service(["192.0.2.1"])).status).toBe(403);
  });
});

describe("with PodTopologyLabels", () => {
  const api = serve({ dialect: "kubernetes", "enable-admission-plugins": "PodTopologyLabels" });

  test("a Pod that is bound has the zone of its node", async () => {
    const labels = { "topology.kubernetes.io/zone": "z" };
    await api.post("/api/v1/nodes", { metadata: { name: "n", labels } });
    const pods = "/api/v1/namespaces/default/pods";
    await api.post(pods, { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "i" }] } });
    const bound = await api.post(`${pods}/p/binding`, { metadata: { name: "p" }, target: { kind: "Node", name: "n" } });
    expect(bound.status).toBe(201);
    expect((await api.get(`${pods}/p`)).body).toMatchObject({ metadata: { labels }, spec: { nodeName: "n" } });
  });
});
