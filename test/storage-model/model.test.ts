import { expect, test } from "vitest";
import { playHistory } from "./play.ts";
import { drawHistory, textOf } from "./steps.ts";

test("try", { timeout: 600_000 }, async () => {
  const from = Number(process.env["SEED"] ?? 1);
  const n = Number(process.env["N"] ?? 1);
  for (let s = from; s < from + n; s++) {
    const t = performance.now();
    const steps = drawHistory(s);
    const o = await playHistory(steps);
    console.log(s, JSON.stringify(o), Math.round(performance.now() - t));
    if (o.wrong && process.env["P"]) console.log(textOf(steps));
  }
  expect(1).toBe(1);
});
