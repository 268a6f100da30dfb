/**
 * Answers that differed from those of a real kube-apiserver 1.35 when both were asked the same: DEC-1, DEC-17, DEC-18,
 * DEC-25, DEC-26, DEC-28, DEC-31.
 */
import { describe, expect, test } from "vitest";
import { fresh, serve } from "./api.ts";

const kube = serve({ dialect: "kubernetes" });
const neutral = serve();

const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";
const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
const DRIVERS = "/apis/storage.k8s.io/v1/csidrivers";

const MAP = { apiVersion: "v1", kind: "ConfigMap" };
const SPEC = { nodeName: "n", containers: [{ name: "c", image: "i" }] };

async function made(items: string, members: object = {}): Promise<string> {
  const answer = await kube.post(items, { metadata: { name: fresh("n") }, ...members });
  expect(answer.status).toBe(201);
  return `${items}/${String(answer.at("metadata.name"))}`;
}

describe("DEC-26: a Pod that is deleted without time is first seen to go", () => {
  test.each([
    ["at once", {}, { gracePeriodSeconds: 0 }, ["MODIFIED 0", "DELETED 0"]],
    [
      "after it was given time",
      { gracePeriodSeconds: 5 },
      { gracePeriodSeconds: 0 },
      ["MODIFIED 5", "MODIFIED 0", "DELETED 0"],
    ],
  ])("%s", async (_, first, last, told) => {
    const item = await made(PODS, { spec: SPEC });
    const { resourceVersion } = await kube.get(item);
    if ("gracePeriodSeconds" in first) await kube.delete(item, {}, first);
    const answer = await kube.delete(item, {}, last);
    expect([answer.status, answer.at("metadata.deletionGracePeriodSeconds"), answer.at("metadata.generation")]).toEqual(
      [200, 0, 2],
    );
    using watch = await kube.watch(PODS, { resourceVersion });
    const events = [];
    for (let event = await watch.next(); event; event = await watch.next()) {
      const { deletionGracePeriodSeconds } = event.object["metadata"] as { deletionGracePeriodSeconds?: number };
      events.push(`${event.type} ${deletionGracePeriodSeconds}`);
    }
    expect(events).toEqual(told);
  });

  test("a deletion of a collection heeds preconditions in the query", async () => {
    const labels = { only: fresh("l") };
    const item = await made(MAPS, { metadata: { name: fresh("n"), labels } });
    const query = { labelSelector: `only=${labels.only}` };
    const refused = await kube.delete(MAPS, { ...query, uid: "other" });
    expect([refused.status, refused.at("details.kind")]).toEqual([409, "ConfigMap"]);
    const { resourceVersion } = await kube.get(item);
    expect((await kube.delete(MAPS, { ...query, resourceVersion, resourceVersionMatch: "NotOlderThan" })).status).toBe(
      200,
    );
    expect((await kube.get(item)).status).toBe(404);
  });
});

describe("DEC-18: what a patch makes of kind and apiVersion", () => {
  test.each<[string, object, string, number]>([
    ["no kind", { kind: null }, "Warn", 200],
    ["an empty kind", { kind: "" }, "Strict", 200],
    ["another kind", { kind: "Secret" }, "Warn", 422],
    ["no version", { apiVersion: null }, "Warn", 400],
    ["an empty version", { apiVersion: "" }, "Ignore", 400],
    ["no version, where everything must be known", { apiVersion: "" }, "Strict", 422],
  ])("%s", async (_, patch, fieldValidation, status) => {
    const item = await made(MAPS);
    expect((await kube.merge(item, patch, { fieldValidation })).status).toBe(status);
  });

  test("what a JSON patch copies is not changed where it was", async () => {
    const item = await made(PODS, { spec: SPEC });
    const copied = [{ op: "copy", from: "/spec/containers/0", path: "/status" }];
    expect((await kube.jsonPatch(item, copied)).status).toBe(200);
  });
});

