/**
 * Lets a content go that is deleted: its snapshot first, where that is what its policy says.
 *
 * @module
 */
import { attempt, keyText } from "../../client/index.ts";
import type { Result } from "../../runtime/index.ts";
import { CallError, MOST_UNCLEAR, isUnclear, mayGoOn } from "../call.ts";
import { hasFinalizer, removeFinalizer } from "../finalizers.ts";
import { callOf } from "../sidecar.ts";
import type { VolumeSnapshotContent } from "./kinds.ts";
import type { Taking } from "./given.ts";
import { credentialsIfAny } from "../secrets.ts";
import { create, requestAgain, secretsOf } from "./take.ts";
import { errorText } from "../../util/cut-text.ts";

/** Lets a content go; what fails is told, and thrown to be tried again. */
export async function dropSnapshot(given: Taking): Promise<Result> {
  const { ctx, sidecar, specs } = given;
  const content = ctx.object;
  const { contentBound } = sidecar.names.snapshot;
  if (!hasFinalizer(content, contentBound) || !(await isFree(content, given))) return undefined;
  // Memory may be behind, and a snapshot does not come back.
  const stored = await ctx.client.resource(specs.kinds.content).find(ctx.key);
  if (stored?.metadata.uid !== content.metadata.uid || !(await isFree(stored, given))) return undefined;
  if (stored.spec.deletionPolicy === "Delete") {
    try {
      await remove(given);
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

/** Whether nobody has the content any more: its snapshot is deleted, or never came. */
async function isFree({ metadata, spec }: VolumeSnapshotContent, { ctx, sidecar, specs }: Taking): Promise<boolean> {
  const { uid, namespace = "", name = "" } = spec.volumeSnapshotRef;
  if (metadata.annotations?.[sidecar.names.snapshot.beingDeleted] !== undefined) return true;
  if (spec.source.snapshotHandle !== undefined && !uid) return true;
  // Who took the finalizers off a snapshot by hand left no mark here.
  const snapshot = await ctx.client.resource(specs.kinds.snapshot).find({ namespace, name });
  return snapshot === undefined || (uid !== undefined && uid !== snapshot.metadata.uid);
}

async function remove(given: Taking): Promise<void> {
  const { ctx, sidecar, specs } = given;
  const { spec, status } = ctx.object;
  const snapshotId = status?.snapshotHandle ?? spec.source.snapshotHandle ?? (await unstored(given));
  if (snapshotId === undefined) return;
  const secrets = await secretsOf(given, credentialsIfAny);
  await callOf(sidecar, ctx.signal)("DeleteSnapshot", (calls, how) =>
    calls.deleteSnapshot({ snapshotId, secrets }, how),
  );
  // What is gone is not to be found in a status: whoever is killed now does not look for it again.
  const gone = { snapshotHandle: null, readyToUse: null, creationTime: null, restoreSize: null };
  await attempt(ctx.client.resource(specs.kinds.content).status.patch(ctx.key, { status: gone }), "NotFound");
}

/** A snapshot that the driver was asked for in vain: it is asked once more, and tells what it is called. */
async function unstored(given: Taking): Promise<string | undefined> {
  const { ctx, sidecar, unclear } = given;
  const { metadata, spec, status } = ctx.object;
  const wasAsked = metadata.annotations?.[sidecar.names.snapshot.beingCreated] !== undefined || status?.error;
  if (!wasAsked || spec.source.volumeHandle === undefined) return undefined;
  const key = keyText(ctx.key);
  try {
    return (await create(given, await requestAgain(given))).snapshotId;
  } catch (error) {
    if (!(error instanceof CallError) || mayGoOn(error)) throw error;
    const times = (unclear.get(key) ?? 0) + 1;
    unclear.set(key, times);
    if (isUnclear(error) && times < MOST_UNCLEAR) throw error;
    return undefined;
  }
}
