/**
 * delete: removes an object, or marks it and waits for its finalizers (DEC-26).
 *
 * Without finalizers the object goes at once. With them it gets a deletionTimestamp and stays until the last one is
 * taken away; a policy adds or strips the finalizers `orphan` and `foregroundDeletion`. A second delete keeps the time
 * of the first.
 *
 * @module
 */
import type { Admission } from "../../admission/contract.ts";
import { addWarnings } from "../../schema/warnings.ts";
import { asValue, copyOf } from "../../schema/api-object.ts";
import type { ApiObject, WriteContext } from "../../schema/definition.ts";
import type { Entry } from "../../cache/index.ts";
import { conflict, deleted, notFound } from "../../meta/status.ts";
import { formatTime } from "../../meta/time.ts";
import { StoreError } from "../../storage/contract.ts";
import type { Turn } from "../../util/keyed-lock.ts";
import { TurnLimit } from "../../util/turn-limit.ts";
import { equal } from "../../value/value.ts";
import { encodeObject } from "../codec.ts";
import type { Caller, DeleteOptions, DeleteResult, Target, WriteResult } from "../contract.ts";
import { storeError } from "../errors.ts";
import { storeRecord } from "../store-write.ts";
import { type Kind, keyOf } from "../kind.ts";
import { makeReady, objectOf, parseStored, storedForm } from "../versions/view.ts";
import { admissionOf, admitted, newContext } from "../pipeline.ts";
import { deleteUnread, isUnread } from "./delete-unread.ts";
import { waitForRevision } from "./freshness.ts";
import { checkIfMatch } from "./preconditions.ts";
import { unstoredResult, storedResult, writtenResult } from "../results.ts";
import { giveUp } from "../stocks/hand.ts";
import { inTurn, withinTurn } from "../turn.ts";

const TRIES = 12;
const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

interface Deletion {
  readonly kind: Kind;
  readonly target: Target;
  readonly options: DeleteOptions;
  readonly caller: Caller;
  /** Who is asked whether it may be. */
  readonly admission: Admission;
  readonly ctx: WriteContext;
  readonly turn: Turn;
  /** Large objects take more than a turn of the event loop. */
  readonly limit: TurnLimit;
}

/**
 * Deletes one object. 200 with the object or a Status, 202 where the deletion waits and the caller asked to know.
 *
 * @param admission who is asked whether it may be
 */
export function deleteObject(
  kind: Kind,
  target: Target,
  options: DeleteOptions,
  caller: Caller,
  admission: Admission = kind.shared.admission,
): Promise<DeleteResult> {
  if (isUnread(kind, options)) return deleteUnread(kind, target, options, caller);
  const ctx = newContext(kind);
  warnOfOrphans(kind, options, ctx);
  const key = keyOf(kind, target.namespace, target.name);
  return inTurn(kind.shared.locks, kind.stored.prefix + key, (turn) =>
    attempt({ kind, target, options, caller, admission, ctx, turn, limit: new TurnLimit() }, key),
  );
}

/** Warns of dependents that stay because nothing is said of them (KIND-All-8). */
export function warnOfOrphans({ definition }: Kind, options: DeleteOptions, ctx: WriteContext): void {
  const { orphansDependents: orphans } = definition;
  const isSaid = options.propagationPolicy !== undefined || options.orphanDependents !== undefined;
  if (typeof orphans === "object" && !isSaid) addWarnings(ctx, [orphans.warning]);
}

async function attempt(deletion: Deletion, key: string): Promise<DeleteResult> {
  const { kind, target } = deletion;
  for (let tries = 1; ; tries++) {
    const entry = kind.cache.get(key);
    if (!entry) throw notFound(kind.ref, target.name);
    checkIfMatch(kind, target.name, deletion.caller, entry);
    try {
      return await once(deletion, key, entry);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "conflict" || tries >= TRIES) {
        throw storeError(kind, target.name, error);
      }
      await waitForRevision(kind, error.revision ?? kind.shared.cacher.revision);
    }
  }
}

