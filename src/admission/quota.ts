/**
 * Quotas: what objects take is charged to the quotas of their namespace before they are stored, and what does not fit is
 * refused (QUOTA-2..8). What objects give back, a controller counts.
 *
 * A charge is checked once more when it is booked, in one write with the sum that it is added to: writers on several servers
 * never get more than there is. Charges that come while one is written are booked together by the next write.
 *
 * The charge of a write that is refused after it, as a create under a name that is taken, is seen in the quota (QUOTA-4) until
 * the next charge: then it is refunded, unless another writer has written the quota since, as its controller does that counts
 * anew.
 *
 * @module
 */
import { increase, only, plus, shownAmounts } from "../kinds/usage/amounts.ts";
import type { Usage } from "../kinds/usage/contract.ts";
import { countedBy, isAbout, usageOf } from "../kinds/usage/usage.ts";
import type { Resources } from "../kinds/rules/quantities.ts";
import type { ResourceQuota } from "../kinds/core/v1/resource-quota.ts";
import type { Dialect } from "../meta/dialect.ts";
import { compareQuantities, quantitySign, subtractQuantities } from "../meta/quantity.ts";
import { hasReason } from "../meta/status.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { assert } from "../util/assert.ts";
import { BoundedCache } from "../util/bounded-cache.ts";
import type { Clock } from "../util/clock.ts";
import { type AdmissionRequest, type AdmissionStep, refusal } from "./contract.ts";

/**
 * Changes the status of an object in the name of the server; resolves to the resourceVersion that it has then. Rejects with 404
 * where it is gone.
 */
export type AmendStatus = (
  resource: string,
  key: { readonly namespace: string; readonly name: string },
  change: (object: ApiObject) => void,
) => Promise<string | undefined>;

/** What the step is made of. */
export interface QuotaParts {
  readonly dialect: Dialect;
  readonly clock: Pick<Clock, "now" | "loop">;
  readonly amend: AmendStatus;
}

const QUOTAS = "resourcequotas";
const isQuota = guardOf<ResourceQuota>("ResourceQuota");

/** Quotas that the controller has counted: those without a status restrict nothing yet. */
const counted = (object: ApiObject): ResourceQuota | undefined =>
  isQuota(object) && object.status?.hard ? object : undefined;

/** Kinds that are not stored, and Events. */
const UNCOUNTED = /^(?:bindings$|events(?:$|\.events\.)|[a-z]+reviews\.)/;

/** The step named ResourceQuota; it is the last one, so that only what is about to be stored is charged. */
export function resourceQuota({ dialect, clock, amend }: QuotaParts): AdmissionStep {
  const writer = new ChargeWriter(amend);
  const usages = new Map<string, Usage>();
  const usageFor = (resource: string): Usage => {
    const usage = usages.get(resource) ?? usageOf(resource, dialect);
    usages.set(resource, usage);
    return usage;
  };
  /** What is booked for requests under way. */
  const booked = new WeakMap<AdmissionRequest, readonly Booking[]>();
  return {
    name: "ResourceQuota",
    validate(request) {
      const { namespace, ref, object } = request;
      if (namespace === "" || !object || !request.namespaced) return undefined;
      const resource = ref.group === "" ? ref.plural : `${ref.plural}.${ref.group}`;
      if (UNCOUNTED.test(resource)) return undefined;
      const usage = usageFor(resource);
      if (!mayTake(request, object, usage)) return undefined;
      return request.lookup.collect(QUOTAS, counted, namespace).then((quotas) => {
        if (quotas.length === 0) return undefined;
        const requested: RequestedUsage = {
          request,
          object,
          usage,
          now: clock.now(),
          isCounted: (name) => countedBy(name, dialect) === resource,
        };
        const charges = quotas
          .map((quota) => chargeOf(requested, writer.withoutRefunds(quota)))
          .filter((charge) => charge !== undefined);
        const isBooked = request.isPlanned || !request.options.dryRun;
        if (!isBooked || charges.length === 0) return undefined;
        return writer.takeAll(namespace, charges).then((bookings) => void booked.set(request, bookings));
      });
    },
    rollback(request) {
      for (const { record, amounts } of booked.get(request) ?? []) record.refund = plus(record.refund, amounts);
      return undefined;
    },
  };
}

