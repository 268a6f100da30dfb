import { describe, expect, test } from "vitest";
import { fresh, serve } from "./api.ts";

const NODE = { kind: "Node", name: "n" };
const SUCCESS = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

describe.each(["neutral", "kubernetes"])("a Binding in the %s dialect", (dialect) => {
  const api = serve({ dialect });

  /** A namespace with a Pod `x` without a node. */
  async function withPod(spec: object = {}) {
    const ns = fresh("ns");
    await api.post("/api/v1/namespaces", { metadata: { name: ns } });
    const pods = `/api/v1/namespaces/${ns}/pods`;
    const metadata = { name: "x", labels: { a: "1", b: "1" }, annotations: { a: "1" } };
    const containers = [{ name: "c", image: "i" }];
    await api.post(pods, { metadata, spec: { containers, ...spec } }, { fieldManager: "maker" });
    const pod = `${pods}/x`;
    const bind = (sent: object = {}, body: object = {}, query = {}) =>
      api.post(`${pod}/binding`, { metadata: { name: "x", ...sent }, target: NODE, ...body }, query);
    const beside = (sent: object = {}, body: object = {}, query = {}) =>
      api.post(`/api/v1/namespaces/${ns}/bindings`, { metadata: { name: "x", ...sent }, target: NODE, ...body }, query);
    return { ns, pod, bind, beside };
  }

  test("KIND-Pod-8: sets the node, the condition, labels and annotations; owns nothing, counts nothing", async () => {
    const { pod, bind } = await withPod();
    await api.merge(`${pod}/status`, { status: { nominatedNodeName: "m" } });
    const before = await api.get(pod);
    const sent = { labels: { b: "2", c: "2" }, annotations: { b: "2" } };
    expect(await bind(sent, {}, { fieldManager: "scheduler" })).toMatchObject({ status: 201, body: SUCCESS });
    const after = await api.get(pod);
    expect(after.body).toMatchObject({
      metadata: { labels: { a: "1", b: "2", c: "2" }, annotations: { a: "1", b: "2" }, generation: 1 },
      spec: { nodeName: "n" },
      status: { conditions: [{ type: "PodScheduled", status: "True", lastProbeTime: null }] },
    });
    expect(after.at("status.nominatedNodeName")).toBeUndefined();
    expect(after.at("metadata.managedFields")).toEqual(before.at("metadata.managedFields"));
  });

  test("KIND-Pod-8: a condition that was False becomes True in its place", async () => {
    const { pod, bind } = await withPod();
    const conditions = [
      { type: "PodScheduled", status: "False", reason: "Unschedulable", lastTransitionTime: "2020-01-01T00:00:00Z" },
      { type: "Other", status: "True" },
    ];
    await api.merge(`${pod}/status`, { status: { conditions } });
    await bind();
    const [first, second] = (await api.get(pod)).at("status.conditions") as object[];
    expect(Object.keys(first!).toSorted()).toEqual(["lastProbeTime", "lastTransitionTime", "status", "type"]);
    expect(first).not.toMatchObject({ lastTransitionTime: "2020-01-01T00:00:00Z" });
    expect(second).toMatchObject({ type: "Other" });
  });

  test("KIND-Pod-8: a dry run changes nothing", async () => {
    const { pod, bind, beside } = await withPod();
    for (const ask of [bind, beside]) expect((await ask({}, {}, { dryRun: "All" })).body).toEqual(SUCCESS);
    expect((await api.get(pod)).at("spec.nodeName")).toBeUndefined();
  });

  test("KIND-Pod-8: a Pod is bound once", async () => {
    const { bind, beside } = await withPod();
    expect((await beside()).body).toEqual(SUCCESS);
    for (const ask of [bind, beside]) expect(await ask()).toMatchObject({ status: 409, body: { reason: "Conflict" } });
  });

  test("KIND-Pod-8: a Pod that is gated, or that goes, is not bound", async () => {
    const gated = await withPod({ schedulingGates: [{ name: "example.com/g" }] });
    expect((await gated.bind()).status).toBe(409);
    const { pod, bind } = await withPod();
    await api.merge(pod, { metadata: { finalizers: ["example.com/f"] } });
    await api.delete(pod);
    expect((await bind()).status).toBe(409);
  });

  test("KIND-Pod-8: the uid and version that a Binding names are those of the Pod; beside it the version counts alone", async () => {
    const { pod, bind, beside } = await withPod();
    const { uid, resourceVersion } = await api.get(pod);
    expect((await bind({ uid: "other" })).status).toBe(409);
    expect((await bind({ resourceVersion: "1" })).status).toBe(409);
    expect((await bind({ uid, resourceVersion }, {}, { dryRun: "All" })).status).toBe(201);
    expect((await beside({ resourceVersion: "1" })).status).toBe(409);
    expect((await beside({ uid: "other", resourceVersion })).status).toBe(201);
  });

  test("KIND-Pod-8: names and targets that are refused", async () => {
    const { ns, pod, bind, beside } = await withPod();
    expect((await bind({ name: "y" })).status).toBe(400);
    expect((await bind({ name: "" })).status).toBe(400);
    expect((await beside({ name: "" })).status).toBe(400);
    expect((await beside({ namespace: "other" })).status).toBe(400);
    expect((await bind({}, { kind: "Pod" })).status).toBe(400);
    expect((await beside({ name: "y" })).status).toBe(404);
    const metadata = { name: "nobody" };
    const path = `/api/v1/namespaces/${ns}/pods/nobody/binding`;
    expect((await api.post(path, { metadata, target: NODE })).status).toBe(404);
    for (const ask of [bind, beside]) {
      expect((await ask({}, { target: { kind: "Machine", name: "n" } })).causes).toEqual([
        "FieldValueNotSupported target.kind",
      ]);
      expect((await ask({}, { target: { kind: "Node" } })).causes).toEqual(["FieldValueRequired target.name"]);
    }
    expect((await bind({}, { target: { name: "n" } }, { dryRun: "All" })).status).toBe(201);
    expect((await api.get(`${pod}/binding`)).status).toBe(405);
    expect((await api.get(`/api/v1/namespaces/${ns}/bindings`)).status).toBe(405);
  });

  test("KIND-Pod-9: discovery tells of what is asked below Pods, and of Bindings", async () => {
    const { body } = await api.get("/api/v1");
    const resources = body["resources"] as { name: string }[];
    const named = (name: string) => resources.find((resource) => resource.name === name);
    const about = { singularName: "", namespaced: true, verbs: ["create"] };
    expect(named("pods/eviction")).toEqual({
      ...about,
      name: "pods/eviction",
      group: "policy",
      version: "v1",
      kind: "Eviction",
    });
    expect(named("bindings")).toEqual({ ...about, name: "bindings", singularName: "binding", kind: "Binding" });
    expect(named("pods/binding")).toEqual({ ...about, name: "pods/binding", kind: "Binding" });
  });
});
