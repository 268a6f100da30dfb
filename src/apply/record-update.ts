import type { Value } from "../value/value.ts";
import { EMPTY, intersection, union } from "./fieldpath/index.ts";
import type { FieldSet } from "./fieldpath/index.ts";
import { ownable, updateTo } from "./merge/index.ts";
import type { Converter, Filters, UpdateWrite } from "./merge/index.ts";
import { compare, compareSteps, hasKeyless, sameValue, toFieldSet } from "./typed/index.ts";
import { capUpdates } from "./cap.ts";
import { NO_ENTRIES, managerKey, readEntries, writeEntries } from "./entries.ts";
import type { ParsedEntries, ManagedFieldsEntry, TimedManagers } from "./entries.ts";
import { clears, isStored, sentEntries, storedEntries, withoutEntries } from "./objects.ts";
import { NEVER_OWNED } from "./fieldpath/never-owned.ts";
import { allRules } from "./rules.ts";
import type { OwnershipRules } from "./rules.ts";
import { andThen, atOnce, type Work } from "../util/steps.ts";
import { isSmall } from "../value/small.ts";

/** What every write has. */
export interface WriteContext {
  /** The types of the kind by version, and how to convert between them. */
  readonly converter: Converter;
  /** The version of the write; objects are in it. */
  readonly apiVersion: string;
  /** The decoded object of `{}`, which a create is compared with. */
  readonly zero: Value;
  /** The name of the field manager; empty counts as `unknown`. */
  readonly manager: string;
  /** `status` for writes through that path; empty or absent for the object itself. */
  readonly subresource?: string | undefined;
  /** The time of the write, RFC 3339 in UTC with seconds. */
  readonly time: string;
  /** What this endpoint may own, by version: without the fields that it resets. Default: everything. */
  readonly filters?: Filters | undefined;
  readonly rules?: Partial<OwnershipRules>;
}

/** A create, replace or patch before it is stored. */
export interface UpdateRecord extends WriteContext {
  /** The stored object with its entries; undefined for a create. */
  readonly live: Value | undefined;
  /** The object that will be stored, with the entries that the client sent or kept. */
  readonly updated: Value;
  /**
   * What the client may do with the entries: `all` allows edits and clearing, `clear` only clearing (MF-11), `none`
   * nothing, as for creates. Writes through a subresource never may. Default `all`.
   */
  readonly editing?: "all" | "clear" | "none";
  /**
   * The partial object that the client sent, for a request that clears the entries and changes fields: the writer then
   * owns what it sent, changed or not (CLR-6). For a replace, the very object of `updated`. Default: what changed.
   */
  readonly request?: Value | undefined;
}

/**
 * The entries after a write that is no apply (OWN-12, OWN-13, DEC-14): at once, or in steps where the object is large.
 *
 * The writer owns what it added and changed; other managers lose that, and what was removed. The list of the live object
 * itself is returned when nothing changed. An empty list means that the member must be left out.
 */
export function recordWork(record: UpdateRecord): Work<readonly ManagedFieldsEntry[]> {
  const rules = allRules(record.rules);
  const live = record.live ?? record.zero;
  if (rules.keylessClears && isKeyless(record)) return [];
  const isLarge = !(isSmall(live) && isSmall(record.updated));
  return andThen(startingPoint(record, live, rules, isLarge), (start) => {
    if (start.parsed.managers.size === 0 && isStored(live) && !rules.recordAfterClear) return [];
    const taken = ownChanges(record, withoutEntries(live), withoutEntries(record.updated), start, isLarge);
    return andThen(taken, (timed) =>
      writeEntries(capUpdates(timed, rules.maxUpdateManagers), start.parsed, storedEntries(live), isLarge),
    );
  });
}

/** {@link recordWork}, all of it at once. */
export const recordUpdate = (record: UpdateRecord): readonly ManagedFieldsEntry[] => atOnce(recordWork(record));

function isKeyless({ converter, apiVersion, updated }: UpdateRecord): boolean {
  const type = converter.typeAt(apiVersion);
  return type !== undefined && hasKeyless(type, updated);
}

/** The entries before a write, and what the writer owns besides what it changes. */
export interface StartingPoint {
  readonly parsed: ParsedEntries;
  readonly claims?: FieldSet | undefined;
}

function startingPoint(
  record: UpdateRecord,
  live: Value,
  rules: OwnershipRules,
  isLarge: boolean,
): Work<StartingPoint> {
  const stored = (): StartingPoint => ({
    parsed: readEntries(sentEntries(live), rules.readOldShape) ?? NO_ENTRIES,
  });
  const editing = record.subresource ? "none" : (record.editing ?? "all");
  if (editing === "none") return stored();
  const sent = sentEntries(record.updated);
  if (clears(sent, rules)) {
    return andThen(claimsOf(record, isLarge), (claims) => ({ parsed: NO_ENTRIES, claims }));
  }
  if (editing === "clear" || sent === undefined || sameValue(sent, sentEntries(live) ?? null)) return stored();
  const edited = readEntries(sent, rules.readOldShape);
  return edited === undefined || edited.managers.size === 0 ? stored() : { parsed: edited };
}

/** The fields of a request that also clears the entries, as far as the object has them now. */
function claimsOf(record: UpdateRecord, isLarge: boolean): Work<FieldSet | undefined> {
  const { request, zero, updated, converter, apiVersion } = record;
  const type = converter.typeAt(apiVersion);
  if (request === undefined || type === undefined) return undefined;
  const [before, after] = [withoutEntries(zero), withoutEntries(updated)];
  return andThen(isLarge ? compareSteps(type, before, after) : compare(type, before, after), ({ added, modified }) => {
    const present = union(added, modified);
    return request === updated ? present : intersection(present, toFieldSet(type, request));
  });
}

/**
 * The managers after `record.manager` made `updated` out of `live`, and their times.
 *
 * The write is a separate manager at first, so that what it changes is removed from the writer's earlier entry too, and
 * the time of that entry changes only when something was.
 */
export function ownChanges(
  record: WriteContext,
  live: Value,
  updated: Value,
  start: StartingPoint,
  isLarge: boolean,
): Work<TimedManagers> {
  const { parsed, claims } = start;
  const { apiVersion, converter, filters } = record;
  const type = converter.typeAt(apiVersion);
  if (type === undefined) return parsed;
  const write: UpdateWrite = {
    converter,
    apiVersion,
    type,
    live,
    updated,
    filters,
    manager: THIS_WRITE,
    managers: parsed.managers,
    neverOwned: NEVER_OWNED,
    scalarEqual: record.rules?.scalarEqual,
    isLarge,
  };
  return andThen(updateTo(write), (managers) => {
    const taken = managers.get(THIS_WRITE);
    if (taken === undefined) return { managers, times: parsed.times };
    managers.delete(THIS_WRITE);
    const key = managerKey({
      manager: record.manager || "unknown",
      operation: "Update",
      apiVersion,
      subresource: record.subresource ?? "",
    });
    const set = union(taken.set, claims === undefined ? EMPTY : ownable(write, claims));
    managers.set(key, { ...taken, set: union(managers.get(key)?.set ?? EMPTY, set) });
    return { managers, times: new Map(parsed.times).set(key, record.time) };
  });
}

/** The key of no manager: keys of entries are never empty. */
const THIS_WRITE = "";
