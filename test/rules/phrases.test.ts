/**
 * Words of error messages by which tools and scripts tell one refusal from another, whatever else a message says, and
 * what no message says.
 */
import { describe, expect, test } from "vitest";
import { STRATEGIC, fresh, serve } from "./api.ts";

const kube = serve({ dialect: "kubernetes" });

const MAPS = "/api/v1/namespaces/default/configmaps";
const SECRETS = "/api/v1/namespaces/default/secrets";
const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";

const OWNER = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "00000000-0000-4000-8000-000000000000" };

async function made(members: object = {}, items = MAPS): Promise<string> {
  const answer = await kube.post(items, { metadata: { name: fresh("n") }, ...members });
  expect(answer.status).toBe(201);
  return `${items}/${String(answer.at("metadata.name"))}`;
}

const message = (answer: { at(path: string): unknown }): string => String(answer.at("message"));

describe("DEC-18: bodies that are no object of the kind", () => {
  test.each<[string, string, string?]>([
    ["JSON that ends too early", '{"metadata":'],
    ["YAML sent as JSON", "metadata:\n  name: a\n"],
    ["nothing", ""],
    ["a list", "[]"],
    ["YAML that is none", "a: [", "application/yaml"],
  ])("%s: must be of type ConfigMap", async (_, body, type = "application/json") => {
    const answer = await kube.post(MAPS, body, {}, { "content-type": type });
    expect([answer.status, message(answer)]).toEqual([
      400,
      expect.stringContaining("the object provided is unrecognized (must be of type ConfigMap)"),
    ]);
  });

  test("a value of another type, an unknown member and another kind", async () => {
    const wrong = await kube.post(MAPS, { metadata: { name: "a" }, data: { k: 5 } });
    expect(message(wrong)).toContain(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal',
    );
    const strict = await kube.post(MAPS, { metadata: { name: "a" }, x: 1 }, { fieldValidation: "Strict" });
    expect(message(strict)).toContain('strict decoding error: unknown field "x"');
    const other = await kube.post(MAPS, { kind: "Secret", metadata: { name: "a" } });
    expect(message(other)).toContain("does not match the expected kind");
  });

  const POD = "/api/v1/namespaces/default/pods?dryRun=All";

  test("DEC-24: unknown and duplicate fields of JSON in the order of the text", async () => {
    const body =
      '{"metadata":{"name":"a"},"zz":1,"spec":{"b":1,"containers":[{"name":"c","image":"i","name":"d"}],"b":2},"aa":1,"zz":2,"metadata":{"name":"a"}}';
    const strict = await kube.post(`${POD}&fieldValidation=Strict`, body);
    expect(message(strict)).toContain(
      'strict decoding error: unknown field "zz", unknown field "spec.b", duplicate field "spec.containers[0].name", unknown field "aa", duplicate field "metadata"',
    );
  });

  test("DEC-24: duplicate fields of YAML with their line, then the unknown ones by name", async () => {
    const yaml =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nzz: 1\nspec:\n  b: 1\n  containers: [{name: c, image: i,\n    name: d}]\naa: 1\nzz: 2\n";
    const told = `yaml: unmarshal errors:\n  line 8: key "name" already set in map\n  line 10: key "zz" already set in map`;
    const type = { "content-type": "application/yaml" };
    const strict = await kube.post(`${POD}&fieldValidation=Strict`, yaml, {}, type);
    expect(message(strict)).toContain(
      `strict decoding error: ${told}, unknown field "aa", unknown field "spec.b", unknown field "zz"`,
    );
    const warned = await kube.post(POD, yaml, {}, type);
    expect(warned.status).toBe(201);
  });

  test("a body over the limit", async () => {
    const answer = await kube.post(MAPS, "x".repeat(3 * 1024 * 1024 + 1));
    expect([answer.status, message(answer)]).toEqual([413, "Request entity too large: limit is 3145728"]);
  });
});

