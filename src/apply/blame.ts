/**
 * Blame: who owns each leaf of an object, by which operation, in which version and since when.
 *
 * It reads the entries of `metadata.managedFields` and changes nothing.
 *
 * @module
 */
import type { Value } from "../value/value.ts";
import { managerInfo, readEntries } from "./entries.ts";
import type { ManagerInfo, Operation } from "./entries.ts";
import { sentEntries, withoutEntries } from "./objects.ts";
import { walkFields } from "./walk-fields.ts";
import type { OwnerSet, VisitedField } from "./walk-fields.ts";
import type { Type } from "./schema/schema.ts";
import { reconcileSet } from "./typed/index.ts";

/** A manager with its last write, as in an entry of `managedFields` (MF-1..9). */
export interface FieldManager {
  readonly manager: string;
  readonly operation: Operation;
  /** The version of its last write; its paths are of this version. */
  readonly apiVersion: string;
  /** When the manager last changed what it owns, RFC 3339; absent where the entry has none. */
  readonly time?: string;
  /** Absent for writes of the object itself. */
  readonly subresource?: string;
}

/** The smallest part of an object that can be owned, with all of its owners. */
export interface BlamedLeaf {
  /** As conflict causes name it (DEC-20). */
  readonly field: string;
  /** Its path in the object, as a JSON pointer. */
  readonly pointer: string;
  readonly value: Value;
  /** Empty for a leaf without owners: any manager may apply it without a conflict. */
  readonly managers: readonly FieldManager[];
}

/** A part of an object with leaves in it. Its own managers keep it when it gets empty; they do not own its leaves. */
export interface BlamedContainer {
  readonly field: string;
  readonly pointer: string;
  readonly list: boolean;
  readonly managers: readonly FieldManager[];
}

/** A recorded path that the object does not have, for example one of another version of the kind. */
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
 * Returns every leaf of an object with its owners.
 *
 * Every leaf is in the result once; every path of the entries belongs to one leaf or container, or is absent. Entries that
 * cannot be read count as none, as for the next write. Linear in the size of the object with its entries.
 *
 * @param type the type of the kind in the version of the object
 * @param object with its entries, which are no leaves
 */
export function blame(type: Type, object: Value, rules: { readonly readOldShape?: boolean } = {}): Blame {
  const leaves: BlamedLeaf[] = [];
  const containers: BlamedContainer[] = [];
  const absent: AbsentField[] = [];
  const sets = ownerSets(type, object, rules.readOldShape ?? false);
  walkFields(type, withoutEntries(object), sets, {
    leaf: ({ field, pointer, value, owners }) => leaves.push({ field, pointer, value, managers: owners }),
    container: ({ field, pointer, value, owners }: VisitedField<FieldManager>) =>
      containers.push({ field, pointer, list: Array.isArray(value), managers: owners }),
    absent: (field, manager) => absent.push({ field, manager }),
  });
  return { leaves, containers, absent };
}

function ownerSets(type: Type, object: Value, readOldShape: boolean): OwnerSet<FieldManager>[] {
  const parsed = readEntries(sentEntries(object), readOldShape);
  if (parsed === undefined) return [];
  return [...parsed.managers].map(([key, { set, apiVersion }]) => ({
    owner: fieldManager({ ...managerInfo(key), apiVersion }, parsed.times.get(key)),
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
