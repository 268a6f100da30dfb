/**
 * Hands of cards: which queues a flow may use are dealt from its hash, a number of 60 bits (APF-18).
 *
 * @module
 */

/** Bits of a hash that are used. */
export const HAND_BITS = 60;

/** How many cards one hash can deal from a deck, all of them from a small one (APF-3). */
export const mostHand = (deck: number): number =>
  deck < 2 ? Math.max(0, deck) : Math.min(deck, Math.floor(HAND_BITS / Math.log2(deck)));
