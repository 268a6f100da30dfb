/**
 * The names and uids of one run, so that texts about an object are the same in all runs.
 *
 * @module
 */
import type { RunRecord } from "../contract/laboratory.ts";
import type { StoredObject } from "../contract/state.ts";
import type { ObjectRef } from "../contract/trace.ts";
import { NormalNames, objectText } from "../names.ts";

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[-+]\d{2}:\d{2})/g;
const ADDRESS = /[0-9.]+/g;

/** A text in place of each uid of an object that was deleted. */
export const GONE = "uid of an object that is gone";

/** A reference with normal names: the same object in all runs. Several objects of one run have it where names are generated. */
export interface Identity extends ObjectRef {
  readonly name: string;
  /** A key: equal for equal references. */
  readonly key: string;
}

/** Names that programs draw by chance: of one kind, with one prefix. The clean runs show them. */
export interface DrawnNames {
  readonly kind: string;
  readonly prefix: string;
  /** Names with the prefix that are the same in all clean runs. */
  readonly fixed: ReadonlySet<string>;
}

/** The group of an object. */
export const groupOf = ({ apiVersion }: StoredObject): string =>
  apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";

const refOf = (object: StoredObject): ObjectRef & { readonly name: string } => {
  const { name, namespace } = object.metadata;
  return { group: groupOf(object), kind: object.kind, name, ...(namespace !== undefined && { namespace }) };
};

/** The key of a kind in a namespace, for {@link DrawnNames}. */
export const kindKey = ({ group, kind, namespace }: ObjectRef): string => `${group}|${kind}|${namespace ?? ""}`;

/** The address that the cluster allocated to a Pod or a Service. */
export function allocatedAddress(object: StoredObject): string | undefined {
  const spec = object["spec"] as { clusterIP?: unknown } | undefined;
  const status = object["status"] as { podIP?: unknown } | undefined;
  const address = object.kind === "Pod" ? status?.podIP : object.kind === "Service" ? spec?.clusterIP : undefined;
  return typeof address === "string" && address !== "" && address !== "None" ? address : undefined;
}

/** The names and uids of one run. */
export class RunNames {
  readonly #names = new NormalNames();
  readonly #byUid = new Map<string, ObjectRef & { readonly name: string }>();
  readonly #deleted = new Set<string>();
  readonly #addresses = new Map<string, string>();
  readonly #texts = new Map<string, string>();
  readonly #identities = new Map<string, Identity>();

  constructor({ trace, states }: Pick<RunRecord, "trace" | "states">, drawn: readonly DrawnNames[] = []) {
    const byKind = Map.groupBy(drawn, ({ kind }) => kind);
    for (const entry of trace) {
      if (entry.type !== "change") continue;
      this.#learn(entry.after, byKind);
      if (entry.change === "deleted") this.#deleted.add(entry.uid);
    }
    const last = states.at(-1)?.state.objects ?? [];
    for (const { state } of states) for (const object of state.objects) this.#learn(object, byKind);
    for (const object of last) this.#deleted.delete(object.metadata.uid);
    for (const { state } of states) for (const object of state.objects) this.#learnAddresses(object);
  }

  #learn(object: StoredObject, drawn: ReadonlyMap<string, readonly DrawnNames[]>): void {
    const { uid, name, generateName } = object.metadata;
    if (this.#byUid.has(uid)) return;
    const ref = refOf(object);
    this.#byUid.set(uid, ref);
    if (generateName) this.#names.learn(object);
    else
      for (const { prefix, fixed } of drawn.get(kindKey(ref)) ?? [])
        if (name.startsWith(prefix) && name.length > prefix.length && !fixed.has(name))
          this.#names.learn({ ...object, metadata: { ...object.metadata, generateName: prefix } });
  }

