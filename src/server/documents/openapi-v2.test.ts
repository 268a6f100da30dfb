import { describe, expect, test } from "vitest";
import { schemaV2 } from "./openapi-v2.ts";
import { testServer } from "../testing/test-server.ts";

const OLD = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const NEW = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

describe("OpenAPI v2", () => {
  test("one document says of every group what v3 says", async () => {
    const { json } = await testServer();
    const { body } = await json("GET", "/openapi/v2");
    expect(body).toMatchObject({ swagger: "2.0", info: { title: "Keelson" } });
    for (const name of ["api/v1", "apis/example.com/v1"]) {
      const v3 = (await json("GET", `/openapi/v3/${name}`)).body;
      expect(Object.keys(body.paths as object)).toEqual(expect.arrayContaining(Object.keys(v3.paths as object)));
      for (const schema of Object.keys(v3.components.schemas as object))
        expect(body.definitions).toHaveProperty([schema]);
    }
    const { patch, parameters } = body.paths["/api/v1/namespaces/{namespace}/configmaps/{name}"];
    expect(patch).toMatchObject({
      "x-kubernetes-group-version-kind": { group: "", version: "v1", kind: "ConfigMap" },
      produces: ["application/json", "application/yaml"],
      responses: { 200: { schema: { $ref: "#/definitions/io.k8s.api.core.v1.ConfigMap" } } },
    });
    expect(patch.consumes).toContain("application/strategic-merge-patch+json");
    expect(patch.parameters[0]).toMatchObject({ name: "body", in: "body", required: true });
    expect(patch.parameters).toContainEqual(expect.objectContaining({ name: "fieldValidation", type: "string" }));
    expect(parameters).toContainEqual(expect.objectContaining({ name: "name", in: "path", type: "string" }));
  });

  test("every reference leads to a definition, and no word of v3 is left", async () => {
    const { ask, json } = await testServer();
    const text = await (await ask("GET", "/openapi/v2")).text();
    const { body } = await json("GET", "/openapi/v2");
    const references = [...text.matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].map(([, name]) => name!);
    expect(references.length).toBeGreaterThan(20);
    for (const name of references) expect(body.definitions).toHaveProperty([name]);
    for (const word of ['"oneOf"', '"components"', '"requestBody"', '"content"', "x-keelson"]) {
      expect(text).not.toContain(word);
    }
  });

  test.each([
    ["", "application/json"],
    ["*/*", "application/json"],
    ["application/json, */*", "application/json"],
    [OLD, NEW],
    [NEW, NEW],
    [`${OLD},application/json;q=0.5`, NEW],
    ["application/yaml,application/json", "application/json"],
  ])("Accept %j gets %s", async (accept, type) => {
    const { ask } = await testServer();
    const response = await ask("GET", "/openapi/v2", { headers: { accept } });
    expect([response.code, response.headers["content-type"], response.headers["vary"]]).toEqual([200, type, "Accept"]);
  });

  test("a client that takes neither form gets 406, without a body as of the reference", async () => {
    const { ask } = await testServer();
    const response = await ask("GET", "/openapi/v2", { headers: { accept: "text/html" } });
    expect([response.code, response.headers["content-type"], await response.text()]).toEqual([406, undefined, ""]);
  });

  test("a client that has the document gets 304, in either form", async () => {
    const { ask } = await testServer();
    const tags = new Set<string>();
    for (const accept of [OLD, "application/json"]) {
      const etag = String((await ask("GET", "/openapi/v2", { headers: { accept } })).headers["etag"]);
      tags.add(etag);
      const again = await ask("GET", "/openapi/v2", { headers: { accept, "if-none-match": etag } });
      expect([again.code, again.headers["etag"], await again.text()]).toEqual([304, etag, ""]);
    }
    expect(tags.size).toBe(2);
  });
});

describe("a schema in the older form", () => {
  test.each([
    [
      { description: "d", default: {}, allOf: [{ $ref: "#/components/schemas/a.B" }] },
      { description: "d", $ref: "#/definitions/a.B" },
    ],
    [
      { format: "int-or-string", "x-kubernetes-int-or-string": true, oneOf: [{ type: "integer" }, { type: "string" }] },
      { format: "int-or-string", "x-kubernetes-int-or-string": true, type: "string" },
    ],
    [{ type: "object", nullable: true, anyOf: [{ required: ["a"] }] }, { type: "object" }],
    [
      { type: "object", additionalProperties: { default: {}, allOf: [{ $ref: "#/components/schemas/a.B" }] } },
      { type: "object", additionalProperties: { $ref: "#/definitions/a.B" } },
    ],
    [
      { type: "object", properties: { oneOf: { type: "string" }, default: { type: "boolean", nullable: true } } },
      { type: "object", properties: { oneOf: { type: "string" }, default: { type: "boolean" } } },
    ],
    [
      { type: "array", items: { type: "integer", nullable: true }, "x-kubernetes-list-type": "atomic" },
      { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "atomic" },
    ],
  ])("%j becomes %j", (v3, v2) => {
    expect(schemaV2(v3)).toEqual(v2);
  });
});