/** Whether a write may change what its object takes. */
function mayTake({ operation, subresource, old }: AdmissionRequest, object: ApiObject, usage: Usage): boolean {
  if (operation === "CREATE") return subresource === "";
  return operation === "UPDATE" && old !== undefined && (usage.mayChange?.(subresource, object, old) ?? false);
}

/** The usage that a request adds. */
interface RequestedUsage {
  readonly request: AdmissionRequest;
  readonly object: ApiObject;
  readonly usage: Usage;
  readonly now: number;
  /** Whether objects of this resource count for a name. */
  readonly isCounted: (name: string) => boolean;
}

/** What an object takes of one quota. */
interface Charge {
  /** The name of the quota. */
  readonly quota: string;
  readonly amounts: Resources;
  /** Throws where that exceeds the quota. */
  check(quota: ResourceQuota): void;
}

/** What an object takes of a quota, undefined for nothing. Throws where it takes too much, or does not say how much. */
function chargeOf(requested: RequestedUsage, quota: ResourceQuota): Charge | undefined {
  const { request, object, usage, now, isCounted } = requested;
  const { hard = {}, used = {} } = quota.status ?? {};
  const names = Object.keys(hard).filter(isCounted);
  if (names.length === 0 || !isAbout(quota.spec, object, usage)) return undefined;
  const { name = "" } = quota.metadata;
  const refuse = (why: string): Error => refusal(request, why);
  const unsaid = usage.unsaid?.(object, names);
  if (unsaid !== undefined) throw refuse(`failed quota: ${name}: ${unsaid}`);
  if (names.some((counts) => used[counts] === undefined)) {
    throw refuse(`status unknown for quota: ${name}, resources: ${names.toSorted().join(",")}`);
  }
  const taken = usage.of(object, now);
  const negative = Object.entries(taken).flatMap(([resource, amount]) => (quantitySign(amount) < 0 ? resource : []));
  if (negative.length > 0) throw refuse(`quota usage is negative for resources: ${negative.toSorted().join(",")}`);
  const { old } = request;
  const before = old && isAbout(quota.spec, old, usage) ? usage.of(old, now) : {};
  const more = increase(taken, before);
  const amounts = only(more, (resource) => hard[resource] !== undefined);
  if (Object.keys(amounts).length === 0) return undefined;
  // A status says what is so already, and is counted whatever the quota allows.
  const isSo = request.subresource === "status";
  const check = (stored: ResourceQuota): void => (isSo ? undefined : checkFits(stored, amounts, refuse));
  check(quota);
  return { quota: name, amounts, check };
}

/** Throws where amounts are more than what a quota has left. */
function checkFits({ metadata, status }: ResourceQuota, amounts: Resources, refuse: (why: string) => Error): void {
  const { hard = {}, used = {} } = status ?? {};
  const sum = plus(used, amounts);
  const exceeds = (name: string): boolean => {
    const [limit, total] = [hard[name], sum[name]];
    return (
      amounts[name] !== undefined && limit !== undefined && total !== undefined && compareQuantities(total, limit) > 0
    );
  };
  if (!Object.keys(amounts).some(exceeds)) return;
  const shown = (of: Resources): string => shownAmounts(only(of, exceeds));
  throw refuse(
    `exceeded quota: ${metadata.name}, requested: ${shown(amounts)}, used: ${shown(used)}, limited: ${shown(hard)}`,
  );
}

/** A charge that waits to be booked. */
interface PendingCharge {
  readonly charge: Pick<Charge, "amounts" | "check">;
  readonly waiter: PromiseWithResolvers<QuotaRecord>;
}

/** The state of a quota while only this server writes it. */
interface QuotaRecord {
  /** The version that the quota has since the last booking. */
  resourceVersion: string | undefined;
  /** Charges in it of writes that are not stored: they are taken off with the next booking. */
  refund: Resources;
}

/** A charge that is booked. */
interface Booking {
  readonly record: QuotaRecord;
  readonly amounts: Resources;
}

/** The bounds of the cache of records. */
const MAX_RECORDS = 10_000;
const MAX_RECORD_BYTES = 4 << 20;

