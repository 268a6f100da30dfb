import { describe, expect, test } from "vitest";
import type { ApiObject, NewObject } from "../../../schema/definition.ts";
import { atOnce } from "../../../util/steps.ts";
import { group } from "./bindings.ts";
import { AUTOUPDATE } from "./index.ts";
import { reconcile as reconciled } from "./reconcile.ts";
import { can, read } from "./rule-builders.ts";

const metadata = { name: "r", labels: { a: "1" }, annotations: { [AUTOUPDATE]: "true" } };
const ROLE: NewObject = {
  kind: "ClusterRole",
  metadata,
  rules: [read("core", "pods"), can("get", "apps", "daemonsets")],
};
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" };
const BINDING: NewObject = { kind: "ClusterRoleBinding", metadata, subjects: [group("a"), group("b")], roleRef };
const GATHERING: NewObject = {
  kind: "ClusterRole",
  metadata,
  rules: null,
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: "1" } }] },
};

const reconcile = (...objects: Parameters<typeof reconciled>) => atOnce(reconciled(...objects));

/** An object as it is stored, with changes. */
const stored = (object: NewObject, changes: object = {}): ApiObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  ...object,
  ...changes,
});

describe("RBAC-57: a default object at the next start", () => {
  test.each([ROLE, BINDING, GATHERING])(
    "it is created where it is missing, and not changed where it is complete",
    (wanted) => {
      expect(reconcile(undefined, wanted)).toEqual({ do: "create", object: wanted });
      expect(reconcile(stored(wanted), wanted)).toBeUndefined();
    },
  );

  test("rights that are not covered are added at the end, one by one; others stay", () => {
    const own = can("delete", "core", "secrets");
    const rules = [own, can("list", "core", "*")];
    expect(reconcile(stored(ROLE, { rules }), ROLE)).toEqual({
      do: "update",
      object: stored(ROLE, {
        rules: [...rules, can("get", "core", "pods"), can("watch", "core", "pods"), can("get", "apps", "daemonsets")],
      }),
    });
    expect(reconcile(stored(ROLE, { rules: [can("*", "*", "*")] }), ROLE)).toBeUndefined();
    expect(reconcile(stored(ROLE, { rules: null }), ROLE)?.object["rules"]).toHaveLength(4);
  });

  test("label and annotation are restored; others, and other values, stay", () => {
    const changed = { ...metadata, uid: "u", labels: { mine: "x" }, annotations: { note: "y", [AUTOUPDATE]: "no" } };
    expect(reconcile(stored(ROLE, { metadata: changed }), ROLE)?.object.metadata).toEqual({
      name: "r",
      uid: "u",
      labels: { a: "1", mine: "x" },
      annotations: { note: "y", [AUTOUPDATE]: "no" },
    });
    expect(reconcile(stored(ROLE, { metadata: { name: "r" } }), ROLE)?.object.metadata).toEqual(metadata);
    expect(reconcile(stored(ROLE, { metadata: { ...metadata, labels: { a: "2" } } }), ROLE)).toBeUndefined();
  });

  test("missing subjects are added; others stay", () => {
    const { object } = reconcile(stored(BINDING, { subjects: [group("c"), group("b")] }), BINDING)!;
    expect(object["subjects"]).toEqual([group("c"), group("b"), group("a")]);
    expect(reconcile(stored(BINDING, { subjects: undefined }), BINDING)?.object["subjects"]).toEqual(
      BINDING["subjects"],
    );
  });

  test("a binding with another role is replaced", () => {
    const other = stored(BINDING, { roleRef: { ...roleRef, name: "other" }, subjects: [group("c")] });
    expect(reconcile(other, BINDING)).toEqual({ do: "replace", object: BINDING });
  });

  test("missing selectors are added; a role that is not aggregated loses its aggregationRule", () => {
    const selector = { matchLabels: { y: "1" } };
    const gathers = reconcile(stored(GATHERING, { aggregationRule: { clusterRoleSelectors: [selector] } }), GATHERING);
    expect(gathers?.object["aggregationRule"]).toEqual({
      clusterRoleSelectors: [selector, { matchLabels: { x: "1" } }],
    });
    const { object } = reconcile(stored(ROLE, { aggregationRule: { clusterRoleSelectors: [selector] } }), ROLE)!;
    expect(object["aggregationRule"]).toBeUndefined();
    expect(object["rules"]).toEqual(ROLE["rules"]);
  });

  test('an object with the annotation "false" is not changed', () => {
    const left = { ...metadata, annotations: { [AUTOUPDATE]: "false" } };
    expect(reconcile(stored(ROLE, { metadata: left, rules: [] }), ROLE)).toBeUndefined();
    const other = stored(BINDING, { metadata: left, roleRef: { ...roleRef, name: "other" } });
    expect(reconcile(other, BINDING)).toBeUndefined();
  });
});
