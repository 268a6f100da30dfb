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
import { TIME_MARK, UID_MARK } from "./usual-form.ts";
import { USUAL_RECORDS } from "./usual-records.ts";

/** What a cluster of the usual options has when it has begun; undefined for a dialect of which that is not known. */
export function usualBeginning(dialect: string, now: number, seed: number): Snapshot | undefined {
  const usual = USUAL_RECORDS.get(dialect);
  if (!usual) return undefined;
  const time = formatTime(now);
  const records = usual.records.map(({ key, revision, previous, drawn, text }) => {
    const value = text.replaceAll(TIME_MARK, time).replace(UID_MARK, seededRandom(seed, drawn).uuid());
    return { key, value: Buffer.from(value), revision, previousRevision: previous };
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
