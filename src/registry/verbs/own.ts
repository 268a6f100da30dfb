/**
 * Writes of the server itself: objects that it needs, and changes of stored objects that follow from other writes. They are
 * judged under the lock of the object, as the writes of clients are.
 *
 * @module
 */
import { hasReason } from "../../meta/status.ts";
import { asValue, copyOf } from "../../schema/api-object.ts";
import type { ApiObject, NewObject } from "../../schema/definition.ts";
import { andThen } from "../../util/steps.ts";
import { type Proposal, commit } from "../commit/commit.ts";
import type { DeleteOptions, DeleteResult, WriteResult } from "../contract.ts";
import type { Kind } from "../kind/kind.ts";
import { SYSTEM, systemWrite } from "../kind/system.ts";
import { type Write, newContext } from "../kind/write.ts";
import { ownUpdated } from "../objects/ownership.ts";
import { create } from "./create.ts";
import { deleteObject } from "./delete.ts";
import { changeOf } from "./update.ts";

/** The namespace and name of an object. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** Creates an object as the server. */
export async function createOwn(kind: Kind, object: NewObject): Promise<void> {
  const value = asValue({ apiVersion: kind.apiVersion, ...object });
  const target = { namespace: object.metadata.namespace ?? "", name: "", subresource: "" };
  await create(kind, target, { value, duplicates: [] }, systemWrite(kind.shared.api), SYSTEM);
}

/** Creates an object that the server needs, unless it exists already. */
export async function createMissing(kind: Kind, object: NewObject): Promise<void> {
  try {
    await createOwn(kind, object);
  } catch (error) {
    if (!hasReason(error, "AlreadyExists")) throw error;
  }
}

/**
 * Changes an object as a consequence of a client's request for another one, as part of a transaction: neither admission nor the rules of
 * the kind run, the change has no owner and does not count as a generation.
 */
export const ownChange = (
  kind: Kind,
  { namespace, name }: ObjectKey,
  { ctx, options = systemWrite(ctx) }: Pick<Write, "ctx"> & Partial<Pick<Write, "options">>,
  change: (old: ApiObject) => ApiObject,
): Proposal<WriteResult> =>
  changeOf(
    { kind, target: { namespace, name, subresource: "" }, options, caller: SYSTEM, ctx, limit: ctx.clock.loop.slice() },
    { own: true, change },
  );

/** Changes the status of an object, as part of a transaction; the server owns what it changes. `change` may modify its argument. */
export function ownStatusChange(
  kind: Kind,
  key: ObjectKey,
  change: (object: ApiObject) => void,
): Proposal<WriteResult> {
  const ctx = newContext(kind);
  const options = systemWrite(ctx);
  const target = { ...key, subresource: "status" };
  const write = { kind, target, options, caller: SYSTEM, ctx, limit: ctx.clock.loop.slice() };
  return changeOf(write, {
    change(old) {
      const object = copyOf(old);
      change(object);
      const how = { edits: false, request: asValue(object) };
      return andThen(ownUpdated(kind, object, old, options.fieldManager, target.subresource, how), () => object);
    },
  });
}

/**
 * Changes the status of an object; resolves to the resourceVersion that it has then. A change that leaves the status equal writes nothing.
 * Rejects with 404 where the object is deleted.
 *
 * @param options.locks whether it waits for the lock of the object; without it, it judges again where another writer is faster
 */
export async function amendStatus(
  kind: Kind,
  key: ObjectKey,
  change: (object: ApiObject) => void,
  { locks }: { readonly locks: boolean },
): Promise<string | undefined> {
  const proposal = ownStatusChange(kind, key, change);
  const { object } = await commit(locks ? proposal : { ...proposal, lock: undefined });
  return object.metadata.resourceVersion;
}

/** Deletes an object as a consequence of a client's request for another one: admission does not run. */
export const deleteOwn = (kind: Kind, { namespace, name }: ObjectKey, options: DeleteOptions): Promise<DeleteResult> =>
  deleteObject(kind, { namespace, name, subresource: "" }, options, SYSTEM, true);
