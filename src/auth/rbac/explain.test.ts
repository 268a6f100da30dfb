import { describe, expect, test } from "vitest";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { type Grant, explain, grantsOf, readRole, rolesThatAllow } from "./explain.ts";
import type { RuleForm } from "./rule.ts";

const rule = (verbs: string, resources: string, more: RuleForm = {}): RuleForm => ({
  verbs: verbs.split(" "),
  apiGroups: [""],
  resources: resources.split(" "),
  ...more,
});
const role = (path: string, ...rules: RuleForm[]) => {
  const [name = "", namespace] = path.split("/").toReversed();
  return readRole({ metadata: { name, ...(namespace ? { namespace } : {}) }, rules } as unknown as ApiObject);
};
const binding = (path: string, kind: string, to: string, ...subjects: [kind: string, name: string][]): ApiObject => {
  const [name = "", namespace] = path.split("/").toReversed();
  return {
    metadata: { name, ...(namespace ? { namespace } : {}) },
    roleRef: { kind, name: to },
    subjects: subjects.map(([who, called]) => ({ kind: who, name: called })),
  } as unknown as ApiObject;
};
const ask = (verb: string, what: string, more: Partial<RequestInfo> = {}): RequestInfo => {
  const [resource = "", subresource = ""] = what.split("/");
  return { ...NO_REQUEST, isResource: true, verb, resource, subresource, namespace: "n", ...more };
};
const askPath = (path: string, verb = "get"): RequestInfo => ({ ...NO_REQUEST, verb, path });

const VIEW = role("view", rule("get list", "pods"), rule("get", "secrets", { resourceNames: ["a"] }));
const EDIT = role("edit", rule("get list delete", "pods pods/log secrets configmaps"));
const ADMIN = role("admin", rule("*", "*"), { verbs: ["get"], nonResourceURLs: ["/healthz/*"] });
const LOCAL = role("n/local", rule("delete", "pods"));
const OTHER = role("o/local", rule("delete", "pods"));
const ROLES = [ADMIN, EDIT, VIEW, LOCAL, OTHER];
const JANE = { user: "jane", groups: ["devs"] };
const [USER, DEVS] = [
  ["User", "jane"],
  ["Group", "devs"],
] as [[string, string], [string, string]];

const names = (grants: readonly Grant[]) => grants.map((grant) => grant.binding.name);
const missesOf = (info: RequestInfo, ...bindings: ApiObject[]) =>
  explain(JANE, info, ROLES, bindings).misses.map(({ lacks, binding: { name } }) => `${name} ${lacks}`);

describe("grants of a request", () => {
  const bindings = [
    binding("n/b", "Role", "local", USER),
    binding("o/b", "Role", "local", USER),
    binding("n/a", "ClusterRole", "edit", DEVS),
    binding("all", "ClusterRole", "admin", ["Group", "ops"]),
    binding("n/lost", "Role", "nowhere", USER),
  ];

  test("are those of its namespace, by bindings of the cluster first", () => {
    const grants = grantsOf(ask("delete", "pods"), ROLES, bindings);
    expect(names(grants)).toEqual(["all", "a", "b"]);
    expect(grants.map(({ binding: { role: given }, rule: { verbs } }) => [given.name, verbs])).toEqual([
      ["admin", ["*"]],
      ["edit", ["get", "list", "delete"]],
      ["local", ["delete"]],
    ]);
  });

  test("do not include bindings of a namespace for the cluster and for paths", () => {
    expect(names(grantsOf(ask("delete", "pods", { namespace: "" }), ROLES, bindings))).toEqual(["all"]);
    const ofAdmin = [...bindings, binding("n/c", "ClusterRole", "admin", USER)];
    expect(names(grantsOf(askPath("/healthz/x"), ROLES, ofAdmin))).toEqual(["all"]);
  });

  test("include a rule with resourceNames where the request has no name and may be meant for one", () => {
    const some = [binding("n/a", "ClusterRole", "view", USER)];
    expect(names(grantsOf(ask("get", "secrets"), ROLES, some))).toEqual(["a"]);
    expect(names(grantsOf(ask("get", "secrets", { name: "a" }), ROLES, some))).toEqual(["a"]);
    expect(names(grantsOf(ask("get", "secrets", { name: "b" }), ROLES, some))).toEqual([]);
  });
});

describe("explanations", () => {
  test("an allowed request has grants, and nothing else", () => {
    const { grants, misses, helpful } = explain(JANE, ask("delete", "pods"), ROLES, [
      binding("n/a", "ClusterRole", "edit", DEVS),
      binding("n/b", "ClusterRole", "view", USER),
    ]);
    expect([names(grants), misses, helpful]).toEqual([["a"], [], []]);
  });

  test.each<[lack: string, info: RequestInfo, given: ApiObject]>([
    ["verb", ask("delete", "pods"), binding("n/b", "ClusterRole", "view", USER)],
    ["namespace", ask("delete", "pods"), binding("o/b", "Role", "local", USER)],
    ["name", ask("get", "secrets", { name: "b" }), binding("n/b", "ClusterRole", "view", USER)],
    ["name", ask("get", "secrets"), binding("n/b", "ClusterRole", "view", USER)],
    ["role", ask("delete", "pods"), binding("n/b", "Role", "nowhere", DEVS)],
    ["group", ask("get", "pods", { group: "metrics.k8s.io" }), binding("n/b", "ClusterRole", "view", USER)],
    ["subresource", ask("get", "pods/exec"), binding("n/b", "ClusterRole", "edit", USER)],
    ["verb", askPath("/healthz/x", "post"), binding("b", "ClusterRole", "admin", USER)],
  ])("nearest is a %s: %j", (lack, info, given) => {
    expect(missesOf(info, given)).toEqual([`b ${lack}`]);
  });

  test("a binding that lacks more than one thing, or is of another user, is not a miss", () => {
    expect(missesOf(ask("delete", "pods"), binding("o/b", "ClusterRole", "view", USER))).toEqual([]);
    expect(missesOf(ask("delete", "nodes"), binding("b", "ClusterRole", "edit", USER))).toEqual([]);
    expect(missesOf(ask("delete", "pods"), binding("n/b", "ClusterRole", "view", ["User", "bob"]))).toEqual([]);
    expect(missesOf(ask("delete", "pods"), binding("o/b", "Role", "nowhere", USER))).toEqual([]);
  });

  test("the nearest miss comes first", () => {
    const view = binding("n/a", "ClusterRole", "view", USER);
    expect(missesOf(ask("delete", "pods"), view, binding("o/b", "Role", "local", USER))).toEqual([
      "b namespace",
      "a verb",
    ]);
  });
});

test("helpful roles are those of the namespace of the request, narrowest first", () => {
  const names_ = (info: RequestInfo) => rolesThatAllow(info, ROLES).map(({ kind, name }) => `${kind} ${name}`);
  expect(names_(ask("delete", "pods"))).toEqual(["Role local", "ClusterRole edit", "ClusterRole admin"]);
  expect(names_(ask("delete", "pods", { namespace: "" }))).toEqual(["ClusterRole edit", "ClusterRole admin"]);
  expect(names_(ask("get", "secrets", { name: "a" }))).toEqual([
    "ClusterRole view",
    "ClusterRole edit",
    "ClusterRole admin",
  ]);
  expect(names_(askPath("/healthz/x"))).toEqual(["ClusterRole admin"]);
});
