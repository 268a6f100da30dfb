/**
 * Resource versions as informers compare them: decimal numbers without an upper bound, of one server.
 *
 * @module
 */

/** Whether version `a` is `b` or a later one. */
export const isAtLeast = (a: string, b: string): boolean => (a.length === b.length ? a >= b : a.length > b.length);
