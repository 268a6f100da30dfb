/** ConfigMap: CM-1..13. */
import { describe, expect, test } from "vitest";
import { type Api, serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });

const META = { apiVersion: "v1", kind: "ConfigMap" };
const bytes = (...values: number[]): string => Buffer.from(values).toString("base64");

async function made(body: object, target: Api = api) {
  const at = place("ConfigMap");
  if (target === kube) await kube.post("/api/v1/namespaces", { metadata: { name: at.ns } });
  return { ...at, answer: await target.post(at.collection, { metadata: { name: at.name }, ...body }) };
}

test("CM-1: served under /api/v1/namespaces/{ns}/configmaps", async () => {
  const { name, ns, answer } = await made({ data: { a: "1" } });
  expect(answer.status).toBe(201);
  const got = await api.get(`/api/v1/namespaces/${ns}/configmaps/${name}`);
  expect(got.body).toMatchObject({ ...META, metadata: { name, namespace: ns } });
});

describe("data", () => {
  test("CM-3: data holds texts of any content", async () => {
    const data = { a: "", b: " x\n\t", c: "ünïcödé 😀", "D-e_f.g": "{}" };
    const { answer, item } = await made({ data });
    expect([answer.status, answer.at("data")]).toEqual([201, data]);
    expect((await api.get(item)).at("data")).toEqual(data);
  });

  test.each([1, true, {}, ["a"]])("CM-3: %j is no value", async (value) => {
    expect((await made({ data: { k: value } })).answer.status).toBe(400);
  });

  test("CM-4: data that is not UTF-8 is refused", async () => {
    const at = place("ConfigMap");
    const body = Buffer.concat([
      Buffer.from(`{"metadata":{"name":"${at.name}"},"data":{"k":"`),
      Buffer.from([0xff, 0xfe]),
    ]);
    const sent = new Uint8Array(Buffer.concat([body, Buffer.from('"}}')]));
    expect((await api.post(at.collection, sent)).status).toBe(400);
    expect((await api.get(at.item)).status).toBe(404);
  });

  test("CM-4, kubernetes dialect: each bad byte becomes the replacement character", async () => {
    const at = place("ConfigMap");
    await kube.post("/api/v1/namespaces", { metadata: { name: at.ns } });
    const body = Buffer.concat([
      Buffer.from(`{"metadata":{"name":"${at.name}"},"data":{"k":"`),
      Buffer.from([0xff]),
      Buffer.from('"}}'),
    ]);
    const answer = await kube.post(at.collection, new Uint8Array(body));
    expect([answer.status, answer.at("data.k")]).toEqual([201, "\ufffd"]);
  });

  test("CM-4, CM-5, CM-6: binaryData holds any bytes", async () => {
    const every = bytes(...Array.from({ length: 256 }, (_, i) => i));
    const binaryData = { k: every, bad: bytes(0xff, 0xfe), empty: "" };
    const { answer, item } = await made({ binaryData });
    expect([answer.status, answer.at("binaryData")]).toEqual([201, binaryData]);
    expect((await api.get(item)).at("binaryData")).toEqual(binaryData);
  });

  test.each(["not base64!", "YQ", "YQ=", "_-8="])("CM-5, DEC-13: %s is no base64", async (value) => {
    expect((await made({ binaryData: { k: value } })).answer.status).toBe(400);
  });

  test.each(["a", "A-b_C.d", "1", ".hidden", "x".repeat(253)])("CM-11: the key %s is accepted", async (key) => {
    expect((await made({ data: { [key]: "v" } })).answer.status).toBe(201);
    expect((await made({ binaryData: { [key]: "" } })).answer.status).toBe(201);
  });

  test.each(["a b", "a/b", "ä", "", "a:b", "a\nb", ".", "..", "..a", "x".repeat(254)])(
    "CM-11: the key %j is refused",
    async (key) => {
      const data = (await made({ data: { [key]: "v" } })).answer;
      expect([data.status, data.fields]).toEqual([422, [`data[${key}]`]]);
      const binary = (await made({ binaryData: { [key]: "" } })).answer;
      expect([binary.status, binary.fields]).toEqual([422, [`binaryData[${key}]`]]);
    },
  );

  test("CM-12, ERR-4: a key in both data and binaryData is refused", async () => {
    const both = (await made({ data: { k: "v" }, binaryData: { k: "" } })).answer;
    expect([both.status, both.body["reason"]]).toEqual([422, "Invalid"]);
    const { item, name } = await made({ data: { k: "v" } });
    const writes = [
      await api.merge(item, { binaryData: { k: "" } }),
      await api.put(item, { metadata: { name }, data: { k: "v" }, binaryData: { k: "" } }),
      await api.apply(item, "m", { ...META, binaryData: { k: "" } }),
    ];
    expect(writes.map((answer) => answer.status)).toEqual([422, 422, 422]);
    expect((await api.get(item)).at("binaryData")).toBeUndefined();
  });

  test("DEC-13, DEC-39: one MiB in all is accepted, a byte more is not", async () => {
    const half = "x".repeat(524_288);
    expect((await made({ data: { a: half, b: half } })).answer.status).toBe(201);
    expect((await made({ data: { a: half, b: `${half}x` } })).answer.status).toBe(422);
    const binary = Buffer.alloc(524_289).toString("base64");
    expect((await made({ data: { a: half }, binaryData: { b: binary } })).answer.status).toBe(422);
  });
});