const keyOf = (namespace: string, quota: string): string => `${namespace}/${quota}`;

/** Books charges, those of one quota one write after another. */
class ChargeWriter {
  readonly #amend: AmendStatus;
  /** By namespace and name of the quota; there while it is written. */
  readonly #waiting = new Map<string, PendingCharge[]>();
  /** By the same. */
  readonly #records = new BoundedCache<QuotaRecord>({ entries: MAX_RECORDS, bytes: MAX_RECORD_BYTES });

  constructor(amend: AmendStatus) {
    this.#amend = amend;
  }

  /** Books all charges, or none: what was booked already is given back. */
  async takeAll(namespace: string, charges: readonly Charge[]): Promise<readonly Booking[]> {
    const settled = await Promise.allSettled(
      charges.map(async (charge) => ({ record: await this.#book(namespace, charge.quota, charge), ...charge })),
    );
    const bookings = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const failed = settled.find((one) => one.status === "rejected");
    if (!failed) return bookings;
    await Promise.allSettled(
      bookings.map(({ quota, amounts }) =>
        this.#book(namespace, quota, { amounts: opposite(amounts), check: () => {} }),
      ),
    );
    throw failed.reason;
  }

  /** A quota as it is once its refunds are taken off. */
  withoutRefunds(quota: ResourceQuota): ResourceQuota {
    const { hard = {}, used = {} } = quota.status ?? {};
    const { refund } = this.#recordOf(quota);
    const off = opposite(only(refund, (counts) => hard[counts] !== undefined));
    return { ...quota, status: { ...quota.status, used: plus(used, off) } };
  }

  /** The record of a quota; a new one where another writer has written the quota. */
  #recordOf({ metadata: { namespace = "", name = "", resourceVersion } }: ResourceQuota): QuotaRecord {
    const record = this.#records.get(keyOf(namespace, name));
    return record && record.resourceVersion === resourceVersion ? record : { resourceVersion, refund: {} };
  }

  #book(namespace: string, quota: string, charge: PendingCharge["charge"]): Promise<QuotaRecord> {
    const key = keyOf(namespace, quota);
    const waiter = Promise.withResolvers<QuotaRecord>();
    const waiting = this.#waiting.get(key);
    if (waiting) waiting.push({ charge, waiter });
    else {
      const first = [{ charge, waiter }];
      this.#waiting.set(key, first);
      void this.#write({ namespace, name: quota }, key, first);
    }
    return waiter.promise;
  }

  async #write(
    quota: { readonly namespace: string; readonly name: string },
    key: string,
    all: PendingCharge[],
  ): Promise<void> {
    while (all.length > 0) {
      const batch = all.splice(0);
      let verdicts: readonly unknown[] = [];
      let record: QuotaRecord = { resourceVersion: undefined, refund: {} };
      let refund: Resources = {};
      try {
        const resourceVersion = await this.#amend(QUOTAS, quota, (found) => {
          assert(isQuota(found), "a ResourceQuota is booked");
          record = this.#recordOf(found);
          ({ refund } = record);
          const { status } = this.withoutRefunds(found);
          if (status) found.status = status;
          verdicts = batch.map(({ charge }) => book(found, charge));
        });
        record.resourceVersion = resourceVersion;
        record.refund = plus(record.refund, opposite(refund));
        this.#records.set(key, record);
      } catch (error) {
        // A quota that is gone limits nothing.
        verdicts = batch.map(() => (hasReason(error, "NotFound") ? undefined : error));
      }
      batch.forEach(({ waiter }, i) => {
        if (verdicts[i] === undefined) waiter.resolve(record);
        else waiter.reject(verdicts[i]);
      });
    }
    this.#waiting.delete(key);
  }
}

/** Adds a charge to what is used, or says why not. Changes `quota`. */
function book(quota: ResourceQuota, { amounts, check }: PendingCharge["charge"]): unknown {
  try {
    check(quota);
  } catch (error) {
    return error;
  }
  const { hard = {}, used = {} } = quota.status ?? {};
  const counts = only(amounts, (name) => hard[name] !== undefined);
  quota.status = { ...quota.status, used: plus(used, counts) };
  return undefined;
}

const opposite = (amounts: Resources): Resources =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, subtractQuantities("0", amount)]));
