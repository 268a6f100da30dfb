/**
 * The memory budget for the bodies of requests; the objects that are decoded from them take several times as much.
 *
 * @module
 */
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

const MIB = 1 << 20;
/** A few bodies of the largest size. */
const MIN_BYTES = 16 * MIB;
const MAX_BYTES = 256 * MIB;

/** The budget in bytes for a process with so much memory: an eighth, within bounds. */
export const bodyMemory = (memory: number): number => Math.min(MAX_BYTES, Math.max(MIN_BYTES, Math.floor(memory / 8)));

/** The memory limit of this process in bytes: the smallest limit of the machine, the control group and the heap. */
export const memoryOfProcess = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Infinity, getHeapStatistics().heap_size_limit);
