/**
 * Books charges in the status of quotas.
 *
 *     charges that wait ──► which of them fit together ──► one conditional write for each quota ──► their writes go on
 * Charges of a namespace that arrive while a batch is written form the next batch. A charge is checked once more against the state that its
 * booking replaces, so several servers over one store never exceed a quota.
 * The charge of a write that was not stored remains in the quota until the next booking subtracts it, unless another writer has written the
 * quota since, as its controller does when it counts again.
 *
 * @module
 */
import type { ResourceQuota } from "../../kinds/core/v1/resource-quota.ts";
import type { Resources } from "../../kinds/rules/quantities.ts";
import { only, plus } from "../../kinds/usage/amounts.ts";
import { quantitySign, subtractQuantities } from "../../meta/quantity.ts";
import { hasReason } from "../../meta/status.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import { assert } from "../../util/assert.ts";
import { BoundedCache } from "../../util/bounded-cache.ts";
import type { Clock } from "../../util/clock.ts";
import { type Steps, inSlices } from "../../util/steps.ts";
import { ShortLivedMap } from "../../util/short-lived.ts";
import { type Booking, type ChargeGroup, type QuotaRecord } from "./charge-group.ts";
import { type QuotaStatus, isQuota, withAmounts } from "./charges.ts";

/** How {@link AmendStatus} waits for other writers of the object. */
export interface AmendOptions {
  /** Whether it waits for the lock of the object; without it, a conflict with another writer of this server is possible. */
  readonly locks: boolean;
}

/**
 * Changes the status of an object as the server; resolves to the resourceVersion that it has then. Rejects with 404 where it is deleted.
 */
export type AmendStatus = (
  resource: string,
  key: { readonly namespace: string; readonly name: string },
  change: (object: ApiObject) => void,
  options: AmendOptions,
) => Promise<string | undefined>;

/** The parts that the writer needs. */
export interface ChargeWriterParts {
  readonly clock: Pick<Clock, "loop">;
  readonly lookup: Lookup;
  readonly amend: AmendStatus;
}

/** The resource of quotas. */
export const QUOTAS = "resourcequotas";

/** The bounds of the cache of records. */
const MAX_RECORDS = 10_000;
const MAX_RECORD_BYTES = 4 << 20;

/** The number of retries of a booking without the lock after a conflict. */
const MAX_UNLOCKED_TRIES = 8;

const keyOf = (namespace: string, quota: string): string => `${namespace}/${quota}`;

/** An addition to the status of a quota. */
interface Addition {
  addTo(quota: string, status: QuotaStatus): QuotaStatus;
}

/** The additions to the status of one quota in one write. */
interface Additions {
  readonly namespace: string;
  readonly name: string;
  readonly additions: readonly Addition[];
  /** Runs while no other writer of this server can have written the quota since it was read. */
  open?(): void;
}

/** The result of additions. */
interface Added {
  record: QuotaRecord;
  /** The errors of those that did not fit, by their indices. */
  errors: readonly unknown[];
}

/** A group that waits for its booking. */
class PendingGroup {
  readonly group: ChargeGroup;
  readonly #waiter = Promise.withResolvers<void>();
  #error: unknown;

  constructor(group: ChargeGroup) {
    this.group = group;
  }

  get booked(): Promise<void> {
    return this.#waiter.promise;
  }

  get isRefused(): boolean {
    return this.#error !== undefined;
  }

  refuse(error: unknown): void {
    this.#error ??= error;
  }

  settle(): void {
    if (this.#error === undefined) this.#waiter.resolve();
    else this.#waiter.reject(this.#error);
  }
}

/** Books charges in the status of quotas. */
export class ChargeWriter {
  readonly #parts: ChargeWriterParts;
  /** By namespace; present while charges are booked. */
  readonly #queues = new ShortLivedMap<string, PendingGroup[]>();
  /** By namespace and quota. */
  readonly #records = new BoundedCache<QuotaRecord>({ entries: MAX_RECORDS, bytes: MAX_RECORD_BYTES });
  /** Groups that are booked and have not ended, by namespace and quota. */
  readonly #open = new ShortLivedMap<string, Set<ChargeGroup>>();

