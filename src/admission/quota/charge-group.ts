import type { Resources } from "../../kinds/rules/quantities.ts";
import { plus } from "../../kinds/usage/amounts.ts";
import type { Charge, QuotaStatus } from "./charges.ts";

/** The state of a quota that this server was the last to write. */
export interface QuotaRecord {
  /** The version that the quota has since then. */
  resourceVersion: string | undefined;
  /** Charges of writes that were not stored: the next charge subtracts them. */
  refund: Resources;
}

/** Amounts that are charged to a quota. */
export interface Booking {
  readonly quota: string;
  readonly record: QuotaRecord;
  readonly amounts: Resources;
}

/** The charges of a group in one quota. */
interface QuotaCharges {
  /** In the order of the writes. */
  readonly charges: Charge[];
  /** Their sum. */
  amounts: Resources;
}

/**
 * The charges of one write, or of several writes that are stored together: all of them are booked, or none is.
 *
 * A group is open from its first booking until its writes are stored, or have failed: until then, a count of the stored objects
 * misses them.
 */
export class ChargeGroup {
  readonly namespace: string;
  /** By quota. */
  readonly #charges = new Map<string, QuotaCharges>();
  readonly #ended = Promise.withResolvers<void>();
  /** The quotas in which the charges are booked. */
  readonly #records = new Map<string, QuotaRecord>();
  /** Resolves when all charges are booked; rejects where a charge no longer fits. */
  booked: Promise<void> | undefined;

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  /** The names of the quotas. */
  get quotas(): Iterable<string> {
    return this.#charges.keys();
  }

  /** Resolves when the writes are stored, or have failed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  addAll(charges: readonly Charge[]): void {
    for (const charge of charges) this.#add(charge);
  }

  #add(charge: Charge): void {
    const { quota, amounts } = charge;
    const before = this.#charges.get(quota);
    if (!before) {
      this.#charges.set(quota, { charges: [charge], amounts });
      return;
    }
    before.charges.push(charge);
    before.amounts = plus(before.amounts, amounts);
  }

  /** Whether it charges a quota. */
  charges(quota: string): boolean {
    return this.#charges.has(quota);
  }

  /** The status of a quota with the charges. Throws 403 where they exceed the quota. */
  addTo(quota: string, status: QuotaStatus): QuotaStatus {
    let sum = status;
    for (const charge of this.#charges.get(quota)?.charges ?? []) sum = charge.addTo(sum);
    return sum;
  }

  /** The charges of a group in a quota. */
  amountsOf(quota: string): Resources {
    return this.#charges.get(quota)?.amounts ?? {};
  }

  /** Notes that the charges of a quota are booked. */
  note(quota: string, record: QuotaRecord): void {
    this.#records.set(quota, record);
  }

  /** Returns the booked charges and clears them. */
  takeBookings(): readonly Booking[] {
    const bookings = [...this.#records].map(([quota, record]) => ({ quota, record, amounts: this.amountsOf(quota) }));
    this.#records.clear();
    return bookings;
  }

  end(): void {
    this.#ended.resolve();
  }
}
