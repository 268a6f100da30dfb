import { defineConfig } from "vitest/config";

// tools/compatibility.ts reads which tests passed; a run of some files must not pass for a run of all.
const isWholeRun = process.argv.slice(2).every((arg) => arg === "run");

// What is drawn by chance is drawn alike in every run, so that a change is judged by what it changes; `SEED=random` draws
// anew.
const { SEED = "1" } = process.env;

/** Tests that look at the process itself (its handles, its memory, how long its turns are), or that start programs. */
const OWN_PROCESS = [
  "src/testing/{endpoint,run-command}.test.ts",
  "test/promises/{forks,turns}.test.ts",
  "test/{backup,client,clients,crash,etcd,faults,histories,history,kit,kubectl,serve}/**/*.test.ts",
];

export default defineConfig({
  test: {
    setupFiles: ["test/seed.ts"],
    env: SEED === "random" ? { SEED: String(Math.floor(performance.timeOrigin % 1e9)) } : { SEED },
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: isWholeRun ? ["default", "json"] : ["default"],
    outputFile: { json: ".results/tests.json" },
    projects: [
      {
        // Most tests share a process for each core: loading all modules anew for each file costs more than running them.
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          include: ["{src,test,examples}/**/*.test.ts"],
          exclude: OWN_PROCESS,
          // They start no programs and build nothing, so every core may run some; the others come one after another.
          maxWorkers: "100%",
          sequence: { groupOrder: 1 },
        },
      },
      // Programs that are started share the cores with all other tests; how long that takes proves nothing.
      {
        extends: true,
        test: { name: "own process", include: OWN_PROCESS, testTimeout: 90_000, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