  /** Addresses that the cluster allocated are names of their owners. */
  #learnAddresses(object: StoredObject): void {
    const address = allocatedAddress(object);
    if (address !== undefined) this.#addresses.set(address, `address of ${objectText(this.identity(refOf(object)))}`);
  }

  /** The object that had a uid in this run, with its real name. */
  object(uid: string): (ObjectRef & { readonly name: string }) | undefined {
    return this.#byUid.get(uid);
  }

  /** All objects of the run by their uids, with their real names. */
  get objects(): ReadonlyMap<string, ObjectRef & { readonly name: string }> {
    return this.#byUid;
  }

  /** The same object in all runs. */
  identity(ref: ObjectRef & { readonly name: string }): Identity {
    const real = `${ref.group}|${ref.kind}|${ref.namespace ?? ""}|${ref.name}`;
    let identity = this.#identities.get(real);
    if (!identity) {
      const normal = this.#names.ref(ref);
      const { group, kind, namespace, name } = normal;
      const key = `${group}|${kind}|${namespace ?? ""}|${name}`;
      identity = { group, kind, ...(namespace !== undefined && { namespace }), name, key };
      this.#identities.set(real, identity);
    }
    return identity;
  }

  identityOf(object: StoredObject): Identity {
    return this.identity(refOf(object));
  }

  /** The normal form of a name. */
  name(name: string): string {
    return this.#names.name(name);
  }

  /** The uids of objects of this run that a text contains. */
  uids(text: string): readonly string[] {
    return text.length < 36 ? [] : (text.match(UID) ?? []).filter((uid) => this.#byUid.has(uid));
  }

  /**
   * The normal form of a text: generated names, uids, times and allocated addresses are replaced.
   *
   * @param isStored whether the object of a uid exists; one that does not, and was deleted in this run, is shown as deleted
   */
  text(text: string, isStored: (uid: string) => boolean = () => true): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    let hasUid = false;
    const told = (uid: string): string => {
      const ref = this.#byUid.get(uid);
      if (!ref) return uid;
      hasUid = true;
      return !isStored(uid) && this.#deleted.has(uid) ? GONE : `uid of ${objectText(this.identity(ref))}`;
    };
    let normal = text.length < 36 ? text : text.replace(UID, told);
    if (text.length >= 20) normal = normal.replace(TIME, "time");
    if (this.#addresses.size > 0 && normal.includes("."))
      normal = normal.replace(ADDRESS, (address) => this.#addresses.get(address) ?? address);
    // The replacement of a uid has its normal name already; a `*` in it is never part of a generated name.
    normal = this.#names.text(normal);
    if (!hasUid) this.#texts.set(text, normal);
    return normal;
  }
}

/**
 * Finds names that are drawn by chance: of each kind, prefixes of names of which each clean run has some, and no two runs the same.
 *
 * @param runs the objects of each clean run, by uid
 */
export function drawnNames(runs: readonly RunNames[]): readonly DrawnNames[] {
  if (runs.length < 2) return [];
  const perRun = runs.map((run) => namesByKind(run));
  const found: DrawnNames[] = [];
  for (const kind of new Set(perRun.flatMap((kinds) => [...kinds.keys()]))) {
    const names = perRun.map((kinds) => kinds.get(kind) ?? new Set<string>());
    const fixed = names.reduce((one, other) => one.intersection(other));
    const prefixes = names.map((all) => new Set([...all.difference(fixed)].map(prefixOf).filter((it) => it !== "")));
    for (const prefix of prefixes.reduce((one, other) => one.intersection(other))) found.push({ kind, prefix, fixed });
  }
  return found;
}

/** The names of a run that are not known to be generated, by kind and namespace. */
function namesByKind(run: RunNames): ReadonlyMap<string, Set<string>> {
  const kinds = new Map<string, Set<string>>();
  for (const ref of run.objects.values()) {
    if (run.name(ref.name) !== ref.name) continue;
    const key = kindKey(ref);
    kinds.set(key, (kinds.get(key) ?? new Set()).add(ref.name));
  }
  return kinds;
}

/** `a-` of `a-x8k2p`; empty for a name of one part. */
const prefixOf = (name: string): string => name.slice(0, Math.max(name.lastIndexOf("-"), name.lastIndexOf(".")) + 1);
