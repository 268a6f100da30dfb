import { afterEach, beforeEach, expect, test } from "vitest";
import { ClusterRole } from "../../src/client/kinds/index.ts";
import { roleAggregation } from "../../src/controllers/access/role-aggregation.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  await world.manager({}).add(roleAggregation).start();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const roles = () => world.resource(ClusterRole);
const rule = (resource: string, verb = "get") => ({ verbs: [verb], apiGroups: [""], resources: [resource] });
const make = (name: string, rules: ClusterRole["rules"], labels: Record<string, string> = {}, gathers: object[] = []) =>
  roles().create({
    metadata: { name, labels },
    rules: rules ?? null,
    ...(gathers.length === 0 ? {} : { aggregationRule: { clusterRoleSelectors: gathers } }),
  });
const settled = async (name: string) => {
  await world.settled();
  return roles().get({ name });
};
const rulesOf = async (name: string) => (await settled(name)).rules;
const FOR_EDIT = { "to-edit": "true" };
const select = (matchLabels: Record<string, string>) => ({ matchLabels });

test("RBAC-56: a role gathers the rules of all that match, by name, equal ones once, without itself", async () => {
  await make("b", [rule("two"), rule("one")], FOR_EDIT);
  await make("edit", [rule("mine")], FOR_EDIT, [select(FOR_EDIT)]);
  await make("a", [rule("one"), { ...rule("three"), resourceNames: ["x"] }], FOR_EDIT);
  await make("c", [rule("other")], {});
  const edit = await settled("edit");
  expect(edit.rules).toEqual([rule("one"), { ...rule("three"), resourceNames: ["x"] }, rule("two")]);
  expect(edit.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toContainEqual([
    "clusterrole-aggregation-controller",
    "Apply",
  ]);
});

test("RBAC-56: selectors are gone through in their order; one may ask with expressions", async () => {
  await make("a", [rule("a")], { x: "1" });
  await make("b", [rule("b")], { y: "1" });
  const expressions = { matchExpressions: [{ key: "x", operator: "Exists" }] };
  await make("all", null, {}, [select({ y: "1" }), expressions]);
  expect(await rulesOf("all")).toEqual([rule("b"), rule("a")]);
});

test("RBAC-56: it follows what comes, changes its labels or its rules, and goes", async () => {
  await make("edit", null, {}, [select(FOR_EDIT)]);
  expect(await rulesOf("edit")).toBeNull();
  await make("a", [rule("a")], FOR_EDIT);
  expect(await rulesOf("edit")).toEqual([rule("a")]);
  await roles().patch({ name: "a" }, { rules: [rule("a"), rule("b")] });
  expect(await rulesOf("edit")).toEqual([rule("a"), rule("b")]);
  await roles().patch({ name: "a" }, { metadata: { labels: { "to-edit": null } } });
  expect(await rulesOf("edit")).toBeNull();
  await roles().patch({ name: "a" }, { metadata: { labels: FOR_EDIT } });
  expect(await rulesOf("edit")).toHaveLength(2);
  await roles().delete({ name: "a" });
  expect(await rulesOf("edit")).toBeNull();
});

test("RBAC-56: a role that is gathered itself hands on", async () => {
  await make("admin", null, {}, [select({ "to-admin": "true" })]);
  await make("edit", null, { "to-admin": "true" }, [select(FOR_EDIT)]);
  await make("a", [rule("a")], FOR_EDIT);
  expect(await rulesOf("admin")).toEqual([rule("a")]);
});

test("RBAC-56: rules that a user writes into an aggregated role are overwritten", async () => {
  await make("a", [rule("a")], FOR_EDIT);
  await make("edit", null, {}, [select(FOR_EDIT)]);
  expect(await rulesOf("edit")).toEqual([rule("a")]);
  await roles().patch({ name: "edit" }, { rules: [rule("*", "*")] });
  expect(await rulesOf("edit")).toEqual([rule("a")]);
});

test("a role that does not gather is left alone", async () => {
  const { metadata } = await make("a", [rule("a")], FOR_EDIT);
  await make("b", [rule("b")], FOR_EDIT);
  expect((await settled("a")).metadata.resourceVersion).toBe(metadata.resourceVersion);
});

test("RBAC-56: a role that very many selectors find gives its rules once", async () => {
  const rules = Array.from({ length: 2000 }, (_, i) => rule(`r${i}`));
  await make("a", rules, FOR_EDIT);
  // Looking at each rule for each selector would take a minute.
  await make("edit", null, {}, Array<object>(16_000).fill(select(FOR_EDIT)));
  expect(await rulesOf("edit")).toEqual(rules);
});
