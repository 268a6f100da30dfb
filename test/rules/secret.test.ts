/** Secret: SEC-1..11. */
import { describe, expect, test } from "vitest";
import { type Api, serve } from "./api.ts";
import { entriesOf } from "./answer.ts";
import { place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });

const META = { apiVersion: "v1", kind: "Secret" };
const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function made(body: object, target: Api = api) {
  const at = place("Secret");
  if (target === kube) await kube.post("/api/v1/namespaces", { metadata: { name: at.ns } });
  return { ...at, answer: await target.post(at.collection, { metadata: { name: at.name }, ...body }) };
}

test("SEC-1: served under /api/v1/namespaces/{ns}/secrets", async () => {
  const { name, ns, answer } = await made({ data: { a: base64("1") } });
  expect(answer.status).toBe(201);
  const got = await api.get(`/api/v1/namespaces/${ns}/secrets/${name}`);
  expect(got.body).toMatchObject({ ...META, metadata: { name, namespace: ns } });
});

describe("data", () => {
  test("SEC-3, DEC-13: data holds bytes as base64", async () => {
    const data = { a: base64("x"), b: Buffer.from([0, 255]).toString("base64"), c: "" };
    const { answer, item } = await made({ data });
    expect([answer.status, answer.at("data")]).toEqual([201, data]);
    expect((await api.get(item)).at("data")).toEqual(data);
    expect((await made({ data: { a: "not base64!" } })).answer.status).toBe(400);
    expect((await made({ data: { a: 1 } })).answer.status).toBe(400);
    expect((await made({ data: { "a b": "" } })).answer.fields).toEqual(["data[a b]"]);
  });

  test("SEC-3, LIM-3, AMB-14: the decoded values are below 1 MiB", async () => {
    const of = (size: number): string => Buffer.alloc(size, 1).toString("base64");
    expect((await made({ data: { k: of(1_048_575) } })).answer.status).toBe(201);
    const over = (await made({ data: { k: of(1_048_576) } })).answer;
    expect([over.status, over.body["reason"]]).toEqual([422, "Invalid"]);
    expect((await made({ data: { a: of(524_288), b: of(524_287) } })).answer.status).toBe(201);
    expect((await made({ data: { a: of(524_288), b: of(524_288) } })).answer.status).toBe(422);
    expect((await made({ stringData: { a: "x".repeat(1_048_576) } })).answer.status).toBe(422);
  });

  test("SEC-3, AMB-14, kubernetes dialect: exactly 1 MiB is accepted", async () => {
    const of = (size: number): string => Buffer.alloc(size, 1).toString("base64");
    expect((await made({ data: { k: of(1_048_576) } }, kube)).answer.status).toBe(201);
    expect((await made({ data: { k: of(1_048_577) } }, kube)).answer.status).toBe(422);
  });
});

describe("stringData", () => {
  const merged = { kept: base64("1"), k: base64("new"), more: base64("ü") };
  const stringData = { k: "new", more: "ü" };
  const data = { kept: base64("1"), k: base64("old") };

  test("SEC-4, SEC-5, SEC-6: POST merges it into data and answers without it", async () => {
    const { answer, item, collection } = await made({ data, stringData });
    expect(answer.body).toMatchObject({ data: merged });
    expect(answer.body).not.toHaveProperty("stringData");
    expect((await api.get(item)).body).not.toHaveProperty("stringData");
    expect((await api.get(item)).at("data")).toEqual(merged);
    expect((await api.get(collection)).text).not.toContain("stringData");
    using watch = await api.watch(collection);
    expect(JSON.stringify(await watch.next())).not.toContain("stringData");
  });

  test("SEC-4, SEC-5, SEC-6: so do PUT, patches and apply", async () => {
    const writes = [
      async (item: string, name: string) => api.put(item, { metadata: { name }, data, stringData }),
      async (item: string) => api.merge(item, { stringData }),
      async (item: string) => api.strategic(item, { stringData }),
      async (item: string) => api.jsonPatch(item, [{ op: "add", path: "/stringData", value: stringData }]),
      async (item: string) => api.apply(item, "m", { ...META, stringData }, { force: "true" }),
    ];
    for (const write of writes) {
      const { item, name } = await made({ data });
      const answer = await write(item, name);
      expect([answer.status, answer.at("data")]).toEqual([200, merged]);
      expect(answer.text).not.toContain("stringData");
      expect((await api.get(item)).at("data")).toEqual(merged);
    }
  });

  test("SEC-5, SEC-6, DEC-13: an applier owns the keys of data that its stringData became", async () => {
    const at = place("Secret");
    const first = await api.apply(at.item, "m", { ...META, stringData: { a: "1", b: "2" } });
    expect(first.owners).toEqual({ "m Apply": ["data.a", "data.b"] });
    const second = await api.apply(at.item, "m", { ...META, stringData: { a: "1" } });
    expect(second.at("data")).toEqual({ a: base64("1") });
    const other = await api.apply(at.item, "o", { ...META, data: { a: base64("x") } });
    expect([other.status, other.causes]).toEqual([409, ["FieldManagerConflict .data.a"]]);
  });

  test("DEC-13, kubernetes dialect: an applier owns stringData itself", async () => {
    const { item } = await made({}, kube);
    const applied = await kube.apply(item, "m", { ...META, stringData: { a: "1" } });
    expect(JSON.stringify(entriesOf(applied.body))).toContain("f:stringData");
  });
});

