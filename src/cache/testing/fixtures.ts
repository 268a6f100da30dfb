/**
 * Objects, resources and sinks for tests of the cache.
 *
 * @module
 */
import { ManualClock } from "../../util/clock.ts";
import { Cacher } from "../cacher.ts";
import type { CacherOptions } from "../options.ts";
import type { CacheResource, Entry, Selection } from "../entry.ts";
import type { CacheError } from "../errors.ts";
import type { WatchBatch } from "../groups.ts";
import type { ResourceCache } from "../resource.ts";
import type { WatchSink } from "../watch.ts";
import { FakeStore } from "./fake-store.ts";

/** A stored object of the tests. */
export interface TestObject {
  readonly labels?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string>>;
  readonly data?: string | number;
}

/** An entry over the JSON text of a {@link TestObject}; its bytes are the stored ones. */
export class TestEntry implements Entry {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly revision: number;
  readonly memo: Map<unknown, unknown> = new Map();
  readonly object: TestObject;

  constructor(key: string, bytes: Uint8Array, revision: number) {
    this.key = key;
    this.bytes = bytes;
    this.revision = revision;
    this.object = JSON.parse(Buffer.from(bytes).toString()) as TestObject;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.object.labels ?? {};
  }

  field(name: string): string {
    return this.object.fields?.[name] ?? "";
  }
}

/** A resource of test objects. */
export const testResource = (prefix: string): CacheResource => ({
  prefix,
  factory: (key, value, revision) => new TestEntry(key, value, revision),
  restamp: (entry, revision) => new TestEntry(entry.key, entry.bytes, revision),
});

/** The prefix of the resource that {@link testCache} serves. */
export const THINGS = "/core/things/";

/** Everything in every namespace. */
export const ALL: Selection = { id: "all", prefix: "" };

/** Everything in one namespace. */
export const inNamespace = (namespace: string): Selection => ({ id: `ns:${namespace}`, prefix: `${namespace}/` });

/** One object. */
export const one = (key: string): Selection => ({ id: `one:${key}`, prefix: "", key });

/** Objects with a label, selected by the pairs. */
export const withLabel = (label: string, value: string, prefix = ""): Selection => ({
  id: `label:${prefix}:${label}=${value}`,
  prefix,
  labels: [[label, value]],
});

/** Objects with a field, selected by a filter. */
export const withField = (name: string, value: string, prefix = ""): Selection => ({
  id: `field:${prefix}:${name}=${value}`,
  prefix,
  matches: (entry) => (entry as TestEntry).field(name) === value,
});

/** An event in one line: `+ a/x@3 1` for the object a/x with data 1, added at revision 3; `~` modified, `-` deleted. */
export type Line = string;

const SIGNS = { ADDED: "+", MODIFIED: "~", DELETED: "-" };

/** Records all calls of a watch. */
export class Notes implements WatchSink {
  readonly batches: WatchBatch[] = [];
  error: CacheError | undefined;
  #room: (() => void) | undefined;
  #full: Promise<void> | undefined;

  deliver(batch: WatchBatch): void {
    this.batches.push(batch);
  }

  ended(error: CacheError): void {
    this.error = error;
  }

  drained(): Promise<void> | undefined {
    return this.#full;
  }

  /** The sink accepts no more until `empty`. */
  fill(): void {
    this.#full = new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  empty(): void {
    this.#full = undefined;
    this.#room?.();
  }

  get lines(): Line[] {
    return this.batches.flatMap((batch) =>
      batch.events.map(({ type, entry }) => {
        const { data = "" } = (entry as TestEntry).object;
        return `${SIGNS[type]} ${entry.key}@${entry.revision} ${data}`.trimEnd();
      }),
    );
  }

  /** The records since the last call. */
  take(): Line[] {
    const { lines } = this;
    this.batches.length = 0;
    return lines;
  }
}

/** A cache over a store, both controlled by the test. */
export interface TestCache {
  readonly store: FakeStore;
  readonly clock: ManualClock;
  readonly cacher: Cacher;
  readonly things: ResourceCache;
  /** Errors that no caller gets. */
  readonly errors: unknown[];
  /** Commits objects (undefined deletes) of the resource together; returns the last revision. */
  readonly put: (...objects: readonly TestPut[]) => number;
  /** Does the same with one revision for all of them. */
  readonly putAsOne: (...objects: readonly TestPut[]) => number;
}

/** A key of the resource, and its new object. */
export type TestPut = readonly [key: string, object: TestObject | undefined];

/** Opens a cache of {@link THINGS}, over a fresh store unless one is given. */
export async function testCache(options: CacherOptions = {}, store: FakeStore = new FakeStore()): Promise<TestCache> {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const below = (objects: readonly TestPut[]) => objects.map(([key, object]) => [THINGS + key, object] as const);
  const cacher = await Cacher.open(store, [testResource(THINGS)], { clock, onError, ...options });
  return {
    store,
    clock,
    cacher,
    things: cacher.resource(THINGS),
    errors,
    put: (...objects) => store.commit(...below(objects)),
    putAsOne: (...objects) => store.commitAsOne(...below(objects)),
  };
}

/** Waits until nothing runs any more. */
export async function untilIdle(): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Keys of entries. */
export const keysOf = (entries: readonly Entry[]): string[] => entries.map((entry) => entry.key);
