/**
 * Lets a snapshot go that is deleted: its content first, as its policy says.
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { AGAIN, write } from "../../runtime/writes.ts";
import { annotated } from "../../meta/annotations.ts";
import type { Result } from "../../runtime/index.ts";
import { hasFinalizer, removeFinalizer } from "../finalizers.ts";
import { sourceKey } from "../provision/data-source.ts";
import type { Snapshotting } from "./given.ts";
import type { VolumeSnapshotContent } from "./kinds.ts";
import { releaseClaims } from "./source-claims.ts";

/** Lets a snapshot go; it is looked at again when its content has gone, or a claim has been filled. */
export async function releaseSnapshot(
  given: Snapshotting,
  content: VolumeSnapshotContent | undefined,
): Promise<Result> {
  const { ctx, sidecar, specs } = given;
  const snapshot = ctx.object;
  const { asSource, bound, beingDeleted } = sidecar.names.snapshot;
  if (![asSource, bound].some((finalizer) => hasFinalizer(snapshot, finalizer))) return undefined;
  if (content && isFilling(given)) {
    ctx.events.warning("SnapshotDeletePending", "claims are being filled from it");
    return undefined;
  }
  const goesToo = content?.spec.deletionPolicy === "Delete";
  if (content) {
    const marked = await write(ctx.client, specs.kinds.content, annotated(content, { [beingDeleted]: "yes" }));
    if (!marked) return AGAIN;
    if (goesToo && marked.metadata.deletionTimestamp === undefined) {
      const gone = await attempt(ctx.client.resource(specs.kinds.content).delete(marked), "NotFound", "Conflict");
      if (!gone.ok && gone.reason === "Conflict") return AGAIN;
    }
  }
  await releaseClaims(given, snapshot);
  for (const finalizer of goesToo ? [asSource] : [asSource, bound]) {
    const now = await ctx.client.resource(specs.kinds.snapshot).find(ctx.key);
    if (now?.metadata.uid !== snapshot.metadata.uid || !hasFinalizer(now, finalizer)) continue;
    await removeFinalizer(ctx.client, specs.kinds.snapshot, now, finalizer);
  }
  return undefined;
}

/** Whether a claim waits that is to be filled from a snapshot. */
function isFilling({ ctx, sidecar }: Snapshotting): boolean {
  const { namespace = "", name } = ctx.object.metadata;
  const source = sourceKey({ group: sidecar.names.snapshotGroup, kind: "VolumeSnapshot", namespace, name });
  return ctx.informer(sidecar.specs.claims).by("source", source).length > 0;
}
