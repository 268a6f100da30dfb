/**
 * Lets a shared store forget what is older than its history should be; one server does it for all.
 *
 * A store knows revisions, not times. So whoever holds the Lease notes from time to time which revision the store has
 * reached, in an annotation of the Lease: the next holder finds the notes there. What was reached longer ago than the
 * history lasts may be forgotten.
 *
 * @module
 */
import { type Clock, type Random, sleep } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import type { Client } from "../../client/index.ts";
import { Lease, neutral } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { Lead } from "./lead.ts";

/** What upkeep needs. */
export interface UpkeepOptions {
  readonly store: { currentRevision(): Promise<number>; compact(revision: number): Promise<void> };
  /** How long the history should last. */
  readonly millis: number;
  readonly client: Client;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Upkeep that goes on. */
export interface Upkeep {
  /** Ends it; resolves when it will do nothing any more. */
  stop(): Promise<void>;
}

/** A moment and the revision that had been reached by then. */
type Note = readonly [time: number, revision: number];

const NAME = "keelson-history";
const MOST_STEP_MS = 10_000;
const LEAST_STEP_MS = 500;
/** Notes in a history: it lasts this part of itself longer than asked for. */
const NOTES = 24;

/** Begins to keep the history of a shared store as long as it should be. */
export function startUpkeep({ store, millis, client, dialect, clock, random, log }: UpkeepOptions): Upkeep {
  const step = Math.min(MOST_STEP_MS, Math.max(LEAST_STEP_MS, millis / 10));
  const notesKey = `${dialect.labelDomain}/history`;
  const lead = new Lead({
    leases: client.resource(dialect.name === "neutral" ? neutral(Lease) : Lease),
    clock,
    namespace: dialect.rules.systemNamespaces.includes("kube-system") ? "kube-system" : "default",
    name: NAME,
    identity: random.uuid(),
    durationMillis: 3 * step,
  });
  const work = async (): Promise<void> => {
    const revision = await store.currentRevision();
    let forget = 0;
    const held = await lead.hold((before) => {
      const { due, notes } = advance(notesIn(before[notesKey]), [clock.now(), revision], millis);
      forget = due;
      return { ...before, [notesKey]: JSON.stringify(notes) };
    });
    if (held && forget > 0) await store.compact(forget);
  };
  const stop = new AbortController();
  const running = (async () => {
    while (!stop.signal.aborted) {
      await work().catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn("the history could not be compacted", { error: String(error) });
      });
      // Candidates that came together part.
      await sleep(clock, step * (0.9 + random.next() / 5), stop.signal, { owner: NAME, upkeep: true });
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
 * The notes after one more moment, and the revision up to which the history may go (0: none).
 *
 *     history 60, notes 10:5 20:9 75:30, now 81 at 33   ->   due 9 (20 is 61 ago), notes 20:9 75:30 81:33
 */
export function advance(notes: readonly Note[], now: Note, millis: number): { due: number; notes: readonly Note[] } {
  const [time] = now;
  const last = notes.at(-1);
  const all = last && time - last[0] < millis / NOTES ? notes : [...notes, now];
  const oldest = all.findLastIndex(([at]) => at <= time - millis);
  return { due: oldest < 0 ? 0 : all[oldest]![1], notes: all.slice(Math.max(0, oldest)) };
}

/** Notes as an annotation has them; whatever else is there counts for nothing. */
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
