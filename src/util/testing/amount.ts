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
