import { defineConfig } from "vitest/config";

// tools/compatibility.ts reads which tests passed; a run of some files must not pass for a run of all.
const isWholeRun = process.argv.slice(2).every((arg) => arg === "run");

// What is drawn by chance is drawn alike in every run, so that a change is judged by what it changes; `SEED=random` draws
// anew.
const { SEED = "1" } = process.env;

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/seed.ts"],
    env: SEED === "random" ? { SEED: String(Math.floor(performance.timeOrigin % 1e9)) } : { SEED },
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: isWholeRun ? ["default", "json"] : ["default"],
    outputFile: { json: ".results/tests.json" },
  },
});
