/**
 * Coordinated leader election: programs say by LeaseCandidates for which Lease they stand and which version they are, and
 * the server chooses who holds it (LC-2, LC-14..22, DEC-60). Who is chosen renews the Lease, and gives it up when another one
 * is preferred; that is for others to do.
 *
 * A key is a Lease, there or not, for which somebody stands. A Lease without candidates is nobody's business here.
 *
 * @module
 */
import { type Client, type StatusError, attempt, inDomain, isStatus, keyOf } from "../../client/index.ts";
import { Lease, LeaseCandidate } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { formatMicroTime, parseTime } from "../../meta/time.ts";
import { type Controller, type KeyContext, type Result, defineKeyController } from "../../runtime/index.ts";
import { Elections, type ElectionKinds, parseKey } from "./elections.ts";
import { type Decision, decideElection } from "./decision.ts";

/** What may be set of the election. */
export interface ElectionSettings {
  /** A candidate that has not renewed for so long is removed. Default 3 hours (DEC-60). */
  readonly removeAfterMillis?: number;
}

const HOUR_MS = 3_600_000;
/** The server was ahead of memory, which will show it. */
const AGAIN: Result = { requeueAfter: "100ms" };

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
      if (!(await carryOutDecision(ctx, kinds, decision, lease))) return AGAIN;
      const until = decision.do === "wait" ? decision.until : Infinity;
      return { requeueAfter: Math.max(0, Math.min(until, ...candidates.map(endOf)) - now) };
    },
  });

  function endOf({ spec, metadata }: LeaseCandidate): number {
    return (parseTime(spec.renewTime ?? metadata.creationTimestamp ?? "") ?? 0) + removeAfterMillis;
  }
}

/** Removes a candidate of whom nothing was subscriptions for long (LC-19). */
async function remove(client: Client, kind: ElectionKinds["candidate"], candidate: LeaseCandidate): Promise<void> {
  const { resourceVersion, deletionTimestamp } = candidate.metadata;
  if (deletionTimestamp !== undefined) return;
  await attempt(client.resource(kind).delete(candidate, { resourceVersion }), "NotFound", "Conflict");
}

/** Does what was decided; false when somebody else was faster. */
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
    // Its candidates will go, too.
    if (isStatus(error, "Forbidden") && isOfLeavingNamespace(error)) return true;
    if (isStatus(error, "Invalid")) {
      // Candidates name their Lease as they like; they are looked at again when one of them changes.
      log.warn("the candidates stand for a Lease that there cannot be", { why: error.message });
      return true;
    }
    if (!isStatus(error, "AlreadyExists", "NotFound", "Conflict")) throw error;
    return false;
  }
}

const isOfLeavingNamespace = ({ status }: StatusError): boolean =>
  status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;
