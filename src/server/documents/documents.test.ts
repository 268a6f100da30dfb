import { describe, expect, test } from "vitest";
import { testServer } from "../testing/test-server.ts";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

describe("discovery", () => {
  test("DEC-37: the plain documents name groups, versions, resources and subresources", async () => {
    const { json } = await testServer();
    expect((await json("GET", "/api")).body).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    expect((await json("GET", "/apis")).body).toMatchObject({
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: [{ name: "example.com", preferredVersion: { groupVersion: "example.com/v1", version: "v1" } }],
    });
    expect((await json("GET", "/apis/example.com")).body).toMatchObject({ kind: "APIGroup", name: "example.com" });
    const core = (await json("GET", "/api/v1")).body;
    expect(core).toMatchObject({ kind: "APIResourceList", groupVersion: "v1" });
    expect(core.resources).toMatchObject([
      {
        name: "configmaps",
        singularName: "configmap",
        namespaced: true,
        kind: "ConfigMap",
        shortNames: ["cm"],
        storageVersionHash: "qFsyl6wFWjQ=",
      },
      { name: "namespaces", namespaced: false },
      { name: "namespaces/status", singularName: "", verbs: ["get", "patch", "update"] },
    ]);
    expect((await json("GET", "/apis/example.com/v9")).code).toBe(404);
  });

  test("clients that request v2 get the aggregated form, wherever in the header", async () => {
    const { json } = await testServer();
    for (const accept of [AGGREGATED, `${AGGREGATED};profile=nopeer`, `application/json,${AGGREGATED}`]) {
      const { headers, body } = await json("GET", "/apis", { headers: { accept } });
      expect(headers["content-type"]).toBe(AGGREGATED);
      expect(body).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
    }
    const { body } = await json("GET", "/api", { headers: { accept: AGGREGATED } });
    expect(body.items).toMatchObject([
      {
        versions: [
          {
            version: "v1",
            freshness: "Current",
            resources: [
              {
                resource: "configmaps",
                scope: "Namespaced",
                responseKind: { group: "", version: "", kind: "ConfigMap" },
              },
              { resource: "namespaces", scope: "Cluster", subresources: [{ subresource: "status" }] },
            ],
          },
        ],
      },
    ]);
    expect(body.items[0].metadata.name).toBeUndefined();
  });

  test.each([
    ["application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", 406],
    ["application/json;as=APIGroupDiscoveryList;v=v2", 406],
    ["application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,application/json", 200],
    ["*/*", 200],
  ])("%s gives %i, plain", async (accept, code) => {
    const { json } = await testServer();
    const response = await json("GET", "/apis", { headers: { accept } });
    expect([response.code, response.headers["content-type"]]).toEqual([code, "application/json"]);
  });

  test("a client that has the document gets 304", async () => {
    const { ask } = await testServer();
    for (const accept of [AGGREGATED, "application/json"]) {
      const first = await ask("GET", "/apis", { headers: { accept } });
      const etag = String(first.headers["etag"]);
      for (const sent of [etag, `"x", ${etag}`, `W/${etag}`]) {
        const again = await ask("GET", "/apis", { headers: { accept, "if-none-match": sent } });
        expect([again.code, await again.text(), again.headers["etag"]]).toEqual([304, "", etag]);
      }
    }
  });
});

