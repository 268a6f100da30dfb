/**
 * Blame: who owns each leaf of an object, by which operation, in which version and since when.
 *
 * It reads what the entries of `metadata.managedFields` say; it judges nothing and changes nothing.
 *
 * @module
 */
import type { Value } from "../value/value.ts";
import { managerInfo, readEntries } from "./entries.ts";
import type { ManagerInfo, Operation } from "./entries.ts";
import { sentEntries, withoutEntries } from "./objects.ts";
import { walkPlaces } from "./places.ts";
import type { OwnerSet, Place } from "./places.ts";
import type { Type } from "./schema/schema.ts";
import { reconcileSet } from "./typed/index.ts";

/** A manager with its last write, as an entry of `managedFields` tells it (MF-1..9). */
export interface FieldManager {
  readonly manager: string;
  readonly operation: Operation;
  /** The version that the manager wrote in last; its paths are meant in this version. */
  readonly apiVersion: string;
  /** When the manager last changed what it owns, RFC 3339; absent where the entry has none. */
  readonly time?: string;
  /** Absent for writes of the object itself. */
  readonly subresource?: string;
}

/** The smallest part of an object that can be owned, and everybody who owns it. */
export interface BlamedLeaf {
  /** As conflict causes name it (DEC-20). */
  readonly field: string;
  /** Where it stands in the object, as a JSON pointer. */
  readonly pointer: string;
  readonly value: Value;
  /** Empty for a leaf that is nobody's: anybody may apply it without a conflict. */
  readonly managers: readonly FieldManager[];
}

/** A part of an object with leaves in it. Its own managers keep it when it gets empty; they have no say in its leaves. */
export interface BlamedContainer {
  readonly field: string;
  readonly pointer: string;
  readonly list: boolean;
  readonly managers: readonly FieldManager[];
}

/** A recorded path that leads to nothing in the object, for example one of another version of the kind. */
export interface AbsentField {
  readonly field: string;
  readonly manager: FieldManager;
}

/** Who owns what of one object; leaves and containers in the order of the object, containers before what is in them. */
export interface Blame {
  readonly leaves: readonly BlamedLeaf[];
  readonly containers: readonly BlamedContainer[];
  readonly absent: readonly AbsentField[];
}

/**
 * Tells of every leaf of an object who owns it.
 *
 * Every leaf comes exactly once, every path of the entries with exactly one leaf or container, or as absent. Entries
 * that cannot be read count as none, as they do for the next write. Linear in the size of the object with its entries.
 *
 * @param type the type of the object in the version that it is in
 * @param object with its entries, which are not leaves themselves
 */
export function blame(type: Type, object: Value, rules: { readonly readOldShape?: boolean } = {}): Blame {
  const leaves: BlamedLeaf[] = [];
  const containers: BlamedContainer[] = [];
  const absent: AbsentField[] = [];
  const sets = ownerSets(type, object, rules.readOldShape ?? false);
  walkPlaces(type, withoutEntries(object), sets, {
    leaf: ({ field, pointer, value, owners }) => leaves.push({ field, pointer, value, managers: owners }),
    container: ({ field, pointer, value, owners }: Place<FieldManager>) =>
      containers.push({ field, pointer, list: Array.isArray(value), managers: owners }),
    absent: (field, manager) => absent.push({ field, manager }),
  });
  return { leaves, containers, absent };
}

function ownerSets(type: Type, object: Value, readOldShape: boolean): OwnerSet<FieldManager>[] {
  const ledger = readEntries(sentEntries(object), readOldShape);
  if (ledger === undefined) return [];
  return [...ledger.managers].map(([key, { set, apiVersion }]) => ({
    owner: fieldManager({ ...managerInfo(key), apiVersion }, ledger.times.get(key)),
    set: reconcileSet(type, set),
  }));
}

/** A manager as reports show it. */
export function fieldManager(info: ManagerInfo, time: string | undefined): FieldManager {
  const { manager, operation, apiVersion, subresource } = info;
  return {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    ...(subresource === "" ? {} : { subresource }),
  };
}
