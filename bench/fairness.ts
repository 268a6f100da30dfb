/**
 * What one client does to a hundred others: floods of lists, writes and watches over HTTP/2, and what fairness costs where
 * nobody waits.
 *
 * A hundred clients, each with a connection and a user of its own, read single objects at a steady pace; their times are
 * taken alone and while one more client floods. The figure to look at is the ratio of the 99th percentiles. Clients are
 * programs of their own that share one processor, on which the readers come first: so they stand for other machines as
 * far as two processors permit. On Linux.
 *
 *     node bench/fairness.ts [objects] [seconds each]
 *
 * @module
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { floodBench } from "./floods/floods.ts";
import { lightPath } from "./floods/light-path.ts";
import { type Load, type LoadResult, runLoad } from "./floods/load.ts";

const LOAD = "KEELSON_BENCH_LOAD";
const OBJECTS = Number(process.argv[2] ?? 10_000);
const SECONDS = Number(process.argv[3] ?? 4);

const given = process.env[LOAD];
if (given === undefined) {
  lightPath();
  await floodBench(OBJECTS, SECONDS, run);
} else {
  process.send!(await runLoad(JSON.parse(given) as Load));
}

function run(load: Load): Promise<LoadResult> {
  const nice = load.kind === "reads" ? "0" : "19";
  const command = ["-c", "1", "nice", "-n", nice, process.execPath, fileURLToPath(import.meta.url)];
  const child = spawn("taskset", command, {
    env: { ...process.env, [LOAD]: JSON.stringify(load) },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  return new Promise((resolve, reject) => {
    child.once("message", (result) => resolve(result as LoadResult)).once("error", reject);
  });
}
