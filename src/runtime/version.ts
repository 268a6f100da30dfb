/** Compares resource versions of one server: decimal numbers without an upper bound. */

/** Whether version `a` is at least `b`. */
export const isAtLeast = (a: string, b: string): boolean => (a.length === b.length ? a >= b : a.length > b.length);
