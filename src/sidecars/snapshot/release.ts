/**
 * Removes the finalizers of a deleted snapshot. Its content is deleted first where its policy says so.
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { annotated } from "../../meta/annotations.ts";
import type { Result } from "../../runtime/index.ts";
import { REQUEUE_SOON, write } from "../../runtime/writes.ts";
import { hasFinalizer, removeFinalizer } from "../finalizers.ts";
import { sourceKey } from "../provision/data-source.ts";
import type { VolumeSnapshotContent } from "./kinds.ts";
import { releaseClaims } from "./source-claims.ts";
import type { SnapshotContext } from "./specs.ts";

/** Releases a snapshot. The next reconcile follows when the content is deleted, or a claim has its volume. */
export async function releaseSnapshot(
  context: SnapshotContext,
  content: VolumeSnapshotContent | undefined,
): Promise<Result> {
  const { ctx, sidecar, specs } = context;
  const snapshot = ctx.object;
  const { asSource, bound, beingDeleted } = sidecar.names.snapshot;
  if (![asSource, bound].some((finalizer) => hasFinalizer(snapshot, finalizer))) return undefined;
  if (content && isSource(context)) {
    ctx.events.warning("SnapshotDeletePending", "Snapshot is being used to restore a PVC");
    return undefined;
  }
  const deletesContent = content?.spec.deletionPolicy === "Delete";
  if (content) {
    const marked = await write(ctx.client, specs.kinds.content, annotated(content, { [beingDeleted]: "yes" }));
    if (!marked) return REQUEUE_SOON;
    if (deletesContent && marked.metadata.deletionTimestamp === undefined) {
      const deleted = await attempt(ctx.client.resource(specs.kinds.content).delete(marked), "NotFound", "Conflict");
      if (!deleted.ok && deleted.reason === "Conflict") return REQUEUE_SOON;
    }
  }
  await releaseClaims(context, snapshot);
  for (const finalizer of deletesContent ? [asSource] : [asSource, bound]) {
    const now = await ctx.client.resource(specs.kinds.snapshot).find(ctx.key);
    if (now?.metadata.uid !== snapshot.metadata.uid || !hasFinalizer(now, finalizer)) continue;
    await removeFinalizer(ctx.client, specs.kinds.snapshot, now, finalizer);
  }
  return undefined;
}

/** Whether a claim without a volume has the snapshot as its source. */
function isSource({ ctx, sidecar }: SnapshotContext): boolean {
  const { namespace = "", name } = ctx.object.metadata;
  const source = sourceKey({ group: sidecar.names.snapshotGroup, kind: "VolumeSnapshot", namespace, name });
  return ctx.informer(sidecar.specs.claims).by("source", source).length > 0;
}
