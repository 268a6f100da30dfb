/**
 * Removes the finalizer of a deleted content. Its deletion policy says whether the driver deletes the snapshot first.
 *
 * @module
 */
import { attempt, keyText } from "../../client/index.ts";
import type { Result } from "../../runtime/index.ts";
import { errorText } from "../../util/cut-text.ts";
import { CallError, MAX_UNCLEAR_ERRORS, isUnclear, mayStillRun } from "../call.ts";
import { hasFinalizer, removeFinalizer } from "../finalizers.ts";
import { annotatedSecret, credentialsIfAny } from "../secrets.ts";
import { callDriver } from "../sidecar.ts";
import type { VolumeSnapshotContent } from "./kinds.ts";
import type { ContentContext } from "./specs.ts";
import { create, repeatedRequest } from "./take.ts";

/** Deletes the snapshot of a content, and removes the finalizer. An error becomes an Event, and is thrown for a retry. */
export async function dropSnapshot(context: ContentContext): Promise<Result> {
  const { ctx, sidecar, specs } = context;
  const content = ctx.object;
  const { contentBound } = sidecar.names.snapshot;
  if (!hasFinalizer(content, contentBound) || !(await isUnused(content, context))) return undefined;
  // The informer may be behind, and the snapshot would be lost.
  const stored = await ctx.client.resource(specs.kinds.content).find(ctx.key);
  if (stored?.metadata.uid !== content.metadata.uid || !(await isUnused(stored, context))) return undefined;
  if (stored.spec.deletionPolicy === "Delete") {
    try {
      await remove(context);
    } catch (error) {
      ctx.events.warning("SnapshotDeleteError", errorText(error));
      throw error;
    }
  }
  const now = await ctx.client.resource(specs.kinds.content).find(ctx.key);
  if (now?.metadata.uid !== content.metadata.uid) return undefined;
  await removeFinalizer(ctx.client, specs.kinds.content, now, contentBound);
  return undefined;
}

/** Whether no snapshot has the content: it is deleted, or never existed. */
async function isUnused(
  { metadata, spec }: VolumeSnapshotContent,
  { ctx, sidecar, specs }: ContentContext,
): Promise<boolean> {
  const { uid, namespace = "", name = "" } = spec.volumeSnapshotRef;
  if (metadata.annotations?.[sidecar.names.snapshot.beingDeleted] !== undefined) return true;
  if (spec.source.snapshotHandle !== undefined && !uid) return true;
  // A snapshot that was deleted by force has left no annotation.
  const snapshot = await ctx.client.resource(specs.kinds.snapshot).find({ namespace, name });
  return snapshot === undefined || (uid !== undefined && uid !== snapshot.metadata.uid);
}

async function remove(context: ContentContext): Promise<void> {
  const { ctx, sidecar, specs } = context;
  const { spec, status, metadata } = ctx.object;
  const snapshotId = status?.snapshotHandle ?? spec.source.snapshotHandle ?? (await findUnstored(context));
  if (snapshotId === undefined) return;
  const ref = annotatedSecret(metadata.annotations, sidecar.names.snapshot.deletionSecret);
  await callDriver(context, "deleteSnapshot", { snapshotId, secrets: await credentialsIfAny(ctx.client, ref) });
  // A repeated reconcile must not look for the deleted snapshot.
  const deleted = { snapshotHandle: null, readyToUse: null, creationTime: null, restoreSize: null };
  await attempt(ctx.client.resource(specs.kinds.content).status.patch(ctx.key, { status: deleted }), "NotFound");
}

/** The ID of a snapshot that the driver may have taken: a repeated CreateSnapshot returns it. */
async function findUnstored(context: ContentContext): Promise<string | undefined> {
  const { ctx, sidecar, unclear } = context;
  const { metadata, spec, status } = ctx.object;
  const wasRequested = metadata.annotations?.[sidecar.names.snapshot.beingCreated] !== undefined || status?.error;
  if (!wasRequested || spec.source.volumeHandle === undefined) return undefined;
  const key = keyText(ctx.key);
  try {
    return (await create(context, await repeatedRequest(context))).snapshotId;
  } catch (error) {
    if (!(error instanceof CallError) || mayStillRun(error)) throw error;
    const times = (unclear.get(key) ?? 0) + 1;
    unclear.set(key, times);
    if (isUnclear(error) && times < MAX_UNCLEAR_ERRORS) throw error;
    return undefined;
  }
}
