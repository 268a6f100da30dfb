/**
 * Before a run of all tests, the program is put together of the sources as they are now: hundreds of starts would load a
 * thousand modules each, until the first server that lives long enough has done it.
 *
 * @module
 */
import { execFileSync } from "node:child_process";

const root = new URL("../", import.meta.url).pathname;

interface Program {
  readonly openProgram: (folder: string) => object | undefined;
}

/** What vitest calls once for a run. */
export default async function setup(): Promise<void> {
  const { openProgram } = (await import(`${root}bin/program.js`)) as Program;
  if (openProgram(root) === undefined) execFileSync(process.execPath, [`${root}tools/warm.js`], { stdio: "ignore" });
}
