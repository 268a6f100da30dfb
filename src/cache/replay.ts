/**
 * Reads changes before the history in memory from the store's log, for one watcher.
 *
 * The log has the state after a change, not before it. A selection with a filter needs both, to see objects start and stop matching,
 * so the state before a change is remembered from an earlier change, or read from the store at the revision before.
 *
 * @module
 */
import type { Store, StoreError, StoreEvent, StoreWatch } from "../storage/contract.ts";
import { type CacheResource, type Entry, type Selection, covers, isSelective } from "./entry.ts";
import { fromStore, unreadable } from "./errors.ts";
import { Change, type WatchEvent } from "./history.ts";
import type { ReplaySink } from "./watch.ts";

/** The parts of a replay. */
export interface ReplaySource {
  readonly store: Store;
  readonly resource: CacheResource;
  /** The current start of the history in memory. */
  historyStart(): number;
}

/** The maximum of remembered states of objects. */
const MAX_KNOWN = 10_000;
/** The maximum of waiting bytes; above it the watch of the store is closed. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** A message of the store: changes, or a revision up to which there are none. */
type Message = { readonly events: readonly StoreEvent[] } | { readonly progress: number };

const bytesOf = (message: Message): number =>
  "progress" in message ? 0 : message.events.reduce((sum, event) => sum + event.value.length, 0);

/**
 * Delivers what `selection` sees after `after`, up to the start of the history in memory; resolves to the reached revision. Rejects
 * with CacheError `compacted` when the store's history is too short as well, `closed` or `failed` when the store ends, and with the
 * reason of the signal.
 */
export async function replay(
  source: ReplaySource,
  selection: Selection,
  after: number,
  sink: ReplaySink,
): Promise<number> {
  const { store, resource } = source;
  const reader = new EventReader(source, selection);
  let position = after;
  while (position < source.historyStart()) {
    const feed = new LogFeed(store, resource.prefix + (selection.key ?? selection.prefix), position, sink.signal);
    try {
      for (;;) {
        const message = await feed.next();
        // Undefined: the feed was full and is closed; another one continues from here.
        if (message === undefined) break;
        const reached = await reader.read(message, position);
        await sink.deliver(reached.events, reached.revision);
        sink.signal.throwIfAborted();
        position = reached.revision;
        if (position >= source.historyStart()) break;
      }
    } finally {
      feed.close();
    }
  }
  return position;
}

/** Converts stored changes to the events of a selection. */
class EventReader {
  readonly #source: ReplaySource;
  readonly #selection: Selection;
  /** The last states of keys; undefined for a deleted one. */
  readonly #known = new Map<string, Entry | undefined>();

  constructor(source: ReplaySource, selection: Selection) {
    this.#source = source;
    this.#selection = selection;
  }

  /** The events of a message after `position` and before the history in memory, and the revision up to which they are complete. */
  async read(message: Message, position: number): Promise<{ events: WatchEvent[]; revision: number }> {
    if ("progress" in message) return { events: [], revision: Math.max(position, message.progress) };
    const events: WatchEvent[] = [];
    let revision = position;
    for (const event of message.events) {
      // The log is ordered: all earlier changes were read, and the history in memory has the rest.
      if (event.revision > this.#source.historyStart()) {
        return { events, revision: Math.max(revision, this.#source.historyStart()) };
      }
      const seen = await this.#see(event);
      if (seen) events.push(seen);
      revision = event.revision;
    }
    return { events, revision };
  }

  async #see(event: StoreEvent): Promise<WatchEvent | undefined> {
    const { prefix, factory, restamp } = this.#source.resource;
    const key = event.key.slice(prefix.length);
    if (!covers(this.#selection, key)) return undefined;
    const entry = factory(key, event.value, event.revision);
    if (entry.unreadable) throw unreadable(prefix);
    const deleted = event.type === "delete";
    if (!isSelective(this.#selection)) {
      return { type: deleted ? "DELETED" : event.previousRevision === 0 ? "ADDED" : "MODIFIED", entry };
    }
    const previous = event.previousRevision === 0 ? undefined : await this.#before(event, key);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, deleted ? undefined : entry);
    return new Change(entry, previous, deleted, 0).seenBy(this.#selection, restamp);
  }

  async #before(event: StoreEvent, key: string): Promise<Entry | undefined> {
    if (this.#known.has(key)) return this.#known.get(key);
    const { store, resource } = this.#source;
    const { records } = await store.range(event.key, { limit: 1, revision: event.revision - 1 }).catch(fromStore);
    const record = records[0];
    return record?.key === event.key ? resource.factory(key, record.value, record.revision) : undefined;
  }
}

/** A watch of the store that the reader reads at its own speed. */
class LogFeed {
  readonly #waiting: Message[] = [];
  readonly #watch: StoreWatch;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.#wake?.();
  #bytes = 0;
  #full = false;
  #error: StoreError | undefined;
  #wake: (() => void) | undefined;

  constructor(store: Store, prefix: string, after: number, signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort);
    this.#watch = store.watch(prefix, after, {
      events: (events) => this.#push({ events }),
      progress: (progress) => this.#push({ progress }),
      ended: (error) => {
        this.#error = error;
        this.#wake?.();
      },
    });
  }

  /** The next message; undefined when the feed was closed because too many bytes were waiting. */
  async next(): Promise<Message | undefined> {
    for (;;) {
      this.#signal.throwIfAborted();
      const message = this.#waiting.shift();
      if (message) {
        this.#bytes -= bytesOf(message);
        return message;
      }
      if (this.#full) return undefined;
      if (this.#error) return fromStore(this.#error);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#watch.close();
  }

  #push(message: Message): void {
    if (this.#full) return;
    const last = this.#waiting.at(-1);
    if (last && "progress" in last && "progress" in message) this.#waiting.pop();
    this.#waiting.push(message);
    this.#bytes += bytesOf(message);
    if (this.#bytes > MAX_WAITING_BYTES) {
      this.#full = true;
      this.#watch.close();
    }
    this.#wake?.();
  }
}
