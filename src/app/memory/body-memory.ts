/**
 * How much memory the bodies of requests may take together: what is made of them takes several times as much.
 *
 * @module
 */
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

const MIB = 1 << 20;
/** A few bodies of the largest size. */
const LEAST = 16 * MIB;
const MOST = 256 * MIB;

/** The bytes for bodies of a process that may have so much memory: an eighth, within bounds. */
export const bodyMemory = (memory: number): number => Math.min(MOST, Math.max(LEAST, Math.floor(memory / 8)));

/** The bytes that this process may have: of the machine, of its control group and of its heap, the least. */
export const memoryOfProcess = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Infinity, getHeapStatistics().heap_size_limit);
