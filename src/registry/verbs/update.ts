/**
 * The guaranteed update: read, make the next state, write it if nobody changed the object meanwhile, else try again.
 *
 * Writers of one object in this process take turns, so a second try happens only when another server wrote. An update
 * that changes nothing, not even an owner, writes nothing and keeps the version (DEC-31).
 *
 * @module
 */
import { asValue, copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Entry } from "../../cache/index.ts";
import { badRequest, conflict, hasReason, notFound } from "../../meta/status.ts";
import { StoreError } from "../../storage/contract.ts";
import { type Value, equal } from "../../value/value.ts";
import { encodeObject } from "../codec.ts";
import type { Body, Caller, Target, WriteOptions, WriteResult } from "../contract.ts";
import { decodeBody } from "../decode.ts";
import { storeError } from "../errors.ts";
import { storeRecord } from "../store-write.ts";
import { type Kind, keyOf } from "../kind.ts";
import { formOf } from "../lens.ts";
import { type Work, andThen, atOnce, inTurns } from "../../util/steps.ts";
import { TurnLimit } from "../../util/turn-limit.ts";
import { converting, mayWait } from "../versions/convert-later.ts";
import { isStale, makeReady, parseEntry, parseStored, shownAfterStoring, storedForm } from "../versions/view.ts";
import { placeObject } from "../metadata.ts";
import { managerOf, ownCreated, ownUpdated } from "../ownership.ts";
import {
  type Write,
  type WriteUnderWay,
  commitAdmission,
  newContext,
  prepareChanged,
  withWarnings,
} from "../pipeline.ts";
import { unstoredResult, storedResult, writtenResult } from "../results.ts";
import { giveUp, withHand } from "../stocks/hand.ts";
import { inTurn, withinTurn } from "../turn.ts";
import { storeNew } from "./create.ts";
import { waitForRevision, waitUntilFresh } from "./freshness.ts";
import { checkIfMatch, checkUid, checkVersion, checkVersionForm, demandVersion } from "./preconditions.ts";

/** How often another server may be faster before the client hears of it. */
const TRIES = 12;

/** Replaces an object, or writes its subresource. 200; 201 where PUT creates (DEC-32). */
export function update(
  kind: Kind,
  target: Target,
  body: Body,
  options: WriteOptions,
  caller: Caller,
): Promise<WriteResult> {
  const write: Write = { kind, target, options, caller, ctx: newContext(kind, caller), limit: new TurnLimit() };
  return withWarnings(write.ctx, () => updateNow(write, body));
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
  return form.answer(result);
}

/** How a verb makes the next state of an object. */
export interface Change {
  /** The next state in wire form, ownership recorded; the result belongs to the update, `old` is shared. */
  change(old: ApiObject, entry: Entry): Work<ApiObject>;
  /**
   * Throws where the object is not the one that the client has named, by its version for instance. Asked after those of admission that may
   * change the next state, so that who may not write it is told 403 and not 409, and before its rules.
   */
  readonly demand?: (old: ApiObject) => void;
  /** Whether it is the server's own: see {@link changeObject}. */
  readonly own?: true;
  /** The object to create when there is none; without it the answer is 404. */
  readonly missing?: (() => Work<ApiObject>) | undefined;
}

/**
 * A change of the server's own, below which a client has asked for something: nobody else is asked whether it may be, it has
 * no owner and does not count as a generation.
 */
export const changeObject = (write: Write, change: (old: ApiObject) => ApiObject): Promise<WriteResult> =>
  guaranteedUpdate(write, { own: true, change });

/** Carries a change out, under the lock of the object. */
export function guaranteedUpdate(write: Write, how: Change): Promise<WriteResult> {
  const { kind, target } = write;
  const key = keyOf(kind, target.namespace, target.name);
  return inTurn(kind.shared.locks, kind.stored.prefix + key, (turn) => attempt({ ...write, turn }, key, how));
}

async function attempt(write: WriteUnderWay, key: string, how: Change): Promise<WriteResult> {
  const { kind, target, ctx } = write;
  const warnings = ctx.warnings.length;
  for (let tries = 1; ; tries++) {
    const entry = kind.cache.get(key);
    checkIfMatch(kind, target.name, write.caller, entry);
    if (!entry && !how.missing) throw notFound(kind.ref, target.name);
    try {
      if (entry) return await once(write, key, entry, how);
      await write.caller.permitCreate?.();
      return await storeNew(write, await made(write, how.missing!));
    } catch (error) {
      if (!mayTryAgain(error, how) || tries >= TRIES) throw storeError(kind, target.name, error);
      ctx.warnings.length = warnings;
      const known = error instanceof StoreError ? error.revision : undefined;
      await (known === undefined ? waitUntilFresh(kind) : waitForRevision(kind, known));
    }
  }
}

