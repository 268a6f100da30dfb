/**
 * One connection to one member of an etcd cluster at a time, and another one when that fails.
 *
 *     connecting -> connected -> connecting ...     (the next endpoint; after a whole round of them with a growing wait)
 *                -> over: closed, or the cluster is not the one that it was
 *
 * A member counts as connected when it has a leader and has answered a consistent read. From then on it is asked for its
 * status every two seconds; one that does not answer, or has lost its leader, is left. (Pings of HTTP/2 would do only half of
 * that, and etcd takes offence at frequent ones.)
 *
 * @module
 */
import { type BackoffOptions, backoff } from "../../util/backoff.ts";
import { type Clock, type Random, type Timer, sleep } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { StoreError } from "../contract.ts";
import { isRefusedForNow, isTransient } from "./errors.ts";
import { CODES, GrpcError } from "../../grpc/error.ts";
import { type Credentials, GrpcSession } from "../../grpc/session.ts";
import { CALLS, type Header, rangeRequest, readRange, readStatus, statusRequest } from "./messages.ts";

/** A member that is connected. */
export interface Member {
  readonly url: string;
  readonly session: GrpcSession;
  /** `3.6.1`. */
  readonly version: string;
  /** Whether it can say how far a watch is without ever running ahead of the events. */
  readonly tellsProgress: boolean;
}

/** What a client needs. */
export interface ClientOptions {
  /** `https://host:2379`, at least one. */
  readonly endpoints: readonly string[];
  /** Read anew for each connection, so that certificates can be exchanged while the server runs. */
  readonly credentials: () => Credentials;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** A key for consistent reads that are about the revision alone. */
  readonly probe: Uint8Array;
  /** The newest revision that we know to be committed: a cluster that has less has lost something. */
  readonly floor: () => number;
  /** Told the revision that the member had when it was asked last. */
  readonly heard: (revision: number) => void;
}

const RETRY: BackoffOptions = { first: 50, most: 2000 };
/** A member that has lost its leader says so at once instead of holding the request. */
const METADATA = { hasleader: "true" };
const CONNECT_MS = 3000;
const TICK_MS = 500;
const STATUS_EVERY_MS = 2000;
const STATUS_MS = 1500;
/** How long a call is tried, over as many members as it takes. etcd itself gives a proposal up after seven seconds. */
const CALL_MS = 10_000;

