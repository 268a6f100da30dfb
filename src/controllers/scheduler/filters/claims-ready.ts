import type { Demand, Needs } from "../filter.ts";

/** Claims that are not ready exclude every node (SCHED-12..17). */
export function claimsReady({ claims }: Needs): Demand | undefined {
  const [first] = claims.unready;
  if (!first) return undefined;
  const says = [...new Set(claims.unready.map((one) => one.says))];
  return { everywhere: says, waitsFor: claims.waitsFor, who: first.who };
}
