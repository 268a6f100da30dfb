import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { namespace as define } from "./namespace.ts";

describe.each([neutral, kubernetes])("SUP-1: a Namespace in the $name dialect", (dialect) => {
  const ctx = contextOf(dialect);
  const namespace = define(ctx);
  const kind = new KindUnderTest(namespace, ctx);
  const label = `${dialect.labelDomain}/metadata.name`;
  const created = (body: object = {}): ApiObject => kind.create(body).object;

  test("is created active, with a finalizer and a label of its name, whatever the client says", () => {
    const { object, causes } = kind.create({
      metadata: { name: "x", labels: { [label]: "other", l: "y" } },
      spec: { finalizers: ["example.com/x"] },
      status: { phase: "Terminating" },
    });
    expect(causes).toEqual([]);
    expect(object).toMatchObject({
      metadata: { name: "x", labels: { [label]: "x", l: "y" } },
      spec: { finalizers: ["example.com/x", "kubernetes"] },
      status: { phase: "Active" },
    });
    expect(created({ spec: { finalizers: [] } })["spec"]).toEqual({ finalizers: ["kubernetes"] });
    expect(created({ spec: { finalizers: ["kubernetes", "kubernetes"] } })["spec"]).toEqual({
      finalizers: ["kubernetes", "kubernetes"],
    });
  });

  test("DEC-2: is called a DNS label", () => {
    expect(kind.create({ metadata: { name: "a.b" } }).causes).toEqual(["FieldValueInvalid metadata.name"]);
  });

  test("an update changes neither spec nor status, and the label stays", () => {
    const old = created();
    const { object } = kind.update(old, { metadata: { name: "x", labels: { l: "y" } }, spec: {}, status: {} });
    expect(object["spec"]).toEqual(old["spec"]);
    expect(object["status"]).toEqual(old["status"]);
    expect(object.metadata.labels).toEqual({ [label]: "x", l: "y" });
  });

  test("finalize changes its finalizers, metadata too, but no status", () => {
    const old = created();
    const body = { metadata: { name: "x", labels: { l: "y" } }, spec: {}, status: { phase: "Terminating" } };
    const { object, causes } = kind.update(old, body, "finalize");
    expect(causes).toEqual([]);
    expect(object).toMatchObject({ metadata: { labels: { l: "y" } }, spec: {}, status: { phase: "Active" } });
    expect(namespace.isHeld!(old)).toBe(true);
    expect(namespace.isHeld!(object)).toBe(false);
  });

  test("finalizers that everybody knows need no domain", () => {
    const body = { spec: { finalizers: ["orphan", "foregroundDeletion"] } };
    expect(kind.create(body).causes).toEqual([]);
    expect(kind.update(created(), body, "finalize").causes).toEqual([]);
  });

  test("its finalizers have a domain; a create tells the list, finalize the entry", () => {
    for (const finalizer of ["x", "not qualified"]) {
      const body = { spec: { finalizers: [finalizer] } };
      expect(kind.create(body).causes).toEqual(["FieldValueInvalid spec.finalizers"]);
      expect(kind.update(created(), body, "finalize").causes).toEqual(["FieldValueInvalid spec.finalizers[0]"]);
    }
  });

  test("a status write says the phase that follows from the deletion", () => {
    const old = created();
    const write = (before: ApiObject, phase: string): readonly string[] =>
      kind.update(before, { metadata: before.metadata, status: { phase } }, "status").causes;
    expect(write(old, "Active")).toEqual([]);
    expect(write(old, "Terminating")).toEqual(["FieldValueInvalid status.Phase"]);
    const deleted = { ...old, metadata: { ...old.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(write(deleted, "Terminating")).toEqual([]);
    expect(write(deleted, "Active")).toEqual(["FieldValueInvalid status.Phase"]);
  });

  test("DEC-34: goes in two steps and is terminating from the first on", () => {
    const object = created();
    namespace.beginDelete!(object, { ...ctx, warnings: [] });
    expect(object["status"]).toEqual({ phase: "Terminating" });
    expect(namespace.deletion).toBe("twoSteps");
    expect(kind.cells(object)).toEqual(["Terminating", "0s"]);
  });
});
