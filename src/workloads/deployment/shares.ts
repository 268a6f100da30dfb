/** How many Pods a rolling update may create beyond the desired number, and how many may be unavailable (WL-DEP-10). */
import type { Deployment } from "../../client/kinds/index.ts";

/** The desired number of Pods of a Deployment. */
export const wantedBy = ({ spec }: Deployment): number => spec.replicas ?? 1;

/** Whether a Deployment has the strategy RollingUpdate. */
export const isRolling = ({ spec }: Deployment): boolean => (spec.strategy.type || "RollingUpdate") === "RollingUpdate";

/** The maximum number of Pods beyond the desired number; a percentage is rounded up. */
export const maxSurge = (deployment: Deployment): number => (isRolling(deployment) ? surgeOf(deployment) : 0);

/** The number of desired Pods that may be unavailable; a percentage is rounded down. Where both would be 0 it is 1. */
export function maxUnavailable(deployment: Deployment): number {
  const wanted = wantedBy(deployment);
  if (!isRolling(deployment) || wanted === 0) return 0;
  const share = shareOf(deployment.spec.strategy.rollingUpdate?.maxUnavailable, wanted, Math.floor);
  return Math.min(share === 0 && surgeOf(deployment) === 0 ? 1 : share, wanted);
}

const surgeOf = (deployment: Deployment): number =>
  shareOf(deployment.spec.strategy.rollingUpdate?.maxSurge, wantedBy(deployment), Math.ceil);

function shareOf(share: number | string | undefined, wanted: number, round: (count: number) => number): number {
  if (typeof share === "number") return share;
  const percent = Number.parseInt(share ?? "0", 10);
  return Number.isNaN(percent) ? 0 : round((percent * wanted) / 100);
}
