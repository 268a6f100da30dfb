/**
 * Before a run of all tests, the program is put together of the sources as they are now: hundreds of starts would load a
 * thousand modules each, until the first server that lives long enough has done it.
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import { openProgram } from "../bin/program.js";

const root = new URL("../", import.meta.url).pathname;

/** What vitest calls once for a run. */
export default function setup(): void {
  if (openProgram(root) === undefined) execFileSync(process.execPath, [`${root}tools/warm.js`], { stdio: "ignore" });
}
