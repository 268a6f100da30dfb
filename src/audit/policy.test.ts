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

test("AUDIT-1, AUDIT-3, AUDIT-8: a policy has rules, omitStages and omitManagedFields", () => {
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
  ["missing rules", HEAD, ["rules: Required value: expected at least one rule"]],
  [
    "another version",
    "apiVersion: v1\nkind: Policy\nrules: [{level: None}]\n",
    ['apiVersion: Unsupported value: "v1": supported values: "audit.k8s.io/v1"'],
  ],
  [
    "an unknown level",
    `${HEAD}rules: [{level: All}]`,
    [`rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"`],
  ],
  ["a rule without a level", `${HEAD}rules: [{}]`, ["rules[0].level: Required value"]],
  [
    "an unknown stage",
    `${HEAD}rules: [{level: None, omitStages: [Done]}]`,
    [
      `rules[0].omitStages[0]: Invalid value: "Done": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic`,
    ],
  ],
  [
    "a string for a list",
    `${HEAD}rules: [{level: None, users: a}]`,
    ['rules[0].users: Invalid value: "a": expected a list of strings'],
  ],
  [
    "a member twice",
    `${HEAD}rules: [{level: None, level: Request}]`,
    ["rules[0].level: Duplicate value: the key is set twice"],
  ],
])("AUDIT-1: %s is reported with its path", (_, text, faults) => {
  expect(faultsOf(text)).toEqual(faults);
});

test("AUDIT-1: all faults are reported together, unknown fields too", () => {
  const faults = faultsOf(`${HEAD}extra: 1\nrules:\n- {level: None, user: [a]}\n- {level: x}\n`);
  expect(faults).toMatchObject([
    expect.stringContaining("extra: Forbidden: unknown field"),
    expect.stringContaining("rules[0].user: Forbidden: unknown field"),
    expect.stringContaining("rules[1].level"),
  ]);
});

test("AUDIT-3: a rule is for objects or for paths, never for both", () => {
  const both = `${HEAD}rules: [{level: None, nonResourceURLs: [/x], namespaces: [a]}]`;
  expect(faultsOf(both)).toEqual([
    'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
  ]);
});

test("AUDIT-6: names need resources, and a group is named without its version", () => {
  expect(faultsOf(`${HEAD}rules: [{level: None, resources: [{resourceNames: [a]}]}]`)).toEqual([
    'rules[0].resources[0].resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
  ]);
  expect(faultsOf(`${HEAD}rules: [{level: None, resources: [{group: apps/v1}]}]`)).toEqual([
    expect.stringContaining(
      'rules[0].resources[0].group: Invalid value: "apps/v1": a lowercase RFC 1123 subdomain must',
    ),
  ]);
});

test("AUDIT-7: paths begin with a slash and have a star at their end only", () => {
  expect(faultsOf(`${HEAD}rules: [{level: None, nonResourceURLs: ["*", "/a*", "/b"]}]`)).toEqual([]);
  expect(faultsOf(`${HEAD}rules: [{level: None, nonResourceURLs: [a, "/a*b"]}]`)).toEqual([
    `rules[0].nonResourceURLs[0]: Invalid value: "a": non-resource URL rules must begin with a '/' character`,
    `rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule`,
  ]);
});

test("a file that is not YAML, or not an object, is rejected", () => {
  expect(faultsOf("{")).toEqual([expect.stringContaining("expected YAML or JSON")]);
  expect(faultsOf("- a")).toEqual(["expected an object of kind Policy, found none"]);
});
