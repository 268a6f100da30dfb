/**
 * Which nodes volumes are attached to, and which nodes are lost.
 *
 * @module
 */
import type { Node } from "../../../client/kinds/index.ts";
import type { AttachNames } from "../../../claims/attachment.ts";

/** A node that is not ready for longer than this has lost what it had (CTL-AD-13). */
const LOST_AFTER_MS = 360_000;

/** Whether volumes of a node are attached from here. */
export const isManaged = ({ metadata }: Node, { managed }: AttachNames): boolean =>
  metadata.annotations?.[managed] === "true";

/** When a node became what it is, ready or not, as it says itself. */
export function changedAt({ status }: Node): number | undefined {
  const time = status.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  return time ? Date.parse(time) : undefined;
}

/** For how long a node that is not ready is waited for yet. */
export const timeUntilLost = (since: number, now: number): number => since + LOST_AFTER_MS - now;