describe("immutable", () => {
  const BODY = { data: { k: base64("v") }, immutable: true };

  test.each([
    ["a changed value", { data: { k: base64("w") } }],
    ["a new key", { data: { n: "" } }],
    ["a removed key", { data: { k: null } }],
    ["a changing stringData", { stringData: { k: "w" } }],
    ["a new key in stringData", { stringData: { n: "w" } }],
  ])("SEC-7: %s is refused", async (_, patch) => {
    const { item } = await made(BODY);
    expect((await api.merge(item, patch)).status).toBe(422);
    expect((await api.get(item)).body).toMatchObject(BODY);
  });

  test("SEC-7: a stringData that changes nothing is accepted", async () => {
    const { item } = await made(BODY);
    expect((await api.merge(item, { stringData: { k: "v" } })).status).toBe(200);
  });

  test("SEC-8, AMB-13: metadata may change, immutable may not be taken back", async () => {
    const { item } = await made(BODY);
    expect((await api.merge(item, { metadata: { labels: { a: "1" } } })).status).toBe(200);
    expect((await api.merge(item, { immutable: false })).status).toBe(422);
    expect((await api.merge(item, { immutable: null })).status).toBe(422);
  });

  test("SEC-9: it is unset by default", async () => {
    expect((await made({})).answer.body).not.toHaveProperty("immutable");
  });
});

describe("type", () => {
  test("SEC-10, DEC-13: any type is stored, Opaque is the default, and it does not change", async () => {
    expect((await made({})).answer.at("type")).toBe("Opaque");
    const { answer, item } = await made({ type: "example.com/mine" });
    expect(answer.at("type")).toBe("example.com/mine");
    const changed = await api.merge(item, { type: "other" });
    expect([changed.status, changed.fields]).toEqual([422, ["type"]]);
  });

  test.each([
    ["svc.io/tls", { "tls.crt": "", "tls.key": "" }, 201],
    ["svc.io/tls", { "tls.crt": "" }, 422],
    ["svc.io/basic-auth", { username: "" }, 201],
    ["svc.io/basic-auth", { password: "" }, 201],
    ["svc.io/basic-auth", {}, 422],
    ["svc.io/ssh-auth", { "ssh-privatekey": base64("x") }, 201],
    ["svc.io/ssh-auth", {}, 422],
    ["svc.io/dockerconfigjson", { ".dockerconfigjson": base64("{}") }, 201],
    ["svc.io/dockerconfigjson", { ".dockerconfigjson": base64("{") }, 422],
    ["svc.io/dockercfg", { ".dockercfg": base64("{}") }, 201],
    ["svc.io/dockercfg", {}, 422],
    ["svc.io/service-account-token", {}, 422],
    ["free", { any: "" }, 201],
  ])("SEC-10, DEC-13: the type %s with %j answers %i", async (type, data, status) => {
    expect((await made({ type, data })).answer.status).toBe(status);
  });

  test("DEC-25: secrets are selected by type", async () => {
    const at = place("Secret");
    await api.post(at.collection, { metadata: { name: "a" }, type: "x" });
    await api.post(at.collection, { metadata: { name: "b" }, type: "y" });
    expect((await api.get(at.collection, { fieldSelector: "type=y" })).names).toEqual(["b"]);
  });
});
