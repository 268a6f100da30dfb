/** Scales, columns and patches of custom kinds: CRD-32, CRD-35, DEC-18, DEC-31. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { JSON_PATCH, MERGE, fresh, serve } from "./api.ts";
import { type Json, serveKind } from "./custom-kind.ts";

const api = serve({ dialect: "kubernetes" });

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const ANY: Json = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

describe("CRD-35: the scale of an object without replicas", () => {
  const replicas = { type: "object", properties: { replicas: { type: "integer" } } };
  const schema = { type: "object", properties: { spec: replicas, status: replicas } };
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };

  async function scaled(): Promise<string> {
    const kind = await serveKind(api, { schema, more: { subresources: { status: {}, scale } } });
    expectStatus(await api.post(kind.items, kind.body("a", { spec: {} })), 201);
    return `${kind.items}/a/scale`;
  }

  test("is an error that nobody repeats for ever, and that names the path", async () => {
    const answer = await api.get(await scaled());
    expectStatus(answer, 500);
    expect(answer.at("reason")).toBe("InternalError");
    expect(answer.at("message")).toContain('".spec.replicas"');
  });

  test("is there once a patch gives a number", async () => {
    const path = await scaled();
    const answer = await api.merge(path, { spec: { replicas: 2 } });
    expectStatus(answer, 200);
    expect(answer.at("spec")).toEqual({ replicas: 2 });
    expect((await api.get(path)).at("spec")).toEqual({ replicas: 2 });
  });
});

describe("columns", () => {
  test("CRD-32: a column without a description, or with an empty one, names its path", async () => {
    const column = { type: "string", jsonPath: ".spec.a" };
    const additionalPrinterColumns = [
      { name: "A", ...column },
      { name: "B", ...column, description: "" },
      { name: "C", ...column, description: "Own words." },
    ];
    const kind = await serveKind(api, { schema: ANY, more: { additionalPrinterColumns } });
    const table = await api.get(kind.items, {}, { accept: TABLE });
    const described = (table.at("columnDefinitions") as { description: string }[]).map((one) => one.description);
    const text = "Custom resource definition column (in JSONPath format): .spec.a";
    expect(described.slice(1)).toEqual([text, text, "Own words."]);
  });

  test("CRD-32: an object or a list is JSON with its members in order, as programs in Go write it", async () => {
    const additionalPrinterColumns = [".spec.a", ".spec.a.list", ".spec.a"].map((jsonPath, i) => ({
      name: `C${i}`,
      type: "string",
      jsonPath,
    }));
    const kind = await serveKind(api, { schema: ANY, more: { additionalPrinterColumns } });
    const cellsOf = async (name: string, a: Json) => {
      expectStatus(await api.post(kind.items, kind.body(name, { spec: { a } })), 201);
      return (await api.get(`${kind.items}/${name}`, {}, { accept: TABLE })).at("rows.0.cells");
    };
    const whole = '{"list":[{"c":2,"d":1},3],"z":"\\u003c"}';
    expect(await cellsOf("a", { z: "<", list: [{ d: 1, c: 2 }, 3] })).toEqual(["a", whole, '[{"c":2,"d":1},3]', whole]);
    expect(await cellsOf("b", { z: 1 })).toEqual(["b", '{"z":1}', null, '{"z":1}']);
  });
});

describe("a patch that takes away what an update needs", () => {
  async function thing(): Promise<string> {
    const kind = await serveKind(api, { schema: ANY });
    expectStatus(await api.post(kind.items, kind.body("a", { spec: { a: "1" } })), 201);
    return `${kind.items}/a`;
  }

  test.each([
    ["removes it", JSON_PATCH, [{ op: "remove", path: "/kind" }]],
    ["moves it", JSON_PATCH, [{ op: "move", from: "/kind", path: "/spec/a" }]],
    ["sets it to null", MERGE, { kind: null }],
  ])("DEC-18: a patch that %s is refused for the kind of a custom object", async (_, type, patch) => {
    expectStatus(await api.patch(await thing(), type, patch), 422);
  });

  test.each([
    ["removes it", JSON_PATCH, [{ op: "remove", path: "/metadata/resourceVersion" }]],
    ["sets it to null", MERGE, { metadata: { resourceVersion: null } }],
  ])("DEC-31: so is one that %s for the version of an object that is not replaced without", async (_, type, patch) => {
    const answer = await api.patch(await thing(), type, patch);
    expectStatus(answer, 422);
    expect(answer.causes).toEqual(["FieldValueInvalid metadata.resourceVersion"]);
    const name = fresh("d");
    expectStatus(await api.post("/apis/storage.k8s.io/v1/csidrivers", { metadata: { name }, spec: {} }), 201);
    expectStatus(await api.patch(`/apis/storage.k8s.io/v1/csidrivers/${name}`, type, patch), 422);
  });

  test("DEC-18, DEC-31: built-in kinds are told by the path, and most are replaced without a version", async () => {
    const name = fresh("c");
    const path = "/api/v1/namespaces/default/configmaps";
    await api.post(path, { metadata: { name } });
    for (const removed of ["/kind", "/metadata/resourceVersion"]) {
      expectStatus(await api.jsonPatch(`${path}/${name}`, [{ op: "remove", path: removed }]), 200);
    }
  });
});

test("KIND-Job-3: a Job whose name is generated has the labels of its template, and not those that the server makes", async () => {
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const template = {
    metadata: { labels: { app: "a" } },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
  };
  const labelsOf = async (metadata: Json): Promise<string[]> =>
    Object.keys((await api.post(jobs, { metadata, spec: { template } })).at("metadata.labels") as object).toSorted();
  expect(await labelsOf({ generateName: "a-" })).toEqual(["app"]);
  expect(await labelsOf({ name: fresh("a") })).toHaveLength(5);
  expect(await labelsOf({ name: fresh("a"), generateName: "a-" })).toHaveLength(5);
});
