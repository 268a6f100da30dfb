/**
 * The initial state of a cluster with default options. It is generated, so that the first cluster of a process need not run a
 * server for it.
 *
 * `usual-records.ts` has the records that server and controllers write; times and random names are inserted here. `npm run
 * beginnings` generates the records, and a test compares them with those of a cluster that has started in the regular way.
 *
 * @module
 */
import { formatTime } from "../meta/time.ts";
import { seededRandom } from "../util/clock.ts";
import type { Snapshot } from "./snapshot.ts";
import { TIME_MARK, UID_MARK } from "./usual-form.ts";
import { USUAL_RECORDS } from "./usual-records.ts";

/** Returns the initial state of a cluster with default options; undefined for a dialect without one. */
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
