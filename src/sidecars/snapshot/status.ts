/**
 * Writes the status of a snapshot: that of its content, or an error.
 *
 * @module
 */
import { attempt, keyText } from "../../client/index.ts";
import { formatTime } from "../../meta/time.ts";
import type { Result } from "../../runtime/index.ts";
import { errorText } from "../../util/cut-text.ts";
import { quantityOf } from "../bytes.ts";
import type { VolumeSnapshotContent } from "./kinds.ts";
import type { SnapshotContext } from "./specs.ts";

/** Writes an error and records an Event, once for each message. */
export async function writeError({ ctx, specs }: SnapshotContext, reason: string, text: string): Promise<Result> {
  const message = errorText(text);
  if (ctx.object.status?.error?.message === message) return undefined;
  const error = { time: formatTime(ctx.clock.now()), message };
  ctx.events.warning(reason, message);
  const snapshots = ctx.client.resource(specs.kinds.snapshot);
  await attempt(snapshots.status.patch(ctx.key, { status: { readyToUse: false, error } }), "NotFound");
  return undefined;
}

/** Writes the status of the content. */
export async function copyStatus({ ctx, specs }: SnapshotContext, content: VolumeSnapshotContent): Promise<Result> {
  const before = ctx.object.status ?? {};
  const { readyToUse = false, creationTime, restoreSize, error } = content.status ?? {};
  const status = {
    boundVolumeSnapshotContentName: content.metadata.name,
    readyToUse,
    ...(creationTime === undefined ? {} : { creationTime: formatTime(Math.floor(creationTime / 1e6)) }),
    ...(restoreSize === undefined ? {} : { restoreSize: quantityOf(BigInt(restoreSize)) }),
    error: readyToUse ? null : (error ?? null),
  };
  const isSame = Object.entries(status).every(
    ([member, value]) => JSON.stringify((before as Record<string, unknown>)[member] ?? null) === JSON.stringify(value),
  );
  if (isSame) return undefined;
  const snapshots = ctx.client.resource(specs.kinds.snapshot);
  const done = await attempt(snapshots.status.patch(ctx.key, { status }), "NotFound");
  if (!done.ok) return undefined;
  const key = keyText(ctx.key);
  if (!before.creationTime && creationTime !== undefined) {
    ctx.events.normal("SnapshotCreated", `Snapshot ${key} was successfully created by the CSI driver.`);
  }
  if (before.readyToUse !== true && readyToUse) {
    ctx.events.normal("SnapshotReady", `Snapshot ${key} is ready to use.`);
  }
  return undefined;
}
