/**
 * Compacts a shared store: one server does it for all.
 *
 * A store knows revisions, not times. So the holder of a Lease records from time to time the current revision in an annotation
 * of the Lease, where the next holder finds it. Revisions that were current before the history begins are compacted.
 *
 * @module
 */
import { sleep } from "../../util/clock.ts";
import type { SystemParts } from "../process/system-parts.ts";
import type { Client } from "../../client/index.ts";
import { Lease, neutral } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { LeaseElection } from "./lease-election.ts";

/** What compaction is built from. */
export interface CompactionOptions extends SystemParts {
  readonly store: { currentRevision(): Promise<number>; compact(revision: number): Promise<void> };
  /** The duration of the history. */
  readonly millis: number;
  readonly client: Client;
  readonly dialect: Dialect;
}

/** A running compaction. */
export interface Compaction {
  /** Stops it; resolves when no work runs. */
  stop(): Promise<void>;
}

/** A time and the revision that was current then. */
type Note = readonly [time: number, revision: number];

const NAME = "keelson-history";
const MAX_INTERVAL_MS = 10_000;
const MIN_INTERVAL_MS = 500;
/** Notes in a history; it lasts longer than its duration by the time between two notes. */
const NOTES = 24;

/** Starts to compact a shared store. */
export function startCompaction(options: CompactionOptions): Compaction {
  const { store, millis, client, dialect, clock, random, log } = options;
  const interval = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, millis / 10));
  const notesKey = `${dialect.labelDomain}/history`;
  const election = new LeaseElection({
    leases: client.resource(dialect.name === "neutral" ? neutral(Lease) : Lease),
    clock,
    namespace: dialect.rules.systemNamespaces.includes("kube-system") ? "kube-system" : "default",
    name: NAME,
    identity: random.uuid(),
    durationMillis: 3 * interval,
  });
  const work = async (): Promise<void> => {
    const revision = await store.currentRevision();
    let compactTo = 0;
    const held = await election.hold((before) => {
      const { due, notes } = advance(notesIn(before[notesKey]), [clock.now(), revision], millis);
      compactTo = due;
      return { ...before, [notesKey]: JSON.stringify(notes) };
    });
    if (held && compactTo > 0) await store.compact(compactTo);
  };
  const stop = new AbortController();
  const running = (async () => {
    while (!stop.signal.aborted) {
      await work().catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn("the history could not be compacted", { error: String(error) });
      });
      // Jitter, so that candidates do not act at the same time.
      await sleep(clock, interval * (0.9 + random.next() / 5), stop.signal, { owner: NAME, upkeep: true });
    }
  })();
  return {
    async stop() {
      stop.abort();
      await running;
    },
  };
}

/**
 * Adds a note, and returns the revision up to which the store may be compacted (0: none).
 *
 *     history 60, notes 10:5 20:9 75:30, now 81 at 33   ->   due 9 (20 is 61 ago), notes 20:9 75:30 81:33
 */
export function advance(notes: readonly Note[], now: Note, millis: number): { due: number; notes: readonly Note[] } {
  const [time] = now;
  const last = notes.at(-1);
  const all = last && time - last[0] < millis / NOTES ? notes : [...notes, now];
  const oldest = all.findLastIndex(([at]) => at <= time - millis);
  return { due: all[oldest]?.[1] ?? 0, notes: all.slice(Math.max(0, oldest)) };
}

/** Reads the notes of an annotation; invalid content is ignored. */
function notesIn(text: string | undefined): readonly Note[] {
  try {
    const found = JSON.parse(text ?? "[]") as readonly unknown[];
    return found.filter(
      (note): note is Note => Array.isArray(note) && note.length === 2 && note.every(Number.isSafeInteger),
    );
  } catch {
    return [];
  }
}
