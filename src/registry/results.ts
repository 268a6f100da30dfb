/**
 * What verbs answer: bytes that were made once, beside the object they say.
 *
 * @module
 */
import type { ApiObject, WriteContext } from "../schema/definition.ts";
import type { Entry } from "../cache/index.ts";
import { textOf } from "./codec.ts";
import type { WriteResult } from "./contract.ts";
import { type Kind, objectOf } from "./kind.ts";

/** The JSON bytes of an entry in the version of `kind`; made once per entry and version. */
export function viewOf(kind: Kind, entry: Entry): Uint8Array {
  if (!kind.definition.storedAs) return entry.bytes;
  const known = entry.memo.get(kind) as Uint8Array | undefined;
  if (known) return known;
  const bytes = Buffer.from(textWithVersion(objectOf(kind, entry), String(entry.revision)));
  entry.memo.set(kind, bytes);
  return bytes;
}

/** The answer to a write, from the object that is stored now; `changed` is whether the write stored it. */
export const stored = (
  kind: Kind,
  entry: Entry,
  code: 200 | 201 | 202,
  ctx: WriteContext,
  changed = false,
): WriteResult => ({
  bytes: viewOf(kind, entry),
  code,
  changed,
  get object() {
    return objectOf(kind, entry);
  },
  warnings: ctx.warnings,
});

/** The answer from an object that is not stored so: that of a dry run, unless it has `changed` what is stored. */
export const pretended = (
  object: ApiObject,
  code: 200 | 201 | 202,
  ctx: WriteContext,
  changed = false,
): WriteResult => ({
  bytes: Buffer.from(textWithVersion(object, object.metadata.resourceVersion)),
  code,
  changed,
  object,
  warnings: ctx.warnings,
});

/**
 * The answer to a write of an object: what was written, at its revision, whatever another server has made of it since.
 * The object gets its version.
 */
export function written(
  kind: Kind,
  key: string,
  object: ApiObject,
  revision: number,
  code: 200 | 201 | 202,
  ctx: WriteContext,
): WriteResult {
  const entry = kind.cache.get(key);
  if (entry?.revision === revision) return stored(kind, entry, code, ctx, true);
  object.metadata.resourceVersion = String(revision);
  return pretended(object, code, ctx, true);
}

function textWithVersion(object: ApiObject, resourceVersion: string | undefined): string {
  const text = textOf(object);
  if (resourceVersion === undefined) return text;
  const at = text.indexOf('"metadata":{') + '"metadata":{'.length;
  const comma = text[at] === "}" ? "" : ",";
  return `${text.slice(0, at)}"resourceVersion":${JSON.stringify(resourceVersion)}${comma}${text.slice(at)}`;
}