describe("immutable", () => {
  const BODY = { data: { k: "v" }, binaryData: { b: "AA==" }, immutable: true };

  test.each([
    ["a changed value", { data: { k: "w" } }],
    ["a new key", { data: { n: "w" } }],
    ["a removed key", { data: { k: null } }],
    ["no data", { data: null }],
    ["changed bytes", { binaryData: { b: "AQ==" } }],
    ["new bytes", { binaryData: { c: "" } }],
  ])("CM-7: %s is refused", async (_, patch) => {
    const { item } = await made(BODY);
    const answer = await api.merge(item, patch);
    expect([answer.status, answer.body["reason"]]).toEqual([422, "Invalid"]);
    expect((await api.get(item)).body).toMatchObject(BODY);
  });

  test("CM-7: refused by PUT and apply as well", async () => {
    const { item, name } = await made(BODY);
    expect((await api.put(item, { metadata: { name }, ...BODY, data: { k: "w" } })).status).toBe(422);
    const forced = await api.apply(item, "m", { ...META, data: { k: "w" } }, { force: "true" });
    expect(forced.status).toBe(422);
  });

  test("CM-8, AMB-13: metadata may change, immutable may not be taken back", async () => {
    const { item, name } = await made(BODY);
    const labelled = await api.merge(item, { metadata: { labels: { a: "1" } } });
    expect([labelled.status, labelled.at("metadata.labels")]).toEqual([200, { a: "1" }]);
    for (const immutable of [false, null]) {
      const answer = await api.merge(item, { immutable });
      expect([answer.status, answer.fields]).toEqual([422, ["immutable"]]);
    }
    expect((await api.put(item, { metadata: { name }, data: BODY.data, binaryData: BODY.binaryData })).status).toBe(
      422,
    );
  });

  test("CM-9: what is not true may change at any time", async () => {
    const { item } = await made({ data: { k: "v" } });
    expect((await api.merge(item, { immutable: false })).at("immutable")).toBe(false);
    expect((await api.merge(item, { immutable: null })).at("immutable")).toBeUndefined();
    expect((await api.merge(item, { data: { k: "w" } })).status).toBe(200);
    expect((await api.merge(item, { immutable: true })).at("immutable")).toBe(true);
  });

  test("CM-10: it is unset by default", async () => {
    expect((await made({})).answer.body).not.toHaveProperty("immutable");
  });
});
