/**
 * The verbs of a kind over cache, storage and apply, as the server calls them.
 * It is one generic store for all kinds. What differs between kinds is in their definitions; what differs between dialects is in switches
 * that the definitions and the verbs read by name.
 *
 * @module
 */
import type { HistoryReport } from "../meta/history-report.ts";
import type { BlameReport } from "../meta/ownership-reports.ts";
import type { Value } from "../value/value.ts";
import type { Entry, WatchSink } from "../cache/index.ts";
import type { ApiObject, ResourceDefinition } from "../schema/definition.ts";
import type {
  AskResult,
  Body,
  Caller,
  DeleteCollectionResult,
  DeleteOptions,
  DeleteResult,
  HistoryOptions,
  ListOptions,
  ListResult,
  ObjectRange,
  PastOptions,
  PatchOptions,
  Resource,
  ResourceLoad,
  Target,
  WatchOptions,
  WatchStart,
  WriteOptions,
  WriteResult,
} from "./contract.ts";
import { headOf } from "./versions/codec.ts";
import { historyOf } from "./verbs/history.ts";
import type { Kind } from "./kind/kind.ts";
import { LensEntry } from "./objects/lens.ts";
import { blameReport } from "./objects/ownership-reports.ts";
import { connect } from "./verbs/connect.ts";
import { create } from "./verbs/create.ts";
import { deleteCollection } from "./verbs/delete-collection.ts";
import { deleteObject } from "./verbs/delete.ts";
import { waitUntilFresh } from "./kind/freshness.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { patch } from "./verbs/patch.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";
import { past, present, selector } from "./verbs/range.ts";
import { makeReady, objectOf, parseEntry, viewOf } from "./versions/view.ts";
import { actBelow } from "./unstored/act.ts";

/**
 * The resource of a kind. A write first waits until the cache has the changes of other servers: its decisions must not depend on older
 * objects.
 */
export class KindResource implements Resource {
  readonly definition: ResourceDefinition;
  readonly storage: ResourceDefinition | undefined;
  readonly itemOffset: number;
  readonly #kind: Kind;
  #bookmark: Readonly<Record<string, Value>> | undefined = undefined;

  constructor(kind: Kind) {
    const { definition, stored, shared } = kind;
    this.#kind = kind;
    this.definition = definition;
    this.storage = stored.versions.get(stored.storageVersion)?.definition;
    const skipped = headOf(definition.kind, kind.apiVersion).length - '"metadata":{'.length;
    this.itemOffset = shared.api.dialect.rules.itemsCarryKind || definition.untyped ? 0 : skipped;
  }

  get(target: Target, options: { readonly resourceVersion: string }): Promise<Entry> {
    return get(this.#kind, target, options);
  }

  list(namespace: string, options: ListOptions): Promise<ListResult> {
    return list(this.#kind, namespace, options);
  }

  watch(namespace: string, options: WatchOptions, sink: WatchSink): Promise<WatchStart> {
    return watch(this.#kind, namespace, options, sink);
  }

  async create(target: Target, body: Body, options: WriteOptions, caller: Caller): Promise<WriteResult> {
    await waitUntilFresh(this.#kind);
    return await create(this.#kind, target, body, options, caller);
  }

  async ask(target: Target, body: Body, options: WriteOptions, caller: Caller): Promise<AskResult> {
    await waitUntilFresh(this.#kind);
    return await actBelow(this.#kind, target, body, options, caller);
  }

  connect(target: Target, options: ApiObject, caller: Caller): Promise<void> {
    return connect(this.#kind, target, options, caller);
  }

  async update(target: Target, body: Body, options: WriteOptions, caller: Caller): Promise<WriteResult> {
    await waitUntilFresh(this.#kind);
    return await update(this.#kind, target, body, options, caller);
  }

  async patch(target: Target, body: Body, options: PatchOptions, caller: Caller): Promise<WriteResult> {
    await waitUntilFresh(this.#kind);
    return await patch(this.#kind, target, body, options, caller);
  }

  async delete(target: Target, options: DeleteOptions, caller: Caller): Promise<DeleteResult> {
    await waitUntilFresh(this.#kind);
    return await deleteObject(this.#kind, target, options, caller);
  }

  deleteCollection(
    namespace: string,
    options: ListOptions,
    how: DeleteOptions,
    caller: Caller,
  ): Promise<DeleteCollectionResult> {
    return deleteCollection(this.#kind, namespace, options, how, caller);
  }

  view(entry: Entry): Uint8Array {
    return entry instanceof LensEntry ? entry.bytes : viewOf(this.#kind, entry);
  }

  get bookmark(): Readonly<Record<string, Value>> {
    const { fullBookmarks } = this.#kind.shared.api.dialect.rules;
    return (this.#bookmark ??= fullBookmarks ? alwaysPrinted(this.#kind) : {});
  }

  object(entry: Entry): ApiObject {
    return entry instanceof LensEntry ? entry.object : objectOf(this.#kind, entry);
  }

  history(target: Target, options: HistoryOptions): Promise<HistoryReport> {
    return historyOf(this.#kind, target, options);
  }

  load(): ResourceLoad {
    return this.#kind.cache.load();
  }

  present(namespace: string): ObjectRange {
    return present(this.#kind, namespace);
  }

  past(namespace: string, revision: number, options: PastOptions): Promise<ObjectRange> {
    return past(this.#kind, namespace, revision, options);
  }

  selector(namespace: string, labelSelector: string, fieldSelector: string): (entry: Entry) => boolean {
    return selector(this.#kind, namespace, labelSelector, fieldSelector);
  }

  ready(entries: readonly Entry[]): Promise<void> | undefined {
    return makeReady(this.#kind, entries);
  }

  parse(entry: Entry): ApiObject {
    return parseEntry(this.#kind, entry);
  }

  blame(entry: Entry): BlameReport {
    return blameReport(this.#kind, objectOf(this.#kind, entry));
  }
}

/** The members that every object of a kind has, besides those of all kinds. */
function alwaysPrinted({ walker }: Kind): Record<string, Value> {
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = walker.zero();
  return rest as unknown as Record<string, Value>;
}
