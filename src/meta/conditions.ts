/** The times of conditions in the status of objects. */

/** What the time of the next state of a condition follows from. */
export interface KnownCondition {
  readonly status?: string | undefined;
  readonly lastTransitionTime?: string | null | undefined;
}

/**
 * Returns the time of the last transition of a condition: it stays while the status does, also where none is stored.
 *
 * @param before the stored condition
 * @param time the time of a transition, if this is one
 */
export const transitionTime = <T extends string | null>(
  before: KnownCondition | undefined,
  status: string,
  time: T,
): T | string | null => (before?.status === status ? (before.lastTransitionTime ?? null) : time);
