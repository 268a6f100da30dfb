/** Status codes and the body of failures: ERR-1..7, DEC-17, DEC-18, DEC-19. */
import { describe, expect, test } from "vitest";
import { MERGE, fresh, serve } from "./api.ts";
import { EVENT, place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });

const MAPS = (ns: string): string => `/api/v1/namespaces/${ns}/configmaps`;

async function map(data: object = { k: "v" }) {
  const at = place("ConfigMap");
  const answer = await api.post(at.collection, { metadata: { name: at.name }, data });
  return { ...at, answer };
}

describe("the body of a failure", () => {
  test("DEC-19: NotFound, AlreadyExists and Conflict name the plural, Invalid the kind", async () => {
    const { collection, item, name } = await map();
    const shape = (reason: string, code: number, details: object): object => ({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: expect.stringContaining(name),
      reason,
      details: expect.objectContaining(details),
      code,
    });
    const missing = await api.get(`${item}x`);
    expect(missing.body).toEqual(shape("NotFound", 404, { name: `${name}x`, kind: "configmaps" }));
    const exists = await api.post(collection, { metadata: { name } });
    expect(exists.body).toEqual(shape("AlreadyExists", 409, { name, kind: "configmaps" }));
    const stale = await api.put(item, { metadata: { name, resourceVersion: "1" } });
    expect(stale.body).toEqual(shape("Conflict", 409, { name, kind: "configmaps" }));
    const invalid = await api.put(item, { metadata: { name }, data: { "a b": "" } });
    expect(invalid.body).toEqual(shape("Invalid", 422, { name, kind: "ConfigMap" }));
  });

  test("DEC-19: the group is reported where there is one", async () => {
    const missing = await api.get("/apis/storage.svc.io/v1/csidrivers/none");
    expect(missing.at("details")).toMatchObject({ name: "none", group: "storage.svc.io", kind: "csidrivers" });
    const invalid = await api.post("/apis/storage.svc.io/v1/csidrivers", { metadata: { name: "A" }, spec: {} });
    expect(invalid.at("details")).toMatchObject({ name: "A", group: "storage.svc.io", kind: "CSIDriver" });
  });

  test("DEC-19, ERR-5: all faults are reported together, each cause with reason, message and field", async () => {
    const at = place("Event");
    const answer = await api.post(at.collection, {
      metadata: { name: at.name, labels: { "a b": "" } },
      ...EVENT,
      action: "",
      reason: "x".repeat(129),
      type: "Odd",
    });
    expect(answer.causes.map((cause) => cause.split(" ")[1])).toEqual(
      expect.arrayContaining(["action", "metadata.labels", "reason", "type"]),
    );
    for (const cause of answer.at("details.causes") as object[]) {
      expect(cause).toEqual({
        reason: expect.stringMatching(/^FieldValue[A-Z]/),
        message: expect.stringMatching(/./),
        field: expect.stringMatching(/./),
      });
    }
    expect(answer.causes).toContain("FieldValueRequired action");
    expect(answer.causes).toContain("FieldValueNotSupported type");
  });

  test.each([
    [
      "FieldValueDuplicate",
      {
        spec: {
          drivers: [
            { name: "a", nodeID: "1" },
            { name: "a", nodeID: "2" },
          ],
        },
      },
    ],
    ["FieldValueRequired", { spec: { drivers: [{ name: "a" }] } }],
    ["FieldValueInvalid", { spec: { drivers: [{ name: "a_b", nodeID: "1" }] } }],
  ])("DEC-19: %s is told as such, with the index in its path", async (reason, body) => {
    const at = place("CSINode");
    const answer = await api.post(at.collection, { metadata: { name: at.name }, ...body });
    expect(answer.causes).toEqual([expect.stringMatching(new RegExp(`^${reason} spec.drivers\\[\\d\\]\\.`))]);
  });

  test("DEC-19: the Status of a delete", async () => {
    const { item, name, answer } = await map();
    const deleted = await api.delete(item);
    expect(deleted.body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name, kind: "configmaps", uid: answer.uid },
      ...(deleted.body["code"] === undefined ? {} : { code: 200 }),
    });
  });

  test("DEC-19, kubernetes dialect: options are blamed by their own kind", async () => {
    const answer = await kube.post(MAPS("default"), { metadata: { name: fresh("n") } }, { dryRun: "Some" });
    expect([answer.status, answer.at("details.kind"), answer.at("details.group")]).toEqual([
      422,
      "CreateOptions",
      "meta.k8s.io",
    ]);
  });
});

