import { describe, expect, test } from "vitest";
import { type Field, type Type, structOf, typeOf } from "../apply/schema/schema.ts";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { builtInDefinitions } from "./index.ts";
import { contextOf } from "../schema/testing/kind.ts";
import { compileWalker } from "../schema/walker.ts";

/** Every member below a type, with its path; a type that contains itself is walked once. */
function* membersOf(type: Type, path: string, seen: Set<Type> = new Set()): Generator<[string, Field]> {
  if (seen.has(type)) return;
  seen.add(type);
  if (type.kind === "map" || type.kind === "list") yield* membersOf(type.item, `${path}[]`, seen);
  if (type.kind !== "struct") return;
  for (const field of type.fields.values()) {
    yield [`${path}.${field.name}`, field];
    yield* membersOf(field.type, `${path}.${field.name}`, seen);
  }
}

describe.each([neutral, kubernetes])("the kinds of the $name dialect", (dialect) => {
  const definitions = builtInDefinitions(contextOf(dialect));

  test("CONV-3: each is identified by its group, version and plural alone", () => {
    const names = definitions.map((d) => `${d.plural}.${d.group}/${d.version}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test("CONV-10: groups have the domain of the dialect, or a name that clients hard-code", () => {
    const bare = ["", "apps", "autoscaling", "batch", "policy"];
    const usual = [
      "admissionregistration",
      "apiextensions",
      "apiregistration",
      "authentication",
      "authorization",
      "certificates",
      "discovery",
      "networking",
    ];
    const fixed = [
      ...bare,
      ...[...usual, "node", "rbac.authorization", "resource", "scheduling"].map((name) => `${name}.k8s.io`),
    ];
    const named = ["coordination", "events", "storage", "storagemigration"];
    fixed.push("flowcontrol.apiserver.k8s.io");
    const groups = named.map((name) => `${name}.${dialect.domain}`);
    for (const { group } of definitions) expect([...fixed, ...groups]).toContain(group);
  });

  test("VER-2..6: the documents' kinds are served in the versions that they name", () => {
    if (dialect !== neutral) return;
    const served = definitions.filter((d) => d.served !== false).map((d) => `${d.group}/${d.version} ${d.plural}`);
    expect(served).toEqual(
      expect.arrayContaining([
        "/v1 configmaps",
        "/v1 secrets",
        "/v1 persistentvolumeclaims",
        "/v1 persistentvolumes",
        "coordination.svc.io/v1beta1 leasecandidates",
        "events.svc.io/v1 events",
        "storagemigration.svc.io/v1alpha1 storageversionmigrations",
        ...["csidrivers", "csinodes", "csistoragecapacities", "storageclasses"].map((p) => `storage.svc.io/v1 ${p}`),
        ...["volumeattachments", "volumeattributesclasses"].map((p) => `storage.svc.io/v1 ${p}`),
      ]),
    );
    expect(served.filter((name) => name.endsWith(" events"))).toEqual(["/v1 events", "events.svc.io/v1 events"]);
  });

  test("META-1, META-2, META-4: every schema begins with what every object has", () => {
    for (const { schema } of definitions) {
      expect([...structOf(schema).fields.keys()].slice(0, 3)).toEqual(["apiVersion", "kind", "metadata"]);
    }
  });

  test("every kind, every member and every column is described", () => {
    const bare: string[] = [];
    for (const definition of definitions) {
      if (!definition.description) bare.push(definition.kind);
      for (const [path, field] of membersOf(typeOf(definition.schema), definition.kind)) {
        if (!field.type.schema.description) bare.push(path);
      }
      for (const column of definition.columns ?? [])
        if (!column.description) bare.push(`${definition.kind} ${column.name}`);
    }
    expect(bare).toEqual([]);
  });

  test("every default in a schema is in wire form", () => {
    const wrong: string[] = [];
    for (const definition of definitions) {
      for (const [path, field] of membersOf(typeOf(definition.schema), definition.kind)) {
        if (field.default === undefined) continue;
        const { type } = field;
        const fits =
          type.kind === "scalar" ? jsonTypes(type.scalar).includes(typeof field.default) : Array.isArray(field.default);
        if (!fits) wrong.push(path);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("every view names a stored form that is there", () => {
    const stored = definitions
      .filter((d) => !d.storedAs)
      .map((d) => `${d.plural}.${d.group ? `${d.group}/` : ""}${d.version}`);
    const named = definitions.flatMap(({ storedAs }) => (storedAs ? [storedAs.definition] : []));
    expect(stored).toEqual(expect.arrayContaining(named));
  });

  test("columns and selectable fields bear an object of which nothing is known", () => {
    for (const { schema, columns, selectableFields } of definitions) {
      const empty = compileWalker(schema, { dialect }).zero();
      for (const { cell } of columns ?? []) expect(() => cell(empty, 0)).not.toThrow();
      for (const read of Object.values(selectableFields ?? {})) expect(typeof read(empty)).toBe("string");
    }
  });
});

const jsonTypes = (scalar: string): readonly string[] => {
  if (scalar === "intOrString") return ["number", "string"];
  return [scalar === "integer" ? "number" : scalar];
};
