/**
 * What stands for the field numbers of protobuf in a page: no kind has any, so every response is JSON.
 *
 * @module
 */

/** The message of a kind, of which there is none. */
export const messageOf = (): undefined => undefined;

const none = (): never => {
  throw new Error("expected no protobuf in a page");
};

export const numbersOf = none;
export const qualified = none;
