/**
 * The log of a store, read from the store itself and taken down like a watch: what no server can have made up.
 *
 * @module
 */
import type { Store, StoreEvent, StoreWatch } from "../../src/storage/contract.ts";
import { RESOURCES, type WireObject, seenOf } from "./objects.ts";
import type { Recorder, Recording } from "./recorder.ts";

const PREFIX = "/core/";

/** Takes down an event of the store, when it is of an object of the run. */
function note(event: StoreEvent, recording: Recording, at: number): void {
  const resource = RESOURCES.find((name) => event.key.startsWith(PREFIX + name));
  if (resource === undefined) {
    recording.frames.push({ type: "BOOKMARK", revision: event.revision, initialEnd: false, at });
    return;
  }
  const object = JSON.parse(Buffer.from(event.value).toString()) as WireObject;
  const type = event.type === "delete" ? "DELETED" : event.previousRevision === 0 ? "ADDED" : "MODIFIED";
  recording.frames.push({ type, object: seenOf(resource, object, event.revision), at });
}

/** Follows the log of a store while it is written to. */
export class StoreLog {
  readonly #store: Store;
  readonly #recorder: Recorder;
  #watch: StoreWatch | undefined;
  #reached: number;

  constructor(store: Store, recorder: Recorder, from: number) {
    this.#store = store;
    this.#recorder = recorder;
    this.#reached = from;
    this.#open();
  }

  /** Everything up to this revision has been taken down. */
  get reached(): number {
    return this.#reached;
  }

  async close(): Promise<void> {
    const watch = this.#watch;
    this.#watch = undefined;
    watch?.close();
    await this.#store.close();
  }

  #open(): void {
    const recorder = this.#recorder;
    const about = { client: "store", server: -1, scope: "", from: this.#reached };
    const recording = recorder.stream({ ...about, call: recorder.now() });
    this.#watch = this.#store.watch("", this.#reached, {
      events: (batch) => {
        const at = recorder.now();
        for (const event of batch) note(event, recording, at);
        this.#reached = Math.max(this.#reached, batch.at(-1)?.revision ?? 0);
      },
      progress: (revision) => {
        this.#reached = Math.max(this.#reached, revision);
        const last = recording.frames.at(-1);
        const bookmark = { type: "BOOKMARK", revision: this.#reached, initialEnd: false, at: recorder.now() } as const;
        // Progress comes all the time; the last of a row says it all.
        if (last?.type === "BOOKMARK") recording.frames[recording.frames.length - 1] = bookmark;
        else recording.frames.push(bookmark);
      },
      ended: () => {
        recording.end = "ended";
        if (this.#watch) void this.#reopen();
      },
    });
  }

  /** The history was compacted, or the connection lost: continues from the current state. */
  async #reopen(): Promise<void> {
    try {
      this.#reached = Math.max(this.#reached, await this.#store.currentRevision());
      this.#open();
    } catch {
      setTimeout(() => this.#watch && void this.#reopen(), 200);
    }
  }
}

/** Takes down all that a store has kept, up to now. */
export async function readLog(store: Store, recorder: Recorder): Promise<void> {
  const from = (await store.stats()).compactedRevision;
  const recording = recorder.stream({ client: "store", server: -1, scope: "", from, call: recorder.now() });
  await new Promise<void>((resolve, reject) => {
    const watch = store.watch("", from, {
      events: (batch) => {
        for (const event of batch) note(event, recording, recorder.now());
      },
      progress: (revision) => {
        if (revision < store.revision) return;
        recording.frames.push({ type: "BOOKMARK", revision, initialEnd: false, at: recorder.now() });
        recording.end = "ended";
        queueMicrotask(() => watch.close());
        resolve();
      },
      ended: reject,
    });
  });
}
