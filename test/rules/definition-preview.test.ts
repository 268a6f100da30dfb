/** A dry run of a changed definition tells which stored objects it would make invalid. */
import { beforeAll, expect, test } from "vitest";
import type { Identity } from "../../src/auth/contract.ts";
import type { Members } from "./answer.ts";
import { MERGE, serve } from "./api.ts";

const api = serve({ dialect: "kubernetes" });
const GROUP = "preview.example.com";
const DEFINITION = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/tins.${GROUP}`;
const TINS = `/apis/${GROUP}/v1/namespaces/default/tins`;

const specOf = (size: Members, names: readonly string[] = ["v1"]) => ({
  group: GROUP,
  scope: "Namespaced",
  names: { plural: "tins", kind: "Tin" },
  versions: names.map((name, i) => ({
    name,
    served: true,
    storage: i === 0,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { size, secret: { type: "string" } } } },
      },
    },
  })),
});

beforeAll(async () => {
  const body = { metadata: { name: `tins.${GROUP}` }, spec: specOf({ type: "integer" }) };
  await api.post(DEFINITION.slice(0, DEFINITION.lastIndexOf("/")), body);
  await api.until(TINS, ({ status }) => status === 200);
  for (const [i, size] of [1, 5, 9].entries()) {
    const metadata = { name: `t${i}` };
    await api.post(TINS, { apiVersion: `${GROUP}/v1`, kind: "Tin", metadata, spec: { size, secret: "s3cret" } });
  }
});

const dryRun = (spec: Members, query: Readonly<Record<string, string>> = { dryRun: "All" }) =>
  api.merge(DEFINITION, { spec }, query);

test("objects that the new schema refuses are named with the field, and no values", async () => {
  const { status, warnings } = await dryRun(specOf({ type: "integer", maximum: 4 }));
  expect([status, warnings]).toEqual([
    200,
    [
      "2 of 3 stored objects would be invalid with this change",
      expect.stringMatching(
        /^default\/t1 would be invalid in v1: spec\.size: Invalid value: .*less than or equal to 4$/,
      ),
      expect.stringMatching(/^default\/t2 would be invalid in v1: spec\.size: /),
    ],
  ]);
  expect(warnings.join()).not.toContain("s3cret");
});

test("rules count, and so do versions that are new", async () => {
  const rule = { type: "integer", "x-kubernetes-validations": [{ rule: "self != 9", message: "nine is too many" }] };
  expect((await dryRun(specOf(rule))).warnings).toEqual([
    "1 of 3 stored objects would be invalid with this change",
    expect.stringMatching(/^default\/t2 would be invalid in v1: spec\.size: .*nine is too many$/),
  ]);
  const { warnings } = await dryRun({
    versions: [...specOf({ type: "integer" }).versions, ...specOf({ type: "string" }, ["v1", "v2"]).versions.slice(1)],
  });
  expect(warnings[1]).toContain("default/t0 would be invalid in v2: spec.size");
});

test("there are no warnings about a change that all objects fit, and about a write that is no dry run", async () => {
  expect((await dryRun(specOf({ type: "integer", maximum: 9 }))).warnings).toEqual([]);
  expect((await dryRun({ names: { plural: "tins", kind: "Tin", shortNames: ["tn"] } })).warnings).toEqual([]);
  const written = await dryRun(specOf({ type: "integer", maximum: 4 }), {});
  expect([written.status, written.warnings]).toEqual([200, []]);
  await dryRun(specOf({ type: "integer" }), {});
});

const roles = serve({ dialect: "kubernetes" }, { authorizer: () => onlyDefinitions });
const onlyDefinitions = {
  authorize: (identity: Identity, { resource }: { readonly resource: string }) => ({
    allowed: identity.user !== "definer" || resource === "customresourcedefinitions",
    reason: "",
  }),
  rightsOf: () => ({ resourceRules: [], pathRules: [], incomplete: false }),
};

test("a user who may not list the objects learns nothing about them", async () => {
  const at = DEFINITION.slice(0, DEFINITION.lastIndexOf("/"));
  await roles.post(at, { metadata: { name: `tins.${GROUP}` }, spec: specOf({ type: "integer" }) });
  await roles.until(TINS, ({ status }) => status === 200);
  await roles.post(TINS, { apiVersion: `${GROUP}/v1`, kind: "Tin", metadata: { name: "t" }, spec: { size: 9 } });
  const change = { spec: specOf({ type: "integer", maximum: 4 }) };
  const ask = (user: string) =>
    roles.send("PATCH", DEFINITION, change, {
      query: { dryRun: "All" },
      headers: { "content-type": MERGE },
      identity: { user, groups: [] },
    });
  expect((await ask("keeper")).warnings).toHaveLength(2);
  const definer = await ask("definer");
  expect([definer.status, definer.warnings]).toEqual([200, []]);
});
