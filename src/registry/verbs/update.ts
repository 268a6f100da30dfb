/**
 * The guaranteed update: reads the object, makes the next state, writes it if no other server has changed the object, else tries
 * again. Writers in this process wait for each other. An update that changes nothing, not even an owner, writes nothing and keeps
 * the version (DEC-31).
 *
 * @module
 */
import { asValue, copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Entry } from "../../cache/index.ts";
import { badRequest, conflict, notFound } from "../../meta/status.ts";
import { whileHeld } from "../../util/keyed-lock.ts";
import { type Work, andThen, atOnce, inSlices } from "../../util/steps.ts";
import { equal } from "../../value/value.ts";
import { encodeObject } from "../versions/codec.ts";
import { type Judging, type Plan, type Proposal, commit, whenHeld } from "../commit/commit.ts";
import type { Body, Caller, Target, WriteOptions, WriteResult } from "../contract.ts";
import { decodeBody } from "../objects/decode.ts";
import { type Kind, keyOf } from "../kind/kind.ts";
import { formOf } from "../objects/lens.ts";
import { placeObject } from "../kind/metadata.ts";
import { managerOf, ownCreated, ownUpdated } from "../objects/ownership.ts";
import { prepareChanged } from "../pipeline/pipeline.ts";
import { type Write, newContext, withWarnings } from "../kind/write.ts";
import { StoredResult, unstoredResult, writtenResult } from "../objects/results.ts";
import { freeAll } from "../allocation/allocator.ts";
import { converting, mayWait } from "../versions/convert-later.ts";
import { isStale, makeReady, parseEntry, parseStored, shownAfterStoring, storedForm } from "../versions/view.ts";
import { planNew } from "./create.ts";
import { checkIfMatch, checkUid, checkVersion, checkVersionForm, demandVersion } from "./preconditions.ts";

/** Replaces an object, or writes its subresource. 200; 201 where PUT creates (DEC-32). */
export function update(
  kind: Kind,
  target: Target,
  body: Body,
  options: WriteOptions,
  caller: Caller,
): Promise<WriteResult> {
  const ctx = newContext(kind, caller);
  const write: Write = { kind, target, options, caller, ctx, limit: ctx.clock.loop.slice() };
  return withWarnings(ctx, () => updateNow(write, body));
}

async function updateNow(write: Write, body: Body): Promise<WriteResult> {
  const { kind, target, options, caller, ctx } = write;
  const form = formOf(kind, target.subresource);
  const sent = decodeBody(form.kind, body, options, ctx);
  caller.sent?.(sent);
  if (write.limit.isOver) await write.limit.pause();
  placeObject(kind, sent, target);
  if (!sent.metadata.name) throw badRequest("name must be provided: expected metadata.name in the body, got none");
  const manager = managerOf(options, caller);
  const result = await guaranteedUpdate(write, {
    change(old) {
      const value = copyOf(sent);
      checkUid(write, value, old);
      const object = form.put(old, value);
      const how = { edits: false, request: asValue(object) };
      return andThen(ownUpdated(kind, object, old, manager, target.subresource, how), () => object);
    },
    demand(old) {
      demandVersion(write, form.kind, sent);
      checkVersion(write, sent, old);
    },
    missing:
      kind.definition.createOnUpdate && (!target.subresource || form.kind === kind)
        ? () => {
            if (sent.metadata.uid)
              throw conflict(
                kind.ref,
                target.name,
                `uid mismatch: the provided object specified uid ${sent.metadata.uid}, and no existing object was found`,
              );
            checkVersionForm(sent);
            const object = copyOf(sent);
            return andThen(ownCreated(kind, object, manager, target.subresource), () => object);
          }
        : undefined,
  });
  return form.result(result);
}

/** How a verb makes the next state of an object. */
export interface Change {
  /** The next state in wire form, with recorded ownership; the result belongs to the update, `old` is shared. */
  change(old: ApiObject, entry: Entry): Work<ApiObject>;
  /**
   * Throws where the object does not meet the preconditions of the client, for instance its version. Runs after the mutating steps of
   * admission, so that a client that may not write gets 403 and not 409, and before the rules of the kind.
   */
  readonly demand?: (old: ApiObject) => void;
  /** Whether it is a write of the server itself: neither admission nor the rules of the kind run. */
  readonly own?: true;
  /** The object to create when there is none; without it the result is 404. */
  readonly missing?: (() => Work<ApiObject>) | undefined;
}

/** Carries out a guaranteed update. */
export const guaranteedUpdate = (write: Write, how: Change): Promise<WriteResult> => commit(changeOf(write, how));

/** The proposal of a change; it is judged again when another server has written the object. */
export function changeOf(write: Write, how: Change): Proposal<WriteResult> {
  const { kind, target } = write;
  const key = keyOf(kind, target.namespace, target.name);
  return {
    ...write,
    lock: kind.stored.prefix + key,
    judge: (attempt) => judge(write, attempt, key, how),
    judgesAgain: ({ code }) =>
      code === "conflict" || (how.missing !== undefined && (code === "notFound" || code === "exists")),
  };
}

