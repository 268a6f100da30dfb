import { isObject } from "../value/value.ts";
import type { Value } from "../value/value.ts";
import type { ManagedFieldsEntry } from "./entries.ts";
import type { OwnershipRules } from "./rules.ts";

const metadataOf = (object: Value): Value | undefined => (isObject(object) ? object["metadata"] : undefined);

/** The `metadata.managedFields` of an object, which may be any value. */
export function sentEntries(object: Value): Value | undefined {
  const metadata = metadataOf(object);
  return isObject(metadata) ? metadata["managedFields"] : undefined;
}

/** The entries of a stored object. */
export function storedEntries(object: Value): readonly ManagedFieldsEntry[] {
  const entries = sentEntries(object);
  return Array.isArray(entries) ? (entries as unknown as ManagedFieldsEntry[]) : NONE;
}

/** One list for all objects without entries, so that unchanged lists are identical. */
const NONE: readonly ManagedFieldsEntry[] = [];

/** The object without its entries, so that they are not compared. */
export function withoutEntries(object: Value): Value {
  const metadata = metadataOf(object);
  if (!isObject(object) || !isObject(metadata) || !Object.hasOwn(metadata, "managedFields")) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** The object with these entries, without the member when there are none. */
export function withEntries(object: Value, entries: readonly ManagedFieldsEntry[]): Value {
  const bare = withoutEntries(object);
  if (entries.length === 0 || !isObject(bare)) return bare;
  const metadata = metadataOf(bare);
  return {
    ...bare,
    metadata: { ...(isObject(metadata) ? metadata : {}), managedFields: entries as unknown as Value[] },
  };
}

/** Whether an object has been stored before: only the server sets uids. */
export function isStored(object: Value): boolean {
  const metadata = metadataOf(object);
  return isObject(metadata) && typeof metadata["uid"] === "string" && metadata["uid"] !== "";
}

/** Whether a client clears all owners: one empty entry (CLR-2, CLR-3), or an empty list (AMB-45). */
export function clears(entries: Value | undefined, rules: OwnershipRules): boolean {
  if (!Array.isArray(entries)) return false;
  if (entries.length === 0) return rules.emptyListClears;
  return entries.length === 1 && isObject(entries[0]) && MEMBERS.every((name) => isBlank(entries[0], name));
}

const MEMBERS = ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "fields", "subresource"];

function isBlank(entry: Value | undefined, name: string): boolean {
  const value = isObject(entry) && Object.hasOwn(entry, name) ? entry[name] : undefined;
  return value === undefined || value === null || value === "";
}
