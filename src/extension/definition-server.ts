/**
 * Follows the stored definitions and serves their kinds; every server of a store does.
 *
 *     definition -> names accepted, conditions -> kinds served -> status written
 *     deleted definition -> closed to new objects -> objects deleted -> finalizer removed -> kinds no longer served
 *
 * A kind is served before its status is Established. Each step depends only on the current definition, so that any
 * server can continue.
 */
import { CLEANUP, type Names, type Version } from "../kinds/apiextensions/v1/definition.ts";
import type { ApiContext, ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Activity } from "../util/activity.ts";
import type { Log } from "../util/log.ts";
import { WorkQueue } from "../util/work-queue.ts";
import { asValue } from "../schema/api-object.ts";
import { formatTime } from "../meta/time.ts";
import { hasReason } from "../meta/status.ts";
import {
  type Caller,
  RetryingWatch,
  type Kinds,
  type Resource,
  WATCH_ALL,
  type Watch,
  type WatchSink,
  type WriteOptions,
} from "../registry/index.ts";
import { type Steps, inSlices } from "../util/steps.ts";
import type { Slice } from "../util/loop.ts";
import { type Value, clone, equal } from "../value/value.ts";
import { converterOf, type ConverterParts } from "./conversion.ts";
import { type CustomKind, customKind } from "./custom-kind.ts";
import { GroupNames } from "./names.ts";
import { type CustomResourceDefinition, DEFINITIONS, type DefinitionStatus, isDefinition } from "./object.ts";
import { heldStatus, isTrue, nextStatus } from "./status.ts";

/** The parts of the extension. */
export interface ExtensionParts {
  readonly kinds: Kinds;
  readonly lookup: Lookup;
  readonly api: ApiContext;
  readonly hooks: ConverterParts["hooks"];
  readonly addresses: ConverterParts["addresses"];
  readonly currentSpan: ConverterParts["currentSpan"];
  readonly log: Log;
  readonly activity?: Pick<Activity, "begin"> | undefined;
}

/** A snapshot of an extension. */
export interface KeptExtension {
  /** Creates the extension of a fork of the cluster, whose kinds are those of the snapshot. */
  fork(parts: ExtensionParts): Extension | undefined;
}

/** A running extension. */
export interface Extension {
  /** Takes a snapshot for forks. */
  keep(): KeptExtension;
  /** Stops following; kinds stay served. Resolves when no work is left. */
  close(): Promise<void>;
}

const CALLER: Caller = { user: "system:apiserver", groups: ["system:masters"], userAgent: "keelson" };
const EVERYTHING = {
  labelSelector: "",
  fieldSelector: "",
  limit: 0,
  continue: "",
  resourceVersion: "",
  resourceVersionMatch: "",
} as const;

/**
 * Serves the stored definitions and follows them. Resolves when all established ones are served; undefined where the
 * server has no definitions.
 */
export async function startExtension(parts: ExtensionParts): Promise<Extension | undefined> {
  const resource = definitionsOf(parts);
  if (!resource) return undefined;
  const keeper = new DefinitionServer(parts, resource);
  await keeper.start().catch(async (error: unknown) => {
    await keeper.close();
    throw error;
  });
  return keeper;
}

const definitionsOf = ({ kinds }: ExtensionParts): Resource | undefined =>
  kinds.find(DEFINITIONS.group, DEFINITIONS.version, DEFINITIONS.plural);

/** The maximum number of remaining objects, and of finalizers of each, that are read. */
const MAX_HELD = 100;

interface Served {
  /** The uid of the definition; a later one of the same name is another. */
  readonly uid: string;
  readonly spec: CustomResourceDefinition["spec"];
  readonly names: Names;
  readonly kind: CustomKind;
  /** Watches for deletions while the definition waits for them. */
  ending?: Watch | undefined;
}

class DefinitionServer implements Extension {
  readonly #parts: ExtensionParts;
  readonly #resource: Resource;
  readonly #queue: WorkQueue;
  readonly #served = new Map<string, Served>();
  readonly #groups = new Map<string, GroupNames>();
  readonly #groupOf = new Map<string, string>();
  readonly #watch: RetryingWatch;
  readonly #options: WriteOptions;
  /** Definitions with unfinished work. */
  readonly #undone = new Set<string>();

