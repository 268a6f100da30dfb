/**
 * A thread that explores controllers in TypeScript, one after the other; see `side-by-side.ts`.
 *
 * @module
 */
import { parentPort } from "node:worker_threads";
import { messageOf } from "../../src/util/error.ts";
import { entries } from "./entries.ts";
import { exploreAndReplay } from "./explore-entry.ts";
import type { ThreadOrder, ThreadReply } from "./side-by-side.ts";

const reply = (message: ThreadReply): void => parentPort!.postMessage(message);

async function work({ name, ...options }: ThreadOrder): Promise<void> {
  const entry = entries.find((one) => one.language === "TypeScript" && one.name === name);
  if (!entry) throw new Error(`expected the name of a controller in TypeScript, got ${name}`);
  const { entry: _, ...explored } = await exploreAndReplay(entry, { ...options, toolchains: {} });
  reply({ type: "explored", explored });
}

parentPort!.on("message", (order: ThreadOrder) => {
  work(order).catch((error: unknown) => reply({ type: "failed", message: messageOf(error) }));
});
