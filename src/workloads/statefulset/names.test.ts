import { expect, test } from "vitest";
import type { StatefulSet } from "../../client/kinds/index.ts";
import { claimPrefix, claimPrefixes, ordinalOf } from "./names.ts";

const set = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "web-1", namespace: "n" },
  spec: { volumeClaimTemplates: [{ metadata: { name: "data-a" } }] },
} as unknown as StatefulSet;
const named = (name: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "n" } }) as never;

test.each([
  ["web-1-0", 0],
  ["web-1-10", 10],
  ["web-1-2147483647", 2147483647],
  ["web-1-2147483648", undefined],
  ["web-1-01", undefined],
  ["web-1-", undefined],
  ["web-1", undefined],
  ["web-2-0", undefined],
  ["web-1-0-0", undefined],
])("WL-STS-12: the ordinal of %s is %s", (name, expected) => {
  expect(ordinalOf(set, named(name))).toBe(expected);
});

test("WL-STS-10: a claim finds the set that it may belong to by its name", () => {
  expect(claimPrefixes(set)).toEqual(["n/data-a-web-1"]);
  expect(claimPrefix(named("data-a-web-1-7"))).toBe("n/data-a-web-1");
  expect(claimPrefix(named("data"))).toBeUndefined();
});
