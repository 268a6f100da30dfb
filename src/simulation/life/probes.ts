/** When a probe changes its mind. */
import type { Container } from "./contract.ts";
import { SECOND } from "./times.ts";

/** A probe of a container. */
export type Probe = NonNullable<Container["readinessProbe"]>;

/** The value of a probe, and since when it has been so. */
export interface Probed {
  readonly value: boolean;
  readonly since: number;
}

/** The result of a probe at a time, and when that changes unless the value does. */
export interface ProbeOutcome {
  readonly value: boolean;
  readonly changesAt?: number | undefined;
}

/** The time of the first probe at or after a time; the first of all comes `initialDelaySeconds` after the start. */
export function probeTimeAfter(probe: Probe, startedAt: number, at: number): number {
  const first = startedAt + (probe.initialDelaySeconds ?? 0) * SECOND;
  const period = periodOf(probe);
  return first + Math.max(0, Math.ceil((at - first) / period)) * period;
}

/** Milliseconds between two probes. */
export const periodOf = ({ periodSeconds = 10 }: Probe): number => Math.max(1, periodSeconds) * SECOND;

/** The number of results in a row that count. */
export const thresholdOf = ({ successThreshold = 1, failureThreshold = 3 }: Probe, value: boolean): number =>
  Math.max(1, value ? successThreshold : failureThreshold);

/** The outcome of a probe whose value has been the same since a time. @param before the outcome so far */
export function probeOutcome(
  probe: Probe,
  startedAt: number,
  { value, since }: Probed,
  before: boolean,
  now: number,
): ProbeOutcome {
  if (before === value) return { value };
  const at = probeTimeAfter(probe, startedAt, since) + (thresholdOf(probe, value) - 1) * periodOf(probe);
  return at <= now ? { value } : { value: before, changesAt: at };
}