  constructor(parts: ExtensionParts, resource: Resource) {
    this.#parts = parts;
    this.#resource = resource;
    const { api, activity, log } = parts;
    this.#options = { dryRun: false, fieldManager: api.dialect.rules.serverManager, fieldValidation: "Ignore" };
    this.#queue = new WorkQueue({
      clock: api.clock,
      random: api.random,
      name: "definitions",
      work: (name) => this.#keep(name),
      activity,
      failed: (name, error) =>
        log.warn("a definition could not be served yet", { definition: name, error: String(error) }),
    });
    this.#watch = new RetryingWatch({
      resource,
      clock: api.clock,
      deliver: ({ events }) => {
        for (const { entry } of events) this.#ask(entry.key);
      },
      restarted: () => {
        for (const name of this.#served.keys()) this.#ask(name);
      },
      failed: (error) => log.warn("definitions cannot be followed at the moment", { error: String(error) }),
    });
  }

  async start(): Promise<void> {
    // The watch shows changes since this revision.
    const { revision } = this.#parts.kinds;
    const definitions = await this.#parts.lookup.collect(RESOURCE, asDefinition).catch(notRead);
    // Unreadable definitions are retried: a key plugin may not be ready yet.
    if (definitions === undefined) return this.#watch.begin();
    for (const definition of definitions) this.#note(definition, definition.status?.acceptedNames);
    const limit = this.#parts.api.clock.loop.slice();
    await Promise.all(definitions.map((definition) => this.#serve(definition, definition.status, limit)));
    for (const { metadata } of definitions) this.#ask(metadata.name ?? "", "low");
    await this.#watch.begin(revision);
  }

  keep(): KeptExtension {
    const served = [...this.#served].map(([name, one]) => [name, { ...one, ending: undefined }] as const);
    const groupOf = [...this.#groupOf];
    const groups = [...this.#groups].map(([group, names]) => [group, names.fork()] as const);
    // Unfinished work is left to the fork as well.
    const undone = [...this.#undone];
    return {
      fork(parts) {
        const resource = definitionsOf(parts);
        if (!resource) return undefined;
        const fork = new DefinitionServer(parts, resource);
        for (const [name, one] of served) fork.#served.set(name, { ...one });
        for (const [name, group] of groupOf) fork.#groupOf.set(name, group);
        for (const [group, names] of groups) fork.#groups.set(group, names.fork());
        void fork.#watch.begin(parts.kinds.revision);
        for (const name of undone) fork.#ask(name);
        return fork;
      },
    };
  }

  async close(): Promise<void> {
    this.#watch.close();
    for (const { ending } of this.#served.values()) ending?.close();
    await this.#queue.close();
  }

  #ask(name: string, priority?: "low"): void {
    this.#undone.add(name);
    this.#queue.add(name, priority);
  }

  async #keep(name: string): Promise<void> {
    this.#undone.delete(name);
    try {
      await this.#keepNow(name);
    } catch (error) {
      this.#undone.add(name);
      throw error;
    }
  }

  async #keepNow(name: string): Promise<void> {
    // Definitions may have megabytes: each step may yield.
    const limit = this.#parts.api.clock.loop.slice();
    const stored = this.#parts.lookup.get(RESOURCE, "", name);
    const definition = stored && asDefinition(stored);
    const served = this.#served.get(name);
    if (served && served.uid !== definition?.metadata.uid) await this.#forget(name, served);
    if (!definition) return this.#free(name);
    await limit.pause();
    const status = this.#nextStatus(definition);
    await limit.pause();
    await this.#serve(definition, status, limit);
    await limit.pause();
    if (status !== definition.status) await this.#write(definition, status);
    else if (definition.metadata.deletionTimestamp !== undefined) return this.#finish(definition);
  }

  #nextStatus(definition: CustomResourceDefinition): DefinitionStatus {
    const time = formatTime(this.#parts.api.clock.now());
    const group = this.#groupNames(definition.spec.group);
    const status = nextStatus(definition, group, time);
    this.#note(definition, status.acceptedNames);
    group.setWaiting(definition.metadata.name ?? "", !isTrue(status, "NamesAccepted"));
    return status;
  }

  #groupNames(group: string): GroupNames {
    let names = this.#groups.get(group);
    if (!names) this.#groups.set(group, (names = new GroupNames()));
    return names;
  }

  /** Sets the accepted names of a definition, and queues others that may want released names. */
  #note({ metadata: { name = "" }, spec }: CustomResourceDefinition, names: Names | undefined): void {
    this.#groupOf.set(name, spec.group);
    const group = this.#groupNames(spec.group);
    if (group.set(name, names)) this.#askOthers(group, name);
  }

  #free(name: string): void {
    const of = this.#groupOf.get(name);
    if (of === undefined) return;
    this.#groupOf.delete(name);
    const group = this.#groupNames(of);
    group.setWaiting(name, false);
    if (group.set(name, undefined)) this.#askOthers(group, name);
    if (group.size === 0) this.#groups.delete(of);
  }

  #askOthers(group: GroupNames, name: string): void {
    for (const other of group.waiting()) if (other !== name) this.#ask(other);
  }

  async #serve(
    definition: CustomResourceDefinition,
    status: DefinitionStatus | undefined,
    limit: Slice,
  ): Promise<void> {
    const { name = "", uid = "", deletionTimestamp } = definition.metadata;
    const names = status?.acceptedNames;
    if (!names || !isTrue(status, "Established")) return;
    const before = this.#served.get(name);
    const { kinds, api, hooks, addresses, currentSpan } = this.#parts;
    const close = (key: string): void => {
      if (deletionTimestamp !== undefined)
        kinds.close(key, "expected a kind that stays, its definition is being deleted");
    };
    if (before) close(before.kind.key);
    if (before && isSame(before, definition.spec, names)) return;
    if (!before && isTaken(kinds, definition, names)) return;
    const converter = converterOf(definition, { hooks, addresses, currentSpan, random: api.random });
    const accepted = { ...definition, status: { ...status, acceptedNames: names } };
    const kind = await inSlices(customKind(accepted, converter, api.dialect, before?.kind), limit);
    await kinds.set(kind.spec);
    close(kind.key);
    // The watch of the previous kind has ended.
    this.#served.set(name, { uid, spec: definition.spec, names, kind });
  }

  async #forget(name: string, { kind, ending }: Served): Promise<void> {
    ending?.close();
    this.#served.delete(name);
    await this.#parts.kinds.remove(kind.key);
  }

  /** Writes the status; the watch shows a faster write. */
  async #write(definition: CustomResourceDefinition, status: DefinitionStatus): Promise<void> {
    await this.#update({ ...definition, status }, "status");
  }

  /** Deletes the objects of a deleted definition, then removes its finalizer (CRD-12). */
  async #finish(definition: CustomResourceDefinition): Promise<void> {
    const { name = "", finalizers = [] } = definition.metadata;
    if (!finalizers.includes(CLEANUP)) return;
    const served = this.#served.get(name);
    const objects = served && this.#parts.kinds.storedResource(served.kind.key);
    if (objects) {
      served.ending ??= await this.#watchDeletions(objects, served, name);
      const left = await this.#deleteAll(objects);
      if (left > 0) return this.#tellHolders(definition, served.kind.key);
      served.ending?.close();
    }
    const kept = finalizers.filter((finalizer) => finalizer !== CLEANUP);
    await this.#update({ ...definition, metadata: { ...definition.metadata, finalizers: kept } }, "");
  }

  async #watchDeletions(objects: Resource, served: Served, name: string): Promise<Watch> {
    const sink: WatchSink = {
      deliver: ({ events }) => {
        if (events.some(({ type }) => type === "DELETED")) this.#ask(name);
      },
      ended: () => {
        delete served.ending;
        this.#ask(name);
      },
    };
    return (await objects.watch("", { ...WATCH_ALL, resourceVersion: String(this.#parts.kinds.revision) }, sink)).watch;
  }

  /** Deletes all objects, and returns how many remain because of finalizers. */
  async #deleteAll(objects: Resource): Promise<number> {
    const before = await objects.list("", { ...EVERYTHING, limit: 1 });
    if (before.entries.length === 0) return 0;
    await objects.deleteCollection("", EVERYTHING, { dryRun: false }, CALLER);
    const after = await objects.list("", { ...EVERYTHING, limit: 1 });
    return after.entries.length;
  }

  /** Writes the finalizers of the first remaining objects to the status. */
  async #tellHolders(definition: CustomResourceDefinition, resource: string): Promise<void> {
    const { lookup } = this.#parts;
    const finalizers = new Set<string>();
    const limit = this.#parts.api.clock.loop.slice();
    for (const { namespace, name } of lookup.first(resource, MAX_HELD)) {
      // One object may have thousands of finalizers.
      const held = lookup.get(resource, namespace, name)?.metadata.finalizers ?? [];
      for (const finalizer of held.slice(0, MAX_HELD)) finalizers.add(finalizer);
      await limit.pause();
    }
    const status = heldStatus(definition.status, [...finalizers].toSorted());
    if (status) await this.#write(definition, status);
  }

  async #update(definition: CustomResourceDefinition, subresource: string): Promise<void> {
    const target = { namespace: "", name: definition.metadata.name ?? "", subresource };
    const value = await inSlices(copied(definition), this.#parts.api.clock.loop.slice());
    try {
      await this.#resource.update(target, { value, duplicates: [] }, this.#options, CALLER);
    } catch (error) {
      // Another writer was faster; the watch shows the new version.
      if (!hasReason(error, "Conflict", "NotFound")) throw error;
    }
  }
}

