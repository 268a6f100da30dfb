import fc from "fast-check";
import { expect, test } from "vitest";
import { leastCpu } from "../util/testing/cpu-time.ts";
import { linesOf } from "./bodies.ts";

/** The lines of a stream of pieces. */
async function linesIn(pieces: readonly Uint8Array[]): Promise<string[]> {
  const body = (async function* () {
    yield* pieces;
  })();
  return Array.fromAsync(linesOf(body));
}

/** Cuts bytes into pieces of a size. */
const cut = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

test("the lines of a stream are the same however it is cut, also within a character", async () => {
  const text = fc.array(fc.string({ unit: "binary" }).map((line) => line.replaceAll("\n", "")));
  await fc.assert(
    fc.asyncProperty(text, fc.boolean(), fc.integer({ min: 1, max: 20 }), async (lines, ends, size) => {
      const bytes = Buffer.from(lines.join("\n") + (ends ? "\n" : ""));
      expect(await linesIn(cut(bytes, size))).toEqual(
        bytes
          .toString()
          .split("\n")
          .filter((line) => line !== ""),
      );
    }),
  );
});

test("a line that comes in a thousand pieces costs what a thousand lines of that size cost, not their square", async () => {
  const piece = Buffer.from("x".repeat(16_384));
  const ended = Buffer.from(`${"x".repeat(16_383)}\n`);
  const many = await leastCpu(async () => void (await linesIn(Array<Buffer>(1000).fill(ended))));
  const one = await leastCpu(async () => void (await linesIn(Array<Buffer>(1000).fill(piece))));
  expect(one).toBeLessThan(10 * many + 20);
});
