/**
 * How a cluster of the kit begins when it is asked for nothing unusual: put together beforehand, so that the first one of a
 * process does not run a whole server for what every one begins with.
 *
 * The records of `usual-records.ts` are those that servers and controllers leave; time and names of chance are put in here,
 * each where chance would have drawn it. `npm run beginnings` writes the records anew, and a test compares them byte by byte
 * with those of clusters that have begun in the ordinary way.
 *
 * @module
 */
import { formatTime } from "../meta/time.ts";
import { seededRandom } from "../util/clock.ts";
import type { Snapshot } from "./snapshot.ts";
import { USUAL_RECORDS } from "./usual-records.ts";

/** One record of a beginning, before time and chance. */
export interface UsualRecord {
  readonly key: string;
  readonly revision: number;
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

/** What a cluster of the usual options has when it has begun; undefined for a dialect of which that is not known. */
export function usualBeginning(dialect: string, now: number, seed: number): Snapshot | undefined {
  const usual = USUAL_RECORDS.get(dialect);
  if (!usual) return undefined;
  const time = formatTime(now);
  const records = usual.records.map(({ key, revision, drawn, text }) => {
    const value = text.replaceAll(TIME_MARK, time).replace(UID_MARK, seededRandom(seed, drawn).uuid());
    return { key, revision, value: Buffer.from(value) };
  });
  return {
    format: 1,
    dialect,
    now,
    random: seededRandom(seed, usual.drawn).position,
    revision: usual.revision,
    records,
  };
}
