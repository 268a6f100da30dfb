import { describe, expect, test } from "vitest";
import type { Entry } from "../../cache/index.ts";
import { leastCpu } from "../../util/testing/cpu-time.ts";
import type { Kind } from "../kind/kind.ts";
import { widget } from "../testing/registry.ts";
import { selectionOf } from "./selection.ts";

const join = (count: number, one: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => one(i)).join(",");

describe("a selection of objects", () => {
  const kind = { namespaced: false, definition: widget("v1"), stored: { converter: {} } } as unknown as Kind;

  const entries = Array.from({ length: 10_000 }, (_, i): Entry => {
    const labels = { a: String(i), "key-1": "a", b: "c" };
    return { key: `w-${i}`, revision: 1, bytes: new Uint8Array(), labels };
  });

  test.each([
    ["labels that must be missing", join(10_000, (i) => `!key-${i}`), ""],
    ["labels with a value", join(10_000, (i) => `key-${i}=a`), ""],
    ["values that a label must not have", join(10_000, (i) => `a!=${i}`), ""],
    ["lists of values", join(10_000, () => "a in (1,2,3,4)"), ""],
    ["one long list of values", `a in (${join(60_000, String)})`, ""],
    ["names that are not meant", "", join(10_000, (i) => `metadata.name!=w-${i}`)],
  ])("costs no more for an object with ten thousand requirements: %s", async (_, labels, fields) => {
    const selection = selectionOf(kind, "", labels, fields);
    // Asking each would take seconds.
    expect(await leastCpu(() => void entries.filter((entry) => selection.matches!(entry)), 50)).toBeLessThan(50);
  });
});
