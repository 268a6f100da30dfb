/**
 * Recalculates the usage of ResourceQuotas: when hard limits change, when objects are deleted or use another amount,
 * and every few minutes (QUOTA-2). Admission only adds.
 * A count is written in the version of the quota before it began, so that no charge is lost. It begins when the objects are stored whose
 * charges this server has booked in that version. It does not know the objects that other servers of the store are writing: there, a count
 * that decreases the usage begins when nothing was charged for a moment, and is repeated later.
 */
import { type Client, type Key, attempt, preferredKinds } from "../../client/index.ts";
import { ResourceQuota } from "../../client/kinds/index.ts";
import { sameAmounts } from "../../kinds/usage/amounts.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import { type Controller, type Predicate, type Result, defineController, keysPushed } from "../../runtime/index.ts";
import { REQUEUE_SOON, writeStatus } from "../../runtime/writes.ts";
import { BoundedCache } from "../../util/bounded-cache.ts";
import { type Amounts, nameOf, usedOf } from "./count.ts";
import { QuotaObserver, quotasOf } from "./quota-observer.ts";

const RECOUNT_AFTER_DECREASE: Result = { requeueAfter: "2s" };

/**
 * How long a quota must have had its version before a decrease is written, where several servers charge it: their writes take less time.
 */
const QUIET_MS = 200;
const RECOUNT_WHEN_QUIET: Result = { requeueAfter: `${QUIET_MS}ms` };

/** The bounds of the memory of pending decreases. */
const SEEN_BOUNDS = { entries: 10_000, bytes: 4 << 20 };

/** The settings of the controller. */
export interface QuotaSettings {
  readonly dialect: Dialect;
  /** Whether other servers charge the quotas of the store, too; false by default. */
  readonly sharesStore?: boolean;
}

/** The controller named `resourcequota`. */
export function resourceQuota({ dialect, sharesStore = false }: QuotaSettings): Controller {
  const quotas = quotasOf(dialect);
  const versions = new SeenVersions();
  return defineController({
    name: "keelson-resourcequota",
    for: quotas,
    predicate: isUncounted,
    sources: [keysPushed((add, parts) => new QuotaObserver(parts, quotas, dialect, add))],
    resync: "5m",
    async reconcile({ key, client, kinds, clock, signal }) {
      const quota = await readForCount(client, key, signal);
      const begun = clock.now();
      if (!quota || quota.metadata.deletionTimestamp !== undefined) return undefined;
      const served = new Map(preferredKinds(await kinds.read()).map((kind) => [nameOf(kind), kind]));
      const used = await usedOf(quota, { client, dialect, served, signal, now: clock.now() });
      const { hard = {} } = quota.spec;
      const before = quota.status;
      if (sameAmounts(before.hard, hard) && sameAmounts(before.used, used)) return undefined;
      const isDecrease = sharesStore && isLess(used, before.used ?? {});
      if (isDecrease && !versions.isQuiet(quota, begun)) return RECOUNT_WHEN_QUIET;
      const written = await writeStatus(client, ResourceQuota, { ...quota, status: { hard, used } });
      if (!written) return REQUEUE_SOON;
      return isDecrease ? RECOUNT_AFTER_DECREASE : undefined;
    },
  });
}

/** When the versions of quotas with a pending decrease were first seen. */
class SeenVersions {
  readonly #seen = new BoundedCache<{ readonly version: string; readonly millis: number }>(SEEN_BOUNDS);

  /** Whether a quota has had its version for a while when a count began; the record is dropped then. */
  isQuiet({ metadata: { uid, resourceVersion: version } }: ResourceQuota, begun: number): boolean {
    const seen = this.#seen.get(uid);
    if (seen?.version !== version) this.#seen.set(uid, { version, millis: begun });
    else if (begun - seen.millis >= QUIET_MS) return this.#seen.delete(uid);
    return false;
  }
}

/** Reads a quota by a dry run of a write of its status, which waits for the objects whose charges are booked. */
async function readForCount(
  client: Client,
  key: Key<"Namespaced">,
  signal: AbortSignal,
): Promise<ResourceQuota | undefined> {
  const { status } = client.resource(ResourceQuota);
  const done = await attempt(status.patch(key, {}, { dryRun: true, signal }), "NotFound");
  return done.ok ? done.value : undefined;
}

/** Whether the hard limits are not in the status yet; a charge is no reason to count. */
const isUncounted: Predicate<ResourceQuota> = (event) => {
  const { spec, status } = event.object;
  return event.type !== "changed" || !sameAmounts(spec.hard, status.hard);
};

const isLess = (used: Amounts, before: Amounts): boolean =>
  Object.entries(used).some(
    ([name, amount]) => before[name] !== undefined && compareQuantities(amount, before[name]) < 0,
  );
