/**
 * Stored objects in the version that somebody asks for.
 *
 * An object is stored in the version that was the storage version when it was written. Who asks for that version is given
 * the stored bytes; for others it is converted once, and the view is kept with the entry. The next write, also one that
 * changes nothing, writes it in the storage version of today.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Entry } from "../../cache/index.ts";
import { decodeObject, textOf, versionOf } from "../codec.ts";
import type { Kind } from "../kind.ts";

/** Whether the object of an entry is not stored as it would be stored today. */
export const isStale = (kind: Kind, entry: Entry): boolean => versionOf(entry) !== kind.stored.storageVersion;

/**
 * Makes the views of entries that somebody else must be asked for; undefined where there is nothing to wait for. The other
 * functions of this file need it to have happened for the kinds whose converter waits. Rejects with `ApiError`.
 */
export function makeReady(kind: Kind, entries: readonly Entry[]): Promise<void> | undefined {
  if (!kind.stored.converter.convertAll) return undefined;
  const missing = entries.filter((entry) => !isReady(kind, entry));
  return missing.length === 0 ? undefined : convertAll(kind, missing);
}

/** Whether the view of an entry is there or can be made at once. */
export const isReady = (kind: Kind, entry: Entry): boolean =>
  !kind.stored.converter.convertAll || versionOf(entry) === kind.apiVersion || entry.memo.has(kind.definition);

/** Objects that are converted by one question. */
const BATCH = 250;

async function convertAll(kind: Kind, entries: readonly Entry[]): Promise<void> {
  const { converter } = kind.stored;
  for (let from = 0; from < entries.length; from += BATCH) {
    const batch = entries.slice(from, from + BATCH);
    const views = await converter.convertAll!(
      batch.map((entry) => decodeObject(entry.bytes)),
      kind.apiVersion,
    );
    for (const [i, view] of views.entries()) batch[i]!.memo.set(kind.definition, bytesOf(view));
  }
}

/** The JSON bytes of an entry in the version of `kind`; made once per entry and version. */
export function viewOf(kind: Kind, entry: Entry): Uint8Array {
  if (versionOf(entry) === kind.apiVersion) return entry.bytes;
  // Kept by definition: forks of a cluster share entries and definitions, and a definition that has gone is not asked for.
  const known = entry.memo.get(kind.definition) as Uint8Array | undefined;
  if (known) return known;
  const bytes = bytesOf(objectOf(kind, entry));
  entry.memo.set(kind.definition, bytes);
  return bytes;
}

const bytesOf = (object: ApiObject): Buffer => Buffer.from(textWithVersion(object, object.metadata.resourceVersion));

/** The object of an entry in the version of `kind`; read only, shared. */
export const objectOf = (kind: Kind, entry: Entry): ApiObject => kind.hot.get(entry, (e) => parseEntry(kind, e));

/** A fresh copy of the object of an entry in the version of `kind`; the caller may change it. */
export function parseEntry(kind: Kind, entry: Entry): ApiObject {
  if (versionOf(entry) === kind.apiVersion) return decodeObject(entry.bytes);
  if (kind.stored.converter.convertAll) {
    const view = entry.memo.get(kind.definition) as Uint8Array | undefined;
    if (!view) throw new Error(`expected the view of ${entry.key} in ${kind.apiVersion} to be ready`);
    return decodeObject(view);
  }
  return kind.stored.converter.convert(decodeObject(entry.bytes), kind.apiVersion) as ApiObject;
}

/** The object of an entry as it is stored; a copy. */
export const parseStored = (entry: Entry): ApiObject => decodeObject(entry.bytes);

/** An object in the form in which it is stored from now on; `replaced` is the entry that it takes the place of. */
export function storedForm(kind: Kind, object: ApiObject, replaced: Entry | undefined): ApiObject | Promise<ApiObject> {
  const { storageVersion, converter } = kind.stored;
  if (object.apiVersion === storageVersion) return object;
  const before = replaced && !isStale(kind, replaced) ? decodeObject(replaced.bytes) : undefined;
  return converter.convert(object, storageVersion, before);
}

/** The JSON text of an object with a version put in. */
export function textWithVersion(object: ApiObject, resourceVersion: string | undefined): string {
  const text = textOf(object);
  if (resourceVersion === undefined) return text;
  const at = text.indexOf('"metadata":{') + '"metadata":{'.length;
  const comma = text[at] === "}" ? "" : ",";
  return `${text.slice(0, at)}"resourceVersion":${JSON.stringify(resourceVersion)}${comma}${text.slice(at)}`;
}
