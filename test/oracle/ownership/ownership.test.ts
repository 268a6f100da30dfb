import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { playOriginal } from "./original.ts";
import { play } from "./play.ts";
import { makeStory } from "./stories.ts";
import type { StepResult } from "./stories.ts";

/** Stories in which ours is meant to differ; README.md says why. */
const KNOWN = new Set([10119]);

/** What can be compared: an error is an error, an object of which nothing is left is empty. */
function comparable(result: StepResult): unknown {
  if (result.error !== undefined) return "refused";
  if (result.conflicts !== undefined) return { conflicts: result.conflicts.map((pair) => pair.join(" ")).sort() };
  return { object: result.object ?? {}, managers: result.managers ?? {} };
}

/** Plays a story and compares every step. */
function expectSameStory(seed: number, original: readonly StepResult[]): void {
  const ours = play(makeStory(seed));
  expect(ours.map(comparable), `story ${seed}`).toEqual(original.map(comparable));
}

test("random stories give the objects, owners and conflicts of the original library", () => {
  const lines = readFileSync(new URL("fixtures.jsonl", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  expect(lines.length).toBe(300);
  for (const line of lines) {
    const { seed, result } = JSON.parse(line) as { seed: number; result: StepResult[] };
    expectSameStory(seed, result);
  }
});

const count = Number(process.env["STORIES"] ?? 0);

test.runIf(count > 0)("more stories, played by the original now", { timeout: 3_600_000 }, () => {
  const first = Number(process.env["FIRST_STORY"] ?? 0);
  const stories = Array.from({ length: count }, (_, i) => makeStory(first + i));
  const originals = playOriginal(stories);
  expect(originals.length).toBe(count);
  stories.forEach(({ seed }, i) => {
    if (!KNOWN.has(seed)) expectSameStory(seed, originals[i]!);
  });
});
