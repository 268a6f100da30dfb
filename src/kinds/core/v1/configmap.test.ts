import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { configMap } from "./configmap.ts";

describe.each([neutral, kubernetes])("a ConfigMap in the $name dialect", (dialect) => {
  const kind = new KindUnderTest(configMap, contextOf(dialect));

  test("CM-3, CM-5, CM-10: holds texts and bytes, and is not immutable by default", () => {
    const { object, causes } = kind.create({ data: { a: "ä", b: "" }, binaryData: { c: "/w==" } });
    expect(causes).toEqual([]);
    expect(object).toMatchObject({ data: { a: "ä", b: "" }, binaryData: { c: "/w==" } });
    expect(object).not.toHaveProperty("immutable");
  });

  test("CM-3: values that are no texts are refused, empty maps are as good as none", () => {
    for (const value of [5, true, {}, ["v"]]) expect(kind.create({ data: { k: value } }).mismatch).toBe("data.k");
    expect(kind.create({ data: {}, binaryData: {} }).object).not.toHaveProperty("data");
  });

  test.each(["a b", "a/b", "ä", "", ".", "..", "..x", "x".repeat(254)])("CM-11: no key is called %j", (key) => {
    expect(kind.create({ data: { [key]: "v" } }).causes).toEqual([`FieldValueInvalid data[${key}]`]);
    expect(kind.create({ binaryData: { [key]: "" } }).causes).toEqual([`FieldValueInvalid binaryData[${key}]`]);
  });

  test("CM-12, ERR-4: a key is in data or in binaryData", () => {
    expect(kind.create({ data: { k: "v" }, binaryData: { k: "dg==" } }).causes).toEqual(["FieldValueInvalid data[k]"]);
    const { object } = kind.create({ data: { k: "v" } });
    expect(kind.change(object, { binaryData: { k: "" } }).causes).toEqual(["FieldValueInvalid data[k]"]);
  });

  test("DEC-13: all values together have 1048576 bytes and not one more", () => {
    const half = "x".repeat(524288);
    const bytes = Buffer.from(half).toString("base64");
    expect(kind.create({ data: { a: half }, binaryData: { b: bytes } }).causes).toEqual([]);
    expect(kind.create({ data: { a: half, c: "y" }, binaryData: { b: bytes } }).causes).toEqual([
      dialect === kubernetes ? "FieldValueTooLong []" : "FieldValueTooLong ",
    ]);
  });

  describe("that is immutable", () => {
    const { object } = kind.create({ data: { k: "v" }, binaryData: { b: "dg==" }, immutable: true });

    test("CM-7: keeps its data", () => {
      expect(kind.change(object, { data: { k: "w" } }).causes).toEqual(["FieldValueForbidden data"]);
      expect(kind.change(object, { data: { k: "v", l: "" } }).causes).toEqual(["FieldValueForbidden data"]);
      expect(kind.change(object, { binaryData: null }).causes).toEqual(["FieldValueForbidden binaryData"]);
    });

    test("CM-8, AMB-13: stays immutable", () => {
      for (const immutable of [false, null]) {
        expect(kind.change(object, { immutable }).causes).toEqual(["FieldValueForbidden immutable"]);
      }
    });

    test("CM-8: takes other metadata", () => {
      const { causes } = kind.change(object, { metadata: { name: "x", labels: { l: "x" } } });
      expect(causes).toEqual([]);
    });

    test("CM-7: an empty map is as good as none, but for Kubernetes where it holds bytes", () => {
      const bare = kind.create({ immutable: true }).object;
      expect(kind.change(bare, { data: {} }).causes).toEqual([]);
      const told = dialect.rules.enforceUndocumented ? ["FieldValueForbidden binaryData"] : [];
      expect(kind.change(bare, { binaryData: {} }).causes).toEqual(told);
      expect(kind.change(bare, { data: { k: "" } }).causes).toEqual(["FieldValueForbidden data"]);
    });
  });

  test("CM-9: one that is not immutable may become so, also while its data change", () => {
    for (const immutable of [undefined, false]) {
      const { object } = kind.create({ data: { k: "v" }, ...(immutable === undefined ? {} : { immutable }) });
      expect(kind.change(object, { data: { k: "w" }, immutable: true }).causes).toEqual([]);
      expect(kind.change(object, { immutable: null }).causes).toEqual([]);
    }
  });

  test("CM-13: has no status", () => {
    expect(kind.create({ status: {} }).unknown).toEqual(["status"]);
    expect(configMap.subresources).toBeUndefined();
  });

  test("is shown with the number of its keys", () => {
    const { object } = kind.create({ data: { a: "", b: "" }, binaryData: { c: "" } });
    expect(kind.cells(object)).toEqual([3, "0s"]);
  });
});
