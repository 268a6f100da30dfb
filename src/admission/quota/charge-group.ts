import type { Resources } from "../../kinds/rules/quantities.ts";
import { plus } from "../../kinds/usage/amounts.ts";
import type { Charge, QuotaStatus } from "./charges.ts";

/** What this server knows of a quota that it was the last one to write. */
export interface QuotaRecord {
  /** The version that the quota has since then. */
  resourceVersion: string | undefined;
  /** What is booked for writes that were not stored: the next booking takes it off. */
  refund: Resources;
}

/** Amounts that are booked in a quota. */
export interface Booking {
  readonly quota: string;
  readonly record: QuotaRecord;
  readonly amounts: Resources;
}

/**
 * The charges of one write, or of several writes that are stored together: all of them are booked, or none.
 *
 * A group is open from its first booking until its writes are stored, or have failed: until then, a count of the stored objects
 * misses them.
 */
export class ChargeGroup {
  readonly namespace: string;
  /** By quota, in the order of the writes. */
  readonly #charges = new Map<string, Charge[]>();
  readonly #ended = Promise.withResolvers<void>();
  #bookings: Booking[] = [];
  /** Resolves when all of it is booked; rejects where a charge does not fit any more. */
  booked: Promise<void> | undefined;

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  /** The names of the quotas. */
  get quotas(): readonly string[] {
    return [...this.#charges.keys()];
  }

  /** Resolves when the writes are stored, or have failed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  add(charge: Charge): void {
    const charges = this.#charges.get(charge.quota);
    if (charges) charges.push(charge);
    else this.#charges.set(charge.quota, [charge]);
  }

  /** The status of a quota with the charges. Throws 403 where they exceed the quota. */
  addTo(quota: string, status: QuotaStatus): QuotaStatus {
    return (this.#charges.get(quota) ?? []).reduce((sum, charge) => charge.addTo(sum), status);
  }

  /** Notes that the charges of a quota are booked. */
  note(quota: string, record: QuotaRecord): void {
    const charges = this.#charges.get(quota) ?? [];
    const amounts = charges.reduce<Resources>((sum, charge) => plus(sum, charge.amounts), {});
    this.#bookings.push({ quota, record, amounts });
  }

  /** What is booked; nothing of it is afterwards. */
  takeBookings(): readonly Booking[] {
    const bookings = this.#bookings;
    this.#bookings = [];
    return bookings;
  }

  end(): void {
    this.#ended.resolve();
  }
}
