import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodePath, requestInfo } from "./request-info.ts";
import { ApiError } from "./status.ts";

const of = (method: string, path: string, watch = false) => {
  const { verb, group, version, namespace, resource, subresource, name } = requestInfo(
    method,
    decodePath(path),
    () => watch,
  );
  return { verb, group, version, namespace, resource, subresource, name };
};
const NOTHING = { group: "", version: "", namespace: "", resource: "", subresource: "", name: "" };

describe("request info", () => {
  test.each([
    ["GET", "/api/v1/namespaces/n/secrets/s", { verb: "get", namespace: "n", resource: "secrets", name: "s" }],
    ["GET", "/api/v1/namespaces/n/secrets", { verb: "list", namespace: "n", resource: "secrets" }],
    ["GET", "/api/v1/secrets", { verb: "list", resource: "secrets" }],
    ["POST", "/api/v1/namespaces/n/secrets", { verb: "create", namespace: "n", resource: "secrets" }],
    ["PUT", "/api/v1/namespaces/n/secrets/s", { verb: "update", namespace: "n", resource: "secrets", name: "s" }],
    ["PATCH", "/api/v1/namespaces/n/secrets/s", { verb: "patch", namespace: "n", resource: "secrets", name: "s" }],
    ["DELETE", "/api/v1/namespaces/n/secrets/s", { verb: "delete", namespace: "n", resource: "secrets", name: "s" }],
    ["DELETE", "/api/v1/namespaces/n/secrets", { verb: "deletecollection", namespace: "n", resource: "secrets" }],
    ["HEAD", "/api/v1/namespaces/n/secrets", { verb: "list", namespace: "n", resource: "secrets" }],
    ["HEAD", "/api/v1/namespaces/n/secrets/s", { verb: "get", namespace: "n", resource: "secrets", name: "s" }],
    ["OPTIONS", "/api/v1/secrets", { verb: "", resource: "secrets" }],
    ["constructor", "/api/v1/secrets", { verb: "", resource: "secrets" }],
    ["GET", "/api/v1//secrets", { verb: "get", name: "secrets" }],
    ["GET", "/api//v1/secrets", { verb: "get", version: "", resource: "v1", name: "secrets" }],
    ["GET", "/api/v2/secrets", { verb: "list", version: "v2", resource: "secrets" }],
    ["GET", "/api/v1/namespaces/n", { verb: "get", namespace: "n", resource: "namespaces", name: "n" }],
    [
      "PUT",
      "/api/v1/namespaces/n/finalize",
      { verb: "update", namespace: "n", resource: "namespaces", name: "n", subresource: "finalize" },
    ],
    [
      "GET",
      "/apis/g.io/v2/namespaces/n/things/t/status",
      {
        verb: "get",
        group: "g.io",
        version: "v2",
        namespace: "n",
        resource: "things",
        name: "t",
        subresource: "status",
      },
    ],
    ["GET", "/api/v1/watch/namespaces/n/secrets/s", { verb: "watch", namespace: "n", resource: "secrets", name: "s" }],
    ["POST", "/api/v1/watch/secrets", { verb: "watch", resource: "secrets" }],
    ["GET", "/api/v1/namespaces/n/secrets//", { verb: "list", namespace: "n", resource: "secrets" }],
    ["GET", "/%61pi/v1/namespaces/n/%73ecrets%2Fa", { verb: "get", namespace: "n", resource: "secrets", name: "a" }],
  ])("EP-10..17, RBAC-1, RBAC-2, RBAC-4, RBAC-5: %s %s", (method, path, expected) => {
    const version = { version: "v1", ...expected };
    expect(of(method, path)).toEqual({ ...NOTHING, ...version });
  });

  test("DEC-28: watch counts on collections only", () => {
    expect(of("GET", "/api/v1/secrets", true).verb).toBe("watch");
    expect(of("GET", "/api/v1/namespaces/n/secrets/s", true).verb).toBe("get");
  });

  test.each([
    "/",
    "/api",
    "/api/v1",
    "/apis/g.io/v1",
    "/healthz",
    "//api/v1/secrets",
    "/API/v1/secrets",
    "/api/v1/watch",
  ])("%s is no resource", (path) => {
    expect(requestInfo("GET", path, () => false).isResource).toBe(false);
  });

  test("a path with a malformed escape is 400", () => {
    for (const path of ["/api/%zz", "/api/a%", "/api/%ff"]) {
      expect(() => decodePath(path)).toThrow(ApiError);
    }
  });

  test("CVE-2022-3162: no path is read as two, whatever its bytes: parts never contain a slash", () => {
    fc.assert(
      fc.property(fc.webPath(), fc.constantFrom("GET", "DELETE", "PUT"), (path, method) => {
        let decoded;
        try {
          decoded = decodePath(`/api/v1${path}`);
        } catch {
          return;
        }
        const info = requestInfo(method, decoded, () => false);
        for (const part of [info.namespace, info.resource, info.name, info.group]) expect(part).not.toContain("/");
        // No path with an empty segment is served.
        expect(info.isResource && info.resource === "" && !info.path.includes("//")).toBe(false);
      }),
    );
  });
});
