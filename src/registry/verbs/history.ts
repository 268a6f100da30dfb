/**
 * The history of one object, as the store keeps it.
 *
 * @module
 */
import { asValue } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { changesBetween } from "../../meta/changes.ts";
import type { HistoryReport, ReportedVersion } from "../../meta/history-report.ts";
import { REPORT_GROUP, REPORT_VERSION, type ReportedManager } from "../../meta/ownership-reports.ts";
import { ApiError, badRequest, expired, notFound } from "../../meta/status.ts";
import { StoreError, type StoredVersion } from "../../storage/contract.ts";
import { type Value, equal, isObject } from "../../value/value.ts";
import { entryOf } from "../versions/codec.ts";
import type { HistoryOptions, Target } from "../contract.ts";
import { storeError } from "../kind/errors.ts";
import { type Kind, keyOf } from "../kind/kind.ts";
import { makeReady, parseEntry } from "../versions/view.ts";

/** Bytes of the versions in one response: more would delay other requests. */
const MOST_BYTES = 4 << 20;

/** The versions of an object; 404 when none is kept, 410 when `at` is before the history, 405 without a history. */
export async function historyOf(kind: Kind, target: Target, options: HistoryOptions): Promise<HistoryReport> {
  const key = kind.stored.prefix + keyOf(kind, target.namespace, target.name);
  const { at } = options;
  const found = await (at === undefined ? readHistory(kind, key, options.limit) : readAt(kind, key, target.name, at));
  const [newest] = found.versions;
  if (newest === undefined) throw notFound(kind.ref, target.name);
  // The version beyond the limit was read to compare the last one with it.
  const shown = found.versions.slice(0, options.limit);
  const versions: ReportedVersion[] = [];
  let object = await objectAt(kind, key, newest);
  const { name = target.name, namespace, uid } = object.metadata;
  for (const [i, version] of shown.entries()) {
    const next = found.versions[i + 1];
    const older = next === undefined ? undefined : await objectAt(kind, key, next);
    const isKept = found.since === undefined || version.revision <= found.since;
    const before = next?.type === "put" && !isKept ? older : undefined;
    versions.push(reported({ version, object, before, isKept, withObject: options.objects }));
    if (older) object = older;
    // Each may be large; other requests run between two of them.
    await kind.shared.api.clock.loop.yield();
  }
  return {
    kind: "History",
    apiVersion: `${REPORT_GROUP}/${REPORT_VERSION}`,
    object: {
      apiVersion: kind.apiVersion,
      kind: kind.definition.kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      resourceVersion: String(newest.revision),
    },
    ...(found.since === undefined ? {} : { since: String(found.since) }),
    more: found.more || found.versions.length > shown.length,
    versions,
  };
}

interface Found {
  /** Newest first. */
  readonly versions: readonly StoredVersion[];
  readonly more: boolean;
  /** Undefined where only one version was read. */
  readonly since: number | undefined;
}

async function readHistory(kind: Kind, key: string, limit: number): Promise<Found> {
  const { store } = kind.shared;
  if (!store.history) {
    const message = "the store of this server cannot list the versions of an object: ask for one with `at`";
    throw new ApiError("MethodNotAllowed", message, { details: {} });
  }
  try {
    const { versions, more, compactedRevision } = await store.history(key, { limit: limit + 1, bytes: MOST_BYTES });
    return { versions, more, since: compactedRevision };
  } catch (error) {
    throw storeError(kind, key.slice(key.lastIndexOf("/") + 1), error);
  }
}

/** The version that the object had at a revision. */
async function readAt(kind: Kind, key: string, name: string, revision: number): Promise<Found> {
  const { store } = kind.shared;
  try {
    const { records } = await store.range(key, { limit: 1, revision });
    const versions = records
      .filter((record) => record.key === key)
      .map((record) => ({ ...record, type: "put" as const, previousRevision: 0, time: undefined }));
    return { versions, more: false, since: undefined };
  } catch (error) {
    if (error instanceof StoreError && error.code === "compacted") {
      throw expired(`version ${revision} is older than what is kept: ${error.message}`);
    }
    if (error instanceof StoreError && error.code === "future") {
      const newest = error.revision ?? store.revision;
      throw badRequest(`expected at to be a version that was reached: the newest is ${newest}, got ${revision}`);
    }
    throw storeError(kind, name, error);
  }
}

