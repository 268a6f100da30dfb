/**
 * The results of verbs: bytes that are made once, and the object in them.
 *
 * @module
 */
import type { ApiObject, WriteContext } from "../../schema/definition.ts";
import type { Entry } from "../../cache/index.ts";
import type { WriteResult } from "../contract.ts";
import type { Kind } from "../kind/kind.ts";
import { textOf } from "../versions/codec.ts";
import { isReady, noteWritten, objectOf, viewOf, withVersionIn } from "../versions/view.ts";

/** The result of a write, from the stored object. It parses the object on first use: most callers use only the bytes. */
export class StoredResult implements WriteResult {
  readonly bytes: Uint8Array;
  readonly code: 200 | 201 | 202;
  readonly changed: boolean;
  readonly warnings: readonly string[];
  readonly #kind: Kind;
  readonly #entry: Entry;

  /** @param changed whether the write has stored the entry */
  constructor(kind: Kind, entry: Entry, code: 200 | 201 | 202, { warnings }: WriteContext, changed = false) {
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

/**
 * The result of a write whose object is not stored in this form, as in a dry run.
 *
 * @param text of the object without its version, where it is known
 */
export const unstoredResult = (
  object: ApiObject,
  code: 200 | 201 | 202,
  ctx: WriteContext,
  changed = false,
  text = textOf(object),
): WriteResult => ({
  bytes: Buffer.from(withVersionIn(text, object.metadata.resourceVersion)),
  code,
  changed,
  object,
  warnings: ctx.warnings,
});

/**
 * The result of a write: the object at the revision of the write, even where another server has changed it since. Sets the
 * resourceVersion of `object`.
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
  if (entry?.revision === revision && isReady(kind, entry)) return new StoredResult(kind, entry, code, ctx, true);
  object.metadata.resourceVersion = String(revision);
  return unstoredResult(object, code, ctx, true);
}