const RESOURCE = `${DEFINITIONS.plural}.${DEFINITIONS.group}`;

/** Copies a shared definition before a write, version by version. */
function* copied({ spec, ...rest }: CustomResourceDefinition): Steps<Value> {
  const { versions, ...others } = spec;
  const copies: Version[] = [];
  for (const version of versions) {
    copies.push(clone(version));
    yield;
  }
  return asValue({ ...clone(rest), spec: { ...clone(others), versions: copies } });
}

/** Returns undefined where a definition cannot be read. */
function notRead(error: unknown): undefined {
  if (!hasReason(error, "InternalError")) throw error;
}

const asDefinition = (object: ApiObject): CustomResourceDefinition | undefined =>
  isDefinition(object) ? object : undefined;

/** Whether the served kind matches the definition; metadata and status do not matter. */
const isSame = (served: Served, spec: CustomResourceDefinition["spec"], names: Names): boolean =>
  served.names === names && served.spec === spec ? true : equal([served.spec, served.names], [spec, names]);

/** Whether another kind is served under the names; a built-in kind is not replaced. */
const isTaken = (kinds: Kinds, { spec }: CustomResourceDefinition, { plural }: Names): boolean =>
  kinds.storedResource(`${plural}.${spec.group}`) !== undefined ||
  spec.versions.some(({ name }) => kinds.find(spec.group, name, plural) !== undefined);
