import { expect, test } from "vitest";
import { addWarnings, addWarningsInSteps } from "./warnings.ts";

test("each text is reported once", () => {
  const ctx = { warnings: ["a"] };
  addWarnings(ctx, ["a", "b", "b", "c"]);
  expect(ctx.warnings).toEqual(["a", "b", "c"]);
});

test("no more are asked for than the headers of an answer have room for", () => {
  let asked = 0;
  function* endless(): Generator<string> {
    for (;;) yield String(asked++);
  }
  const ctx = { warnings: [] };
  addWarnings(ctx, endless());
  addWarnings(ctx, ["one more"]);
  expect([ctx.warnings.length, asked]).toEqual([512, 513]);
});

test("a step ends where there is no text", () => {
  const ctx = { warnings: [] };
  expect([...addWarningsInSteps(ctx, ["a", undefined, undefined, "b"])]).toHaveLength(2);
  expect(ctx.warnings).toEqual(["a", "b"]);
});
