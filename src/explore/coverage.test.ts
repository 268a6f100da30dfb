import { describe, expect, test } from "vitest";
import { analyse } from "./causality.ts";
import type { PerturbationType } from "./contract/plan.ts";
import { CoverageCounter } from "./coverage.ts";
import { type Candidate, perturbationTypes, proposals } from "./perturbations/index.ts";
import { TraceBuilder } from "./testing/trace-builder.ts";

const widget = { kind: "Widget", name: "w" };
const run = analyse(
  new TraceBuilder()
    .step(0)
    .news("create", widget)
    .write("create", { kind: "ConfigMap", name: "a" })
    .write("create", { kind: "ConfigMap", name: "b" }).trace,
);
const outline = { name: "s", steps: ["make"], usual: [0], comparisons: [], nodes: [] };
const types: readonly PerturbationType[] = ["crash", "answer-lost"];
const candidates = proposals(run, outline, new Set(types));
const counter = (comparisons = 0): CoverageCounter =>
  new CoverageCounter([run], candidates, new Set(types), comparisons);
const of = (type: PerturbationType, name: string): Candidate =>
  candidates.find(({ perturbation: one }) => one.type === type && "at" in one && one.at.name === name)!;

describe("coverage", () => {
  test("has all that is worth trying before anything is tried", () => {
    const { writes, types: counts, pairs, cannot, sentences } = counter().coverage;
    expect(writes).toEqual(
      ["a", "b"].map((name) => ({
        actor: "op",
        write: `create of ConfigMap default/${name}`,
        perturbations: { crash: "left", "answer-lost": "left" },
      })),
    );
    expect(counts.map(({ type, tried, met }) => ({ type, tried, met }))).toEqual(
      types.map((type) => ({ type, tried: 0, met: 0 })),
    );
    expect(counts.reduce((sum, { planned }) => sum + planned, 0)).toBe(candidates.length);
    // The Widget led to both, and the first ConfigMap came before the second.
    expect(pairs).toEqual({ tried: 0, of: 3 });
    expect(cannot).toEqual(perturbationTypes.filter((type) => !types.includes(type)));
    expect(sentences[0]).toBe(
      `0 of ${candidates.length} plans of one perturbation were tried, at 2 kinds of writes; nothing was tried at 2 of them.`,
    );
  });

  test("a plan that never came up says nothing: it takes no pair apart, and its write is not tried", () => {
    const one = counter();
    one.tried(of("answer-lost", "a"), false);
    const { writes, types: counts, pairs, sentences } = one.coverage;
    expect(writes[0]!.perturbations).toEqual({ crash: "left", "answer-lost": "not reachable" });
    expect(counts.find(({ type }) => type === "answer-lost")).toMatchObject({ tried: 1, met: 0 });
    expect(pairs.tried).toBe(0);
    expect(sentences[0]).toContain("nothing was tried at 2 of them");
    expect(sentences[1]).toBe("1 of them never came up in their runs, and prove nothing.");
  });

  test("what was tried once at a write remains tried", () => {
    const one = counter();
    one.tried(of("crash", "b"), true);
    one.tried(of("crash", "b"), false);
    const { writes, pairs, sentences } = one.coverage;
    expect(writes.map(({ perturbations }) => perturbations.crash)).toEqual(["left", "tried"]);
    expect(pairs.tried).toBe(2);
    expect(sentences[0]).toContain("nothing was tried at 1 of them");
  });

  test("counts combinations and comparisons in sentences", () => {
    const one = counter(5);
    Object.assign(one, { combinations: 4, compared: 3, refused: 1 });
    expect(one.coverage.sentences.slice(-2)).toEqual([
      "4 combinations of several perturbations followed.",
      "3 of 5 comparisons of operations were made; the server refused 1 of them.",
    ]);
  });

  test("programs that wrote nothing have one sentence, which says what to do", () => {
    const { sentences } = new CoverageCounter([], [], new Set(types), 0).coverage;
    expect(sentences).toEqual([expect.stringContaining("wrote nothing in the clean run")]);
  });
});

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
