import { expect, test } from "vitest";
import { kindsOf } from "./discovery.ts";
import { queryText, warningsOf } from "./http.ts";
import { apiVersionOf, collectionPath, objectPath } from "./kube.ts";

const DOCUMENT = {
  items: [
    {
      metadata: { name: "apps" },
      versions: ["v1", "v1beta1"].map((version) => ({
        version,
        resources: [
          {
            resource: "deployments",
            responseKind: { kind: "Deployment" },
            scope: "Namespaced",
            singularResource: "deployment",
            shortNames: ["deploy"],
            verbs: ["get", "list"],
            subresources: [{ subresource: "scale", verbs: ["get", "update"] }],
          },
          ...(version === "v1beta1" ? [{ resource: "olds", responseKind: { kind: "Old" }, scope: "Cluster" }] : []),
        ],
      })),
    },
  ],
};

test("a kind is taken in its preferred version, and what an older one has alone in that", () => {
  expect(kindsOf(DOCUMENT).map(({ resource, version }) => `${resource} ${version}`)).toEqual([
    "deployments v1",
    "olds v1beta1",
  ]);
  expect(kindsOf(DOCUMENT, true)).toHaveLength(3);
  expect(kindsOf(DOCUMENT)[0]).toEqual({
    group: "apps",
    version: "v1",
    resource: "deployments",
    kind: "Deployment",
    singular: "deployment",
    shortNames: ["deploy"],
    categories: [],
    namespaced: true,
    verbs: ["get", "list"],
    subresources: [{ name: "scale", verbs: ["get", "update"] }],
  });
  expect(kindsOf({})).toEqual([]);
});

test("paths are those of the API, with names as data", () => {
  const pods = { group: "", version: "v1", resource: "pods" };
  expect(collectionPath(pods)).toBe("/api/v1/pods");
  expect(objectPath(pods, "a/b", "c?d", "log")).toBe("/api/v1/namespaces/a%2Fb/pods/c%3Fd/log");
  expect(collectionPath({ group: "apps", version: "v1", resource: "deployments" }, "a")).toBe(
    "/apis/apps/v1/namespaces/a/deployments",
  );
  expect(apiVersionOf({ group: "apps", version: "v1" })).toBe("apps/v1");
  expect(queryText({ a: "x y", b: undefined, c: false, d: 0, e: "" })).toBe("?a=x+y&d=0");
});

test("warnings are read from their headers", () => {
  const response = new Response("", {
    headers: [
      ["warning", '299 - "first, \\"quoted\\""'],
      ["warning", '299 - "second"'],
    ],
  });
  expect(warningsOf(response)).toEqual(['first, "quoted"', "second"]);
  expect(warningsOf(new Response(""))).toEqual([]);
});
