import { expect, test } from "vitest";
import { PolicyError, readPolicy } from "./policy.ts";

const HEAD = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

function faultsOf(text: string): readonly string[] {
  try {
    readPolicy(text);
    return [];
  } catch (error) {
    if (error instanceof PolicyError) return error.message.split("\n");
    throw error;
  }
}

test("AUDIT-1, AUDIT-3, AUDIT-8: a policy has rules, stages that are left out, and whether owners are", () => {
  const policy = readPolicy(
    `${HEAD}omitStages: [RequestReceived]\nomitManagedFields: true\nrules:\n- level: Metadata\n  users: [a]\n  omitManagedFields: false\n`,
  );
  expect(policy).toMatchObject({ omitStages: ["RequestReceived"], omitManagedFields: true });
  expect(policy.rules).toEqual([
    {
      level: "Metadata",
      users: ["a"],
      userGroups: [],
      verbs: [],
      resources: [],
      namespaces: [],
      nonResourceURLs: [],
      omitStages: [],
      omitManagedFields: false,
    },
  ]);
});

test.each([
  ["rules that are missing", HEAD, ["rules: expected a rule or more, found none"]],
  [
    "another version",
    "apiVersion: v1\nkind: Policy\nrules: [{level: None}]\n",
    ['apiVersion: expected audit.k8s.io/v1, got "v1"'],
  ],
  [
    "a level that is none",
    `${HEAD}rules: [{level: All}]`,
    ['rules[0].level: expected one of None, Metadata, Request, RequestResponse, got "All"'],
  ],
  [
    "a rule without a level",
    `${HEAD}rules: [{}]`,
    ["rules[0].level: expected one of None, Metadata, Request, RequestResponse, got none"],
  ],
  [
    "an unknown stage",
    `${HEAD}rules: [{level: None, omitStages: [Done]}]`,
    ['rules[0].omitStages[0]: expected one of RequestReceived, ResponseStarted, ResponseComplete, Panic, got "Done"'],
  ],
  [
    "a text for a list",
    `${HEAD}rules: [{level: None, users: a}]`,
    ['rules[0].users: expected a list of texts, got "a"'],
  ],
  ["a member twice", `${HEAD}rules: [{level: None, level: Request}]`, ["rules[0].level: expected once, found twice"]],
])("AUDIT-1: %s is told by its place", (_, text, faults) => {
  expect(faultsOf(text)).toEqual(faults);
});

test("AUDIT-1: all that is wrong is told at once, members that nobody knows too", () => {
  const faults = faultsOf(`${HEAD}extra: 1\nrules:\n- {level: None, user: [a]}\n- {level: x}\n`);
  expect(faults).toMatchObject([
    expect.stringContaining("extra: unknown"),
    expect.stringContaining("rules[0].user: unknown"),
    expect.stringContaining("rules[1].level"),
  ]);
});

test("AUDIT-3: a rule is for objects or for paths, never for both", () => {
  const both = `${HEAD}rules: [{level: None, nonResourceURLs: [/x], namespaces: [a]}]`;
  expect(faultsOf(both)).toEqual([
    'rules[0].nonResourceURLs: expected none in a rule for resources or namespaces, got ["/x"]',
  ]);
});

test("AUDIT-6: names need resources, and a group is named without its version", () => {
  expect(faultsOf(`${HEAD}rules: [{level: None, resources: [{resourceNames: [a]}]}]`)).toEqual([
    'rules[0].resources[0].resourceNames: expected none without resources, got ["a"]',
  ]);
  expect(faultsOf(`${HEAD}rules: [{level: None, resources: [{group: apps/v1}]}]`)).toEqual([
    'rules[0].resources[0].group: expected the name of an API group, without a version, got "apps/v1"',
  ]);
});

test("AUDIT-7: paths begin with a slash and have a star at their end only", () => {
  expect(faultsOf(`${HEAD}rules: [{level: None, nonResourceURLs: ["*", "/a*", "/b"]}]`)).toEqual([]);
  expect(faultsOf(`${HEAD}rules: [{level: None, nonResourceURLs: [a, "/a*b"]}]`)).toEqual([
    'rules[0].nonResourceURLs[0]: expected a path that begins with / or the star alone, got "a"',
    'rules[0].nonResourceURLs[1]: expected a star at the end only, got "/a*b"',
  ]);
});

test("what is no YAML and no object is a fault of the whole", () => {
  expect(faultsOf("{")).toEqual([expect.stringContaining("expected YAML or JSON")]);
  expect(faultsOf("- a")).toEqual(["expected an object of kind Policy, found none"]);
});
