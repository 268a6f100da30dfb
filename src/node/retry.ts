/**
 * The waits after failed set-ups and tear-downs of volumes: from half a second, doubled (NODE-3).
 *
 * @module
 */

const FIRST_WAIT_MS = 500;

/** The longest wait. */
export const MAX_WAIT_MS = 122_000;

/** The wait in ms after a failure; `failures` counts the earlier ones in a row. */
export const waitAfter = (failures: number, max = MAX_WAIT_MS): number =>
  Math.min(max, FIRST_WAIT_MS * 2 ** Math.min(failures, 20));
