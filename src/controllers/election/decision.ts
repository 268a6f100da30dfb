/**
 * Decides an election of candidates for a Lease: wait, ping candidates, or write the Lease (CTL-LE-3..21, DEC-60).
 *
 * An election is due where no holder renews the Lease, or another holder would be better. Candidates without a recent
 * renewal get a `pingTime` first and have five seconds to renew; others are left out. The decision depends on the
 * objects only, so any server can continue.
 */
import type { Lease, LeaseCandidate } from "../../client/kinds/index.ts";
import { compareSemanticVersions, parseSemanticVersion } from "../../meta/semantic-version.ts";
import { formatMicroTime, parseTime } from "../../meta/time.ts";

/** What to do for a Lease. */
export type Decision =
  /** Nothing to do before this time (ms since the epoch) without another change. */
  | { readonly do: "wait"; readonly until: number }
  | { readonly do: "ping"; readonly candidates: readonly LeaseCandidate[] }
  | { readonly do: "write"; readonly spec: Lease["spec"] };

/** The candidates and the Lease at a time. */
export interface ElectionInput {
  readonly candidates: readonly LeaseCandidate[];
  readonly lease: Lease | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The only strategy that this server implements; other strategies are left to other coordinators (DEC-11). */
const OLDEST_EMULATION_VERSION = "OldestEmulationVersion";
/** After this time without a renewal a candidate is not valid any more. */
const CANDIDATE_VALID_MS = 30 * 60_000;
/** After this time without a renewal a candidate is pinged even when no election is due (LC-18). */
const CANDIDATE_REFRESH_MS = CANDIDATE_VALID_MS / 2;
/** The maximum age of a renewal in an election, and the time to respond to a ping. */
const ELECTION_MS = 5000;
const LEASE_DURATION_MS = 5000;
const TIMER_TOLERANCE_MS = 1000;

/** A candidate with its times in milliseconds since the epoch. */
interface ValidCandidate {
  readonly candidate: LeaseCandidate;
  readonly renewed: number;
  /** The deadline of its ping; undefined without one. */
  readonly deadline: number | undefined;
}

/** Decides what to do for a Lease. */
export function decideElection({ candidates, lease, now }: ElectionInput): Decision {
  const valid = candidates.flatMap((candidate) => validCandidate(candidate, now));
  const silent = valid.filter(({ deadline }) => deadline !== undefined && deadline <= now);
  const responsive = valid.filter((one) => !silent.includes(one));
  const ended = Math.max(0, ...silent.map(({ deadline = 0 }) => deadline));
  const at = now - ended < TIMER_TOLERANCE_MS ? ended : now;
  const isDue = isElectionDue(responsive, lease, now);
  const maxAge = isDue ? ELECTION_MS : CANDIDATE_REFRESH_MS;
  const unpinged = responsive.filter(({ deadline }) => deadline === undefined);
  const toPing = unpinged.filter(({ renewed }) => renewed + maxAge <= (isDue ? at : now));
  if (toPing.length > 0) return { do: "ping", candidates: toPing.map(({ candidate }) => candidate) };
  const deadlines = responsive.flatMap(({ deadline }) => deadline ?? []);
  if (!isDue) {
    const moments = [...unpinged.map(({ renewed }) => renewed + CANDIDATE_REFRESH_MS), ...deadlines, endOf(lease)];
    return { do: "wait", until: Math.min(...moments.filter((moment) => moment > now)) };
  }
  if (deadlines.length > 0) return { do: "wait", until: Math.min(...deadlines) };
  const spec = outcomeOf(responsive, lease, now);
  return spec ? { do: "write", spec } : { do: "wait", until: now + ELECTION_MS };
}

/** Returns the candidate, unless it never renewed, is too old or is being deleted (CTL-LE-3). */
function validCandidate(candidate: LeaseCandidate, now: number): ValidCandidate[] {
  const { renewTime, pingTime } = candidate.spec;
  const renewed = timeOf(renewTime);
  if (renewed === undefined || renewed + CANDIDATE_VALID_MS <= now) return [];
  if (candidate.metadata.deletionTimestamp !== undefined) return [];
  const pinged = timeOf(pingTime);
  return [
    { candidate, renewed, deadline: pinged !== undefined && pinged > renewed ? pinged + ELECTION_MS : undefined },
  ];
}

const timeOf = (text: string | undefined): number | undefined => (text ? parseTime(text) : undefined);

/** Whether no holder renews the Lease, or the outcome would change it. */
function isElectionDue(responsive: readonly ValidCandidate[], lease: Lease | undefined, now: number): boolean {
  if (responsive.length === 0) return false;
  const strategy = strategyOf(responsive);
  if (strategy === undefined || strategy === OLDEST_EMULATION_VERSION) {
    if (!lease || !isHeld(lease, now)) return true;
  }
  return outcomeOf(responsive, lease, now) !== undefined;
}

/** The new spec of the Lease; undefined where it needs no change, or the candidates disagree. */
function outcomeOf(
  responsive: readonly ValidCandidate[],
  lease: Lease | undefined,
  now: number,
): Lease["spec"] | undefined {
  const strategy = strategyOf(responsive);
  if (strategy === undefined) return undefined;
  const taken = { strategy, leaseDurationSeconds: LEASE_DURATION_MS / 1000, renewTime: formatMicroTime(now) };
  if (strategy !== OLDEST_EMULATION_VERSION) {
    // Another coordinator chooses; a current holder stays (CTL-LE-12).
    if (!lease) return taken;
    if (isHeld(lease, now)) return undefined;
    return lease.spec.strategy === strategy ? undefined : { ...lease.spec, strategy };
  }
  const [first] = responsive.map(({ candidate }) => candidate).toSorted(byAge);
  if (!first) return undefined;
  const best = first.metadata.name;
  if (!lease) return { holderIdentity: best, ...taken };
  const { preferredHolder, acquireTime, ...rest } = lease.spec;
  const { holderIdentity = "" } = rest;
  if (holderIdentity === best) {
    const isDone = isHeld(lease, now) || rest.strategy === strategy;
    if (isDone && preferredHolder === undefined) return undefined;
    return { ...rest, ...(acquireTime === undefined ? {} : { acquireTime }), strategy };
  }
  if (!isHeld(lease, now)) return { ...rest, ...taken, holderIdentity: best };
  if (rest.strategy === strategy && preferredHolder === best) return undefined;
  return { ...lease.spec, strategy, preferredHolder: best };
}

/** Whether a Lease has a holder and has not expired. */
const isHeld = (lease: Lease, now: number): boolean => Boolean(lease.spec.holderIdentity) && endOf(lease) > now;

/**
 * The strategy of the candidates with the newest binaryVersion; undefined where they disagree (CTL-LE-9, CTL-LE-10).
 */
function strategyOf(responsive: readonly ValidCandidate[]): string | undefined {
  const newest = responsive.reduce((a, b) => (compare(a.candidate, b.candidate, binaryVersionOf) >= 0 ? a : b));
  const deciding = responsive.filter(({ candidate }) => compare(candidate, newest.candidate, binaryVersionOf) === 0);
  const strategies = new Set(deciding.map(({ candidate }) => candidate.spec.strategy ?? ""));
  return strategies.size === 1 ? newest.candidate.spec.strategy : undefined;
}

/** Sorts by emulationVersion, then binaryVersion, then age (CTL-LE-11). */
function byAge(a: LeaseCandidate, b: LeaseCandidate): number {
  const byVersion = compare(a, b, emulationVersionOf) || compare(a, b, binaryVersionOf);
  if (byVersion !== 0) return byVersion;
  const since = ({ metadata }: LeaseCandidate): number => timeOf(metadata.creationTimestamp) ?? 0;
  return since(a) - since(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

type VersionOf = (candidate: LeaseCandidate) => string;

const binaryVersionOf: VersionOf = ({ spec }) => spec.binaryVersion;
const emulationVersionOf: VersionOf = ({ spec }) => spec.emulationVersion || spec.binaryVersion;

/** Compares as versions; malformed ones come last. */
function compare(a: LeaseCandidate, b: LeaseCandidate, versionOf: VersionOf): number {
  const [one, other] = [parseSemanticVersion(versionOf(a)), parseSemanticVersion(versionOf(b))];
  return one && other ? compareSemanticVersions(one, other) : Number(!one) - Number(!other);
}

/** When a Lease expires; 0 where it has no duration or renewal. */
function endOf(lease: Lease | undefined): number {
  const { renewTime, leaseDurationSeconds } = lease?.spec ?? {};
  const renewed = timeOf(renewTime);
  return renewed === undefined || leaseDurationSeconds === undefined ? 0 : renewed + leaseDurationSeconds * 1000;
}
