/**
 * What verbs answer: bytes that were made once, beside the object they say.
 *
 * @module
 */
import type { ApiObject, WriteContext } from "../../schema/definition.ts";
import type { Entry } from "../../cache/index.ts";
import type { WriteResult } from "../contract.ts";
import type { Kind } from "../kind/kind.ts";
import { isReady, noteWritten, objectOf, textWithVersion, viewOf } from "../versions/view.ts";

/** The answer to a write, from the object that is stored now; `changed` is whether the write stored it. */
export const storedResult = (
  kind: Kind,
  entry: Entry,
  code: 200 | 201 | 202,
  ctx: WriteContext,
  changed = false,
): WriteResult => new StoredResult(kind, entry, code, changed, ctx.warnings);

/** Parsed only where somebody asks for the object: mostly its bytes are all that is wanted. */
class StoredResult implements WriteResult {
  readonly bytes: Uint8Array;
  readonly code: 200 | 201 | 202;
  readonly changed: boolean;
  readonly warnings: readonly string[];
  readonly #kind: Kind;
  readonly #entry: Entry;

  constructor(kind: Kind, entry: Entry, code: 200 | 201 | 202, changed: boolean, warnings: readonly string[]) {
    this.bytes = viewOf(kind, entry);
    this.code = code;
    this.changed = changed;
    this.warnings = warnings;
    this.#kind = kind;
    this.#entry = entry;
  }

  get object(): ApiObject {
    return objectOf(this.#kind, this.#entry);
  }
}

/** The answer from an object that is not stored so: that of a dry run, unless it has `changed` what is stored. */
export const unstoredResult = (
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
export function writtenResult(
  kind: Kind,
  key: string,
  object: ApiObject,
  revision: number,
  code: 200 | 201 | 202,
  ctx: WriteContext,
): WriteResult {
  const entry = kind.cache.get(key);
  if (entry?.revision === revision) noteWritten(kind, entry);
  if (entry?.revision === revision && isReady(kind, entry)) return storedResult(kind, entry, code, ctx, true);
  object.metadata.resourceVersion = String(revision);
  return unstoredResult(object, code, ctx, true);
}
