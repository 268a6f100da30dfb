/**
 * What one client does to a hundred others: floods of lists, writes and watches over HTTP/2, and what fairness costs where
 * nobody waits.
 *
 * A hundred clients, each with a connection and a user of its own, read single objects at a steady pace; their times are
 * taken alone and while one more client floods. The figure to look at is the ratio of the 99th percentiles.
 *
 *     node bench/fairness.ts [objects] [seconds each]
 *
 * @module
 */
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { floodBench } from "./floods/floods.ts";
import { lightPath } from "./floods/light-path.ts";
import { type Load, runLoad } from "./floods/load.ts";

const OBJECTS = Number(process.argv[2] ?? 10_000);
const SECONDS = Number(process.argv[3] ?? 4);

if (isMainThread) {
  lightPath();
  await floodBench(OBJECTS, SECONDS, (load) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: load });
    return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  });
} else {
  parentPort!.postMessage(await runLoad(workerData as Load));
}
