import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { rbacGroup } from "./index.ts";

const GROUP = "rbac.authorization.k8s.io";
const RULE = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

describe.each([neutral, kubernetes])("roles and bindings in the $name dialect", (dialect) => {
  const kindOf = (plural: string) => KindUnderTest.of(rbacGroup, plural, contextOf(dialect));
  const [roles, clusterRoles] = [kindOf("roles"), kindOf("clusterroles")];
  const [bindings, clusterBindings] = [kindOf("rolebindings"), kindOf("clusterrolebindings")];

  test("RBAC-14: four kinds of one group, without status and short names; PUT may create", () => {
    const definitions = rbacGroup(contextOf(dialect));
    expect(definitions.map(({ group, version, plural, scope }) => [group, version, plural, scope])).toEqual([
      [GROUP, "v1", "clusterroles", "Cluster"],
      [GROUP, "v1", "clusterrolebindings", "Cluster"],
      [GROUP, "v1", "roles", "Namespaced"],
      [GROUP, "v1", "rolebindings", "Namespaced"],
    ]);
    for (const { subresources, shortNames, verbs, createOnUpdate } of definitions) {
      expect([subresources, shortNames, verbs, createOnUpdate]).toEqual([undefined, undefined, undefined, true]);
    }
  });

  test.each(["A:b c", "x".repeat(300), "...", "ä"])("RBAC-15: %j is a name", (name) => {
    expect(roles.create({ metadata: { name, namespace: "n" }, rules: [] }).causes).toEqual([]);
  });

  test.each([".", "..", "a/b", "a%b"])("RBAC-15: %j is no name", (name) => {
    expect(clusterRoles.create({ metadata: { name } }).causes).toEqual(["FieldValueInvalid metadata.name"]);
  });

  test("RBAC-16: rules are null where there are none; empty members of a rule are left out", () => {
    const none = dialect === kubernetes ? null : undefined;
    for (const sent of [{}, { rules: null }]) expect(roles.create(sent).object["rules"]).toBe(none);
    const { object } = roles.create({ rules: [{ ...RULE, resourceNames: [], nonResourceURLs: null }] });
    expect(object["rules"]).toEqual([RULE]);
    const roleRef = { apiGroup: GROUP, kind: "Role", name: "r" };
    expect(bindings.create({ roleRef, subjects: [] }).object).not.toHaveProperty("subjects");
  });

  test("RBAC-17: a rule says what, and either of which objects or of which paths", () => {
    const causesOf = (rule: object) => clusterRoles.create({ rules: [rule] }).causes;
    expect(causesOf(RULE)).toEqual([]);
    expect(causesOf({ verbs: ["a b"], apiGroups: ["A/b"], resources: ["*/*/*"], resourceNames: ["*"] })).toEqual([]);
    expect(causesOf({}).toSorted()).toEqual([
      "FieldValueRequired rules[0].apiGroups",
      "FieldValueRequired rules[0].resources",
      "FieldValueRequired rules[0].verbs",
    ]);
    expect(causesOf({ verbs: ["get"], nonResourceURLs: ["x y", "*"] })).toEqual([]);
    for (const beside of [{ apiGroups: [""] }, { resources: ["pods"] }, { resourceNames: ["a"] }]) {
      expect(causesOf({ verbs: ["get"], nonResourceURLs: ["/a"], ...beside })).toEqual([
        "FieldValueInvalid rules[0].nonResourceURLs",
      ]);
    }
    expect(roles.create({ rules: [RULE, { verbs: ["get"], nonResourceURLs: ["/a"] }] }).causes).toEqual([
      "FieldValueInvalid rules[1].nonResourceURLs",
    ]);
    const { object } = roles.create({ rules: [RULE] });
    expect(roles.change(object, { rules: [{ ...RULE, verbs: [] }] }).causes).toEqual([
      "FieldValueRequired rules[0].verbs",
    ]);
  });

  test("RBAC-18: rules that are gathered need selectors, each told in detail and as a whole", () => {
    const causesOf = (aggregationRule: object) => clusterRoles.create({ aggregationRule, rules: [RULE] }).causes;
    const field = "aggregationRule.clusterRoleSelectors";
    expect(causesOf({ clusterRoleSelectors: [{ matchLabels: { a: "b" } }, {}] })).toEqual([]);
    expect(causesOf({})).toEqual([`FieldValueRequired ${field}`]);
    expect(causesOf({ clusterRoleSelectors: [{}, { matchLabels: { a: "b c" } }] })).toEqual([
      `FieldValueInvalid ${field}[1]`,
      `FieldValueInvalid ${field}[1].matchLabels`,
    ]);
  });

  test("RBAC-19: the role of a binding", () => {
    const of = (roleRef: object) => bindings.create({ roleRef });
    const name = "A:b";
    expect(of({ kind: "ClusterRole", name }).object["roleRef"]).toEqual({ apiGroup: GROUP, kind: "ClusterRole", name });
    expect(of({ kind: "Role", name }).causes).toEqual([]);
    expect(of({ kind: "role", name }).causes).toEqual(["FieldValueNotSupported roleRef.kind"]);
    expect(of({ kind: "Role", name: "" }).causes).toEqual(["FieldValueRequired roleRef.name"]);
    expect(of({ kind: "Role", name: "a/b" }).causes).toEqual(["FieldValueInvalid roleRef.name"]);
    expect(of({ kind: "Role", name, apiGroup: "rbac" }).causes).toEqual(["FieldValueNotSupported roleRef.apiGroup"]);
    expect(clusterBindings.create({ roleRef: { kind: "Role", name } }).causes).toEqual([
      "FieldValueNotSupported roleRef.kind",
    ]);
  });

  test("RBAC-19: the group of a subject follows from its kind", () => {
    const subjects = ["User", "Group", "ServiceAccount"].map((kind) => ({ kind, name: "n", namespace: "x" }));
    const made = clusterBindings.create({ roleRef: { kind: "ClusterRole", name: "r" }, subjects });
    expect(made).toMatchObject({ causes: [], unknown: [] });
    expect((made.object["subjects"] as { apiGroup?: string }[]).map(({ apiGroup }) => apiGroup)).toEqual([
      GROUP,
      GROUP,
      undefined,
    ]);
  });

  test("RBAC-20: who may be a subject", () => {
    const of = (kind: typeof bindings, subject: object) =>
      kind.create({ roleRef: { kind: "ClusterRole", name: "r" }, subjects: [{ name: "a", ...subject }] }).causes;
    for (const kind of [bindings, clusterBindings]) {
      expect(of(kind, { kind: "User", name: "Any user!" })).toEqual([]);
      expect(of(kind, { kind: "Node" })).toEqual(["FieldValueNotSupported subjects[0].kind"]);
      expect(of(kind, { kind: "Group", name: "" })).toEqual(["FieldValueRequired subjects[0].name"]);
      expect(of(kind, { kind: "User", apiGroup: "x" })).toEqual(["FieldValueNotSupported subjects[0].apiGroup"]);
      const account = { kind: "ServiceAccount", namespace: "n" };
      expect(of(kind, { ...account, name: "A b" })).toEqual(["FieldValueInvalid subjects[0].name"]);
      expect(of(kind, { ...account, apiGroup: GROUP })).toEqual(["FieldValueNotSupported subjects[0].apiGroup"]);
    }
    expect(of(bindings, { kind: "ServiceAccount" })).toEqual([]);
    expect(of(clusterBindings, { kind: "ServiceAccount" })).toEqual(["FieldValueRequired subjects[0].namespace"]);
  });

  test("RBAC-21: the role of a binding never changes", () => {
    const { object } = bindings.create({ roleRef: { kind: "Role", name: "r" } });
    const roleRef = { kind: "Role", name: "s", apiGroup: GROUP };
    expect(bindings.change(object, { roleRef }).causes).toEqual(["FieldValueInvalid roleRef"]);
    const subjects = [{ kind: "User", name: "a", apiGroup: GROUP }];
    expect(bindings.change(object, { subjects }).causes).toEqual([]);
  });

  test("RBAC-23: columns of bindings; roles have those of any kind", () => {
    const { object } = bindings.create({
      roleRef: { kind: "Role", name: "r" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "Group", name: "g" },
        { kind: "User", name: "v" },
        { kind: "ServiceAccount", name: "a", namespace: "n" },
      ],
    });
    expect(bindings.cells(object)).toEqual(["Role/r", "0s", "u, v", "g", "n/a"]);
    expect(roles.definition.columns).toBeUndefined();
  });
});
