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

/**
 * The cases of a matrix that a test runs: all with `LONG=1`, else one of `oneOf`. `SEED` sets where the choice begins.
 *
 * @param shift moves the choice, so that each row of a matrix takes other columns
 */
export const sampled = <T>(cases: readonly T[], oneOf: number, shift: number = 0): readonly T[] =>
  LONG ? cases : cases.filter((_, i) => (i + shift + Number(process.env["SEED"])) % oneOf === 0);
