/**
 * Hand sizes of shuffle sharding: the queues of a flow are dealt from its hash, a number of 60 bits (APF-18).
 *
 * @module
 */

/** Bits of a hash that are used. */
const HAND_BITS = 60;

/** The largest hand size that one hash can deal from a deck (APF-3). */
export const maxHandSize = (deck: number): number =>
  deck < 2 ? Math.max(0, deck) : Math.min(deck, Math.floor(HAND_BITS / Math.log2(deck)));