function judge(write: Write, attempt: Judging, key: string, how: Change): Promise<Plan<WriteResult>> {
  const { kind, target, caller } = write;
  const entry = kind.cache.get(key);
  checkIfMatch(kind, target.name, caller, entry);
  if (entry) return judgeChange(write, attempt, entry, how);
  if (!how.missing) throw notFound(kind.ref, target.name);
  return judgeMissing(write, attempt, how.missing);
}

async function judgeMissing(
  write: Write,
  attempt: Judging,
  missing: NonNullable<Change["missing"]>,
): Promise<Plan<WriteResult>> {
  await write.caller.permitCreate?.();
  return planNew(write, attempt, await made(write, missing));
}

/** Runs work and returns its result; where a conversion may wait the work runs without slices, since it may run again. */
function made({ kind, limit }: Write, work: () => Work<ApiObject>): ApiObject | Promise<ApiObject> {
  return mayWait(kind) ? converting(() => atOnce(work())) : inSlices(work(), limit);
}

async function judgeChange(write: Write, attempt: Judging, entry: Entry, how: Change): Promise<Plan<WriteResult>> {
  const { kind, ctx, limit } = write;
  const wait = makeReady(kind, [entry]);
  if (wait) await whileHeld(attempt.hold, wait);
  // Parsed for this write alone: the entry is about to be replaced, so its object is not cached.
  const old = parseEntry(kind, entry);
  if (limit.isOver) await limit.pause();
  const warnings = ctx.warnings.length;
  const changed = made(write, () => {
    ctx.warnings.length = warnings;
    return how.change(old, entry);
  });
  const object = changed instanceof Promise ? await whileHeld(attempt.hold, changed) : changed;
  if (limit.isOver) await limit.pause();
  const preparing = how.own ? undefined : prepareChanged(write, attempt, object, old, how.demand);
  if (preparing) await preparing;
  if (limit.isOver) await limit.pause();
  return planChanged(write, attempt, entry, object, old);
}

function planChanged(
  write: Write,
  attempt: Judging,
  entry: Entry,
  object: ApiObject,
  old: ApiObject,
): Plan<WriteResult> | Promise<Plan<WriteResult>> {
  const { kind, ctx } = write;
  const plan = () => planWrite(write, attempt, entry, object, old);
  // An object that is stored in an older version or with an older key is written again, even when nothing else changes (CRYPT-7).
  if (!sameObject(object, old) || isStale(kind, entry)) return plan();
  const unchanged = { writes: [], result: () => new StoredResult(kind, entry, 200, ctx) };
  const outdated = kind.shared.store.isOutdated?.(kind.stored.prefix + entry.key);
  return outdated ? whenHeld(attempt, outdated, (isOutdated) => (isOutdated ? plan() : unchanged)) : unchanged;
}

function planWrite(
  write: Write,
  attempt: Judging,
  entry: Entry,
  object: ApiObject,
  old: ApiObject,
): Plan<WriteResult> | Promise<Plan<WriteResult>> {
  const { kind, options, ctx, target } = write;
  const gone = isGone(kind, object, old);
  if (options.dryRun) {
    const shown = gone ? object : shownAfterStoring(kind, object, entry);
    return whenHeld(attempt, shown, (one) => ({ writes: [], result: () => unstoredResult(one, 200, ctx) }));
  }
  if (gone) freeAll(kind, attempt, object);
  // The event of a delete shows the last state of the object, with the finalizers that held it.
  return whenHeld(attempt, gone ? parseStored(entry) : storedForm(kind, object, entry), (form) => {
    const { namespace, name } = target;
    const key = kind.stored.prefix + entry.key;
    const leaves = object.metadata.deletionTimestamp !== undefined;
    const type = gone ? "delete" : "update";
    const planned = { type, key, value: encodeObject(form), expected: entry.revision, leaves } as const;
    return {
      writes: [{ kind, namespace, name, object: gone ? undefined : form, write: planned }],
      result: (revision) => writtenResult(kind, entry.key, object, revision, 200, ctx),
    };
  });
}

/** Whether objects are equal, except for the times of unchanged owners (DEC-31). */
function sameObject(a: ApiObject, b: ApiObject): boolean {
  const [entries, before] = [a.metadata.managedFields, b.metadata.managedFields];
  if (entries === before) return equal(asValue(a), asValue(b));
  if (entries?.length !== before?.length || !equal(withoutOwners(a), withoutOwners(b))) return false;
  return (entries ?? []).every((entry, i) => equal({ ...entry, time: "" }, { ...before?.[i], time: "" }));
}

const withoutOwners = (object: ApiObject): object => ({
  ...object,
  metadata: { ...object.metadata, managedFields: null },
});

/** Whether a write removes the last finalizer of an object that is being deleted (DEC-26); a Namespace has some in its spec too. */
export function isGone(kind: Kind, object: ApiObject, old: ApiObject): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined || old.metadata.deletionTimestamp === undefined) return false;
  if ((metadata.finalizers?.length ?? 0) > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return !kind.definition.isHeld?.(object);
}