/** See the head of this file. */
export class EtcdClient {
  readonly #options: ClientOptions;
  readonly #stop = new AbortController();
  /** Resolves when the cluster turned out to be another one, or an older state of it. */
  readonly failed: Promise<StoreError>;
  #fail: (error: StoreError) => void = () => {};
  #over: StoreError | undefined;
  #member: Member | undefined;
  #connecting: Promise<Member> | undefined;
  #next: number;
  #failures = 0;
  /** Why the last try to connect failed, as the end of a sentence. */
  #why = "";
  #cluster: bigint | undefined;
  #timer: Timer;
  #asking = false;
  #askedAt = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
    // Several servers on one cluster spread over its members.
    this.#next = Math.floor(options.random.next() * options.endpoints.length);
    this.#timer = options.clock.after(TICK_MS, () => this.#tick());
  }

  /** The member that is connected, as soon as there is one. Rejects with `unavailable` after `timeoutMs`. */
  async member(timeoutMs: number = CALL_MS): Promise<Member> {
    if (this.#over) throw this.#over;
    if (this.#member?.session.open) return this.#member;
    const connected = this.#connect();
    const { clock, endpoints } = this.#options;
    let timer: Timer | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = clock.after(timeoutMs, () => {
        const message = `Expected a member of etcd at ${endpoints.join(", ")}, found none that answers${this.#why}`;
        reject(new StoreError("unavailable", message));
      });
    });
    try {
      return await Promise.race([connected, late]);
    } finally {
      timer?.cancel();
    }
  }

  /** A call that may be made again whatever happened to it. Rejects with GrpcError or StoreError. */
  read(path: string, frame: Buffer): Promise<Uint8Array> {
    return this.#call(path, frame, isTransient);
  }

  /** A call that is made again only when it surely had no effect. Rejects with GrpcError or StoreError. */
  write(path: string, frame: Buffer): Promise<Uint8Array> {
    return this.#call(path, frame, isRefusedForNow);
  }

  /** The same, told in the moment in which it is known: an answer, or GrpcError or StoreError. */
  send(path: string, frame: Buffer, answered: (answer: Uint8Array) => void, failed: (error: unknown) => void): void {
    const again = (): void => void this.write(path, frame).then(answered, failed);
    if (!this.#member?.session.open) return again();
    this.#member.session.request(path, frame, CALL_MS, (error, answer) => {
      if (error === undefined) answered(answer);
      else if (isRefusedForNow(error)) again();
      else failed(error);
    });
  }

  /** Leaves a member, because it turned out to be of no use. */
  leave(member: Member, why: string): void {
    if (this.#member !== member || !member.session.open) return;
    this.#options.log.warn("etcd member left", { url: member.url, why });
    member.session.destroy(why);
  }

  close(): void {
    this.#end(new StoreError("closed", "The store has been closed"));
  }

  async #call(path: string, frame: Buffer, again: (error: unknown) => boolean): Promise<Uint8Array> {
    const { clock, random } = this.#options;
    const end = clock.steady() + CALL_MS;
    for (let failures = 0; ; failures++) {
      const { session } = await this.member(end - clock.steady());
      try {
        return await session.call(path, frame, end - clock.steady());
      } catch (error) {
        const wait = backoff(failures, RETRY, random);
        if (this.#over || !again(error) || clock.steady() + wait >= end) throw error;
        await sleep(clock, wait, this.#stop.signal);
      }
    }
  }

  #connect(): Promise<Member> {
    return (this.#connecting ??= this.#findMember().finally(() => {
      this.#connecting = undefined;
    }));
  }

  async #findMember(): Promise<Member> {
    const { endpoints, clock, random, log } = this.#options;
    for (let tries = 1; ; tries++) {
      if (this.#over) throw this.#over;
      const url = endpoints[this.#next % endpoints.length]!;
      this.#next++;
      try {
        const member = await this.#open(url);
        log.info("etcd member connected", { url, version: member.version });
        return member;
      } catch (error) {
        this.#why = ` (${(error as Error).message})`;
        if (!this.#stop.signal.aborted) log.warn("etcd member not usable", { url, why: String(error) });
        if (tries % endpoints.length === 0) {
          await sleep(clock, backoff(this.#failures++, RETRY, random), this.#stop.signal);
        }
      }
    }
  }

  async #open(url: string): Promise<Member> {
    const { clock, credentials, probe } = this.#options;
    const session = await GrpcSession.open(url, { credentials: credentials(), metadata: METADATA }, clock, CONNECT_MS);
    // Its calls are given up by the tick only once it is the member, so here by the end of the connection.
    const timer = clock.after(CONNECT_MS, () => session.destroy(`no answer within ${CONNECT_MS} ms`));
    try {
      const status = readStatus(await session.call(CALLS.status, statusRequest(), CONNECT_MS));
      if (!status.hasLeader) throw new GrpcError(CODES.unavailable, "the member has no leader", false);
      const frame = rangeRequest({ key: probe, limit: 1, keysOnly: true });
      const { header } = readRange(await session.call(CALLS.range, frame, CONNECT_MS));
      this.#check(url, header);
      if (this.#over) throw this.#over;
      const member = { url, session, version: status.version, tellsProgress: tellsProgress(status.version) };
      this.#member = member;
      this.#askedAt = clock.steady();
      this.#failures = 0;
      return member;
    } catch (error) {
      session.destroy("not usable");
      throw error;
    } finally {
      timer.cancel();
    }
  }

  /** A revision that runs backwards would make stale caches look fresh, so nothing goes on after that. */
  #check(url: string, { cluster, revision }: Header): void {
    this.#cluster ??= cluster;
    const floor = this.#options.floor();
    let message: string;
    if (cluster !== this.#cluster) message = `${url} belongs to another etcd cluster than before`;
    else if (revision < floor) message = `${url} is at revision ${revision}, which had reached ${floor} before`;
    else return;
    const error = new StoreError("failed", `${message}; was it restored from a backup?`);
    this.#end(error);
    this.#fail(error);
  }

  #tick(): void {
    const { clock } = this.#options;
    if (this.#over) return;
    this.#timer = clock.after(TICK_MS, () => this.#tick());
    const member = this.#member;
    if (!member?.session.open) return;
    member.session.expire();
    if (!this.#asking && clock.steady() - this.#askedAt >= STATUS_EVERY_MS) void this.#ask(member);
  }

  async #ask(member: Member): Promise<void> {
    this.#asking = true;
    try {
      const status = readStatus(await member.session.call(CALLS.status, statusRequest(), STATUS_MS));
      if (status.hasLeader) this.#options.heard(status.header.revision);
      else this.leave(member, "it has lost its leader");
    } catch (error) {
      this.leave(member, `it does not tell its status: ${String(error)}`);
    } finally {
      this.#asking = false;
      this.#askedAt = this.#options.clock.steady();
    }
  }

  #end(error: StoreError): void {
    if (this.#over) return;
    this.#over = error;
    this.#stop.abort();
    this.#timer.cancel();
    this.#member?.session.destroy(error.message);
  }
}

/**
 * Whether a version answers progress requests only after all events before (etcd issues 15220 and 17507): 3.4.31 and
 * later of 3.4, 3.5.13 and later.
 */
export function tellsProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}
