/**
 * Reads what memory has forgotten from the store's log, for one watcher.
 *
 * The log tells what an object became, not what it was. A selection with a filter needs both, to see objects start and
 * stop matching, so the state before a change is remembered from the change before it or else read from the store as
 * of the revision before.
 *
 * @module
 */
import type { Store, StoreError, StoreEvent, StoreWatch } from "../storage/contract.ts";
import { type CacheResource, type Entry, type Selection, covers, isSelective } from "./entry.ts";
import { fromStore, unreadable } from "./errors.ts";
import { Change, type WatchEvent } from "./history.ts";
import type { ReplaySink } from "./watch.ts";

/** What a replay works on. */
export interface ReplaySource {
  readonly store: Store;
  readonly resource: CacheResource;
  /** Where the history in memory begins, now. */
  historyStart(): number;
}

/** Most objects whose last state is remembered. */
const MOST_KNOWN = 10_000;
/** Bytes that may wait here before the store is asked to stop sending. */
const MOST_WAITING = 16 * 1024 * 1024;

/** What came from the store: changes, or the word that there are no others up to a revision. */
type Message = { readonly events: readonly StoreEvent[] } | { readonly progress: number };

const bytesOf = (message: Message): number =>
  "progress" in message ? 0 : message.events.reduce((sum, event) => sum + event.value.length, 0);

/**
 * Hands over what `selection` sees after `after`, until everything up to the start of the history in memory has been
 * handed over; resolves to the revision reached. Rejects with CacheError `compacted` when the store has forgotten it
 * too, `closed` or `failed` when the store ends, and with the reason of the signal.
 */
export async function replay(
  source: ReplaySource,
  selection: Selection,
  after: number,
  sink: ReplaySink,
): Promise<number> {
  const { store, resource } = source;
  const past = new Past(source, selection);
  let position = after;
  while (position < source.historyStart()) {
    const feed = new Feed(store, resource.prefix + (selection.key ?? selection.prefix), position, sink.signal);
    try {
      for (;;) {
        const message = await feed.next();
        // Undefined: the feed was full and has been closed; another one goes on from here.
        if (message === undefined) break;
        const reached = await past.read(message, position);
        await sink.hand(reached.events, reached.revision);
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

/** Turns stored changes into what the selection sees of them. */
class Past {
  readonly #source: ReplaySource;
  readonly #selection: Selection;
  /** The last state of keys that have been seen; undefined when deleted. */
  readonly #known = new Map<string, Entry | undefined>();

  constructor(source: ReplaySource, selection: Selection) {
    this.#source = source;
    this.#selection = selection;
  }

  /** Everything in a message after `position` that memory does not have, and the revision up to which that is all. */
  async read(message: Message, position: number): Promise<{ events: WatchEvent[]; revision: number }> {
    if ("progress" in message) return { events: [], revision: Math.max(position, message.progress) };
    const events: WatchEvent[] = [];
    let revision = position;
    for (const event of message.events) {
      // The log is in order: what is before this change has been read, and memory goes on from there.
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
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
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

/** A watch of the store, read at the reader's pace. */
class Feed {
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

  /** The next message; undefined when the feed is closed because too much was waiting. */
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
    if (this.#bytes > MOST_WAITING) {
      this.#full = true;
      this.#watch.close();
    }
    this.#wake?.();
  }
}
