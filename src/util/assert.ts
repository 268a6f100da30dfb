/** Marks code that is never reached; in a `switch` the compiler then checks that every case is there. */
export function unreachable(value: never): never {
  throw new Error(`Expected every case to be handled, got ${JSON.stringify(value)}`);
}

/** Throws when an invariant does not hold, which is a bug and never bad input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`);
}
