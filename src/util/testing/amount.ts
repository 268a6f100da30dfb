/**
 * The size of tests without a natural end: random histories, faults, kills, versions of a program. The usual run proves each
 * promise, and `LONG=1` repeats it several times; see docs/contributing/testing.md.
 *
 * @module
 */

/** Whether tests run in their long form. */
export const LONG: boolean = process.env["LONG"] === "1";

/**
 * Returns the size of a test.
 *
 * @param variable the environment variable that sets it
 * @param usual the default
 * @param long the default with `LONG=1`
 */
export const amount = (variable: string, usual: number, long: number): number =>
  Number(process.env[variable] ?? (LONG ? long : usual));