async function once(deletion: Deletion, key: string, entry: Entry): Promise<DeleteResult> {
  const { kind, options, ctx, limit } = deletion;
  const wait = makeReady(kind, [entry]);
  if (wait) await withinTurn(deletion.turn, wait);
  const old = objectOf(kind, entry);
  checkPreconditions(deletion, old);
  if (limit.isOver) await limit.pause();
  await admitted(deletion.admission, admissionOf(deletion, "DELETE", undefined, old));
  const marked = mark(deletion, old);
  if (limit.isOver) await limit.pause();
  if (!waits(kind, marked, old)) return remove(deletion, key, entry, old, marked);
  if (options.dryRun) return answerWaiting(deletion, unstoredResult(marked, 200, ctx));
  if (equal(asValue(marked), asValue(old))) {
    return answerWaiting(deletion, storedResult(kind, entry, 200, ctx));
  }
  const revision = await store(deletion, key, entry, await formOf(deletion, marked, entry));
  return answerWaiting(deletion, writtenResult(kind, key, marked, revision, 200, ctx));
}

async function remove(
  deletion: Deletion,
  key: string,
  entry: Entry,
  old: ApiObject,
  marked: ApiObject,
): Promise<DeleteResult> {
  const { kind, options, ctx, target, limit } = deletion;
  const answersObject = kind.definition.deleteAnswers === "object";
  const takesTime = kind.definition.gracePeriod !== undefined;
  // What may take time is seen to be on its way out before it is gone, also where no time is left.
  const last = takesTime ? marked : old;
  if (!options.dryRun) {
    const begun = equal(asValue(last), asValue(old)) ? undefined : await formOf(deletion, last, entry);
    const before = begun ? await store(deletion, key, entry, begun) : entry.revision;
    const stored = begun ?? parseStored(entry);
    if (limit.isOver) await limit.pause();
    const value = encodeObject(stored);
    const write = { type: "delete", key: kind.stored.prefix + key, value, expected: before } as const;
    const revision = await storeRecord(kind, write, deletion.caller);
    await giveUp(kind, old);
    if (answersObject) {
      const { metadata } = last;
      return unstoredResult({ ...last, metadata: { ...metadata, resourceVersion: String(revision) } }, 200, ctx, true);
    }
  }
  if (answersObject) return takesTime ? unstoredResult(marked, 200, ctx) : storedResult(kind, entry, 200, ctx);
  const status = deleted(kind.ref, target.name, old.metadata.uid ?? "");
  return { status, code: 200, changed: !options.dryRun, warnings: ctx.warnings };
}

/** Stores the object as it is now that its deletion has begun. */
const store = ({ kind, caller }: Deletion, key: string, entry: Entry, begun: ApiObject): Promise<number> => {
  const value = encodeObject(begun);
  const expected = entry.revision;
  return storeRecord(kind, { type: "update", key: kind.stored.prefix + key, value, expected, leaves: true }, caller);
};

/** An object in the form in which it is stored, awaited no longer than the turn of the deletion lasts. */
async function formOf({ kind, turn }: Deletion, object: ApiObject, entry: Entry): Promise<ApiObject> {
  const form = storedForm(kind, object, entry);
  return form instanceof Promise ? withinTurn(turn, form) : form;
}

