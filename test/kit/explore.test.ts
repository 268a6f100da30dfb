import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("explore() works under node:test", { timeout: 120_000 }, async () => {
  const file = new URL("explore.node.ts", import.meta.url).pathname;
  const env = { ...process.env, NODE_OPTIONS: "" };
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", file], { env });
  expect(stdout).toContain("# pass 2");
});