describe("OpenAPI v3", () => {
  test("the index is JSON whatever a client takes; a document is not, and has no other form", async () => {
    const { ask } = await testServer();
    const of = async (path: string, accept: string) => {
      const response = await ask("GET", path, { headers: { accept } });
      return [response.code, response.headers["content-type"], (await response.text()) === ""];
    };
    expect(await of("/openapi/v3", "text/plain")).toEqual([200, "application/json", false]);
    expect(await of("/openapi/v3/api/v1", "text/plain, application/*")).toEqual([200, "application/json", false]);
    expect(await of("/openapi/v3/api/v1", "text/plain")).toEqual([406, undefined, true]);
  });

  test("the index names documents with their hash, which may be kept for good", async () => {
    const { ask, json } = await testServer();
    const { paths } = (await json("GET", "/openapi/v3")).body;
    expect(Object.keys(paths as object)).toEqual(["api/v1", "apis/example.com/v1"]);
    const url = String(paths["api/v1"].serverRelativeURL);
    expect(url).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/);
    const document = await ask("GET", url);
    expect(document.headers).toMatchObject({ "cache-control": "public, immutable", etag: `"${url.split("=")[1]}"` });
    expect((await ask("GET", url, { headers: { "if-none-match": String(document.headers["etag"]) } })).code).toBe(304);
    const stale = await ask("GET", "/openapi/v3/api/v1?hash=OLD");
    expect([stale.code, stale.headers["location"]]).toEqual([301, url]);
    expect((await ask("GET", "/openapi/v3/api/v1")).headers["cache-control"]).toBe("no-cache, private");
    expect((await ask("GET", "/openapi/v3/api/v9")).code).toBe(404);
  });

  test("PATCH lists fieldValidation in place and names its kind as one object", async () => {
    const { json } = await testServer();
    const { paths } = (await json("GET", "/openapi/v3/api/v1")).body;
    const { patch } = paths["/api/v1/namespaces/{namespace}/configmaps/{name}"];
    expect(patch["x-kubernetes-group-version-kind"]).toEqual({ group: "", version: "v1", kind: "ConfigMap" });
    expect(patch["x-kubernetes-action"]).toBe("patch");
    expect(patch.parameters).toContainEqual(expect.objectContaining({ name: "fieldValidation", in: "query" }));
    expect(Object.keys(patch.requestBody.content as object)).toContain("application/strategic-merge-patch+json");
  });

  test("operations have the names that generated clients of Kubernetes give their functions", async () => {
    const { json } = await testServer();
    const { paths } = (await json("GET", "/openapi/v3/api/v1")).body;
    const namesAt = (path: string): object =>
      Object.fromEntries(
        Object.entries(paths[path] as object).flatMap(([method, { operationId }]) =>
          operationId === undefined ? [] : [[method, operationId]],
        ),
      );
    expect(namesAt("/api/v1/namespaces/{namespace}/configmaps")).toEqual({
      get: "listCoreV1NamespacedConfigMap",
      post: "createCoreV1NamespacedConfigMap",
      delete: "deleteCoreV1CollectionNamespacedConfigMap",
    });
    expect(namesAt("/api/v1/namespaces/{namespace}/configmaps/{name}")).toEqual({
      get: "readCoreV1NamespacedConfigMap",
      put: "replaceCoreV1NamespacedConfigMap",
      patch: "patchCoreV1NamespacedConfigMap",
      delete: "deleteCoreV1NamespacedConfigMap",
    });
    expect(namesAt("/api/v1/configmaps")).toEqual({ get: "listCoreV1ConfigMapForAllNamespaces" });
  });

  test("bodies have the types with which they can be sent", async () => {
    const { json } = await testServer();
    const { paths } = (await json("GET", "/openapi/v3/api/v1")).body;
    const { post, delete: remove } = paths["/api/v1/namespaces/{namespace}/configmaps"];
    for (const { requestBody } of [post, remove]) {
      expect(Object.keys(requestBody.content as object)).toEqual(["application/json", "application/yaml"]);
    }
  });

  test("every reference leads to a component, every operation has its own name, and marks of ours stay inside", async () => {
    const { json } = await testServer();
    const ids = new Set<string>();
    let operations = 0;
    for (const name of ["api/v1", "apis/example.com/v1"]) {
      const { body } = await json("GET", `/openapi/v3/${name}`);
      const text = JSON.stringify(body);
      expect(text).not.toContain("x-keelson");
      for (const [, target] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
        expect(Object.keys(body.components.schemas as object)).toContain(target);
      }
      for (const [, id] of text.matchAll(/"operationId":"([^"]+)"/g)) {
        operations++;
        ids.add(id!);
      }
    }
    expect(ids.size).toBe(operations);
    expect(operations).toBeGreaterThan(20);
  });

  test("explain finds the kind and its descriptions", async () => {
    const { json } = await testServer();
    const { schemas } = (await json("GET", "/openapi/v3/apis/example.com/v1")).body.components;
    const widget = schemas["com.example.v1.Widget"];
    expect(widget).toMatchObject({
      description: "A Widget for tests.",
      "x-kubernetes-group-version-kind": [{ group: "example.com", version: "v1", kind: "Widget" }],
      properties: { data: { description: "Texts.", additionalProperties: { type: "string" } } },
    });
    expect(schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"].properties.name.description).toContain("Name");
  });
});

describe("health and version", () => {
  test("a check tells ok, each in detail, some left out, or one alone", async () => {
    let wrong: string | undefined;
    const { ask, logged } = await testServer({
      health: [
        { name: "store", check: () => wrong },
        { name: "cache", live: false, check: () => undefined },
      ],
    });
    const text = async (url: string) => {
      const response = await ask("GET", url);
      return [response.code, await response.text()];
    };
    expect(await text("/livez")).toEqual([200, "ok"]);
    expect(await text("/livez?verbose")).toEqual([200, "[+]ping ok\n[+]log ok\n[+]store ok\nlivez check passed\n"]);
    expect(await text("/readyz/cache")).toEqual([200, "ok"]);
    expect((await ask("GET", "/readyz/nosuch")).code).toBe(404);
    wrong = "disk on fire";
    const [code, body] = await text("/readyz");
    expect(code).toBe(500);
    expect(body).toContain("[-]store failed: reason withheld");
    expect(body).not.toContain("fire");
    expect(logged.at(-1)!.fields).toEqual({ check: "store", wrong: "disk on fire" });
    expect((await text("/readyz?exclude=store"))[0]).toBe(200);
  });

  test("the version reads as Kubernetes 1.35, indented, as JSON only", async () => {
    const { ask } = await testServer();
    const response = await ask("GET", "/version");
    const text = await response.text();
    expect(text).toContain('{\n  "major": "1",\n  "minor": "35",');
    expect((JSON.parse(text) as { gitVersion: string }).gitVersion).toMatch(/^v1\.35\.\d+\+keelson\./);
    const yaml = await ask("GET", "/version", { headers: { accept: "application/yaml" } });
    expect([yaml.code, yaml.headers["content-type"]]).toEqual([406, "application/yaml"]);
  });
});
