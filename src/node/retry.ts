/**
 * The waits after failures of volumes, also of taking them down: from half a second, doubled (NODE-3).
 *
 * @module
 */

const FIRST_MS = 500;

/** The longest wait, in ms. */
export const MOST_MS = 122_000;

/** The wait after so many failures in a row before this one, in ms. */
export const waitAfter = (failures: number, most = MOST_MS): number =>
  Math.min(most, FIRST_MS * 2 ** Math.min(failures, 20));
