/**
 * The past of one object, as the store keeps it.
 *
 * @module
 */
import type { ApiObject } from "../api/definition.ts";
import type { HistoryReport, ReportedVersion } from "../meta/history-report.ts";
import { REPORT_GROUP, REPORT_VERSION, type ReportedManager } from "../meta/ownership-reports.ts";
import { ApiError, expired, notFound } from "../meta/status.ts";
import { StoreError, type StoredVersion } from "../storage/contract.ts";
import type { Value } from "../value/value.ts";
import { changesBetween } from "./changes.ts";
import { ObjectEntry, withVersion } from "./codec.ts";
import type { HistoryOptions, Target } from "./contract.ts";
import { storeError } from "./errors.ts";
import { type Kind, keyOf, parseEntry } from "./kind.ts";

/** The versions of an object; 404 when none is kept, 410 when `at` is before the history. */
export async function historyOf(kind: Kind, target: Target, options: HistoryOptions): Promise<HistoryReport> {
  const { stored, house } = kind;
  const key = stored.prefix + keyOf(kind, target.namespace, target.name);
  const found = options.at === undefined ? await readHistory(kind, key, options) : await readAt(kind, key, options.at);
  if (found.versions.length === 0) throw notFound(kind.ref, target.name);
  const parsed = found.versions.map((version) => ({ version, object: objectAt(kind, key, version) }));
  const versions = parsed.map(({ version, object }, i) => {
    const older = version.revision <= found.since ? undefined : parsed[i + 1];
    return reported(
      version,
      object,
      older?.version.type === "put" ? older.object : undefined,
      found.since,
      options.objects,
    );
  });
  const { name = target.name, namespace, uid } = parsed[0]!.object.metadata;
  return {
    kind: "History",
    apiVersion: `${REPORT_GROUP}/${REPORT_VERSION}`,
    object: {
      apiVersion: kind.apiVersion,
      kind: kind.definition.kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      resourceVersion: String(parsed[0]!.version.revision),
    },
    since: String(found.since),
    more: found.more || versions.length > options.limit,
    // The one beyond the limit was read for what the last one changed.
    versions: versions.slice(0, house.store.history ? options.limit : 1),
  };
}

interface Found {
  readonly versions: readonly StoredVersion[];
  readonly more: boolean;
  readonly since: number;
}

async function readHistory(kind: Kind, key: string, { limit }: HistoryOptions): Promise<Found> {
  const { store } = kind.house;
  if (!store.history) {
    const message = "the store of this server keeps no history that can be listed; ask for one version with `at`";
    throw new ApiError("MethodNotAllowed", message, { details: {} });
  }
  try {
    const { versions, more, compactedRevision } = await store.history(key, { limit: limit + 1 });
    return { versions, more, since: compactedRevision };
  } catch (error) {
    throw storeError(kind, key.slice(key.lastIndexOf("/") + 1), error);
  }
}

/** The version that the object had at a revision. */
async function readAt(kind: Kind, key: string, revision: number): Promise<Found> {
  const { store } = kind.house;
  try {
    const { records } = await store.range(key, { limit: 1, revision });
    const [record] = records;
    if (record?.key !== key) return { versions: [], more: false, since: revision };
    const version = { ...record, type: "put", previousRevision: 0, time: undefined } as const;
    return { versions: [version], more: false, since: Math.max(revision, record.revision) };
  } catch (error) {
    if (error instanceof StoreError && error.code === "compacted") {
      throw expired(`The version ${revision} is older than the history: ${error.message}`);
    }
    if (error instanceof StoreError && error.code === "future") {
      throw new ApiError("BadRequest", `expected at to be a version that was reached: ${error.message}`);
    }
    throw storeError(kind, "", error);
  }
}

function objectAt(kind: Kind, key: string, { revision, value }: StoredVersion): ApiObject {
  const { prefix, head, fields } = kind.stored;
  const bytes = withVersion(value, head, revision);
  return parseEntry(kind, new ObjectEntry(key.slice(prefix.length), revision, bytes, fields));
}

function reported(
  version: StoredVersion,
  object: ApiObject,
  before: ApiObject | undefined,
  since: number,
  withObject: boolean,
): ReportedVersion {
  const kept = version.revision <= since;
  const event =
    version.type === "delete" ? "deleted" : kept ? "kept" : version.previousRevision === 0 ? "created" : "updated";
  const managers = event === "deleted" ? [] : managersOf(object, kept ? undefined : before);
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

/** The entries that are new or different; all of them where there is nothing to compare with. */
function managersOf({ metadata }: ApiObject, before: ApiObject | undefined): ReportedManager[] {
  const known = new Set(before?.metadata.managedFields?.map((entry) => JSON.stringify(entry)));
  const entries = metadata.managedFields ?? [];
  return entries
    .filter((entry) => !known.has(JSON.stringify(entry)))
    .map(({ manager = "", operation = "Update", apiVersion = "", time, subresource }) => ({
      manager,
      operation: operation === "Apply" ? "Apply" : "Update",
      apiVersion,
      ...(time === undefined || time === null ? {} : { time }),
      ...(subresource ? { subresource } : {}),
    }));
}

const latest = (managers: readonly ReportedManager[]): string | undefined =>
  managers
    .map(({ time }) => time)
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);

const asValue = (object: ApiObject): Value => object as unknown as Value;
