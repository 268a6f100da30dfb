/**
 * What a snapshot says: that of its content, or what is wrong.
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { formatTime } from "../../meta/time.ts";
import type { Result } from "../../runtime/index.ts";
import { quantityOf } from "../bytes.ts";
import type { Snapshotting } from "./given.ts";
import type { VolumeSnapshotContent } from "./kinds.ts";
import { errorText } from "../../util/cut-text.ts";

/** Why a snapshot is not as it should be. */
export interface SnapshotFault {
  readonly reason: string;
  readonly message: string;
}

/** Writes what is wrong, once, and tells it. */
export async function tellFault({ ctx, specs }: Snapshotting, fault: SnapshotFault): Promise<void> {
  const { reason } = fault;
  const message = errorText(fault.message);
  if (ctx.object.status?.error?.message === message) return;
  const error = { time: formatTime(ctx.clock.now()), message };
  ctx.events.warning(reason, message);
  const snapshots = ctx.client.resource(specs.kinds.snapshot);
  await attempt(snapshots.status.patch(ctx.key, { status: { readyToUse: false, error } }), "NotFound");
}

/** Says what the content says. */
export async function copyStatus(given: Snapshotting, content: VolumeSnapshotContent): Promise<Result> {
  const { ctx, specs } = given;
  const before = ctx.object.status ?? {};
  const { readyToUse = false, creationTime, restoreSize, error } = content.status ?? {};
  const status = {
    boundVolumeSnapshotContentName: content.metadata.name,
    readyToUse,
    ...(creationTime === undefined ? {} : { creationTime: formatTime(Math.floor(creationTime / 1e6)) }),
    ...(restoreSize === undefined ? {} : { restoreSize: quantityOf(BigInt(restoreSize)) }),
    error: readyToUse ? null : (error ?? null),
  };
  const isSaid = Object.entries(status).every(
    ([member, value]) => JSON.stringify((before as Record<string, unknown>)[member] ?? null) === JSON.stringify(value),
  );
  if (isSaid) return undefined;
  const snapshots = ctx.client.resource(specs.kinds.snapshot);
  const done = await attempt(snapshots.status.patch(ctx.key, { status }), "NotFound");
  if (!done.ok) return undefined;
  if (!before.creationTime && creationTime !== undefined) {
    ctx.events.normal("SnapshotCreated", "the driver has taken the snapshot");
  }
  if (before.readyToUse !== true && readyToUse) ctx.events.normal("SnapshotReady", "the snapshot is ready to use");
  return undefined;
}
