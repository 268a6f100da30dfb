/**
 * How it is written down what every cluster of the kit begins with.
 *
 * @module
 */

/** One record of a beginning, before time and chance. */
export interface UsualRecord {
  readonly key: string;
  readonly revision: number;
  /** The revision of the version before; 0 for none. */
  readonly previous: number;
  /** So many numbers are drawn before those of its uid. */
  readonly drawn: number;
  /** Its value: {@link TIME_MARK} stands for the time, and {@link UID_MARK} for its uid. */
  readonly text: string;
}

/** What every cluster of a dialect begins with. */
export interface UsualBeginning {
  readonly revision: number;
  /** So many numbers are drawn until it has begun. */
  readonly drawn: number;
  readonly records: readonly UsualRecord[];
}

/** What stands for the time in {@link UsualRecord.text}. */
export const TIME_MARK = "<time>";
/** What stands for the uid of the object in {@link UsualRecord.text}. */
export const UID_MARK = "<uid>";
