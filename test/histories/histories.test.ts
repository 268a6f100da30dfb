import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/util/clock.ts";
import { hasEtcd } from "../etcd/start.ts";
import { check } from "./checker/check.ts";
import { MUTATIONS, broken } from "./checker/testing/mutations.ts";
import type { History } from "./history.ts";
import { judge, newTotals } from "./judge.ts";
import { type Round, runRound } from "./round.ts";
import { type MakeWorld, embeddedWorld, etcdWorld, forgetfulWorld } from "./worlds.ts";
import { LONG } from "../../src/util/testing/amount.ts";

const SEED = Number(process.env["SEED"]);
/** Least operations in a second: the tests of other files run beside this one. */
const LEAST_RATE = 6;

async function run(store: string, makeWorld: MakeWorld, seconds: number): Promise<Round> {
  const round = await runRound(makeWorld, { seed: SEED, seconds });
  expect(judge(store, SEED, seconds, round, newTotals(), LEAST_RATE)).toBeUndefined();
  return round;
}

/** Breaks one promise after the other in a real history; those that the checker did not notice. */
function unnoticed(history: History): string[] {
  const random = seededRandom(SEED);
  return MUTATIONS.filter((mutation) => {
    let tried = false;
    for (let i = 0; i < 5; i++) {
      const wrong = broken(history, mutation, random);
      if (!wrong) continue;
      tried = true;
      if (check(wrong).violations.length > 0) return false;
    }
    return tried;
  }).map(({ name }) => name);
}

test(
  "one server on the embedded store, killed, ended and paused: linearizable, every watch exact; and whatever is falsified is noticed",
  { timeout: 300_000 },
  async () => {
    const { history } = await run("embedded", embeddedWorld, LONG ? 15 : 5);
    expect(unnoticed(history)).toEqual([]);
  },
);

test("a server that is put back to an older state of its disk is noticed", { timeout: 300_000 }, async () => {
  const { report, faults } = await runRound(forgetfulWorld, { seed: SEED, seconds: LONG ? 8 : 5 });
  expect([...faults.values()].reduce((sum, n) => sum + n, 0)).toBeGreaterThan(1);
  expect(report.violations.length).toBeGreaterThan(0);
});

describe.skipIf(!(await hasEtcd()))("two servers on three members of etcd", () => {
  test(
    "killed, paused and cut off, members as well as servers: linearizable, every watch exact and the same on both",
    { timeout: 400_000 },
    async () => {
      const { faults } = await run("etcd", etcdWorld, LONG ? 25 : 9);
      expect(faults.size).toBeGreaterThan(3);
    },
  );
});
