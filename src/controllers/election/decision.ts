/**
 * What an election of candidates for a Lease comes to: nothing yet, candidates that are to be toPing whether they are there,
 * or what the Lease is to say (CTL-LE-3..21, DEC-60).
 *
 * An election is held where the Lease has no holder that renews it, or another holder would be better. First everybody
 * who has not renewed of late is toPing, by `pingTime`, and given five seconds; who is silent is left out until it renews.
 * All of it follows from what candidates and Lease say, so it goes on wherever somebody else has stopped.
 *
 * @module
 */
import type { Lease, LeaseCandidate } from "../../client/kinds/index.ts";
import { compareSemanticVersions, parseSemanticVersion } from "../../meta/semantic-version.ts";
import { formatMicroTime, parseTime } from "../../meta/time.ts";

/** What is to be done about a Lease. */
export type Decision =
  /** Nothing before a moment (ms since the epoch), unless something changes. */
  | { readonly do: "wait"; readonly until: number }
  | { readonly do: "ping"; readonly candidates: readonly LeaseCandidate[] }
  | { readonly do: "write"; readonly spec: Lease["spec"] };

/** Who stands for a Lease, and when that is. */
export interface ElectionInput {
  readonly candidates: readonly LeaseCandidate[];
  readonly lease: Lease | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The only strategy by which the holder is chosen here; all others are somebody else's (DEC-11). */
const OLDEST_EMULATION_VERSION = "OldestEmulationVersion";
/** Who has not renewed for so long does not stand any more. */
const CANDIDATE_VALID_MS = 30 * 60_000;
/** Who has not renewed for so long is toPing although nothing else calls for it (LC-18). */
const CANDIDATE_REFRESH_MS = CANDIDATE_VALID_MS / 2;
/** So old a renewal may be that counts in an election, and so long an answer may take. */
const ELECTION_MS = 5000;
/** A Lease lasts so long. */
const LEASE_DURATION_MS = 5000;
/** A timer may be late by so much; what was fresh when it was due counts. */
const TIMER_TOLERANCE_MS = 1000;

/** A candidate with its times, in milliseconds since the epoch. */
interface ValidCandidate {
  readonly candidate: LeaseCandidate;
  readonly renewed: number;
  /** When it has to have answered; undefined where nothing is toPing of it. */
  readonly deadline: number | undefined;
}

/** Decides what comes next for a Lease. */
export function decideElection({ candidates, lease, now }: ElectionInput): Decision {
  const valid = candidates.flatMap((candidate) => validCandidate(candidate, now));
  const silent = valid.filter(({ deadline }) => deadline !== undefined && deadline <= now);
  const responsive = valid.filter((one) => !silent.includes(one));
  const ended = Math.max(0, ...silent.map(({ deadline }) => deadline!));
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

/** A candidate as it stands; none where it never renewed, did so too long ago, or is being deleted (CTL-LE-3). */
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

/** Whether the Lease lacks a holder that renews it, or would be written if all who are there answered. */
function isElectionDue(responsive: readonly ValidCandidate[], lease: Lease | undefined, now: number): boolean {
  if (responsive.length === 0) return false;
  const strategy = strategyOf(responsive);
  if (strategy === undefined || strategy === OLDEST_EMULATION_VERSION) {
    if (!lease || !isHeld(lease, now)) return true;
  }
  return outcomeOf(responsive, lease, now) !== undefined;
}

/** What the Lease is to say with these candidates; undefined where it says so, or where they disagree. */
function outcomeOf(
  responsive: readonly ValidCandidate[],
  lease: Lease | undefined,
  now: number,
): Lease["spec"] | undefined {
  const strategy = strategyOf(responsive);
  if (strategy === undefined) return undefined;
  const taken = { strategy, leaseDurationSeconds: LEASE_DURATION_MS / 1000, renewTime: formatMicroTime(now) };
  if (strategy !== OLDEST_EMULATION_VERSION) {
    // Somebody else chooses, and the holder that there is stays (CTL-LE-12).
    if (!lease) return taken;
    if (isHeld(lease, now)) return undefined;
    return lease.spec.strategy === strategy ? undefined : { ...lease.spec, strategy };
  }
  const best = responsive.map(({ candidate }) => candidate).toSorted(byAge)[0]!.metadata.name;
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

/** Whether a Lease has a holder that renews it. */
const isHeld = (lease: Lease, now: number): boolean => Boolean(lease.spec.holderIdentity) && endOf(lease) > now;

/** The strategy of those with the newest binaryVersion; undefined where these disagree (CTL-LE-9, CTL-LE-10). */
function strategyOf(responsive: readonly ValidCandidate[]): string | undefined {
  const newest = responsive.reduce((a, b) => (compare(a.candidate, b.candidate, binaryVersionOf) >= 0 ? a : b));
  const deciding = responsive.filter(({ candidate }) => compare(candidate, newest.candidate, binaryVersionOf) === 0);
  const strategies = new Set(deciding.map(({ candidate }) => candidate.spec.strategy ?? ""));
  return strategies.size === 1 ? deciding[0]!.candidate.spec.strategy : undefined;
}

/** The order in which candidates come: by emulated version, by their own, by how long they are there (CTL-LE-11). */
function byAge(a: LeaseCandidate, b: LeaseCandidate): number {
  const byVersion = compare(a, b, emulationVersionOf) || compare(a, b, binaryVersionOf);
  if (byVersion !== 0) return byVersion;
  const since = ({ metadata }: LeaseCandidate): number => timeOf(metadata.creationTimestamp) ?? 0;
  return since(a) - since(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

type VersionOf = (candidate: LeaseCandidate) => string;

const binaryVersionOf: VersionOf = ({ spec }) => spec.binaryVersion;
/** Who emulates nothing behaves as what it is. */
const emulationVersionOf: VersionOf = ({ spec }) => spec.emulationVersion || spec.binaryVersion;

/** Compares as versions; what cannot be read as one comes last. */
function compare(a: LeaseCandidate, b: LeaseCandidate, versionOf: VersionOf): number {
  const [one, other] = [parseSemanticVersion(versionOf(a)), parseSemanticVersion(versionOf(b))];
  return one && other ? compareSemanticVersions(one, other) : Number(!one) - Number(!other);
}

/** When a Lease ends unless it is renewed; it has ended where it does not say. */
function endOf(lease: Lease | undefined): number {
  const { renewTime, leaseDurationSeconds } = lease?.spec ?? {};
  const renewed = timeOf(renewTime);
  return renewed === undefined || leaseDurationSeconds === undefined ? 0 : renewed + leaseDurationSeconds * 1000;
}