  constructor(parts: ChargeWriterParts) {
    this.#parts = parts;
  }

  /** The status of a quota without the charges of writes that were not stored. */
  statusOf(quota: ResourceQuota): QuotaStatus {
    return withoutRefund(quota.status, this.#recordOf(quota).refund);
  }

  /** Books the charges of a write together with all that wait. Rejects with 403 where they no longer fit. */
  book(group: ChargeGroup): Promise<void> {
    const pending = new PendingGroup(group);
    const queue = this.#queues.get(group.namespace);
    if (queue) queue.push(pending);
    else {
      const first = [pending];
      this.#queues.set(group.namespace, first);
      void this.#run(group.namespace, first);
    }
    return pending.booked;
  }

  /**
   * Books the charges of a transaction. It may hold the lock of a quota for which the others wait, so it does not wait for them
   * and takes no lock.
   */
  async bookUnlocked(group: ChargeGroup): Promise<void> {
    const pending = new PendingGroup(group);
    await this.#bookAll(group.namespace, [pending], { locks: false });
    await pending.booked;
  }

  /** Refunds the charges of writes that were not stored. */
  refund(bookings: readonly Booking[]): void {
    for (const { record, amounts } of bookings) record.refund = plus(record.refund, amounts);
  }

  /**
   * Waits for the writes whose charges are booked in a quota, and drops its refunds: each later booking is a write, with which a count that
   * has begun meanwhile conflicts.
   */
  whenEnded(namespace: string, quota: string): Promise<void> | undefined {
    const key = keyOf(namespace, quota);
    const open = this.#open.get(key);
    const forget = (): undefined => void this.#records.delete(key);
    return open ? Promise.all([...open].map(({ ended }) => ended)).then(forget) : forget();
  }

  /** Notes that the writes of a group are stored, or have failed. */
  end(group: ChargeGroup): void {
    for (const quota of group.quotas) {
      const key = keyOf(group.namespace, quota);
      const open = this.#open.get(key);
      if (open?.delete(group) && open.size === 0) this.#open.delete(key);
    }
    group.end();
  }

  async #run(namespace: string, queue: PendingGroup[]): Promise<void> {
    while (queue.length > 0) await this.#bookAll(namespace, queue.splice(0), { locks: true });
    this.#queues.delete(namespace);
  }

  /** Books a batch: a quota after the other, by name, so that no two batches wait for each other. */
  async #bookAll(namespace: string, batch: readonly PendingGroup[], options: AmendOptions): Promise<void> {
    const quotas = new Set(batch.flatMap(({ group }) => [...group.quotas]));
    // The write of a single quota refuses what does not fit.
    if (quotas.size > 1) await inSlices(this.#refuseThoseTooMuch(namespace, batch), this.#parts.clock.loop.slice());
    const fitting = batch.filter(({ isRefused }) => !isRefused);
    for (const quota of [...quotas].toSorted()) {
      const charged = fitting.filter(({ group, isRefused }) => !isRefused && group.charges(quota));
      if (charged.length > 0) await this.#bookIn(namespace, quota, charged, options);
    }
    // Another server was faster with one of several quotas.
    for (const { group, isRefused } of fitting) if (isRefused) await this.#giveBack(group, options);
    for (const pending of batch) pending.settle();
  }

  /** Refuses the charges for which the quotas have too little, in their order, before any is booked. */
  *#refuseThoseTooMuch(namespace: string, batch: readonly PendingGroup[]): Steps<void> {
    const sums = new Map<string, QuotaStatus>();
    for (const pending of batch) {
      try {
        for (const [quota, sum] of yield* this.#sumsWith(pending.group, namespace, sums)) sums.set(quota, sum);
      } catch (error) {
        pending.refuse(error);
      }
    }
  }

