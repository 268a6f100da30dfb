/** One record of an initial state, without times and random names. */
export interface UsualRecord {
  readonly key: string;
  readonly revision: number;
  /** The revision of the previous version; 0 for none. */
  readonly previous: number;
  /** How many random numbers are drawn before those of its UID. */
  readonly drawn: number;
  /** The value, with {@link TIME_MARK} for the time and {@link UID_MARK} for the UID. */
  readonly text: string;
}

/** The initial state of a cluster of a dialect. */
export interface UsualBeginning {
  readonly revision: number;
  /** How many random numbers are drawn for it. */
  readonly drawn: number;
  readonly records: readonly UsualRecord[];
}

/** The placeholder of the time in {@link UsualRecord.text}. */
export const TIME_MARK = "<time>";
/** The placeholder of the UID in {@link UsualRecord.text}. */
export const UID_MARK = "<uid>";
