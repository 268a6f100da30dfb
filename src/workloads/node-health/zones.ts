/**
 * How fast nodes of a zone get taints of the effect NoExecute: the states of zones, and their rates, as kube-controller-manager has
 * them by default.
 *
 * @module
 */
import type { Node } from "../../client/kinds/index.ts";

/** `none` before the first evaluation. */
export type ZoneState = "none" | "normal" | "partial" | "full";

/** The nodes of a zone that count. */
export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
}

/** The result of an evaluation of all zones. */
export interface ZoneDecision {
  readonly states: ReadonlyMap<string, ZoneState>;
  /**
   * `stops`: no zone has a ready node any more, so the fault is assumed to be elsewhere; all these taints are removed and none is added.
   * `resumes`: the end of that; the grace period of silent nodes starts again. `goes on`: neither.
   */
  readonly is: "goes on" | "stops" | "resumes";
  /** Whether there are zones, and none has a ready node. */
  readonly allLost: boolean;
}

/** Milliseconds between two taints of a zone: 0.1 taints a second. */
export const USUAL_INTERVAL_MS = 10_000;

/** In a zone of more than {@link LARGE_ZONE} nodes where many are lost: 0.01 taints a second. */
export const SECONDARY_INTERVAL_MS = 100_000;

/** A smaller zone where many are lost gets none. */
export const LARGE_ZONE = 50;

const UNHEALTHY_SHARE = 0.55;

const EXCLUDED = "node.kubernetes.io/exclude-disruption";

/** The key of the zone of a node, by its labels of region and zone. */
export function zoneOf({ metadata: { labels = {} } }: Pick<Node, "metadata">): string {
  const region = labels["topology.kubernetes.io/region"] ?? labels["failure-domain.beta.kubernetes.io/region"] ?? "";
  const zone = labels["topology.kubernetes.io/zone"] ?? labels["failure-domain.beta.kubernetes.io/zone"] ?? "";
  return region === "" && zone === "" ? "" : `${region}:${zone}`;
}

/** Whether a node counts in its zone. */
export const countsInZone = ({ metadata }: Pick<Node, "metadata">): boolean =>
  !Object.hasOwn(metadata.labels ?? {}, EXCLUDED);

/** Returns the state of a zone: all lost, more than two and 55 % lost, or neither. */
export function zoneStateOf({ ready, notReady }: ZoneCount): ZoneState {
  if (ready === 0 && notReady > 0) return "full";
  return notReady > 2 && notReady / (ready + notReady) >= UNHEALTHY_SHARE ? "partial" : "normal";
}

/** Decides about all zones. @param before the states of the last evaluation */
export function decideZones(
  before: ReadonlyMap<string, ZoneState>,
  counts: ReadonlyMap<string, ZoneCount>,
): ZoneDecision {
  const states = new Map<string, ZoneState>();
  let [wereFull, areFull] = [true, true];
  for (const [zone, count] of counts) {
    const state = zoneStateOf(count);
    states.set(zone, state);
    areFull &&= state === "full";
    wereFull &&= before.get(zone) === "full";
  }
  const allLost = areFull && counts.size > 0;
  if (areFull === wereFull) return { states, is: "goes on", allLost };
  return { states, is: areFull ? "stops" : "resumes", allLost };
}

/** Returns the milliseconds between two taints of a zone; Infinity for none. */
export function intervalOf(state: ZoneState, { ready, notReady }: ZoneCount): number {
  if (state !== "partial") return USUAL_INTERVAL_MS;
  return ready + notReady > LARGE_ZONE ? SECONDARY_INTERVAL_MS : Infinity;
}

/** When a zone may get a taint: the interval, and the time of the next one on some clock. */
export interface TaintRate {
  readonly interval: number;
  readonly next: number;
}

/** Returns the rate after a change of the interval: a zone that waits continues to wait for one interval of the new rate. */
export function changedRate(rate: TaintRate, interval: number, now: number): TaintRate {
  if (rate.interval === interval) return rate;
  if (interval === Infinity) return { interval, next: Infinity };
  return { interval, next: rate.next > now ? now + interval : now };
}
