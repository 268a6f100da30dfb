import { expect, test } from "vitest";
import { lookupOf, objectOf } from "../admission/testing/requests.ts";
import type { ApiObject } from "../schema/definition.ts";
import { Overlay } from "./overlay.ts";

const stored = lookupOf({
  configmaps: [objectOf({ name: "a", namespace: "n" }, { from: "store" }), objectOf({ name: "b", namespace: "n" })],
  secrets: [objectOf({ name: "s", namespace: "n" })],
});

const shown = objectOf({ name: "a", namespace: "n" }, { from: "document" });

const overlay = new Overlay(stored, [{ resource: "configmaps.", object: shown }], new Set(["secrets"]));

const nameOf = ({ metadata }: ApiObject): string | undefined => metadata.name;

test("a document is shown over what is stored, by both names of a core resource", async () => {
  expect(overlay.get("configmaps", "n", "a")).toBe(shown);
  expect(overlay.get("configmaps.", "n", "a")).toBe(shown);
  expect(overlay.get("configmaps", "n", "b")).toMatchObject({ metadata: { name: "b" } });
  expect(await overlay.collect("configmaps", (object) => object["from"] as string | undefined)).toEqual(["document"]);
  expect(await overlay.collect("configmaps", nameOf)).toEqual(["a", "b"]);
  expect(overlay.first("configmaps", 5)).toEqual([
    { namespace: "n", name: "a" },
    { namespace: "n", name: "b" },
  ]);
});

test("what is stored of a hidden resource is not shown", async () => {
  expect(overlay.get("secrets", "n", "s")).toBeUndefined();
  expect(await overlay.collect("secrets", nameOf)).toEqual([]);
  expect(overlay.first("secrets", 5)).toEqual([]);
  expect(overlay.follow("secrets").changedSince(1)).toEqual([]);
});
