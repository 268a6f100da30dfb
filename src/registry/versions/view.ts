/**
 * Stored objects in the version of a request.
 *
 * An object is stored in the version that was the storage version when it was written. A request for that version gets the stored
 * bytes. For others the object is converted once; the view is kept with the kind ({@link Kind.views}) as long as the entry and the
 * kind exist. The next write, even one that changes nothing, stores it in the current storage version.
 *
 * @module
 */
import { assert } from "../../util/assert.ts";
import { copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Entry } from "../../cache/index.ts";
import { decodeObject, keptBytes, textOf, versionOf } from "./codec.ts";
import { type Kind, type View, keyOf } from "../kind/kind.ts";
import type { Target } from "../contract.ts";
import { notFound } from "../../meta/status.ts";

/**
 * Whether the object of an entry is stored in another form than a write would store now: in another version, or by another schema, as noted
 * when it was last parsed.
 */
export const isStale = (kind: Kind, entry: Entry): boolean =>
  versionOf(entry) !== kind.stored.storageVersion || kind.views.get(entry)?.altered === true;

/** Whether the bytes of an entry are those of its view, whatever schema it was written by. */
const isShownAsStored = (kind: Kind, entry: Entry): boolean =>
  versionOf(entry) === kind.apiVersion && !kind.walker.read;

/** The current object of a path. Throws 404 where there is none. */
export function currentOf(kind: Kind, { namespace, name }: Pick<Target, "namespace" | "name">): ApiObject {
  const entry = kind.cache.get(keyOf(kind, namespace, name));
  if (!entry) throw notFound(kind.ref, name);
  return objectOf(kind, entry);
}

/** Converts a stored object to the current form, and notes whether it had another. */
function readAsToday(kind: Kind, entry: Entry, object: ApiObject): ApiObject {
  if (kind.walker.read) madeOf(kind, entry).altered = kind.walker.read(object);
  return object;
}

/**
 * The object of an entry in the version in which it is stored, in the current form: defaults of that version are visible in every version.
 */
function readAsStored({ stored }: Kind, entry: Entry): ApiObject {
  const object = decodeObject(entry.bytes);
  stored.versions.get(object.apiVersion)?.walker.read?.(object);
  return object;
}

/** Notes that an entry, which has just been written in the version of `kind`, is stored in the form of its view. */
export function noteWritten(kind: Kind, entry: Entry): void {
  if (kind.walker.read && versionOf(entry) === kind.apiVersion) madeOf(kind, entry).bytes ??= entry.bytes;
}

/** The view of an entry in the version of `kind`. */
export function madeOf(kind: Kind, entry: Entry): View {
  let view = kind.views.get(entry);
  if (!view) kind.views.set(entry, (view = {}));
  return view;
}

/**
 * Makes the views of entries whose conversion waits for a webhook; undefined where no view is missing. For kinds whose converter waits, the
 * other functions of this file need these views. Concurrent callers share one conversion, and its failure. Rejects with `ApiError`.
 */
export function makeReady(kind: Kind, entries: readonly Entry[]): Promise<void> | undefined {
  if (!kind.stored.converter.convertAll) return undefined;
  const missing = entries.filter((entry) => !isReady(kind, entry));
  return missing.length === 0 ? undefined : makeAll(kind, missing);
}

/**
 * Makes the views of all entries, with a webhook or without one, so that none of them fails or is slow later; other requests run between
 * them.
 */
export async function makeViews(kind: Kind, entries: readonly Entry[]): Promise<void> {
  const wait = makeReady(kind, entries);
  if (wait) await wait;
  const limit = kind.shared.api.clock.loop.slice();
  for (const entry of entries) {
    if (isShownAsStored(kind, entry)) continue;
    viewOf(kind, entry);
    const pause = limit.pause();
    if (pause) await pause;
  }
}

/** Whether the view of an entry exists or can be made at once. */
export const isReady = (kind: Kind, entry: Entry): boolean =>
  !kind.stored.converter.convertAll ||
  versionOf(entry) === kind.apiVersion ||
  kind.views.get(entry)?.bytes !== undefined;

/** Objects that are converted in one call. */
export const BATCH = 250;

async function makeAll(kind: Kind, entries: readonly Entry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += BATCH) await makeBatch(kind, entries.slice(from, from + BATCH));
}

async function makeBatch(kind: Kind, entries: readonly Entry[]): Promise<void> {
  const under = new Set<Promise<void>>();
  const missing = entries.filter((entry) => {
    const { bytes, making } = madeOf(kind, entry);
    if (making) under.add(making);
    return bytes === undefined && making === undefined;
  });
  if (missing.length > 0) under.add(begin(kind, missing));
  await Promise.all(under);
}

/** Requests the conversion of entries, and notes with each of them that it is running. */
function begin(kind: Kind, entries: readonly Entry[]): Promise<void> {
  const views = entries.map((entry) => madeOf(kind, entry));
  const making = convertAll(kind, entries).finally(() => {
    for (const view of views) view.making = undefined;
  });
  for (const view of views) view.making = making;
  return making;
}

async function convertAll(kind: Kind, entries: readonly Entry[]): Promise<void> {
  const objects = entries.map((entry) => readAsStored(kind, entry));
  const converted = (await kind.stored.converter.convertAll?.(objects, kind.apiVersion)) ?? [];
  for (const [i, entry] of entries.entries()) {
    const object = converted[i];
    if (object) madeOf(kind, entry).bytes = bytesOf(readAsToday(kind, entry, object));
  }
}