/** The object as it is once its deletion has begun: times, the finalizers of the policy. */
function mark({ kind, options, ctx }: Deletion, old: ApiObject): ApiObject {
  const object = copyOf(old);
  const { metadata } = object;
  const finalizers = policyFinalizers(
    metadata.finalizers ?? [],
    options,
    kind.definition.orphansDependents !== undefined,
  );
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  const { clock } = kind.shared.api;
  const grace = kind.definition.gracePeriod?.(old, options.gracePeriodSeconds) ?? 0;
  const remaining = metadata.deletionGracePeriodSeconds;
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = formatTime(clock.now() + grace * 1000);
    if (kind.definition.deletion !== "twoSteps") metadata.deletionGracePeriodSeconds = grace;
    kind.definition.beginDelete?.(object, ctx);
    // Where changes are not counted yet, the deletion is not the first.
    if (metadata.generation !== undefined) metadata.generation += 1;
  } else if (remaining !== undefined && grace < remaining) {
    // A shorter wait than the one that is running: the time moves nearer.
    const end = Date.parse(metadata.deletionTimestamp) - (remaining - grace) * 1000;
    metadata.deletionTimestamp = formatTime(end);
    metadata.deletionGracePeriodSeconds = grace;
  }
  return object;
}

/** Whether the object stays for now. */
function waits(kind: Kind, marked: ApiObject, old: ApiObject): boolean {
  if (kind.definition.deletion === "twoSteps" && old.metadata.deletionTimestamp === undefined) return true;
  if ((marked.metadata.finalizers?.length ?? 0) > 0) return true;
  if ((marked.metadata.deletionGracePeriodSeconds ?? 0) > 0) return true;
  return kind.definition.isHeld?.(marked) ?? false;
}

/**
 * The finalizers after a delete with these options: Orphan and Foreground add theirs, any policy strips the one that
 * contradicts it, no policy keeps both (facts of the recorded answers), and is Orphan for kinds that orphan (KIND-All-7).
 */
function policyFinalizers(finalizers: readonly string[], options: DeleteOptions, orphans = false): string[] {
  const { propagationPolicy, orphanDependents } = options;
  const policy =
    propagationPolicy ?? (orphanDependents === undefined ? undefined : orphanDependents ? "Orphan" : "Background");
  if (policy === undefined) {
    const isSaid = finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND);
    return orphans && !isSaid ? [...finalizers, ORPHAN] : [...finalizers];
  }
  const wanted = policy === "Orphan" ? ORPHAN : policy === "Foreground" ? FOREGROUND : undefined;
  const kept = finalizers.filter((f) => (f !== ORPHAN && f !== FOREGROUND) || f === wanted);
  if (wanted !== undefined && !kept.includes(wanted)) kept.push(wanted);
  return kept;
}

/** The uid and the version that the caller demands; the refusal says the kind where others say the resource. */
export function checkPreconditions(
  { kind, target, options }: Pick<Deletion, "kind" | "target" | "options">,
  old: ApiObject,
): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const refuse = (member: string, sent: string, got: string | undefined, why: string): Error =>
    conflict(
      { ...kind.ref, plural: kind.ref.kind },
      target.name,
      `the ${member} in the precondition (${sent}) does not match the ${member} in record (${got ?? ""}). ${why}`,
    );
  if (uid !== undefined && uid !== old.metadata.uid) {
    throw refuse("UID", uid, old.metadata.uid, "The object might have been deleted and then recreated");
  }
  const version = old.metadata.resourceVersion;
  if (resourceVersion !== undefined && resourceVersion !== version) {
    throw refuse("ResourceVersion", resourceVersion, version, "The object might have been modified");
  }
}

/** A deletion that waits: the object, or a Status for the kinds and dialects that say so (AMB-41); 202 when asked for. */
function answerWaiting({ kind, target, options, ctx }: Deletion, result: WriteResult): DeleteResult {
  const { rules } = ctx.dialect;
  const asked =
    options.orphanDependents === false ||
    (rules.foregroundAnswersAccepted && options.propagationPolicy === "Foreground");
  const code = asked ? 202 : 200;
  if (kind.definition.deleteAnswers === "status" && rules.pendingDeleteAnswersStatus) {
    const uid = result.object.metadata.uid ?? "";
    return { status: deleted(kind.ref, target.name, uid), code, changed: result.changed, warnings: ctx.warnings };
  }
  return { bytes: result.bytes, object: result.object, code, changed: result.changed, warnings: ctx.warnings };
}
