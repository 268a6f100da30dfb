/**
 * Which queues a flow may use: a hand of cards that is dealt from the hash of the flow (APF-18). So two flows share few
 * queues, and one that fills all of its own leaves others theirs.
 *
 * @module
 */

/** Three digits of 20 bits, the lowest first: divisions of them stay exact. */
type Hash = [low: number, middle: number, high: number];

const DIGIT = 2 ** 20;

/** The hash of a flow, 60 bits. */
export function hashOf(schema: string, distinguisher: string): Hash {
  const a = fnv(fnv(0x811c9dc5, schema) ^ 0xff, distinguisher);
  const b = fnv(fnv(0x2c1b3c6d, distinguisher) ^ 0xff, schema);
  return [a % DIGIT, b % DIGIT, ((a >>> 20) << 8) ^ (b >>> 12)];
}

/** FNV-1a over the UTF-16 units of a text, mixed at its end. */
function fnv(seed: number, text: string): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Divides a hash in place; the remainder. */
function divide(hash: Hash, by: number): number {
  let rest = 0;
  for (let i = 2; i >= 0; i--) {
    const part = rest * DIGIT + hash[i]!;
    hash[i] = Math.floor(part / by);
    rest = part % by;
  }
  return rest;
}

/** Deals `size` different cards out of `deck`, each hand as likely as any other. */
export function deal(deck: number, size: number, schema: string, distinguisher: string): readonly number[] {
  const hash = hashOf(schema, distinguisher);
  const taken: number[] = [];
  const hand: number[] = [];
  for (let i = 0; i < size; i++) {
    // Of the cards that are left: those that were taken before it, lowest first, are stepped over.
    let card = divide(hash, deck - i);
    let at = 0;
    while (at < taken.length && taken[at]! <= card) {
      card++;
      at++;
    }
    taken.splice(at, 0, card);
    hand.push(card);
  }
  return hand;
}