/** The JSON bytes of an entry in the version of `kind`; made once per entry and version. */
export function viewOf(kind: Kind, entry: Entry): Uint8Array {
  if (isShownAsStored(kind, entry)) return entry.bytes;
  const view = madeOf(kind, entry);
  return (view.bytes ??= bytesInVersion(kind, entry));
}

/** The stored bytes, where they are equal. */
function bytesInVersion(kind: Kind, entry: Entry): Uint8Array {
  const object = objectOf(kind, entry);
  return versionOf(entry) === kind.apiVersion && !isStale(kind, entry) ? entry.bytes : bytesOf(object);
}

/** Gives an entry the view of another one, which has the same state under another revision. */
export function takeView(kind: Kind, entry: Entry, other: Entry): void {
  if (versionOf(entry) === kind.apiVersion) return;
  madeOf(kind, entry).bytes = keptBytes(textWithVersion(parseEntry(kind, other), String(entry.revision)));
}

const bytesOf = (object: ApiObject): Buffer => keptBytes(textWithVersion(object, object.metadata.resourceVersion));

/** The object of an entry in the version of `kind`; read only, shared. */
export const objectOf = (kind: Kind, entry: Entry): ApiObject =>
  kind.hot.get(kind, entry, () => parseEntry(kind, entry));

/** A fresh copy of the object of an entry in the version of `kind`; the caller may change it. */
export function parseEntry(kind: Kind, entry: Entry): ApiObject {
  if (versionOf(entry) === kind.apiVersion) return readAsToday(kind, entry, decodeObject(entry.bytes));
  if (kind.stored.converter.convertAll) {
    const { bytes } = madeOf(kind, entry);
    if (!bytes) throw new Error(`expected the view of ${entry.key} in ${kind.apiVersion} to be ready`);
    return decodeObject(bytes);
  }
  const converted = kind.stored.converter.convert(readAsStored(kind, entry), kind.apiVersion);
  assert(!(converted instanceof Promise), "a converter without convertAll does not wait");
  return readAsToday(kind, entry, converted);
}

/** The object of an entry as it is stored; a copy. */
export const parseStored = (entry: Entry): ApiObject => decodeObject(entry.bytes);

/** An object in the current storage form; `replaced` is the entry that it replaces. */
export function storedForm(kind: Kind, object: ApiObject, replaced: Entry | undefined): ApiObject | Promise<ApiObject> {
  const { storageVersion, converter } = kind.stored;
  if (object.apiVersion === storageVersion) return object;
  // Members that the version of the request cannot express and the stored version can must not be lost.
  const before = replaced && converter.convert(readAsStored(kind, replaced), storageVersion);
  const form =
    before instanceof Promise
      ? before.then((known) => converter.convert(object, storageVersion, known))
      : converter.convert(object, storageVersion, before);
  return form instanceof Promise ? form.then((made) => asStored(kind, made)) : asStored(kind, form);
}

/**
 * The view in the version of `kind` of an object that a dry run would store in place of `replaced`. The object is converted to its storage
 * form and back, as `DryRunnableStorage` of Kubernetes does.
 */
export function shownAfterStoring(
  kind: Kind,
  object: ApiObject,
  replaced: Entry | undefined,
): ApiObject | Promise<ApiObject> {
  const { storageVersion, converter } = kind.stored;
  if (object.apiVersion === storageVersion) return object;
  const readBack = (form: ApiObject): ApiObject | Promise<ApiObject> => {
    const stored = copyOf(form);
    kind.stored.versions.get(storageVersion)?.walker.read?.(stored);
    const shown = converter.convert(stored, object.apiVersion);
    return shown instanceof Promise ? shown.then((made) => withVersionOf(made)) : withVersionOf(shown);
  };
  const withVersionOf = (shown: ApiObject): ApiObject => {
    kind.walker.read?.(shown);
    return { ...shown, metadata: { ...shown.metadata, ...versionOfObject(object) } };
  };
  const form = storedForm(kind, object, replaced);
  return form instanceof Promise ? form.then(readBack) : readBack(form);
}

const versionOfObject = ({ metadata: { resourceVersion } }: ApiObject): Partial<ApiObject["metadata"]> =>
  resourceVersion === undefined ? {} : { resourceVersion };

/** Members that the schema of the storage version does not know are not stored. */
function asStored({ stored }: Kind, object: ApiObject): ApiObject {
  const walker = stored.versions.get(stored.storageVersion)?.walker;
  if (!walker?.prune) return object;
  const copy = copyOf(object);
  walker.prune(copy);
  return copy;
}

/** The JSON text of an object with a version inserted. */
export function textWithVersion(object: ApiObject, resourceVersion: string | undefined): string {
  return withVersionIn(textOf(object), resourceVersion);
}

/** A text of {@link textOf} with a version inserted. */
export function withVersionIn(text: string, resourceVersion: string | undefined): string {
  if (resourceVersion === undefined) return text;
  const at = text.indexOf('"metadata":{') + '"metadata":{'.length;
  const comma = text[at] === "}" ? "" : ",";
  return `${text.slice(0, at)}"resourceVersion":${JSON.stringify(resourceVersion)}${comma}${text.slice(at)}`;
}
