import { describe, expect, test } from "vitest";
import { structOf } from "../../../apply/schema/schema.ts";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { controllerRevision } from "./controller-revision.ts";

describe.each([neutral, kubernetes])("ControllerRevision in the $name dialect", (dialect) => {
  const kind = new KindUnderTest(controllerRevision(), contextOf(dialect));
  const data = { b: [1, null, { c: 2.5 }], a: null, "": {} };

  test("KIND-ControllerRevision-1: data stays as it was sent", () => {
    const { object, causes, unknown } = kind.create({ revision: 1, data });
    expect([causes, unknown]).toEqual([[], []]);
    expect(JSON.stringify(object["data"])).toBe(JSON.stringify(data));
  });

  test("KIND-ControllerRevision-1: data is required", () => {
    expect(kind.create({ revision: 1 }).causes).toEqual(["FieldValueRequired data"]);
    expect(kind.create({ revision: 1, data: null }).causes).toEqual(["FieldValueRequired data"]);
    expect(kind.create({ revision: 1, data: {} }).causes).toEqual([]);
  });

  test("KIND-ControllerRevision-1: data is an object where the reference wants one, else any JSON", () => {
    const causes = dialect === kubernetes ? ["FieldValueRequired data"] : [];
    for (const other of [[1], "text", 7, false]) expect(kind.create({ data: other }).causes).toEqual(causes);
  });

  test("KIND-ControllerRevision-1: data may not change, the revision goes up and down, never below 0", () => {
    const { object } = kind.create({ revision: 5, data });
    expect(kind.change(object, { data: { ...data, b: [1] } }).causes).toEqual(["FieldValueInvalid data"]);
    expect(kind.change(object, { data: null }).causes).toEqual(["FieldValueInvalid data"]);
    expect(kind.change(object, { revision: 9 }).causes).toEqual([]);
    expect(kind.change(object, { revision: 2 }).causes).toEqual([]);
    expect(kind.change(object, { revision: -1 }).causes).toEqual(["FieldValueInvalid revision"]);
    expect(kind.create({ revision: -1, data }).causes).toEqual(["FieldValueInvalid revision"]);
  });

  test("KIND-ControllerRevision-2: a missing revision is 0, and data has one owner", () => {
    expect(kind.create({ data }).object["revision"]).toBe(0);
    expect(structOf(kind.definition.schema).fields.get("data")?.type).toMatchObject({ scalar: "json" });
  });

  test("the columns tell the controller with its group", () => {
    const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "u", controller: true };
    const { object } = kind.create({ metadata: { name: "x", ownerReferences: [owner] }, revision: 3, data });
    expect(kind.cells(object).slice(0, 2)).toEqual(["statefulset.apps/db", 3]);
    object.metadata.ownerReferences![0]!.apiVersion = "v1";
    expect(kind.cells(object)[0]).toBe("statefulset/db");
    expect(kind.cells(kind.create({ data }).object).slice(0, 2)).toEqual(["<none>", 0]);
  });
});
