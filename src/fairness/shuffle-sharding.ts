/**
 * Shuffle sharding: the hash of a flow deals the hand of queues that the flow may use (APF-18). So two flows share few queues,
 * and one that fills its queues leaves others to the other flow.
 *
 * @module
 */
import { fnv1aOfText } from "../util/fnv.ts";

/** Three digits of 20 bits, the lowest first, so that divisions are exact. */
type Hash = [low: number, middle: number, high: number];

const DIGIT = 2 ** 20;

/** Returns the hash of a flow, of 60 bits. */
export function hashOf(schema: string, distinguisher: string): Hash {
  const a = fnv(fnv(0x811c9dc5, schema) ^ 0xff, distinguisher);
  const b = fnv(fnv(0x2c1b3c6d, distinguisher) ^ 0xff, schema);
  return [a % DIGIT, b % DIGIT, ((a >>> 20) << 8) ^ (b >>> 12)];
}

/** FNV-1a over the UTF-16 units of a text, mixed at its end. */
function fnv(seed: number, text: string): number {
  let hash = fnv1aOfText(text, seed);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Divides a hash in place and returns the remainder. */
function divide(hash: Hash, by: number): number {
  let rest = 0;
  for (const i of [2, 1, 0] as const) {
    const part = rest * DIGIT + hash[i];
    hash[i] = Math.floor(part / by);
    rest = part % by;
  }
  return rest;
}

/** Deals `size` different cards of `deck`; every hand is equally likely. */
export function deal(deck: number, size: number, schema: string, distinguisher: string): readonly number[] {
  const hash = hashOf(schema, distinguisher);
  const taken: number[] = [];
  const hand: number[] = [];
  for (let i = 0; i < size; i++) {
    // The number of the card among those that are left: it skips the taken ones, lowest first.
    let card = divide(hash, deck - i);
    for (const other of taken) {
      if (other > card) break;
      card++;
    }
    taken.push(card);
    taken.sort((a, b) => a - b);
    hand.push(card);
  }
  return hand;
}
