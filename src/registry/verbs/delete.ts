/**
 * delete: removes an object, or marks it and waits for its finalizers (DEC-26).
 * Without finalizers the object is removed at once. With them it gets a deletionTimestamp and stays until the last one is removed; a policy
 * adds or strips the finalizers `orphan` and `foregroundDeletion`. A second delete keeps the time of the first.
 *
 * @module
 */
import { addWarnings } from "../../schema/warnings.ts";
import { asValue, copyOf } from "../../schema/api-object.ts";
import type { ApiObject, WriteContext } from "../../schema/definition.ts";
import type { Entry } from "../../cache/index.ts";
import { conflict, deleted, notFound } from "../../meta/status.ts";
import { formatTime } from "../../meta/time.ts";
import { whileHeld } from "../../util/keyed-lock.ts";
import type { Slice } from "../../util/loop.ts";
import { whenDone } from "../../util/when-done.ts";
import { equal } from "../../value/value.ts";
import type { Bytes } from "../../storage/contract.ts";
import { encodeObject, keptBytes, textOf } from "../versions/codec.ts";
import { type Judging, type Plan, commit } from "../commit/commit.ts";
import type { PlannedWrite } from "../commit/planned.ts";
import type { Caller, DeleteOptions, DeleteResult, Target, WriteResult } from "../contract.ts";
import { type Kind, keyOf } from "../kind/kind.ts";
import { admit, requestOf } from "../pipeline/pipeline.ts";
import { newContext } from "../kind/write.ts";
import { StoredResult, unstoredResult, writtenResult } from "../objects/results.ts";
import { freeAll } from "../allocation/allocator.ts";
import { makeReady, objectOf, parseStored, storedForm } from "../versions/view.ts";
import { deleteUnread, isUnread } from "./delete-unread.ts";
import { checkIfMatch } from "./preconditions.ts";

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

interface Deletion {
  readonly kind: Kind;
  readonly target: Target;
  readonly options: DeleteOptions;
  readonly caller: Caller;
  /** Whether it is a write of the server itself: admission does not run. */
  readonly own: boolean;
  readonly ctx: WriteContext;
  /** Large objects take more than a slice of the event loop. */
  readonly limit: Slice;
}

/**
 * Deletes one object. 200 with the object or a Status, 202 where the deletion waits and the options request to know that.
 *
 * @param own whether it is a write of the server itself: admission does not run
 */
export function deleteObject(
  kind: Kind,
  target: Target,
  options: DeleteOptions,
  caller: Caller,
  own = false,
): Promise<DeleteResult> {
  if (isUnread(kind, options)) return deleteUnread(kind, target, options, caller);
  const ctx = newContext(kind);
  warnOfOrphans(kind, options, ctx);
  const deletion: Deletion = { kind, target, options, caller, own, ctx, limit: ctx.clock.loop.slice() };
  const key = keyOf(kind, target.namespace, target.name);
  return commit({
    ...deletion,
    lock: kind.stored.prefix + key,
    judge: (attempt) => judge(deletion, attempt, key),
    judgesAgain: ({ code }) => code === "conflict",
  });
}

/** Warns that dependents stay where the options do not mention them (KIND-All-8). */
export function warnOfOrphans({ definition }: Kind, options: DeleteOptions, ctx: WriteContext): void {
  const { orphansDependents: orphans } = definition;
  const isSaid = options.propagationPolicy !== undefined || options.orphanDependents !== undefined;
  if (typeof orphans === "object" && !isSaid) addWarnings(ctx, [orphans.warning]);
}

async function judge(deletion: Deletion, attempt: Judging, key: string): Promise<Plan<DeleteResult>> {
  const { kind, target, options, caller, own, limit } = deletion;
  const entry = kind.cache.get(key);
  if (!entry) throw notFound(kind.ref, target.name);
  checkIfMatch(kind, target.name, caller, entry);
  const wait = makeReady(kind, [entry]);
  if (wait) await whileHeld(attempt.hold, wait);
  const old = objectOf(kind, entry);
  checkPreconditions({ kind, target, options }, old);
  if (limit.isOver) await limit.pause();
  if (!own) {
    const request = requestOf(deletion, attempt, "DELETE", undefined, old);
    const admitted = whenDone(kind.shared.admission.mutate(request), () => admit(deletion, attempt, request));
    if (admitted) await admitted;
  }
  const marked = mark(deletion, old);
  if (limit.isOver) await limit.pause();
  return waits(kind, marked, old)
    ? planMarked(deletion, attempt, entry, old, marked)
    : planRemoval(deletion, attempt, entry, old, marked);
}

