/**
 * Keeps certificates good for as long as a server runs: they are made anew before they end, read anew when their files
 * change, and told of when they end soon.
 *
 *     every 10 s:  has the time come, or have files changed and stood for one look?  ──► renew ──► put to use, written
 *                                                                                          ▲           │ failed: told
 *                                                                                          └───────────┘ 10 s … 10 min
 *
 * What cannot be written is in use all the same; it is written as soon as that is possible. The time is looked at, not
 * waited for, so a clock that jumps by years is noticed with the next look.
 *
 * @module
 */
import type { CertificateFacts, Pki } from "../../pki/index.ts";
import type { HealthCheck } from "../../server/index.ts";
import { backoff } from "../../util/backoff.ts";
import type { Clock, Random, Timer } from "../../util/clock.ts";
import { type Collector, single } from "../../util/exposition.ts";
import type { Log } from "../../util/log.ts";

const LOOK_MS = 10_000;
const RETRY = { first: 2 * LOOK_MS, most: 600_000 };
const DAY = 86_400_000;
/** With less to go than this a certificate is told of, once a day. */
const SOON: readonly (readonly [within: number, level: "error" | "warn"])[] = [
  [7 * DAY, "error"],
  [30 * DAY, "warn"],
];

/** What keeps certificates. */
export interface RenewalParts {
  readonly pki: Pick<Pki, "renew" | "due" | "facts">;
  /** Certificates beside those of the pki, of files that are read anew; those that cannot be read are left out. */
  readonly others: () => readonly CertificateFacts[];
  /** Changes when a file does that certificates are read from. */
  readonly stamp: () => string;
  readonly around: { readonly clock: Clock; readonly random: Random; readonly log: Log };
}

/** See the head of this file. */
export class Renewal implements Disposable {
  readonly #parts: RenewalParts;
  #renewed: () => Promise<void> = async () => {};
  #timer: Timer | undefined;
  /** Certificates beside those of the pki, as of the last look. */
  #others: readonly CertificateFacts[];
  /** What the files were when they were read, and at the last look. */
  #read: string;
  #seen: string;
  /** Other certificates are held than were put to use and written. */
  #unsaved = false;
  #busy = false;
  /** How often in a row it has failed, and when it is tried again, by the steady counter. */
  #failures = 0;
  #failed = 0;
  #retryAt = 0;
  /** When each certificate was last told of. */
  readonly #told = new Map<string, number>();

  constructor(parts: RenewalParts) {
    this.#parts = parts;
    this.#read = parts.stamp();
    this.#seen = this.#read;
    this.#others = parts.others();
  }

  /** Begins to look. @param renewed puts certificates to use, then writes them; called again when it has failed */
  start(renewed: () => Promise<void>): void {
    this.#renewed = renewed;
    this.#read = this.#parts.stamp();
    this.#look();
  }

  /** When certificates end, and how often they could not be renewed. */
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

  /** The first fails when clients see a certificate that has ended; the other says what ends soon or cannot be written. */
  readonly health: readonly HealthCheck[] = [
    {
      name: "certificates",
      live: false,
      check: () => {
        const server = this.#parts.pki.facts().find(({ name }) => name === "server");
        return server && this.#left(server) <= 0 ? "the serving certificate has ended" : undefined;
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

  #look(): void {
    this.#timer = this.#parts.around.clock.after(LOOK_MS, () => this.#look(), { owner: "certificates", upkeep: true });
    this.#others = this.#parts.others();
    if (this.#isDue()) void this.#renew();
    this.#tell();
  }

  #isDue(): boolean {
    const { pki, stamp, around } = this.#parts;
    const [before, now] = [this.#seen, stamp()];
    this.#seen = now;
    if (this.#busy || around.clock.steady() < this.#retryAt) return false;
    // A certificate and its key are two files: what changes is read when it has stood for a while.
    return this.#unsaved || (now !== this.#read && now === before) || pki.due();
  }

  async #renew(): Promise<void> {
    const { pki, stamp, around } = this.#parts;
    const { clock, random, log } = around;
    this.#busy = true;
    try {
      if (pki.renew()) this.#unsaved = true;
      if (this.#unsaved) await this.#renewed();
      if (this.#unsaved) log.info("certificates are new", endsOf(pki.facts()));
      this.#unsaved = false;
      this.#failures = 0;
      this.#retryAt = 0;
      this.#read = stamp();
    } catch (error) {
      this.#failed++;
      this.#retryAt = clock.steady() + backoff(this.#failures++, RETRY, random);
      log.error("certificates could not be renewed; it is tried again", { error: String(error) });
    }
    this.#busy = false;
  }

  /** Tells of what ends soon, each once a day. */
  #tell(): void {
    const { clock, log } = this.#parts.around;
    for (const facts of this.#all()) {
      const level = this.#levelOf(facts);
      const last = this.#told.get(facts.name) ?? -Infinity;
      if (!level || (clock.now() - last < DAY && clock.now() >= last)) continue;
      this.#told.set(facts.name, clock.now());
      const message = this.#left(facts) > 0 ? "a certificate ends soon" : "a certificate has ended";
      log[level](message, { name: facts.name, ends: new Date(facts.ends).toISOString() }, facts.name);
    }
  }

  #all(): readonly CertificateFacts[] {
    return [...this.#parts.pki.facts(), ...this.#others];
  }

  #left({ ends }: CertificateFacts): number {
    return ends - this.#parts.around.clock.now();
  }

  #levelOf(facts: CertificateFacts): "error" | "warn" | undefined {
    return SOON.find(([within]) => this.#left(facts) < within)?.[1];
  }

  #inDays(facts: CertificateFacts): string {
    const days = Math.floor(this.#left(facts) / DAY);
    return days < 0 ? "has ended" : `ends in ${days} d`;
  }
}

const endsOf = (all: readonly CertificateFacts[]): Record<string, string> =>
  Object.fromEntries(all.map(({ name, ends }) => [name, new Date(ends).toISOString()]));