/** Whether another server was faster: what was there is another version, is gone, or was not there and is now. */
function mayTryAgain(error: unknown, { missing }: Change): boolean {
  if (!(error instanceof StoreError)) return missing !== undefined && hasReason(error, "AlreadyExists");
  return error.code === "conflict" || (error.code === "notFound" && missing !== undefined);
}

/** What some work makes; what may have to be done again, because a conversion waits, is done at once. */
function made({ kind, limit }: Write, work: () => Work<ApiObject>): ApiObject | Promise<ApiObject> {
  return mayWait(kind) ? converting(() => atOnce(work())) : inTurns(work(), limit);
}

async function once(write: WriteUnderWay, key: string, entry: Entry, how: Change): Promise<WriteResult> {
  const { kind, ctx, turn, limit } = write;
  const wait = makeReady(kind, [entry]);
  if (wait) await withinTurn(turn, wait);
  // Parsed for this write alone: the entry is about to be replaced, keeping its object would serve nobody.
  const old = parseEntry(kind, entry);
  if (limit.isOver) await limit.pause();
  const told = ctx.warnings.length;
  const changed = made(write, () => {
    ctx.warnings.length = told;
    return how.change(old, entry);
  });
  const object = changed instanceof Promise ? await withinTurn(turn, changed) : changed;
  if (limit.isOver) await limit.pause();
  return await withHand(write, old, (taking) => storeChanged(taking, key, entry, object, old, how));
}

async function storeChanged(
  write: WriteUnderWay,
  key: string,
  entry: Entry,
  object: ApiObject,
  old: ApiObject,
  { own, demand }: Change,
): Promise<WriteResult> {
  const { kind, options, ctx, turn, limit } = write;
  const prepared = own ? undefined : prepareChanged(write, object, old, demand);
  const admission = prepared instanceof Promise ? await prepared : prepared;
  if (limit.isOver) await limit.pause();
  // What is stored in an older version or with an older key is written in that of today, also when nothing else changes (CRYPT-7).
  if (sameObject(object, old) && !isStale(kind, entry)) {
    const outdated = kind.shared.store.isOutdated?.(kind.stored.prefix + key);
    if (!outdated || !(await withinTurn(turn, outdated))) return storedResult(kind, entry, 200, ctx);
  }
  const gone = isGone(kind, object, old);
  if (options.dryRun) {
    const shown = gone ? object : shownAfterStoring(kind, object, entry);
    return unstoredResult(shown instanceof Promise ? await withinTurn(turn, shown) : shown, 200, ctx);
  }
  const committed = admission && commitAdmission(kind, admission);
  if (committed) await committed;
  // What goes is told as it last was: the event of the end shows the finalizers that held it.
  const form = gone ? parseStored(entry) : storedForm(kind, object, entry);
  const value = encodeObject(form instanceof Promise ? await withinTurn(turn, form) : form);
  const storeKey = kind.stored.prefix + key;
  const type = gone ? "delete" : "update";
  const leaves = object.metadata.deletionTimestamp !== undefined;
  const revision = await storeRecord(
    kind,
    { type, key: storeKey, value, expected: entry.revision, leaves },
    write.caller,
  );
  if (gone) await giveUp(kind, old);
  else if (write.hand) await write.hand.keep(object);
  return writtenResult(kind, key, object, revision, 200, ctx);
}

/** Equal in everything, but for the times at which owners wrote what was there already (DEC-31). */
function sameObject(a: ApiObject, b: ApiObject): boolean {
  const [entries, before] = [a.metadata.managedFields, b.metadata.managedFields];
  if (entries === before) return equal(asValue(a), asValue(b));
  if (entries?.length !== before?.length || !equal(withoutOwners(a), withoutOwners(b))) return false;
  return (entries ?? []).every((entry, i) => {
    const other = before![i]!;
    return equal({ ...entry, time: "" } as Value, { ...other, time: "" } as Value);
  });
}

const withoutOwners = (object: ApiObject): Value =>
  ({ ...object, metadata: { ...object.metadata, managedFields: null } }) as unknown as Value;

/** An object that is being deleted goes with its last finalizer (DEC-26); what holds a Namespace is in its spec too. */
export function isGone(kind: Kind, object: ApiObject, old: ApiObject): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined || old.metadata.deletionTimestamp === undefined) return false;
  if ((metadata.finalizers?.length ?? 0) > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return !kind.definition.isHeld?.(object);
}
