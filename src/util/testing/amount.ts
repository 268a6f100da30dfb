/**
 * How much of what has no end a test plays: random histories, faults, kills, versions of a program. The usual run plays as
 * much as shows each promise, and `LONG=1` plays several times as much; see docs/contributing/testing.md.
 *
 * @module
 */

/** Whether tests play their long form. */
export const LONG: boolean = process.env["LONG"] === "1";

/**
 * How much a test plays.
 *
 * @param variable its own variable of the environment, which comes first
 * @param usual what it plays in the usual run
 * @param long what it plays with `LONG=1`
 */
export const amount = (variable: string, usual: number, long: number): number =>
  Number(process.env[variable] ?? (LONG ? long : usual));

/**
 * The cases of a matrix that a test plays: all with `LONG=1`, one of `oneOf` in the usual run. `SEED` says where the choice begins.
 *
 * @param shift moves the choice, so that each row of a matrix takes other columns
 */
export const sampled = <T>(cases: readonly T[], oneOf: number, shift: number = 0): readonly T[] =>
  LONG ? cases : cases.filter((_, i) => (i + shift + Number(process.env["SEED"])) % oneOf === 0);
