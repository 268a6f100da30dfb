/** Runs of a random cluster, told again in other words: the judge must not see the difference, and must see each real one. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Draw } from "../../util/testing/draw.ts";
import { leastCpu } from "../../util/testing/cpu-time.ts";
import { amount } from "../../util/testing/amount.ts";
import type { RunRecord } from "../contract/laboratory.ts";
import type { StoredObject } from "../contract/state.ts";
import { makeJudge } from "./index.ts";
import { RecordedRun } from "./testing/recorded-run.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const shuffled = <T>(items: readonly T[], draw: Draw): T[] => {
  const rest = [...items];
  return items.map(() => rest.splice(draw.below(rest.length), 1)[0]!);
};

/** A random value of a spec, the same for the same draw. */
function value(draw: Draw, depth: number): Json {
  return draw.one<Json>(
    () => draw.below(100),
    () => draw.pick(["red", "blue", "", "a longer text with spaces"]),
    () => draw.chance(0.5),
    () => null,
    () => (depth === 0 ? 1 : Array.from({ length: draw.below(3) }, () => value(draw, depth - 1))),
    () =>
      depth === 0
        ? "x"
        : Object.fromEntries(Array.from({ length: draw.below(4) }, (_, i) => [`m${i}`, value(draw, depth - 1)])),
  );
}

/** Tells the same story for the same `content`; names, uids, times and orders are those of `telling`. */
function story(content: number, telling: number): RecordedRun {
  const [draw, order, run] = [new Draw(content), new Draw(telling + 77), new RecordedRun(telling)];
  const steps = 1 + draw.below(3);
  const mine: StoredObject[] = [];
  for (let step = 0; step < steps; step++) {
    run.begin();
    for (let i = 1 + draw.below(5); i > 0; i--) {
      const others = mine.length === 0 ? [] : [draw.pick(mine)];
      const items = Array.from({ length: draw.below(3) }, (_, n) => ({ name: `item-${n}`, of: value(draw, 1) }));
      const kind = draw.pick(["ConfigMap", "Secret", "Service"]);
      const generated = draw.chance(0.4);
      const owners = others.map((it) => ({
        apiVersion: "v1",
        kind: it.kind,
        name: it.metadata.name,
        uid: it.metadata.uid,
      }));
      mine.push(
        run.create("operator", {
          apiVersion: "v1",
          kind,
          metadata: {
            ...(generated ? { generateName: draw.pick(["a-", "b-"]) } : { name: `fixed-${mine.length}` }),
            finalizers: shuffled(["x/1", "x/2", "x/3"], order),
            ownerReferences: shuffled(owners, order),
          },
          spec: { any: value(draw, 3), items: shuffled(items, order), until: run.time() },
          status: {
            observedGeneration: 1,
            on: others.map((it) => `uses ${it.metadata.name} (${it.metadata.uid})`),
            seen: others.map((it) => it.metadata.name),
          },
        } as never),
      );
    }
    run.quiet();
  }
  return run;
}

const told = (content: number, telling: number): RunRecord => {
  const record = story(content, telling).record();
  const order = new Draw(telling);
  return {
    ...record,
    states: record.states.map(({ step, state }) => ({ step, state: { objects: shuffled(state.objects, order) } })),
  };
};

const RUNS = amount("JUDGE_STORIES", 150, 3000);

test("the same story in other words shows nothing", () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.nat(1e6), (content, telling) => {
      const judge = makeJudge([told(content, telling + 1), told(content, telling + 2), told(content, telling + 3)]);
      expect(judge.cleanFaults()).toEqual([]);
      expect(judge.faults(told(content, telling))).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

/** The paths of scalars below a value. */
function scalars(at: Json, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof at !== "object" || at === null) return [path];
  return Object.entries(at).flatMap(([key, member]) =>
    scalars(member as Json, [...path, Array.isArray(at) ? Number(key) : key]),
  );
}

function withValue(at: Json, [key, ...rest]: readonly (string | number)[], to: Json): Json {
  if (key === undefined) return to;
  const copy = (Array.isArray(at) ? [...at] : { ...(at as object) }) as { [key: string]: Json };
  copy[key] = withValue(copy[key]!, rest, to);
  return copy as Json;
}

test("one member that is another one in the end is one fault, which names it", () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.nat(1e6), fc.nat(1e6), (content, telling, choice) => {
      const judge = makeJudge([told(content, telling + 1), told(content, telling + 2), told(content, telling + 3)]);
      const record = told(content, telling);
      const draw = new Draw(choice);
      const last = record.states.at(-1)!;
      const victim = draw.pick(last.state.objects);
      const spec = victim["spec"] as unknown as Json;
      const paths = scalars(spec).filter((it) => it[0] === "any");
      fc.pre(paths.length > 0);
      const path = draw.pick(paths);
      const mutated = {
        ...victim,
        spec: withValue(spec, path, "mutated"),
        metadata: { ...victim.metadata, resourceVersion: "9" },
      };
      const objects = last.state.objects.map((it) => (it === victim ? mutated : it));
      const faults = judge.faults({
        ...record,
        states: [...record.states.slice(0, -1), { step: last.step, state: { objects } }],
      });
      expect(faults).toMatchObject([
        {
          kind: "differs",
          severity: "fault",
          path: expect.stringMatching(/^\.spec\.any/),
          found: expect.stringContaining("mutated"),
        },
      ]);
    }),
    { numRuns: RUNS },
  );
});

/** A run of 30 objects and some 200 entries. */
function large(telling: number): RunRecord {
  const run = new RecordedRun(telling);
  run.life("operator", 0, "started");
  for (let step = 0; step < 5; step++) {
    run.begin();
    for (let i = 0; i < 6; i++) {
      const object = run.create("operator", {
        apiVersion: "v1",
        kind: "Pod",
        metadata:
          i % 2 === 0 ? { generateName: `p${step}-` } : { name: `fixed-${step}-${i}`, labels: { app: "a", tier: "b" } },
        spec: {
          containers: Array.from({ length: 3 }, (_, n) => ({
            name: `c${n}`,
            image: "x",
            env: Array.from({ length: 5 }, (_unused, m) => ({ name: `E${m}`, value: String(m) })),
          })),
          size: i,
        },
      });
      run.deliver("operator", object);
      run.update("operator", object, { status: { observedGeneration: 1, at: run.time(), phase: "Running" } });
      run.deliver("operator", object, "MODIFIED");
    }
    run.quiet();
  }
  return run.record();
}

test("a run of 30 objects and 200 entries is judged in less than 3 ms of CPU", async () => {
  const judge = makeJudge([1, 2, 3].map(large));
  const runs = Array.from({ length: 50 }, (_, i) => large(i + 10));
  expect(runs[0]!.trace.length).toBeGreaterThan(180);
  expect(runs[0]!.states.at(-1)!.state.objects).toHaveLength(30);
  for (const run of runs) expect(judge.faults(run)).toEqual([]);
  const millis = await leastCpu(() => {
    for (const run of runs) judge.faults(run);
  });
  expect(millis / runs.length).toBeLessThan(3);
});
