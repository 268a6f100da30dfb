import { describe, expect, test } from "vitest";
import { makeJudge } from "./index.ts";
import { played, keys } from "./testing/judged.ts";
import { OPERATOR, operatorRun, type Variation } from "./testing/operator.ts";

describe("writes without end", () => {
  const write = (values: readonly unknown[], actors: readonly string[]): Variation => ({
    inQuiet: (run) => {
      for (const [i, value] of values.entries()) {
        run.pass(1000);
        const actor = actors[i % actors.length]!;
        const { data } = run.get("ConfigMap", "a-config") as unknown as { data: object };
        run.update(
          actor,
          run.get("ConfigMap", "a-config"),
          { data: { ...data, at: value } },
          { fieldManager: `${actor}-manager` },
        );
        run.restlessWrites++;
      }
    },
  });

  test("two programs that undo each other's writes fight", () => {
    const fighting = makeJudge(
      [1, 2, 3].map((seed) => operatorRun(seed, write(["1", "2", "1", "2", "1"], [OPERATOR, "other"])).record()),
    );
    expect(fighting.cleanFaults()).toMatchObject([
      {
        key: "fight ConfigMap default/a-config .data.at",
        severity: "fault",
        sentence:
          "Without any perturbation, operator (operator-manager) and other (other-manager) undo each other's writes of .data.at of ConfigMap default/a-config.",
      },
    ]);
  });

  test("in a quiet of seconds one write is a late retry, and several of one member are not", () => {
    const short = (values: readonly string[]): Variation => ({
      ...write(values, [OPERATOR]),
      halfMillis: 8000,
    });
    expect(keys(played(write(["x"], [OPERATOR])))).toContain("restless ConfigMap default/a-config .data.at");
    expect(played(short(["x"])).filter(({ kind }) => kind === "restless")).toEqual([]);
    expect(keys(played(short(["x", "y"])))).toContain("restless ConfigMap default/a-config .data.at");
  });

  test("what a program writes that starts late in the quiet is what it has missed", () => {
    const late = write(["x", "y"], [OPERATOR]);
    const restarted: Variation = {
      inQuiet: (run) => {
        run.pass(10_000);
        run.life(OPERATOR, 1, "started");
        late.inQuiet!(run);
      },
    };
    expect(keys(played(late))).toContain("restless ConfigMap default/a-config .data.at");
    expect(played(restarted).filter(({ kind }) => kind === "restless")).toEqual([]);
  });

  test("a member that only grows is a heartbeat; one that takes any values is not", () => {
    const times = [1, 2, 3, 4].map((n) => `2030-01-01T00:00:0${n}Z`);
    expect(keys(played(write(times, [OPERATOR])))).toEqual(["notice: restless ConfigMap default/a-config .data.at"]);
    expect(keys(played(write(["x", "y", "z"], [OPERATOR])))).toContain("restless ConfigMap default/a-config .data.at");
  });
});

const judge = makeJudge([1, 2, 3].map((seed) => operatorRun(seed).record()));

/** The faults of a run in whose quiet one member gets some values. */
const kinds = (...values: readonly string[]): readonly string[] =>
  judge
    .faults(
      operatorRun(9, {
        inQuiet: (run) => {
          for (const at of values) {
            run.pass(60_000);
            const config = run.get("ConfigMap", "a-config");
            run.update(OPERATOR, config, { data: { ...(config["data"] as object), at } });
            run.restlessWrites++;
          }
        },
      }).record(),
    )
    .map(({ kind }) => kind)
    .filter((kind) => kind === "restless" || kind === "fight");

test("a value that comes back once was corrected; one that comes back again and again is fought over", () => {
  expect(kinds("x", "y", "x")).toEqual(["restless"]);
  expect(kinds("x", "y", "x", "y")).toEqual(["fight"]);
  expect(kinds("x", "y", "z", "x", "y", "z")).toEqual(["restless"]);
});