describe("DEC-1: metadata that the server fills", () => {
  test("an update says a prefix only in the form of a name", async () => {
    const item = await made(MAPS);
    const refused = await kube.merge(item, { metadata: { generateName: "A_" } });
    expect([refused.status, refused.at("details.causes.0.field")]).toEqual([422, "metadata.generateName"]);
    expect((await kube.merge(item, { metadata: { generateName: "a-" } })).status).toBe(200);
  });

  test("a dry run of a create answers the version that was sent, and one that is no number counts for none", async () => {
    const body = { metadata: { name: fresh("n"), resourceVersion: "7" } };
    expect((await kube.post(MAPS, body, { dryRun: "All" })).resourceVersion).toBe("7");
    expect((await kube.post(MAPS, body)).status).toBe(400);
    const beyond = { metadata: { name: fresh("n"), resourceVersion: "99999999999999999999" } };
    expect((await kube.post(MAPS, beyond)).status).toBe(201);
  });

  test("an apply may say no uid, and must not say an empty name", async () => {
    const item = await made(MAPS);
    const name = item.split("/").at(-1);
    const apply = (metadata: object) => kube.apply(item, "m", { ...MAP, metadata });
    expect((await apply({ name, uid: null })).status).toBe(200);
    expect((await apply({ name: "" })).status).toBe(400);
    expect((await apply({ name: null })).status).toBe(400);
    expect((await apply({})).status).toBe(200);
    const absent = await kube.apply(`${MAPS}/${fresh("n")}`, "m", { ...MAP, metadata: { uid: "u" } });
    expect(absent.status).toBe(409);
  });

  test("DEC-31: that it is another object comes before that no version was sent", async () => {
    const item = await made(DRIVERS, { spec: {} });
    const name = item.split("/").at(-1);
    const put = (metadata: object) => kube.put(item, { metadata: { name, ...metadata }, spec: {} });
    expect((await put({ uid: "other" })).status).toBe(409);
    expect((await put({})).status).toBe(422);
  });
});

describe("DEC-25, DEC-28: continue", () => {
  const token = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

  test("a made-up token goes on at its key, whether that exists or not", async () => {
    const items = `/api/v1/namespaces/${fresh("ns")}/configmaps`;
    for (const name of ["a", "b", "c"]) await neutral.post(items, { metadata: { name } });
    const from = (start: string) => neutral.get(items, { continue: token({ v: "meta.k8s.io/v1", rv: -1, start }) });
    expect((await from("b")).names).toEqual(["b", "c"]);
    expect((await from("/b\0")).names).toEqual(["c"]);
    expect((await from("zzz")).names).toEqual([]);
    expect((await from("../x")).status).toBe(400);
  });

  test("a watch that does not begin with what is there takes no notice of it", async () => {
    const { resourceVersion } = await kube.get(MAPS);
    using watch = await kube.watch(MAPS, { resourceVersion, continue: "x", timeoutSeconds: "1" });
    expect(watch.status).toBe(200);
    expect((await kube.get(MAPS, { watch: "1", continue: "x", timeoutSeconds: "1" })).status).toBe(422);
  });
});

describe("DEC-17: media types", () => {
  const typeOf = async (path: string, accept: string): Promise<string> => {
    const answer = await kube.get(path, {}, { accept });
    return `${answer.status} ${answer.headers.get("content-type") ?? ""}`;
  };

  test.each([
    [MAPS, "*", "406 application/json"],
    [MAPS, "*, application/json;as=What;g=meta.k8s.io;v=v1", "200 application/json"],
    ["/openapi/v2", "*", "200 application/json"],
    [MAPS, "application/yaml;as=;g=;v=", "200 application/yaml"],
    ["/apis/storage.k8s.io/v9", "text/plain", "404 application/json"],
    ["/", "application/yaml", "200 application/json"],
    ["/openapi/v3", "text/plain", "200 text/plain; charset=utf-8"],
    ["/openapi/v3", "application/json", "200 text/plain; charset=utf-8"],
  ])("%s as %s", async (path, accept, expected) => {
    expect(await typeOf(path, accept)).toBe(expected);
  });

  test("a Content-Type whose parameters cannot be read is none of ours", async () => {
    const post = (type: string) =>
      kube.post(CLASSES, { metadata: { name: fresh("n") }, provisioner: "p" }, {}, { "content-type": type });
    expect((await post("application/json;x")).status).toBe(415);
    expect((await post("application/json; charset=utf-8;")).status).toBe(201);
  });
});

describe("DEC-9: an owned quantity that is spelt otherwise", () => {
  const container = (memory: string) => ({ name: "c", image: "i", resources: { requests: { memory } } });

  test.each([
    ["1Gi", "1073741824", true],
    ["1k", "1e3", true],
    ["1Gi", "1Gi", true],
    ["1Gi", "2Gi", false],
  ])("%s applied as %s to a Pod", async (before, after, same) => {
    const name = fresh("n");
    const item = `${PODS}/${name}`;
    const spec = (memory: string) => ({ containers: [container(memory)] });
    const pod = (memory: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec: spec(memory) });
    expect((await kube.apply(item, "m", pod(before))).status).toBe(201);
    const answer = await kube.apply(item, "m", pod(after));
    expect([answer.status, answer.at("metadata.generation")]).toEqual(same ? [200, 1] : [422, undefined]);
  });
});
