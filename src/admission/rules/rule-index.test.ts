import { expect, test } from "vitest";
import { requestOf } from "../testing/requests.ts";
import { compileMatching } from "./matcher.ts";
import { RuleIndex } from "./rule-index.ts";

const PODS = { group: "", plural: "pods", kind: "Pod" };
const MAPS = { group: "", plural: "configmaps", kind: "ConfigMap" };

const item = (name: string, resource: string, operations = ["*"]) => ({
  name,
  matcher: compileMatching({
    resourceRules: [{ operations, apiGroups: [""], apiVersions: ["v1"], resources: [resource] }],
  }),
});

test("HOOK-11: the items that may concern a request come in their order", () => {
  const index = new RuleIndex([item("c", "pods"), item("a", "configmaps"), item("b", "*"), item("d", "pods/status")]);
  const names = (more: object): string[] => index.of(requestOf(more)).map(({ name }) => name);
  expect(names({ ref: PODS })).toEqual(["c", "b"]);
  expect(names({ ref: MAPS })).toEqual(["a", "b"]);
  expect(names({ ref: PODS, subresource: "status" })).toEqual(["d"]);
  expect(names({ ref: PODS, subresource: "exec" })).toEqual([]);
});

test("an operation is looked up beside the resource, and what was found is kept", () => {
  let calls = 0;
  const { name, matcher } = item("a", "pods", ["DELETE"]);
  const counted = {
    name,
    matcher: { mayMatch: (request: Parameters<typeof matcher.mayMatch>[0]) => (calls++, matcher.mayMatch(request)) },
  };
  const index = new RuleIndex([counted]);
  const [created, deleted] = [requestOf({ ref: PODS }), requestOf({ ref: PODS, operation: "DELETE" })];
  expect(index.of(created)).toEqual([]);
  expect(index.of(deleted)).toEqual([counted]);
  expect(index.of(created)).toEqual([]);
  expect(index.of(deleted)).toBe(index.of(deleted));
  expect(calls).toBe(2);
});

test("a resource that is served again is looked up again", () => {
  const index = new RuleIndex([item("a", "pods")]);
  expect(index.of(requestOf({ ref: { ...PODS } }))).toHaveLength(1);
  expect(index.of(requestOf({ ref: { ...PODS, group: "example.com" } }))).toEqual([]);
});
