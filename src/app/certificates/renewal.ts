/**
 * Renews certificates while a server runs: before they expire, and when their files change. Warns of certificates that expire soon.
 *
 *     every 10 s:  due, or files changed and unchanged since?  ──► renew ──► use and save
 *                                                                    ▲            │ failed: log
 *                                                                    └────────────┘ 10 s … 10 min
 *
 * Certificates that cannot be saved are used anyway, and saved as soon as possible. The clock is polled, so a jump of the clock is
 * noticed with the next check.
 *
 * @module
 */
import type { CertificateFacts, Pki } from "../../pki/index.ts";
import type { HealthCheck } from "../../server/index.ts";
import { backoff } from "../../util/backoff.ts";
import type { Timer } from "../../util/clock.ts";
import { type Collector, single } from "../../util/exposition.ts";
import type { SystemParts } from "../process/system-parts.ts";

const POLL_INTERVAL_MS = 10_000;
const RETRY = { first: 2 * POLL_INTERVAL_MS, most: 600_000 };
const DAY_MS = 86_400_000;
/** Certificates that expire within such a time are logged once a day. */
const WARNINGS: readonly (readonly [within: number, level: "error" | "warn"])[] = [
  [7 * DAY_MS, "error"],
  [30 * DAY_MS, "warn"],
];

/** What renewal is built from. */
export interface RenewalParts {
  readonly pki: Pick<Pki, "renew" | "due" | "facts">;
  /** Reads certificates other than those of the PKI; those that cannot be read are left out. */
  readonly others: () => readonly CertificateFacts[];
  /** Changes when a file of certificates changes. */
  readonly stamp: () => string;
  readonly system: SystemParts;
}

/** Renews the certificates of a server until it is disposed of. */
export class Renewal implements Disposable {
  readonly #parts: RenewalParts;
  #renewed: () => Promise<void> = async () => {};
  #timer: Timer | undefined;
  /** Certificates other than those of the PKI, as of the last check. */
  #others: readonly CertificateFacts[];
  /** The stamps of the files when they were read, and at the last check. */
  #read: string;
  #seen: string;
  /** Whether there are certificates that were not used and saved. */
  #unsaved = false;
  #busy = false;
  /** Failures in a row, failures in all, and the time of the next attempt by the steady clock. */
  #failures = 0;
  #failed = 0;
  #retryAt = 0;
  /** When each certificate was last logged. */
  readonly #loggedAt = new Map<string, number>();

  constructor(parts: RenewalParts) {
    this.#parts = parts;
    this.#read = parts.stamp();
    this.#seen = this.#read;
    this.#others = parts.others();
  }

  /** Starts. @param renewed uses and saves the certificates; called again after a failure */
  start(renewed: () => Promise<void>): void {
    this.#renewed = renewed;
    this.#read = this.#parts.stamp();
    this.#check();
  }

  readonly metrics: Collector = () => [
    {
      name: "keelson_certificate_expiration_timestamp_seconds",
      type: "gauge",
      help: "When certificates end, in seconds since the epoch.",
      samples: this.#all().map(({ name, ends }) => ({ labels: { name }, value: ends / 1000 })),
    },
    single(
      "counter",
      "keelson_certificate_renewal_failures_total",
      "Failures to renew certificates, or to write them.",
      this.#failed,
    ),
  ];

  /** The first fails if the serving certificate has expired; the second reports certificates that expire soon or cannot be saved. */
  readonly health: readonly HealthCheck[] = [
    {
      name: "certificates",
      live: false,
      check: () => {
        const server = this.#parts.pki.facts().find(({ name }) => name === "server");
        return server && this.#left(server) <= 0 ? "the serving certificate has expired" : undefined;
      },
    },
    { name: "certificate-renewal", live: false, advises: true, check: () => this.#advice() },
  ];

  [Symbol.dispose](): void {
    this.#timer?.cancel();
  }

  #advice(): string | undefined {
    const notes = this.#all().flatMap((facts) =>
      this.#levelOf(facts) ? [`${facts.name} ${this.#inDays(facts)}`] : [],
    );
    if (this.#failures > 0) notes.push("certificates cannot be renewed");
    return notes.length > 0 ? notes.join(", ") : undefined;
  }

  #check(): void {
    this.#timer = this.#parts.system.clock.after(POLL_INTERVAL_MS, () => this.#check(), {
      owner: "certificates",
      upkeep: true,
    });
    this.#others = this.#parts.others();
    if (this.#isDue()) void this.#renew();
    this.#warn();
  }

  #isDue(): boolean {
    const { pki, stamp, system } = this.#parts;
    const [before, now] = [this.#seen, stamp()];
    this.#seen = now;
    if (this.#busy || system.clock.steady() < this.#retryAt) return false;
    // A certificate and its key are two files: they are read when both have not changed since the last check.
    return this.#unsaved || (now !== this.#read && now === before) || pki.due();
  }

  async #renew(): Promise<void> {
    const { pki, stamp, system } = this.#parts;
    const { clock, random, log } = system;
    this.#busy = true;
    try {
      if (pki.renew()) this.#unsaved = true;
      if (this.#unsaved) await this.#renewed();
      if (this.#unsaved) log.info("certificates were renewed", endsOf(pki.facts()));
      this.#unsaved = false;
      this.#failures = 0;
      this.#retryAt = 0;
      this.#read = stamp();
    } catch (error) {
      this.#failed++;
      this.#retryAt = clock.steady() + backoff(this.#failures++, RETRY, random);
      log.error("certificates could not be renewed; retrying", { error: String(error) });
    }
    this.#busy = false;
  }

  /** Logs certificates that expire soon, each once a day. */
  #warn(): void {
    const { clock, log } = this.#parts.system;
    for (const facts of this.#all()) {
      const level = this.#levelOf(facts);
      const last = this.#loggedAt.get(facts.name) ?? -Infinity;
      if (!level || (clock.now() - last < DAY_MS && clock.now() >= last)) continue;
      this.#loggedAt.set(facts.name, clock.now());
      const message = this.#left(facts) > 0 ? "a certificate expires soon" : "a certificate has expired";
      log[level](message, { name: facts.name, ends: new Date(facts.ends).toISOString() }, facts.name);
    }
  }

  #all(): readonly CertificateFacts[] {
    return [...this.#parts.pki.facts(), ...this.#others];
  }

  #left({ ends }: CertificateFacts): number {
    return ends - this.#parts.system.clock.now();
  }

  #levelOf(facts: CertificateFacts): "error" | "warn" | undefined {
    return WARNINGS.find(([within]) => this.#left(facts) < within)?.[1];
  }

  #inDays(facts: CertificateFacts): string {
    const days = Math.floor(this.#left(facts) / DAY_MS);
    return days < 0 ? "has expired" : `expires in ${days} d`;
  }
}

const endsOf = (all: readonly CertificateFacts[]): Record<string, string> =>
  Object.fromEntries(all.map(({ name, ends }) => [name, new Date(ends).toISOString()]));
