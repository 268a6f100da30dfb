import { describe, expect, test } from "vitest";
import { type Dialect, kubernetes, neutral } from "./dialect.ts";
import { FieldErrors } from "./field-errors.ts";
import { labelName, subdomainName } from "./names.ts";
import { finalizerWarnings, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta-rules.ts";
import type { ObjectMeta } from "./object-meta.ts";

const rules = (dialect: Dialect) => ({ namespaced: true, nameRule: subdomainName, dialect });

const causesOf = (errors: FieldErrors): string[] => [...new Set(errors.causes.map((c) => `${c.reason} ${c.field}`))];

function create(meta: ObjectMeta, dialect: Dialect = neutral): string[] {
  const errors = new FieldErrors();
  validateObjectMeta({ name: "x", namespace: "n", ...meta }, errors, rules(dialect));
  return causesOf(errors);
}

function update(meta: ObjectMeta, old: ObjectMeta, sent: ObjectMeta = meta, dialect: Dialect = neutral): string[] {
  const errors = new FieldErrors();
  validateObjectMetaUpdate(meta, old, errors, { ...rules(dialect), sent });
  return causesOf(errors);
}

const owner = { apiVersion: "a.b/v1", kind: "Owner", name: "o", uid: "u" };

test("META-4: metadata that every member of fits is fine in both dialects", () => {
  const meta: ObjectMeta = {
    name: "a.b",
    labels: { "a.b/c": "d", e: "" },
    annotations: { "A.B/c": "any text, even ä and\nlines" },
    ownerReferences: [owner, { ...owner, uid: "v", controller: true }],
    finalizers: ["x.io/a", "x.io/a", "orphan"],
    generateName: "a-",
  };
  expect(create(meta)).toEqual([]);
  expect(create(meta, kubernetes)).toEqual([]);
});

describe("DEC-1, DEC-2: names", () => {
  test("a name is required and without one there is no other cause", () => {
    expect(create({ name: "" })).toEqual(["FieldValueRequired metadata.name"]);
  });

  test("a name and its prefix follow the rule of the kind", () => {
    expect(create({ name: "A" })).toEqual(["FieldValueInvalid metadata.name"]);
    expect(create({ generateName: "Gen_" })).toEqual(["FieldValueInvalid metadata.generateName"]);
    expect(create({ generateName: "gen." })).toEqual(["FieldValueInvalid metadata.generateName"]);
    expect(create({ generateName: "gen-" })).toEqual([]);
    expect(create({ generateName: "-" })).toEqual(["FieldValueInvalid metadata.generateName"]);
  });

  test("a namespace is a DNS label, and objects of the cluster have none", () => {
    expect(create({ namespace: "A_b" })).toEqual(["FieldValueInvalid metadata.namespace"]);
    expect(create({ namespace: "" })).toEqual(["FieldValueRequired metadata.namespace"]);
    const errors = new FieldErrors();
    validateObjectMeta({ name: "x", namespace: "n" }, errors, {
      namespaced: false,
      nameRule: labelName,
      dialect: neutral,
    });
    expect(causesOf(errors)).toEqual(["FieldValueForbidden metadata.namespace"]);
  });
});

describe("DEC-2: labels and annotations", () => {
  test("causes of every invalid key and value of labels have the path of the map", () => {
    const errors = new FieldErrors();
    validateObjectMeta(
      { name: "x", namespace: "n", labels: { "a b": "c d", ok: "v", "e f": "g" } },
      errors,
      rules(neutral),
    );
    expect(errors.causes.map((c) => c.field)).toEqual(["metadata.labels", "metadata.labels", "metadata.labels"]);
  });

  test("annotations have at most 262144 bytes, keys included", () => {
    expect(create({ annotations: { a: "x".repeat(262143) } })).toEqual([]);
    expect(create({ annotations: { a: "x".repeat(262144) } })).toEqual(["FieldValueTooLong metadata.annotations"]);
    expect(create({ annotations: { ab: "é".repeat(131071) } })).toEqual([]);
    expect(create({ annotations: { abc: "é".repeat(131071) } })).toEqual(["FieldValueTooLong metadata.annotations"]);
  });

  test("keys of annotations are qualified names in any case", () => {
    expect(create({ annotations: { "A.com/X": "" } })).toEqual([]);
    expect(create({ annotations: { "a b": "" } })).toEqual(["FieldValueInvalid metadata.annotations"]);
  });
});

describe("DEC-1: owners", () => {
  test.each([
    [{ ...owner, apiVersion: "" }, "metadata.ownerReferences.apiVersion"],
    [{ ...owner, apiVersion: "a/b/c" }, "metadata.ownerReferences.apiVersion"],
    [{ ...owner, apiVersion: "a/" }, "metadata.ownerReferences.apiVersion"],
    [{ ...owner, kind: "" }, "metadata.ownerReferences.kind"],
    [{ ...owner, name: "" }, "metadata.ownerReferences.name"],
    [{ ...owner, uid: "" }, "metadata.ownerReferences.uid"],
  ])("an owner is named in full: %j", (wrong, field) => {
    expect(create({ ownerReferences: [wrong] })).toEqual([`FieldValueInvalid ${field}`]);
  });

  test("at most one owner is the controller", () => {
    const controllers = ["u", "v"].map((uid) => ({ ...owner, uid, controller: true }));
    expect(create({ ownerReferences: controllers })).toEqual(["FieldValueInvalid metadata.ownerReferences"]);
  });

  test("a core Event owns nothing in the kubernetes dialect, one of the group of events may", () => {
    const event = { ...owner, apiVersion: "v1", kind: "Event" };
    expect(create({ ownerReferences: [event] }, kubernetes)).toEqual(["FieldValueInvalid metadata.ownerReferences"]);
    expect(create({ ownerReferences: [event] })).toEqual([]);
    expect(create({ ownerReferences: [{ ...event, apiVersion: "events.k8s.io/v1" }] }, kubernetes)).toEqual([]);
  });
});

describe("DEC-1: finalizers", () => {
  test.each(["", "x.io/", "/a", "X.io/a", "x.io/a/b", "x.io/a b"])("%j is no qualified name", (finalizer) => {
    expect(create({ finalizers: [finalizer] })).toEqual(["FieldValueInvalid metadata.finalizers"]);
  });

  test("one without a domain is known, or refused where finalizers are strict", () => {
    expect(create({ finalizers: ["hold"] })).toEqual([]);
    expect(create({ finalizers: ["hold"] }, kubernetes)).toEqual(["FieldValueInvalid metadata.finalizers[0]"]);
    expect(create({ finalizers: ["kubernetes"] }, kubernetes)).toEqual([]);
  });

  test("what stood there before is never refused", () => {
    const old = { name: "x", finalizers: ["hold", "x.io/a b"] };
    expect(update({ ...old, labels: { a: "b" } }, old, undefined, kubernetes)).toEqual([]);
    expect(update({ name: "x", finalizers: ["hold", "keep"] }, old, undefined, kubernetes)).toEqual([
      "FieldValueInvalid metadata.finalizers[1]",
    ]);
  });

  test("orphan and foregroundDeletion exclude each other", () => {
    expect(create({ finalizers: ["orphan", "foregroundDeletion"] })).toEqual(["FieldValueInvalid metadata.finalizers"]);
  });

  test("none is added to a deleted object, but removed", () => {
    const old = { name: "x", deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x.io/a", "x.io/b"] };
    expect(update({ ...old, finalizers: ["x.io/c", "x.io/a"] }, old)).toEqual([
      "FieldValueForbidden metadata.finalizers",
    ]);
    expect(update({ ...old, finalizers: ["x.io/b"] }, old)).toEqual([]);
  });
});

describe("DEC-1: what an update may not change", () => {
  const old: ObjectMeta = { name: "x", namespace: "n", uid: "u", creationTimestamp: "2026-01-01T00:00:00Z" };

  test("another uid is a cause, none or the same is not", () => {
    expect(update(old, old, { ...old, uid: "v" })).toEqual(["FieldValueInvalid metadata.uid"]);
    expect(update(old, old, { name: "x" })).toEqual([]);
    expect(update(old, old, { name: "x", uid: "" })).toEqual([]);
  });

  test("a living object gets no deletionTimestamp and no grace period", () => {
    expect(update({ ...old, deletionTimestamp: "2030-01-01T00:00:00Z" }, old)).toEqual([
      "FieldValueInvalid metadata.deletionTimestamp",
    ]);
    expect(update({ ...old, deletionGracePeriodSeconds: 5 }, old)).toEqual([
      "FieldValueInvalid metadata.deletionGracePeriodSeconds",
    ]);
  });

  test("the deletionTimestamp of a deleted object is ignored, its grace period may not change", () => {
    const deleted: ObjectMeta = { ...old, deletionTimestamp: "2026-02-01T00:00:00Z", deletionGracePeriodSeconds: 0 };
    expect(update(deleted, deleted, { ...deleted, deletionTimestamp: "2030-01-01T00:00:00Z" })).toEqual([]);
    expect(update(deleted, deleted, old)).toEqual([]);
    expect(update(deleted, deleted, { ...deleted, deletionGracePeriodSeconds: 9 })).toEqual([
      "FieldValueInvalid metadata.deletionGracePeriodSeconds",
    ]);
  });

  test("labels and a generation are checked, the generation on create only", () => {
    expect(update({ ...old, labels: { "a b": "" } }, old)).toEqual(["FieldValueInvalid metadata.labels"]);
    expect(update({ ...old, generation: -1 }, old)).toEqual([]);
    expect(create({ generation: -1 })).toEqual(["FieldValueInvalid metadata.generation"]);
  });
});

test.each<[string[], string[] | undefined, string[]]>([
  [["a.io/b", "orphan", "kubernetes"], undefined, []],
  [
    ["a"],
    undefined,
    [
      'metadata.finalizers: "a": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ],
  ],
  [
    ["a.io"],
    undefined,
    [
      'metadata.finalizers: "a.io": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ],
  ],
  [["a"], ["a"], []],
])("of the finalizers %j after %j those are warned of that are new and have no domain", (finalizers, before, texts) => {
  expect([...finalizerWarnings({ finalizers }, before && { finalizers: before })]).toEqual(texts);
});
