/**
 * What verbs answer: bytes that were made once, beside the object they say.
 *
 * @module
 */
import type { ApiObject, WriteContext } from "../api/definition.ts";
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

/** The answer to a write that was stored. */
export const stored = (kind: Kind, entry: Entry, code: 200 | 201 | 202, ctx: WriteContext): WriteResult => ({
  bytes: viewOf(kind, entry),
  code,
  get object() {
    return objectOf(kind, entry);
  },
  warnings: ctx.warnings,
});

/** The answer to a dry run: the object that would be stored. */
export const pretended = (object: ApiObject, code: 200 | 201 | 202, ctx: WriteContext): WriteResult => ({
  bytes: Buffer.from(textWithVersion(object, object.metadata.resourceVersion)),
  code,
  object,
  warnings: ctx.warnings,
});

function textWithVersion(object: ApiObject, resourceVersion: string | undefined): string {
  const text = textOf(object);
  if (resourceVersion === undefined) return text;
  const at = text.indexOf('"metadata":{') + '"metadata":{'.length;
  const comma = text[at] === "}" ? "" : ",";
  return `${text.slice(0, at)}"resourceVersion":${JSON.stringify(resourceVersion)}${comma}${text.slice(at)}`;
}
