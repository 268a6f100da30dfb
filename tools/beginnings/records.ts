/**
 * What clusters of the kit begin with, found by letting them begin in the ordinary way: `npm run beginnings` writes it down.
 *
 * @module
 */
import { formatTime } from "../../src/meta/time.ts";
import { createCluster } from "../../src/testing/index.ts";
import { type Snapshot, decodeSnapshot } from "../../src/testing/snapshot.ts";
import { TIME_MARK, UID_MARK, type UsualBeginning } from "../../src/testing/usual-form.ts";
import { seededRandom } from "../../src/util/clock.ts";
import { silentLog } from "../../src/util/log.ts";

/** The dialects, in the order of the file. */
export const DIALECTS = ["kubernetes", "neutral"] as const;

/** No beginning draws more numbers. */
const MOST_DRAWN = 10_000;
const SEED = 1;
const NOW = "2026-01-01T00:00:00Z";

/** What a cluster has that has begun in the ordinary way: one with a log of its own does. */
export async function ordinaryBeginning(
  dialect: (typeof DIALECTS)[number],
  now: string,
  seed: number,
): Promise<Snapshot> {
  await using cluster = await createCluster({ dialect, now, seed, log: silentLog });
  return decodeSnapshot(cluster.snapshot());
}

/** What every cluster of a dialect begins with. */
export async function usualRecords(dialect: (typeof DIALECTS)[number]): Promise<UsualBeginning> {
  const { revision, random, records } = await ordinaryBeginning(dialect, NOW, SEED);
  const uids = new Map<string, number>();
  const positions = new Map<number, number>();
  const chance = seededRandom(SEED);
  for (let drawn = 0; drawn < MOST_DRAWN; drawn++) {
    uids.set(chance.fork().uuid(), drawn);
    positions.set(chance.position, drawn);
    chance.next();
  }
  return {
    revision,
    drawn: found(positions.get(random)),
    records: records.map(({ key, revision: version, previousRevision = 0, value }) => {
      const text = Buffer.from(value).toString();
      const { uid } = (JSON.parse(text) as { readonly metadata: { readonly uid: string } }).metadata;
      const marked = text.replaceAll(formatTime(Date.parse(NOW)), TIME_MARK).replace(uid, UID_MARK);
      return { key, revision: version, previous: previousRevision, drawn: found(uids.get(uid)), text: marked };
    }),
  };
}

function found(drawn: number | undefined): number {
  if (drawn === undefined) throw new Error(`expected no more than ${MOST_DRAWN} numbers to be drawn`);
  return drawn;
}

const quoted = (text: string): string => `'${text.replace(/['\\]/g, String.raw`\$&`)}'`;

/** The text of `src/testing/usual-records.ts`. */
export function recordsFile(beginnings: readonly (readonly [dialect: string, UsualBeginning])[]): string {
  const lines = beginnings.flatMap(([dialect, { revision, drawn, records }]) => [
    `  ["${dialect}", { revision: ${revision}, drawn: ${drawn}, records: [`,
    ...records.map(({ key, text, ...one }) => {
      const numbers = `revision: ${one.revision}, previous: ${one.previous}, drawn: ${one.drawn}`;
      return `    { key: "${key}", ${numbers}, text: ${quoted(text)} },`;
    }),
    "  ] }],",
  ]);
  return [
    "/**",
    " * The initial records of every cluster of the kit, by dialect; written by `npm run beginnings`.",
    " *",
    " * @module",
    " */",
    'import type { UsualBeginning } from "./usual-form.ts";',
    "",
    "/** The initial records of a dialect. */",
    "export const USUAL_RECORDS: ReadonlyMap<string, UsualBeginning> = new Map([",
    ...lines,
    "]);",
    "",
  ].join("\n");
}