/** The object of a version (for a delete its last state), in the version of `kind`. */
async function objectAt(kind: Kind, key: string, { revision, value }: StoredVersion): Promise<ApiObject> {
  const entry = entryOf(key.slice(kind.stored.prefix.length), value, revision);
  await makeReady(kind, [entry]);
  return parseEntry(kind, entry);
}

/** A version for the report, with its neighbour. */
interface KnownVersion {
  readonly version: StoredVersion;
  readonly object: ApiObject;
  /** The version before, where there is one to compare with. */
  readonly before: ApiObject | undefined;
  /** Whether the history does not contain how it was made. */
  readonly isKept: boolean;
  readonly withObject: boolean;
}

function reported({ version, object, before, isKept, withObject }: KnownVersion): ReportedVersion {
  const event = eventOf(version, isKept);
  const managers = event === "deleted" ? [] : managersOf(object, before);
  const time = version.time === undefined ? latest(managers) : new Date(version.time).toISOString();
  const { uid } = object.metadata;
  return {
    resourceVersion: String(version.revision),
    event,
    ...(time === undefined ? {} : { time }),
    ...(uid === undefined ? {} : { uid }),
    managers,
    changes: event === "updated" && before ? changesBetween(asValue(before), asValue(object)) : [],
    ...(withObject ? { object: asValue(object) } : {}),
  };
}

function eventOf({ type, previousRevision }: StoredVersion, isKept: boolean): ReportedVersion["event"] {
  if (type === "delete") return "deleted";
  if (isKept) return "kept";
  return previousRevision === 0 ? "created" : "updated";
}

type Entry = NonNullable<ApiObject["metadata"]["managedFields"]>[number];

/**
 * The managers whose writes made a version; all managers where there is no version to compare with. A write adds to the entry of its
 * manager, or changes its time; it can also remove fields from the entries of other managers. Several writes of a manager in one second can
 * leave all entries unchanged: then it was one of the managers with the latest time.
 */
export function managersOf({ metadata }: ApiObject, before: ApiObject | undefined): ReportedManager[] {
  const entries = metadata.managedFields ?? [];
  const known = new Map(before?.metadata.managedFields?.map((entry) => [writerOf(entry), entry]));
  const changed = entries.filter((entry) => !equal(asEntry(entry), asEntry(known.get(writerOf(entry)))));
  const gained = changed.filter((entry) => {
    const old = known.get(writerOf(entry));
    return old === undefined || old.time !== entry.time || !covers(asEntry(old.fieldsV1), asEntry(entry.fieldsV1));
  });
  const newest = entries.reduce((most, { time }) => (time && time > most ? time : most), "");
  const last = entries.filter(({ time }) => time === newest);
  const writers = [gained, changed, last].find(({ length }) => length > 0) ?? [];
  return writers.map(({ manager = "", operation = "Update", apiVersion = "", time, subresource }) => ({
    manager,
    operation: operation === "Apply" ? "Apply" : "Update",
    apiVersion,
    ...(time === undefined || time === null ? {} : { time }),
    ...(subresource ? { subresource } : {}),
  }));
}

const writerOf = ({ manager, operation, apiVersion, subresource }: Entry): string =>
  JSON.stringify([manager, operation, apiVersion, subresource]);

const asEntry = (value: unknown): Value | undefined => value as Value | undefined;

/** Whether a set of fields has all that another one has. */
function covers(fields: Value | undefined, others: Value | undefined): boolean {
  if (!isObject(others)) return true;
  if (!isObject(fields)) return false;
  return Object.keys(others).every((name) => Object.hasOwn(fields, name) && covers(fields[name], others[name]));
}

const latest = (managers: readonly ReportedManager[]): string | undefined =>
  managers
    .map(({ time }) => time)
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);