describe("400: what cannot be read", () => {
  test.each([
    ["malformed JSON", '{"metadata":'],
    ["no object", "[]"],
    ["a text", '"a"'],
    ["nothing", ""],
    ["another kind", '{"kind":"Secret"}'],
    ["another apiVersion", '{"apiVersion":"v2","kind":"ConfigMap"}'],
    ["a wrong type", '{"metadata":{"name":"a"},"data":5}'],
    ["a number for a text", '{"metadata":{"name":5}}'],
    ["trailing text", '{"metadata":{"name":"a"}} x'],
  ])("DEC-18: a POST of %s", async (_, body) => {
    const answer = await api.post(MAPS(fresh("ns")), body);
    expect([answer.status, answer.body["reason"]]).toEqual([400, "BadRequest"]);
  });

  test("DEC-18: apiVersion and kind may be missing, and are then those of the path", async () => {
    const { answer } = await map();
    expect(answer.body).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
  });

  test("DEC-18: the same faults in a patch are 422, malformed JSON is 400", async () => {
    const { item } = await map();
    for (const [body, status] of [
      [{ data: 5 }, 422],
      [{ data: { k: 5 } }, 422],
      ['{"data":', 400],
      ["[]", 400],
    ] as const) {
      expect([body, (await api.merge(item, body)).status]).toEqual([body, status]);
    }
  });

  test("PAR-8: PUT and PATCH without a body are refused", async () => {
    const { item } = await map();
    const headers = { "content-type": "application/json" };
    expect((await api.send("PUT", item, undefined, { headers })).status).toBe(400);
    expect((await api.send("PATCH", item, undefined, { headers: { "content-type": MERGE } })).status).toBe(400);
  });

  test.each([
    ["limit", "x"],
    ["timeoutSeconds", "x"],
    ["labelSelector", "a in"],
    ["fieldSelector", "spec.x=y"],
    ["fieldSelector", "metadata.name"],
    ["resourceVersion", "x"],
    ["resourceVersion", "-1"],
    ["continue", "nonsense"],
  ])("DEC-18, DEC-25: a list with %s=%s is 400", async (key, value) => {
    expect((await api.get(MAPS("default"), { [key]: value })).status).toBe(400);
  });
});

