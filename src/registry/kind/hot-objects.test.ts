import { expect, test } from "vitest";
import type { Entry } from "../../cache/index.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { HotObjects } from "./hot-objects.ts";

const KIND = {};
const entryOf = (key: string, length = 0): Entry => ({ key, revision: 1, bytes: new Uint8Array(length), labels: {} });

/** Counts how often each entry is parsed. */
function parses(hot: HotObjects): { ask: (entry: Entry, kind?: object) => ApiObject; parsed: string[] } {
  const parsed: string[] = [];
  const ask = (entry: Entry, kind: object = KIND): ApiObject =>
    hot.get(kind, entry, () => {
      parsed.push(entry.key);
      return { apiVersion: "v1", kind: "Thing", metadata: { name: entry.key } };
    });
  return { ask, parsed };
}

test("an object is parsed once, and again for another version", () => {
  const { ask, parsed } = parses(new HotObjects());
  const a = entryOf("a");
  expect(ask(a)).toBe(ask(a));
  ask(a, {});
  expect(parsed).toEqual(["a", "a"]);
});

test("what was not used for longest makes room; large ones count for more, and one too large is not kept", () => {
  const { ask, parsed } = parses(new HotObjects(10_000));
  const small = [0, 1, 2].map((i) => entryOf(`small-${i}`));
  for (const entry of small) ask(entry);
  ask(small[0]!);
  ask(entryOf("large", 7000));
  parsed.length = 0;
  for (const entry of small) ask(entry);
  expect(parsed).toEqual(["small-1", "small-2"]);
  const huge = entryOf("huge", 20_000);
  ask(huge);
  ask(huge);
  expect(parsed).toEqual(["small-1", "small-2", "huge", "huge"]);
});
