/** Rules of nodes: which are managed, and when one is lost. */
import type { Node } from "../../../client/kinds/index.ts";
import type { AttachNames } from "../../../claims/attachment.ts";

/** After this time without being ready a node is lost (CTL-AD-13). */
const LOST_AFTER_MS = 360_000;

/** Whether this controller attaches the volumes of a node. */
export const isManaged = ({ metadata }: Node, { managed }: AttachNames): boolean =>
  metadata.annotations?.[managed] === "true";

/** When a node became ready or unready, by its own condition. */
export function changedAt({ status }: Node): number | undefined {
  const time = status.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  return time ? Date.parse(time) : undefined;
}

/** The milliseconds until an unready node is lost. */
export const timeUntilLost = (since: number, now: number): number => since + LOST_AFTER_MS - now;