describe("what is there, and what is not", () => {
  test("not found, already exists", async () => {
    expect(message(await kube.get(`${MAPS}/none`))).toBe('configmaps "none" not found');
    const item = await made();
    const again = await kube.post(MAPS, { metadata: { name: item.split("/").at(-1) } });
    expect(message(again)).toContain("already exists");
  });

  test("an older version: the object has been modified", async () => {
    const item = await made();
    const old = (await kube.get(item)).resourceVersion;
    await kube.merge(item, { data: { k: "v" } });
    const name = item.split("/").at(-1);
    const words = "the object has been modified; please apply your changes to the latest version and try again";
    expect(message(await kube.put(item, { metadata: { name, resourceVersion: old } }))).toContain(words);
    expect(message(await kube.merge(item, { metadata: { resourceVersion: old } }))).toContain(words);
  });

  test("another uid and another place", async () => {
    const item = await made();
    const name = item.split("/").at(-1);
    const uid = "00000000-0000-4000-8000-000000000000";
    expect(message(await kube.put(item, { metadata: { name, uid } }))).toContain(
      "Precondition failed: UID in precondition",
    );
    expect(message(await kube.delete(item, {}, { preconditions: { uid } }))).toContain(
      `the UID in the precondition (${uid}) does not match the UID in record (`,
    );
    expect(message(await kube.put(item, { metadata: { name: "b" } }))).toBe(
      `the name of the object (b) does not match the name on the URL (${name})`,
    );
    expect(message(await kube.post(MAPS, { metadata: { name: "b", namespace: "x" } }))).toContain(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
    expect(message(await kube.post(MAPS, { metadata: {} }))).toContain("name or generateName is required");
    const wrong = await kube.post(MAPS, { metadata: { labels: { a: "b c" } }, data: { "a b": "c" } });
    expect([wrong.status, wrong.causes]).toEqual([
      422,
      ["FieldValueInvalid data[a b]", "FieldValueInvalid metadata.labels", "FieldValueRequired metadata.name"],
    ]);
  });

  test("a namespace that is being deleted", async () => {
    const ns = fresh("ns");
    await kube.post("/api/v1/namespaces", { metadata: { name: ns, finalizers: ["x.io/hold"] } });
    await kube.delete(`/api/v1/namespaces/${ns}`);
    const answer = await kube.post(`/api/v1/namespaces/${ns}/configmaps`, { metadata: { name: "a" } });
    expect([answer.status, message(answer)]).toEqual([
      403,
      expect.stringMatching(/unable to create new content in namespace .* because it is being terminated/),
    ]);
    await kube.merge(`/api/v1/namespaces/${ns}`, { metadata: { finalizers: null } });
  });
});

describe("what cannot change", () => {
  test("field is immutable, updates to ... are forbidden", async () => {
    const type = await made({ type: "a" }, SECRETS);
    expect(message(await kube.merge(type, { type: "b" }))).toContain("field is immutable");
    const frozen = await made({ immutable: true });
    expect(message(await kube.merge(frozen, { data: { k: "v" } }))).toContain(
      "field is immutable when `immutable` is set",
    );
    const one = await made({ provisioner: "a.b" }, CLASSES);
    expect(message(await kube.merge(one, { provisioner: "c.d" }))).toContain("updates to provisioner are forbidden.");
    expect(message(await kube.merge(one, { parameters: { a: "b" } }))).toContain(
      "updates to parameters are forbidden.",
    );
    expect(message(await kube.merge(one, { volumeBindingMode: "WaitForFirstConsumer" }))).toContain(
      "field is immutable",
    );
  });

  test("annotations that are too long, values that are not supported", async () => {
    const long = { metadata: { name: "a", annotations: { a: "x".repeat(262_145) } } };
    expect(message(await kube.post(MAPS, long))).toContain("Too long: may not be more than 262144 bytes");
    const other = { metadata: { name: fresh("n") }, provisioner: "a.b", reclaimPolicy: "x" };
    expect(message(await kube.post(CLASSES, other))).toMatch(/Unsupported value: "x": supported values: "/);
  });
});

describe("patches", () => {
  test("a strategic merge patch of the wrong type", async () => {
    const item = await made();
    const wrong = async (body: object) => message(await kube.patch(item, STRATEGIC, body));
    expect(await wrong({ data: "x" })).toContain("cannot restore map from string");
    expect(await wrong({ metadata: { finalizers: {} } })).toContain("cannot restore slice from map");
    expect(await wrong({ metadata: "x" })).toContain("cannot restore struct from: string");
    expect(await wrong({ data: { k: 5 } })).toContain("cannot convert int64 to");
    const owned = await made({ metadata: { name: fresh("n"), ownerReferences: [OWNER] } });
    const keyless = await kube.strategic(owned, { metadata: { ownerReferences: [{ name: "x" }] } });
    expect(message(keyless)).toContain("does not contain declared merge key: uid");
  });

  test("a JSON patch that does not fit, or has too many operations", async () => {
    const item = await made();
    expect(message(await kube.jsonPatch(item, [{ op: "remove", path: "/data/none" }]))).toContain(
      "the server rejected our request due to an error in our request",
    );
  });

  test("an apply: conflicts, and owners in the body", async () => {
    const item = await made({ data: { k: "v" } });
    const [apiVersion, kind, name] = ["v1", "ConfigMap", item.split("/").at(-1)];
    const conflict = await kube.apply(item, "f", { apiVersion, kind, metadata: { name }, data: { k: "w" } });
    expect(message(conflict)).toMatch(/^Apply failed with 1 conflict: conflict with "node" using v1: .data.k/);
    const owners = [{ manager: "x" }];
    expect(
      message(await kube.apply(item, "f", { apiVersion, kind, metadata: { name, managedFields: owners } })),
    ).toContain("metadata.managedFields must be nil");
  });
});

describe("what is secret is not in a message", () => {
  test("a failed test of a Secret tells neither what is stored nor what was sent", async () => {
    const item = await made({ data: { k: "c3RvcmVk" } }, SECRETS);
    const answer = await kube.jsonPatch(item, [{ op: "test", path: "/data/k", value: "Z3Vlc3NlZA==" }]);
    expect(answer.status).toBe(422);
    expect(answer.text).not.toMatch(/c3RvcmVk|Z3Vlc3NlZA/);
  });

  test.each<[string, object]>([
    ["base64 that is none", { data: { k: "hunter2!" } }],
    ["a number in place of a text", { stringData: { k: 4711 } }],
    ["a text in place of a map", { stringData: "hunter2!" }],
  ])("%s is not repeated", async (_, members) => {
    const created = await kube.post(SECRETS, { metadata: { name: fresh("n") }, ...members });
    const item = await made({}, SECRETS);
    for (const answer of [created, await kube.merge(item, members), await kube.strategic(item, members)]) {
      expect([400, 422]).toContain(answer.status);
      expect(answer.text).not.toMatch(/hunter2|4711/);
    }
  });
});
