import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { FlakyReporter } from "./test/flaky-reporter.ts";

// tools/compatibility.ts reads which tests passed; a run of some files must not pass for a run of all.
const isWholeRun = process.argv.slice(2).every((arg) => arg === "run");

// What is drawn by chance is drawn alike in every run, so that a change is judged by what it changes; `SEED=random` draws
// anew.
const { SEED = "1" } = process.env;

/** Compiled code is kept for threads and programs that tests start: without it, half of a start is compiling. */
const COMPILED = { NODE_COMPILE_CACHE: new URL("node_modules/.cache/compiled", import.meta.url).pathname };

/** Tests that start programs. */
const PROGRAMS = [
  "src/testing/run-command.test.ts",
  "test/{attacks,backup,client,clients,console,crash,docs,drivers,etcd,faults,fuzz,histories,history,kit,kubectl,mutate,serve,wire}/**/*.test.ts",
  "test/plan/{atomic,cli,etcd}.test.ts",
  "test/promises/small-programs.test.ts",
  "test/zoo/programs.test.ts",
  "test/{packaging,release,site}/**/*.test.ts",
];

/** Tests that measure: how long a slice is, what a process keeps, which handles it has. */
const MEASURED = [
  "src/auth/node/node-graph.test.ts",
  "src/server/documents/live.test.ts",
  "src/server/http/listeners.test.ts",
  "src/server/testing/test-server.test.ts",
  "src/testing/endpoint.test.ts",
  "src/util/testing/slices.test.ts",
  "test/attacks/seats.test.ts",
  "test/promises/{encryption,forks,history,lists,policies,roles,turns,windows}.test.ts",
  "test/clients/envtest.test.ts",
  "test/console/{figures,heavy,large,many}.browser.test.ts",
  "test/kit/figures.test.ts",
  "test/plan/slices.test.ts",
  "test/serve/watchers.test.ts",
  "test/site/ready.test.ts",
];

/**
 * A figure that a neighbour of the machine has spoiled is taken once more; what is too slow or too large is so twice. Only
 * figures: a wrong answer is wrong the first time. On a machine of CI all tests are run once more, and `FlakyReporter` names
 * those that needed it.
 */
const RETRY = process.env["CI"]
  ? { count: 1 }
  : { count: 1, condition: / to be (?:less|greater) than |^Expected (?:at most|linear time)/ };

/** Half of the time tests wait: for a disk, a clock, another program. Ten thousand attackers have the machine for themselves. */
const SIDE_BY_SIDE = {
  maxWorkers: process.env["ATTACKERS"] === undefined ? 2 * availableParallelism() : 1,
  sequence: { groupOrder: 1 },
};

export default defineConfig({
  test: {
    setupFiles: ["test/seed.ts"],
    env: { SEED: SEED === "random" ? String(Math.floor(performance.timeOrigin % 1e9)) : SEED, ...COMPILED },
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", new FlakyReporter(), ...(isWholeRun ? ["json"] : [])],
    outputFile: { json: ".results/tests.json" },
    retry: RETRY,
    // A machine that is busy is slow, not wrong.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        // Most tests share processes: loading all modules anew for each file costs more than running them.
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          include: ["{src,test,examples,console/src,site/src}/**/*.test.ts"],
          exclude: [...PROGRAMS, ...MEASURED],
          ...SIDE_BY_SIDE,
        },
      },
      {
        extends: true,
        test: {
          name: "programs",
          isolate: false,
          globalSetup: isWholeRun ? ["test/warm.ts"] : [],
          include: PROGRAMS,
          exclude: MEASURED,
          // Programs that are started share the cores with other tests; how long that takes proves nothing.
          testTimeout: 90_000,
          ...SIDE_BY_SIDE,
        },
      },
      // One after another, each in a process of its own, on a machine that does nothing else.
      {
        extends: true,
        test: {
          name: "measured",
          include: MEASURED,
          testTimeout: 90_000,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
