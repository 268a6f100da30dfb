import { expect, test } from "vitest";
import { analyse } from "./causality.ts";
import { CoverageCounter } from "./coverage.ts";
import { TraceBuilder } from "./testing/trace-builder.ts";

test("of several programs the one that wrote nothing is named, with what to check", () => {
  const builder = new TraceBuilder();
  for (const actor of ["op", "idle"]) builder.add({ type: "life", actor, life: 0, event: "started" });
  builder.step(0).news("apply", { kind: "Widget", name: "w" });
  builder.write("create", { kind: "ConfigMap", name: "a" });
  builder.quiet(0);
  const { silent, sentences } = new CoverageCounter([analyse(builder.trace)], [], new Set(), 0).coverage;
  expect(silent).toEqual(["idle"]);
  expect(sentences[0]).toMatch(
    /^Warning: idle wrote nothing in the clean runs, and is not explored: check that it starts/,
  );
  expect(sentences[1]).toMatch(/at 1 kind of writes/);
});
