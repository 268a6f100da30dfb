/**
 * A thread that reads a volume again and again while somebody writes it, and tells what no reader may see.
 *
 * Every file of a write holds the number of the write; the file `always` is in all of them.
 *
 * @module
 */
import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { seenIn } from "./volume.ts";

/** What a reader is started with. */
export interface ReaderData {
  readonly directory: string;
  /** Not 0 when it is to end. */
  readonly stop: Int32Array;
}

/** What a reader tells at its end. */
export interface ReaderReport {
  readonly reads: number;
  /** What it saw that it may not have. */
  readonly wrong: readonly string[];
}

const { directory, stop } = workerData as ReaderData;
const wrong: string[] = [];
let reads = 0;
let last = -1;

const target = (): string => readlinkSync(join(directory, "..data"));

/** Where the link has swung meanwhile, what it led to is being removed: that is looked at again. */
function unlessSwung(look: () => void): void {
  for (;;) {
    const before = target();
    try {
      look();
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
  unlessSwung(() => {
    const number = Number(readFileSync(join(directory, "always"), "utf8"));
    if (number < last) wrong.push(`${last} was followed by ${number}`);
    last = number;
  });
  unlessSwung(() => {
    const before = target();
    const seen = seenIn(join(directory, before));
    // What is read of a directory that is being removed is no reading of the volume.
    if (target() !== before) throw new Error("swung");
    const numbers = new Set(Object.values(seen));
    if (numbers.size !== 1) wrong.push(`a mixture of ${[...numbers].join(", ")}`);
  });
  reads++;
}
parentPort!.postMessage({ reads, wrong } satisfies ReaderReport);
