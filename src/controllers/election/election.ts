/**
 * Coordinated leader election: LeaseCandidates name a Lease and their versions, and the server chooses the holder
 * (LC-2, LC-14..22, DEC-60). The holder renews the Lease itself, and releases it when another holder is preferred.
 *
 * A key is a Lease with candidates, whether it exists or not.
 */
import { type Client, type StatusError, attempt, inDomain, isStatus, keyOf, parseKey } from "../../client/index.ts";
import { Lease, LeaseCandidate } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { formatMicroTime, parseTime } from "../../meta/time.ts";
import { type Controller, type KeyContext, type Result, defineKeyController } from "../../runtime/index.ts";
import { REQUEUE_SOON, deleteObject } from "../../runtime/writes.ts";
import { type ElectionKinds, Elections } from "./elections.ts";
import { type Decision, decideElection } from "./decision.ts";

/** The settings of the election. */
export interface ElectionSettings {
  /** A candidate is deleted after this time without a renewal. Default 3 hours (DEC-60). */
  readonly removeAfterMillis?: number;
}

const HOUR_MS = 3_600_000;

/** The controller named `leader-election`. */
export function coordinatedElection(
  { domain }: Dialect,
  { removeAfterMillis = 3 * HOUR_MS }: ElectionSettings = {},
): Controller {
  const kinds: ElectionKinds = { lease: inDomain(Lease, domain), candidate: inDomain(LeaseCandidate, domain) };
  return defineKeyController({
    name: "keelson-leader-election",
    begin: (parts, add) => new Elections(kinds, parts, add),
    async reconcile(ctx): Promise<Result> {
      const { memory, clock, client, key } = ctx;
      const now = clock.now();
      const all = memory.candidatesOf(key);
      const candidates = all.filter((one) => endOf(one) > now);
      for (const one of all) if (endOf(one) <= now) await remove(client, kinds.candidate, one);
      if (candidates.length === 0) return memory.unfollow(key);
      const lease = memory.leaseOf(key);
      if (lease === "unknown") return undefined;
      const decision = decideElection({ candidates, lease, now });
      if (!(await carryOutDecision(ctx, kinds, decision, lease))) return REQUEUE_SOON;
      const until = decision.do === "wait" ? decision.until : Infinity;
      return { requeueAfter: Math.max(0, Math.min(until, ...candidates.map(endOf)) - now) };
    },
  });

  function endOf({ spec, metadata }: LeaseCandidate): number {
    return (parseTime(spec.renewTime ?? metadata.creationTimestamp ?? "") ?? 0) + removeAfterMillis;
  }
}

/** Deletes a candidate that has not renewed for a long time (LC-19). */
async function remove(client: Client, kind: ElectionKinds["candidate"], candidate: LeaseCandidate): Promise<void> {
  const { resourceVersion, deletionTimestamp } = candidate.metadata;
  if (deletionTimestamp !== undefined) return;
  await deleteObject(client, kind, candidate, { resourceVersion });
}

/** Executes a decision; false where another writer was faster. */
async function carryOutDecision(
  { client, clock, key, log }: KeyContext,
  kinds: ElectionKinds,
  decision: Decision,
  lease: Lease | undefined,
): Promise<boolean> {
  if (decision.do === "wait") return true;
  if (decision.do === "ping") {
    const pingTime = formatMicroTime(clock.now());
    const pings = decision.candidates.map(async (candidate) => {
      const { uid, resourceVersion } = candidate.metadata;
      const patch = { metadata: { uid, resourceVersion }, spec: { pingTime } };
      return attempt(
        client.resource(kinds.candidate).patch(keyOf<"Namespaced">(candidate), patch),
        "NotFound",
        "Conflict",
      );
    });
    return (await Promise.all(pings)).every(({ ok }) => ok);
  }
  const leases = client.resource(kinds.lease);
  const { spec } = decision;
  try {
    await (lease ? leases.update({ ...lease, spec }) : leases.create({ metadata: parseKey(key), spec }));
    return true;
  } catch (error) {
    // The candidates are deleted with the namespace.
    if (isStatus(error, "Forbidden") && isOfLeavingNamespace(error)) return true;
    if (isStatus(error, "Invalid")) {
      // The name is invalid; the key returns when a candidate changes.
      log.warn("the candidates stand for a Lease that there cannot be", { why: error.message });
      return true;
    }
    if (!isStatus(error, "AlreadyExists", "NotFound", "Conflict")) throw error;
    return false;
  }
}

const isOfLeavingNamespace = ({ status }: StatusError): boolean =>
  status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;
