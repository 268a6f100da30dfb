import { defineConfig } from "vitest/config";

// tools/compatibility.ts reads which tests passed; a run of some files must not pass for a run of all.
const isWholeRun = process.argv.slice(2).every((arg) => arg === "run");

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: isWholeRun ? ["default", "json"] : ["default"],
    outputFile: { json: ".results/tests.json" },
  },
});