/** Plans an update to an object that is being deleted. */
async function planMarked(
  deletion: Deletion,
  attempt: Judging,
  entry: Entry,
  old: ApiObject,
  marked: ApiObject,
): Promise<Plan<DeleteResult>> {
  const { kind, options, ctx } = deletion;
  const asWaiting = (result: WriteResult): DeleteResult => waitingResult(deletion, result);
  if (options.dryRun) return { writes: [], result: () => asWaiting(unstoredResult(marked, 200, ctx)) };
  if (equal(asValue(marked), asValue(old))) {
    return { writes: [], result: () => asWaiting(new StoredResult(kind, entry, 200, ctx)) };
  }
  const form = await whileHeld(attempt.hold, storedForm(kind, marked, entry));
  return {
    writes: [markWrite(deletion, entry, form, encodeObject(form))],
    result: (revision) => asWaiting(writtenResult(kind, entry.key, marked, revision, 200, ctx)),
  };
}

/** Plans the removal of the object. */
async function planRemoval(
  deletion: Deletion,
  attempt: Judging,
  entry: Entry,
  old: ApiObject,
  marked: ApiObject,
): Promise<Plan<DeleteResult>> {
  const { kind, options, limit } = deletion;
  // Watchers of kinds with a grace period see the object as one that is being deleted before it is gone.
  const last = kind.definition.gracePeriod === undefined ? old : marked;
  if (options.dryRun) return { writes: [], result: () => dryRunResult(deletion, entry, marked) };
  const changes = !equal(asValue(last), asValue(old));
  const form = changes ? await whileHeld(attempt.hold, storedForm(kind, last, entry)) : parseStored(entry);
  if (limit.isOver) await limit.pause();
  freeAll(kind, attempt, old);
  // Encoded once, for both events and for the result.
  const text = textOf(form);
  const value = keptBytes(text);
  const removal = (before: number): Plan<DeleteResult> => ({
    writes: [removeWrite(deletion, entry, value, before)],
    result: (revision) => removedResult(deletion, last, form === last ? text : undefined, revision),
  });
  if (!changes) return removal(entry.revision);
  return { ...removal(entry.revision), writes: [markWrite(deletion, entry, form, value)], followUp: removal };
}

/** Stores the object as one that is being deleted. */
const markWrite = (
  { kind, target: { namespace, name } }: Deletion,
  entry: Entry,
  form: ApiObject,
  value: Bytes,
): PlannedWrite => ({
  kind,
  namespace,
  name,
  object: form,
  write: {
    type: "update",
    key: kind.stored.prefix + entry.key,
    value,
    expected: entry.revision,
    leaves: true,
  },
});

/** Removes the object; its event shows the last state. */
const removeWrite = (
  { kind, target: { namespace, name } }: Deletion,
  entry: Entry,
  value: Bytes,
  expected: number,
): PlannedWrite => ({
  kind,
  namespace,
  name,
  object: undefined,
  write: { type: "delete", key: kind.stored.prefix + entry.key, value, expected },
});

/** @param text of `last`, where that is the form in which it was stored */
function removedResult(
  { kind, target, ctx }: Deletion,
  last: ApiObject,
  text: string | undefined,
  revision: number,
): DeleteResult {
  if (kind.definition.deleteReturns === "object") {
    const object = { ...last, metadata: { ...last.metadata, resourceVersion: String(revision) } };
    return unstoredResult(object, 200, ctx, true, text);
  }
  const status = deleted(kind.ref, target.name, last.metadata.uid ?? "");
  return { status, code: 200, changed: true, warnings: ctx.warnings };
}

function dryRunResult({ kind, target, ctx }: Deletion, entry: Entry, marked: ApiObject): DeleteResult {
  const { definition } = kind;
  if (definition.deleteReturns === "object") {
    return definition.gracePeriod ? unstoredResult(marked, 200, ctx) : new StoredResult(kind, entry, 200, ctx);
  }
  const status = deleted(kind.ref, target.name, marked.metadata.uid ?? "");
  return { status, code: 200, changed: false, warnings: ctx.warnings };
}

/** The object after its deletion has begun: times, and the finalizers of the policy. */
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
    // Where changes are not counted yet, the deletion is not the first change.
    if (metadata.generation !== undefined) metadata.generation += 1;
  } else if (remaining !== undefined && grace < remaining) {
    // A shorter grace period than the running one: the time is moved nearer.
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
 * contradicts it, no policy keeps both (as recorded from kube-apiserver), and is Orphan for kinds that orphan by default (KIND-All-7).
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

/**
 * Checks the uid and the resourceVersion of the preconditions; the error has the name of the kind, where others have that of the resource.
 */
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

/** The result of a deletion that waits: the object, or a Status for some kinds and dialects (AMB-41). */
function waitingResult({ kind, target, options, ctx }: Deletion, result: WriteResult): DeleteResult {
  const { rules } = ctx.dialect;
  const isAccepted =
    options.orphanDependents === false ||
    (rules.foregroundDeleteReturnsAccepted && options.propagationPolicy === "Foreground");
  const code = isAccepted ? 202 : 200;
  if (kind.definition.deleteReturns === "status" && rules.pendingDeleteReturnsStatus) {
    const uid = result.object.metadata.uid ?? "";
    return { status: deleted(kind.ref, target.name, uid), code, changed: result.changed, warnings: ctx.warnings };
  }
  return { bytes: result.bytes, object: result.object, code, changed: result.changed, warnings: ctx.warnings };
}
