import { andThen, forEachOf, type Work } from "../util/steps.ts";
import { isObject } from "../value/value.ts";
import type { ValueObject } from "../value/value.ts";
import { compareText, FieldsError, parseFields, sameSet, fieldsV1Work } from "./fieldpath/index.ts";
import type { FieldSet } from "./fieldpath/index.ts";
import type { Managers, Owned } from "./merge/index.ts";

/** Whether fields were applied, or written in any other way (MF-2, MF-3). */
export type Operation = "Apply" | "Update";

/** One entry of `metadata.managedFields` (MF-1..9, DEC-14), with its members in the order in which they are printed. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  /** RFC 3339 with seconds. Absent only where an apply changed nothing but owners (see {@link OwnershipRules}). */
  readonly time?: string;
  readonly fieldsType: "FieldsV1";
  readonly fieldsV1: FieldSet;
  readonly subresource?: string;
}

/** The manager of an entry, without its fields. */
export interface ManagerInfo {
  readonly manager: string;
  readonly operation: Operation;
  /** Empty for an applier, which is one manager in all versions (APPLY-19). */
  readonly apiVersion: string;
  readonly subresource: string;
}

/**
 * The key of a manager: one entry per manager, operation, subresource, and for updates version (DEC-14). It is the JSON of
 * the members that are not empty, in this order: updates of the same time are sorted by their keys.
 */
export function managerKey({ manager, operation, apiVersion, subresource }: ManagerInfo): string {
  let key = manager === "" ? "{" : `{"manager":${JSON.stringify(manager)},`;
  key += `"operation":"${operation}"`;
  if (apiVersion !== "") key += `,"apiVersion":${JSON.stringify(apiVersion)}`;
  if (subresource !== "") key += `,"subresource":${JSON.stringify(subresource)}`;
  return `${key}}`;
}

/** A cache of parsed keys: managers repeat with every object. A full cache is cleared. */
const infos = new Map<string, ManagerInfo>();
const MAX_CACHED_KEYS = 1024;
const MAX_CACHED_LENGTH = 512;

/** Parses a key. */
export function managerInfo(key: string): ManagerInfo {
  let info = infos.get(key);
  if (info === undefined) {
    info = { manager: "", operation: "Update", apiVersion: "", subresource: "", ...JSON.parse(key) } as ManagerInfo;
    if (key.length > MAX_CACHED_LENGTH) return info;
    if (infos.size >= MAX_CACHED_KEYS) infos.clear();
    infos.set(key, info);
  }
  return info;
}

/** Parsed entries: who owns what, since when, and the entry of each manager. */
export interface ParsedEntries {
  readonly managers: Managers;
  readonly times: ReadonlyMap<string, string | undefined>;
  readonly sources: ReadonlyMap<string, ManagedFieldsEntry>;
}

/** The entries of an object without owners. */
export const NO_ENTRIES: ParsedEntries = { managers: new Map(), times: new Map(), sources: new Map() };

/** Parses entries; undefined when one of them is malformed, for then none of them counts (DEC-14). */
export function readEntries(entries: unknown, readOldShape: boolean): ParsedEntries | undefined {
  if (entries === undefined || entries === null) return NO_ENTRIES;
  if (!Array.isArray(entries)) return undefined;
  const managers = new Map<string, Owned>();
  const times = new Map<string, string | undefined>();
  const sources = new Map<string, ManagedFieldsEntry>();
  const list: readonly unknown[] = entries;
  for (const entry of list) {
    const read = isObject(entry) ? readEntry(entry, readOldShape) : undefined;
    if (read === undefined) return undefined;
    managers.set(read.key, read.owned);
    times.set(read.key, read.time);
    if (read.canonical) sources.set(read.key, entry as unknown as ManagedFieldsEntry);
  }
  return { managers, times, sources };
}

const infoOf = (
  operation: Operation,
  { manager, apiVersion, subresource }: Readonly<Partial<Record<keyof ManagerInfo, unknown>>>,
): ManagerInfo => ({
  manager: text(manager),
  operation,
  apiVersion: operation === "Apply" ? "" : text(apiVersion),
  subresource: text(subresource),
});

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function readEntry(entry: ValueObject, readOldShape: boolean) {
  const { operation } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  const apiVersion = text(entry["apiVersion"]);
  // The shape before `fieldsV1` had no fieldsType (MF-10).
  const old = readOldShape && entry["fieldsV1"] === undefined && entry["fields"] !== undefined;
  if (apiVersion === "" || !(entry["fieldsType"] === "FieldsV1" || (old && !entry["fieldsType"]))) return undefined;
  const tree = old ? entry["fields"] : entry["fieldsV1"];
  const set = readTree(tree);
  if (set === undefined) return undefined;
  const key = managerKey(infoOf(operation, entry));
  const time = typeof entry["time"] === "string" ? entry["time"] : undefined;
  return { key, owned: { set, apiVersion, applied: operation === "Apply" }, time, canonical: !old && set === tree };
}

function readTree(tree: unknown): FieldSet | undefined {
  try {
    return parseFields(tree);
  } catch (error) {
    if (error instanceof FieldsError) return undefined;
    throw error;
  }
}

/** Managers, and the times of their last writes. */
export interface TimedManagers {
  readonly managers: Managers;
  readonly times: ReadonlyMap<string, string | undefined>;
}

/**
 * Writes managers as entries, in their order (DEC-14).
 *
 * An unchanged entry is returned as the same object; so is the list `stored`, when all of its entries are unchanged.
 */
export function writeEntries(
  { managers, times }: TimedManagers,
  parsed: ParsedEntries,
  stored: readonly ManagedFieldsEntry[],
  isLarge: boolean,
): Work<readonly ManagedFieldsEntry[]> {
  const entries: ManagedFieldsEntry[] = [];
  const write = ([key, owned]: readonly [string, Owned]): Work<void> =>
    andThen(writeEntry(key, owned, times.get(key), parsed), (entry) => void entries.push(entry));
  return andThen(forEachOf(managers, isLarge, write), () => {
    if (entries.length === stored.length) {
      const before = new Set(stored);
      if (entries.every((entry) => before.has(entry))) return stored;
    }
    return entries.length > 1 ? entries.sort(compareEntries) : entries;
  });
}

function writeEntry(
  key: string,
  { set, apiVersion }: Owned,
  time: string | undefined,
  parsed: ParsedEntries,
): Work<ManagedFieldsEntry> {
  const source = parsed.sources.get(key);
  if (source !== undefined && source.time === time) {
    const before = parsed.managers.get(key);
    if (before?.apiVersion === apiVersion && sameSet(before.set, set)) return source;
  }
  const { manager, operation, subresource } =
    source === undefined ? managerInfo(key) : infoOf(source.operation, source);
  return andThen(fieldsV1Work(set), (fieldsV1) => ({
    ...(manager === "" ? NOTHING : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? NOTHING : { time }),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource === "" ? NOTHING : { subresource }),
  }));
}

const NOTHING = {};

/** Appliers first, then by time in seconds, then by manager, version and subresource (DEC-14). */
function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    compareTimes(a.time, b.time) ||
    compareText(a.manager ?? "", b.manager ?? "") ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? "", b.subresource ?? "")
  );
}

/** The order of two times to the second; an absent one is the oldest. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  return a === b ? 0 : seconds(a) - seconds(b);
}

function seconds(time: string | undefined): number {
  const at = time === undefined ? 0 : Date.parse(time);
  return Number.isNaN(at) ? 0 : Math.floor(at / 1000);
}
