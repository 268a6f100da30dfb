/**
 * Records the stored objects while a run is played: each change for the trace, and the state when a step is at rest.
 *
 * @module
 */
import { isAside } from "../../explore/aside.ts";
import type { State, StoredObject } from "../../explore/contract/state.ts";
import type { Actor, ObjectRef } from "../../explore/contract/trace.ts";
import type { NormalNames } from "../../explore/names.ts";
import type { StoreEvent, StoreWatch, Write } from "../../storage/contract.ts";
import type { MemoryStore } from "../../storage/memory/store.ts";
import type { RuleState } from "./scenario.ts";
import type { TraceRecorder } from "./recorder.ts";

/** Objects begin so in the store; allocations and other records do not. */
const OBJECT = '{"kind":';

const CLUSTER = { actor: "cluster" };

/** Reads a stored value; undefined where it is no object. */
function objectOf(value: Uint8Array, revision: number): StoredObject | undefined {
  const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8");
  if (!text.startsWith(OBJECT)) return undefined;
  const object = JSON.parse(text) as StoredObject;
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

const groupOf = (apiVersion: string): string => apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));

/** The reference to an object. */
export function refOf({
  apiVersion,
  kind,
  metadata: { name, namespace },
}: StoredObject): ObjectRef & { readonly name: string } {
  return { group: groupOf(apiVersion), kind, ...(namespace !== undefined && { namespace }), name };
}

/** The records of a base cluster, which all runs begin with; objects are read when they are needed. */
export class BaseRecords {
  readonly #records: ReadonlyMap<string, { readonly value: Uint8Array; readonly revision: number }>;
  readonly #objects = new Map<string, StoredObject | undefined>();
  #owned: readonly StoredObject[] | undefined;

  constructor(store: Pick<MemoryStore, "records">) {
    this.#records = new Map(store.records().map(({ key, value, revision }) => [key, { value, revision }]));
  }

  /** Objects of storage, and those with an owner: they may be released, or collected. */
  get owned(): readonly StoredObject[] {
    return (this.#owned ??= [...this.keys]
      .map((key) => this.object(key))
      .filter((object) => object !== undefined)
      .filter(
        ({ kind, metadata }) => kind.startsWith("PersistentVolume") || (metadata.ownerReferences ?? []).length > 0,
      ));
  }

  get keys(): IterableIterator<string> {
    return this.#records.keys();
  }

  object(key: string): StoredObject | undefined {
    const record = this.#records.get(key);
    if (!record) return undefined;
    if (!this.#objects.has(key)) this.#objects.set(key, objectOf(record.value, record.revision));
    return this.#objects.get(key);
  }
}

/** The parts that the follower of a store needs. */
export interface StoredParts {
  readonly store: MemoryStore;
  readonly base: BaseRecords;
  readonly trace: TraceRecorder;
  readonly names: NormalNames;
  /** Called after each change, with its place in the trace. */
  readonly changed: (seq: number, object: StoredObject) => void;
}

/** Follows a store from the beginning of a run on. */
export class StoredObjects implements RuleState, Disposable {
  readonly #parts: StoredParts;
  readonly #watch: StoreWatch;
  /** The differences from the base; undefined for deleted objects. */
  readonly #changed = new Map<string, StoredObject | undefined>();
  /** The writer of a key, until its write is stored. */
  readonly #writers = new Map<string, { readonly actor: Actor }>();

  constructor(parts: StoredParts) {
    this.#parts = parts;
    const { store } = parts;
    this.#watch = store.watch("", store.revision, {
      events: (batch) => batch.forEach((event) => this.#take(event)),
      ended: () => {},
    });
  }

  [Symbol.dispose](): void {
    this.#watch.close();
  }

  /** Says who makes writes; the result is called when they are stored, or are not. */
  writing(actor: Actor, writes: readonly Write[]): () => void {
    const writer = { actor };
    for (const { key } of writes) this.#writers.set(key, writer);
    return () => {
      for (const { key } of writes) if (this.#writers.get(key) === writer) this.#writers.delete(key);
    };
  }

  /** The differences from the base. */
  state(): State {
    const objects = [...this.#changed.values()].filter(
      (object) => object !== undefined && !isAside(refOf(object), object),
    );
    return { objects: (objects as StoredObject[]).toSorted(byRef) };
  }

  objects(): readonly StoredObject[] {
    const keys = new Set([...this.#parts.base.keys, ...this.#changed.keys()]);
    return [...keys]
      .map((key) => this.#now(key))
      .filter((object) => object !== undefined)
      .toSorted(byRef);
  }

  all({ group, kind }: { readonly group: string; readonly kind: string }, namespace?: string): readonly StoredObject[] {
    const { base } = this.#parts;
    const keys = new Set([...base.keys, ...this.#changed.keys()]);
    return [...keys]
      .map((key) => this.#now(key))
      .filter((object) => object !== undefined)
      .filter(({ apiVersion, kind: own, metadata }) => {
        return (
          own === kind && groupOf(apiVersion) === group && (namespace ?? metadata.namespace) === metadata.namespace
        );
      })
      .toSorted(byRef);
  }

  find(
    kind: { readonly group: string; readonly kind: string },
    name: string,
    namespace?: string,
  ): StoredObject | undefined {
    return this.all(kind, namespace).find(({ metadata }) => metadata.name === name);
  }

  #now(key: string): StoredObject | undefined {
    return this.#changed.has(key) ? this.#changed.get(key) : this.#parts.base.object(key);
  }

  #take({ type, key, value, revision }: StoreEvent): void {
    const after = objectOf(value, revision);
    if (!after) return;
    const { trace, names, changed } = this.#parts;
    const before = this.#now(key);
    const { actor } = this.#writers.get(key) ?? CLUSTER;
    // The next write may come before this one has its response.
    this.#writers.delete(key);
    this.#changed.set(key, type === "delete" ? undefined : after);
    names.learn(after);
    const seq = trace.add({
      type: "change",
      actor,
      revision,
      change: type === "delete" ? "deleted" : before ? "updated" : "created",
      object: refOf(after),
      uid: after.metadata.uid,
      ...(before && { before }),
      after,
    });
    changed(seq, after);
  }
}

/** By group, kind, namespace and name. */
function byRef(a: StoredObject, b: StoredObject): number {
  const [one, other] = [a, b].map((object) => {
    const { group, kind, namespace = "", name } = refOf(object);
    return [group, kind, namespace, name];
  });
  const at = one!.findIndex((part, i) => part !== other![i]);
  return at < 0 ? 0 : one![at]! < other![at]! ? -1 : 1;
}
