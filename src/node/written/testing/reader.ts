/**
 * A thread that reads a volume continuously during writes, and reports what no reader may see.
 *
 * Every file of a write has the number of the write; the file `always` is in all of them.
 *
 * @module
 */
import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { seenIn } from "./volume.ts";

/** The data of a reader. */
export interface ReaderData {
  readonly directory: string;
  /** 0 until it has to end. */
  readonly stop: Int32Array;
}

/** The result of a reader. */
export interface ReaderReport {
  readonly reads: number;
  /** What it may not have seen. */
  readonly wrong: readonly string[];
}

const { directory, stop } = workerData as ReaderData;
const wrong: string[] = [];
let reads = 0;
let last = -1;

const target = (): string => readlinkSync(join(directory, "..data"));

/** Reads again when the link has changed meanwhile, since its old target is being removed. */
function unlessReplaced(read: () => void): void {
  for (;;) {
    const before = target();
    try {
      read();
      return;
    } catch (error) {
      if (target() === before) {
        wrong.push(String(error));
        return;
      }
    }
  }
}

parentPort!.postMessage("reading");
while (Atomics.load(stop, 0) === 0) {
  unlessReplaced(() => {
    const number = Number(readFileSync(join(directory, "always"), "utf8"));
    if (number < last) wrong.push(`${last} was followed by ${number}`);
    last = number;
  });
  unlessReplaced(() => {
    const before = target();
    const seen = seenIn(join(directory, before));
    // A directory that is being removed does not count.
    if (target() !== before) throw new Error("replaced");
    const numbers = new Set(Object.values(seen));
    if (numbers.size !== 1) wrong.push(`a mixture of ${[...numbers].join(", ")}`);
  });
  reads++;
}
parentPort!.postMessage({ reads, wrong } satisfies ReaderReport);