  /** The sums of the quotas of a group with its charges. Throws 403 where they exceed one. */
  *#sumsWith(
    group: ChargeGroup,
    namespace: string,
    sums: ReadonlyMap<string, QuotaStatus>,
  ): Steps<ReadonlyMap<string, QuotaStatus>> {
    const added = new Map<string, QuotaStatus>();
    for (const quota of group.quotas) {
      added.set(quota, group.addTo(quota, sums.get(quota) ?? this.#current(namespace, quota)));
      yield;
    }
    return added;
  }

  /** The status of a quota; without limits where it is deleted. */
  #current(namespace: string, name: string): QuotaStatus {
    const quota = this.#parts.lookup.get(QUOTAS, namespace, name);
    return isQuota(quota) ? this.statusOf(quota) : {};
  }

  async #bookIn(
    namespace: string,
    quota: string,
    charged: readonly PendingGroup[],
    options: AmendOptions,
  ): Promise<void> {
    const groups = charged.map(({ group }) => group);
    const open = (): void => groups.forEach((group) => this.#opened(namespace, quota, group));
    try {
      const { record, errors } = await this.#add({ namespace, name: quota, additions: groups, open }, options);
      charged.forEach((pending, i) => {
        if (errors[i] === undefined) pending.group.note(quota, record);
        else pending.refuse(errors[i]);
      });
    } catch (error) {
      // A quota that is deleted limits nothing.
      if (!hasReason(error, "NotFound")) for (const pending of charged) pending.refuse(error);
    }
  }

  #opened(namespace: string, quota: string, group: ChargeGroup): void {
    const key = keyOf(namespace, quota);
    const open = this.#open.get(key);
    if (open) open.add(group);
    else this.#open.set(key, new Set([group]));
  }

  async #giveBack(group: ChargeGroup, options: AmendOptions): Promise<void> {
    for (const { quota, amounts } of group.takeBookings()) {
      const addTo = (_: string, status: QuotaStatus): QuotaStatus => withoutRefund(status, amounts);
      const work = { namespace: group.namespace, name: quota, additions: [{ addTo }] };
      // A refund that fails is corrected by the next count.
      await this.#add(work, options).catch(() => undefined);
    }
  }

  /** Adds to the status of a quota in one write, and subtracts the refunds. */
  async #add(work: Additions, options: AmendOptions, tries = 1): Promise<Added> {
    const { namespace, name } = work;
    const added: Added = { record: { resourceVersion: undefined, refund: {} }, errors: [] };
    let refund: Resources = {};
    const change = (found: ApiObject): void => {
      assert(isQuota(found), "a ResourceQuota is booked");
      added.record = this.#recordOf(found);
      ({ refund } = added.record);
      added.errors = addAll(found, work, refund);
      work.open?.();
    };
    try {
      const resourceVersion = await this.#parts.amend(QUOTAS, { namespace, name }, change, options);
      this.#keep(work, added.record, resourceVersion, refund);
      return added;
    } catch (error) {
      if (options.locks || !hasReason(error, "Conflict") || tries === MAX_UNLOCKED_TRIES) throw error;
      return this.#add(work, options, tries + 1);
    }
  }

  /** Keeps the record of a quota that this server has just written, without the subtracted refund. */
  #keep({ namespace, name }: Additions, record: QuotaRecord, version: string | undefined, taken: Resources): void {
    record.resourceVersion = version;
    const refund = plus(record.refund, opposite(taken));
    record.refund = only(refund, (counts) => quantitySign(refund[counts]!) !== 0);
    this.#records.set(keyOf(namespace, name), record);
  }

  /** The record of a quota; a new one where another writer has written the quota. */
  #recordOf({ metadata: { namespace = "", name = "", resourceVersion } }: ResourceQuota): QuotaRecord {
    const record = this.#records.get(keyOf(namespace, name));
    return record && record.resourceVersion === resourceVersion ? record : { resourceVersion, refund: {} };
  }
}

/** Adds to the status of a quota, each addition that fits; returns the errors of the others, at their indices. */
function addAll(quota: ResourceQuota, { name, additions }: Additions, refund: Resources): readonly unknown[] {
  let status = withoutRefund(quota.status, refund);
  const errors = additions.map((addition) => {
    try {
      status = addition.addTo(name, status);
      return undefined;
    } catch (error) {
      return error;
    }
  });
  quota.status = status;
  return errors;
}

/** A status without booked amounts. */
const withoutRefund = (status: QuotaStatus, refund: Resources): QuotaStatus =>
  Object.keys(refund).length === 0 ? status : withAmounts(status, opposite(refund));

const opposite = (amounts: Resources): Resources =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, subtractQuantities("0", amount)]));
