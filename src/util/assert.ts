/** Marks a place that cannot be reached; in a `switch` it makes the compiler check that every case is there. */
export function unreachable(value: never): never {
  throw new Error(`Expected every case to be handled, got ${JSON.stringify(value)}`);
}

/** Throws when an invariant of ours does not hold: always a mistake in the program, never bad input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`);
}
