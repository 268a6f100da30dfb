import { describe, expect, test } from "vitest";
import { readInfo } from "./read-info.ts";
import { Query } from "./query.ts";
import { testServer } from "../testing/test-server.ts";

const of = (method: string, path: string, query = "") => readInfo(method, path, new Query(query));

describe("what the query of a request selects", () => {
  test.each([
    ["fieldSelector=metadata.name%3Da", "a"],
    ["fieldSelector=metadata.name%3D%3Da", "a"],
    ["fieldSelector=spec.x%3Dy,metadata.name%3Da", "a"],
    ["fieldSelector=metadata.name%3Db,metadata.name%3Da", "b"],
    ["watch=1&fieldSelector=metadata.name%3Da", "a"],
    ["limit=5&timeoutSeconds=1&labelSelector=x&fieldSelector=metadata.name%3Da", "a"],
    ["fieldSelector=metadata.name!%3Da", ""],
    ["fieldSelector=metadata.namespace%3Da", ""],
    ["fieldSelector=metadata.name%3D", ""],
    ["fieldSelector=metadata.name%3D..", ""],
    ["fieldSelector=metadata.name%3Da/b", ""],
    ["fieldSelector=metadata.name%3Da,b", ""],
    ["limit=x&fieldSelector=metadata.name%3Da", ""],
    ["timeoutSeconds=&fieldSelector=metadata.name%3Da", ""],
    ["labelSelector=%3D&fieldSelector=metadata.name%3Da", ""],
  ])("RBAC-3: a list with %s is asked with name %j", (query, name) => {
    expect(of("GET", "/api/v1/nodes", query)).toMatchObject({ name, hasName: false });
  });

  test("RBAC-3: a deletecollection never has a name, nor a watch by its path", () => {
    const query = "fieldSelector=metadata.name%3Da";
    expect(of("DELETE", "/api/v1/namespaces/n/pods", query)).toMatchObject({ verb: "deletecollection", name: "" });
    expect(of("GET", "/api/v1/watch/nodes", query)).toMatchObject({
      verb: "watch",
      name: "",
      fieldSelector: undefined,
    });
  });

  test("RBAC-4: a list of namespaces with a selector for one is asked for the cluster", () => {
    const info = of("GET", "/api/v1/namespaces", "fieldSelector=metadata.name%3Da");
    expect(info).toMatchObject({ namespace: "", name: "a" });
  });

  test("authorizers get the selectors of reads and of a deletecollection, and of nothing else", () => {
    const query = "fieldSelector=a%3Db&labelSelector=c";
    for (const [method, path] of [
      ["GET", "/api/v1/pods"],
      ["DELETE", "/api/v1/namespaces/n/pods"],
    ] as const) {
      const { fieldSelector, labelSelector } = of(method, path, query);
      expect(fieldSelector?.requirements).toEqual([{ key: "a", operator: "In", values: ["b"] }]);
      expect(labelSelector?.requirements).toEqual([{ key: "c", operator: "Exists", values: [] }]);
    }
    for (const [method, path] of [
      ["GET", "/api/v1/nodes/x"],
      ["POST", "/api/v1/nodes"],
      ["GET", "/healthz"],
    ] as const) {
      expect(of(method, path, query)).toMatchObject({ fieldSelector: undefined, labelSelector: undefined });
    }
  });
});

describe("where authorisation and routes read a path differently", () => {
  test.each([
    ["GET", "/api//v1/configmaps", 404],
    ["GET", "/api/v1//configmaps", 404],
    ["GET", "/apis//v1/configmaps", 404],
    ["GET", "/api/v1/namespaces//configmaps", 404],
    ["POST", "/api/v1/namespaces/n/configmaps//status", 404],
    ["POST", "/api/v1/watch/namespaces/n/configmaps", 405],
    ["DELETE", "/api/v1/watch/namespaces/n/configmaps", 405],
    ["HEAD", "/api/v1/namespaces/n/configmaps", 405],
    ["OPTIONS", "/api/v1/namespaces/n/configmaps", 405],
    ["HEAD", "/api/v1/namespaces/n/nothing", 404],
  ])("RBAC-9: %s %s is %i to who may do everything", async (method, path, code) => {
    const { ask } = await testServer();
    expect((await ask(method, path)).code).toBe(code);
  });
});