describe("other codes", () => {
  test("DEC-31, AMB-51: 409 for a stale version in PUT and patch; without one, or with 0, an update is unconditional", async () => {
    const { item, name, answer } = await map();
    const { resourceVersion } = answer;
    expect((await api.put(item, { metadata: { name, resourceVersion }, data: { k: "1" } })).status).toBe(200);
    expect((await api.put(item, { metadata: { name, resourceVersion }, data: { k: "2" } })).status).toBe(409);
    expect((await api.merge(item, { metadata: { resourceVersion }, data: { k: "2" } })).status).toBe(409);
    expect((await api.put(item, { metadata: { name }, data: { k: "3" } })).status).toBe(200);
    expect((await api.put(item, { metadata: { name, resourceVersion: "0" }, data: { k: "4" } })).status).toBe(200);
  });

  test("DEC-18: 405 for methods that a path does not have", async () => {
    const { item, collection } = await map();
    for (const [method, path] of [
      ["POST", item],
      ["PUT", collection],
      ["PATCH", collection],
      ["POST", "/api/v1/configmaps"],
      ["PROPFIND", item],
      ["OPTIONS", item],
    ] as const) {
      const answer = await api.send(method, path, undefined);
      expect([method, answer.status, answer.body["reason"]]).toEqual([method, 405, "MethodNotAllowed"]);
    }
  });

  test("DEC-17, DEC-18: 406 for what is not served", async () => {
    const { item } = await map();
    for (const accept of ["text/html", "application/xml", "application/*"]) {
      const answer = await api.get(item, {}, { accept });
      expect([accept, answer.status]).toEqual([accept, 406]);
    }
  });

  test("DEC-17: JSON for no Accept, */* and application/json, YAML on demand, failures too", async () => {
    const { item } = await map();
    for (const accept of [
      "*/*",
      "application/json",
      "text/html, application/json",
      "application/json; charset=utf-8",
    ]) {
      const answer = await api.get(item, {}, { accept });
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    }
    const yaml = await api.get(item, {}, { accept: "application/yaml" });
    expect(yaml.headers.get("content-type")).toMatch(/^application\/yaml/);
    expect(yaml.text).toMatch(/^(apiVersion: v1|kind: ConfigMap|data:)$/m);
    const failure = await api.get(`${item}x`, {}, { accept: "application/yaml" });
    expect([failure.status, failure.text]).toEqual([404, expect.stringMatching(/^reason: NotFound$/m)]);
  });

  test("DEC-17: 415 for bodies of other types, with the four types of patches", async () => {
    const { item, collection, name } = await map();
    for (const type of [
      "text/plain",
      "application/json-patch",
      "application/Merge-Patch+json",
      "application/merge-patch+json ; q=1",
    ]) {
      const answer = await api.patch(item, type, "{}");
      expect([type, answer.status, answer.body["reason"]]).toEqual([type, 415, "UnsupportedMediaType"]);
      for (const served of ["json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"]) {
        expect(answer.text).toContain(`application/${served}`);
      }
    }
    expect((await api.patch(item, `${MERGE}; charset=utf-8`, { data: { c: "1" } })).status).toBe(200);
    const text = { headers: { "content-type": "text/plain" } };
    expect((await api.send("POST", collection, "{}", text)).status).toBe(415);
    expect((await api.send("PUT", item, JSON.stringify({ metadata: { name } }), text)).status).toBe(415);
    expect((await api.send("DELETE", item, "{}", text)).status).toBe(415);
  });

  test("DEC-17: a create may be YAML, and JSON without a type", async () => {
    const at = place("ConfigMap");
    const yaml = `metadata:\n  name: ${at.name}\ndata:\n  a: "1"\n`;
    const made = await api.send("POST", at.collection, yaml, { headers: { "content-type": "application/yaml" } });
    expect([made.status, made.at("data")]).toEqual([201, { a: "1" }]);
    const bytes = new TextEncoder().encode(`{"metadata":{"name":"${at.name}-2"}}`);
    expect((await api.send("POST", at.collection, new Uint8Array(bytes))).status).toBe(201);
  });

  test("DEC-27, DEC-18: 413 for a body over 3 MiB and for more than 10000 operations", async () => {
    const { item, collection } = await map();
    const big = JSON.stringify({ metadata: { name: "big" }, data: { k: "x".repeat(3 * 1024 * 1024) } });
    const answer = await api.post(collection, big);
    expect([answer.status, answer.body["reason"]]).toEqual([413, "RequestEntityTooLarge"]);
    const operations = (count: number): object[] =>
      Array.from({ length: count }, () => ({ op: "test", path: "/data/k", value: "v" }));
    expect((await api.jsonPatch(item, operations(10_001))).status).toBe(413);
    expect((await api.jsonPatch(item, operations(10_000))).status).toBe(200);
  });

  test("DEC-18: 422 for JSON patches that cannot be applied", async () => {
    const { item } = await map();
    for (const operation of [
      { op: "test", path: "/data/k", value: "other" },
      { op: "remove", path: "/data/none" },
      { op: "add", path: "/none/such", value: 1 },
    ]) {
      expect((await api.jsonPatch(item, [operation])).status).toBe(422);
    }
    expect((await api.get(item)).at("data")).toEqual({ k: "v" });
  });

  test("DEC-18: 422 for option values, and for force on another patch", async () => {
    const { item } = await map();
    expect((await api.merge(item, {}, { dryRun: "Some" })).status).toBe(422);
    expect((await api.merge(item, {}, { dryRun: "" })).status).toBe(422);
    expect((await api.merge(item, {}, { fieldValidation: "Odd" })).status).toBe(422);
    expect((await api.merge(item, {}, { force: "true" })).status).toBe(422);
    expect((await api.delete(item, { propagationPolicy: "Odd" })).status).toBe(422);
    expect((await api.get(item)).status).toBe(200);
  });

  test("DEC-25: 504 with Retry-After for a version beyond the present", async () => {
    const answer = await api.later(3000, api.get(MAPS("default"), { resourceVersion: "999999999" }));
    expect([answer.status, answer.body["reason"], answer.headers.get("retry-after")]).toEqual([504, "Timeout", "1"]);
  });

  test("DEC-18, kubernetes dialect: an unknown group is plain text", async () => {
    const answer = await kube.get("/apis/none.k8s.io/v1/x");
    expect([answer.status, answer.text.trim()]).toEqual([404, "404 page not found"]);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
  });
});

describe("patches of JSON", () => {
  test("DEC-17, CONV-5: add, remove, replace, move, copy and test", async () => {
    const { item } = await map({ a: "1", b: "2" });
    const answer = await api.jsonPatch(item, [
      { op: "test", path: "/data/a", value: "1" },
      { op: "add", path: "/data/c~1d", value: "3" },
      { op: "replace", path: "/data/a", value: "4" },
      { op: "copy", from: "/data/b", path: "/data/e" },
      { op: "move", from: "/data/b", path: "/data/f" },
      { op: "remove", path: "/data/c~1d" },
    ]);
    expect([answer.status, answer.at("data")]).toEqual([200, { a: "4", e: "2", f: "2" }]);
  });

  test("DEC-17: a merge patch removes by null and replaces lists", async () => {
    const { item } = await map({ a: "1", b: "2" });
    const answer = await api.merge(item, { data: { a: null, c: "3" }, metadata: { finalizers: ["x.io/a"] } });
    expect(answer.at("data")).toEqual({ b: "2", c: "3" });
    expect((await api.merge(item, { metadata: { finalizers: [] } })).at("metadata.finalizers")).toBeUndefined();
  });
});
