/**
 * A connection to one member of an etcd cluster, and to another one when it fails.
 *
 *     connecting -> connected -> connecting ...     (the next endpoint; after each round a longer wait)
 *                -> ended: closed, or the cluster is another one than before
 *
 * A member counts as connected when it has a leader and has responded to a consistent read. Then its status is read every two
 * seconds; a member that does not respond or has lost its leader is left. (HTTP/2 pings would not detect a lost leader, and etcd
 * refuses frequent ones.)
 *
 * @module
 */
import { type BackoffOptions, backoff } from "../../util/backoff.ts";
import { type Clock, type Random, type Timer, sleep } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { StoreError } from "../contract.ts";
import { isRefusedForNow, isTransient } from "./errors.ts";
import { CODES, GrpcError } from "../../grpc/error.ts";
import { type CallDone, type Credentials, GrpcSession } from "../../grpc/session.ts";
import { CALLS, type Header, rangeRequest, readRange, readStatus, statusRequest } from "./messages.ts";
import { messageOf } from "../../util/error.ts";
import { type CurrentSpan, NO_SPAN, SPAN_KINDS, type Span } from "../../util/span.ts";

/** A connected member. */
export interface Member {
  readonly url: string;
  readonly session: GrpcSession;
  /** `3.6.1`. */
  readonly version: string;
  /** Whether its progress responses never run ahead of the events. */
  readonly reportsProgress: boolean;
}

/** What a call is for, as kube-apiserver names it; `transaction` for one with several writes. */
export type EtcdOperation = "get" | "list" | "create" | "update" | "delete" | "transaction" | "compact";

/** Observes calls that have ended. */
export type CallObserver = (operation: EtcdOperation, seconds: number, failed: boolean) => void;

/** Options of a client. */
export interface ClientOptions {
  /** `https://host:2379`, at least one. */
  readonly endpoints: readonly string[];
  /** Read for each connection, so that certificates can be replaced while the server runs. */
  readonly credentials: () => Credentials;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** A key for consistent reads of the revision alone. */
  readonly probe: Uint8Array;
  /** The newest revision that was committed: a cluster with a lower one has lost data. */
  readonly floor: () => number;
  /** Called with the revision of each status. */
  readonly onRevision: (revision: number) => void;
  /** The span of which a call is a part; none by default. */
  readonly currentSpan?: CurrentSpan | undefined;
  /** Observes every call that is for an operation, each try by itself; none by default. */
  readonly onCall?: CallObserver | undefined;
}

const RETRY: BackoffOptions = { first: 50, most: 2000 };
/** A member without a leader then fails requests at once instead of holding them. */
const METADATA = { hasleader: "true" };
const CONNECT_MS = 3000;
const TICK_MS = 500;
const STATUS_INTERVAL_MS = 2000;
const STATUS_TIMEOUT_MS = 1500;
/** How long a call is tried, on all members together. etcd itself times out proposals after seven seconds. */
const CALL_TIMEOUT_MS = 10_000;

/** See the head of this file. */
export class EtcdClient {
  readonly #options: ClientOptions;
  readonly #currentSpan: CurrentSpan;
  readonly #stop = new AbortController();
  /** Resolves when the cluster is another one, or an older state of the same one. */
  readonly failed: Promise<StoreError>;
  #fail: (error: StoreError) => void = () => {};
  #ended: StoreError | undefined;
  #member: Member | undefined;
  #connecting: Promise<Member> | undefined;
  #next: number;
  #failures = 0;
  /** Why the last connection failed, as the end of a sentence. */
  #why = "";
  #cluster: bigint | undefined;
  #timer: Timer;
  #isReadingStatus = false;
  #statusAt = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#currentSpan = options.currentSpan ?? NO_SPAN;
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
    // Several servers spread over the members.
    this.#next = Math.floor(options.random.next() * options.endpoints.length);
    this.#timer = options.clock.after(TICK_MS, () => this.#tick());
  }

  /** Resolves to the connected member. Rejects with `unavailable` after `timeoutMs`. */
  async member(timeoutMs: number = CALL_TIMEOUT_MS): Promise<Member> {
    if (this.#ended) throw this.#ended;
    if (this.#member?.session.open) return this.#member;
    const connected = this.#connect();
    const { clock, endpoints } = this.#options;
    let timer: Timer | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = clock.after(timeoutMs, () => {
        const message = `Expected a member of etcd at ${endpoints.join(", ")}, found none that responds${this.#why}`;
        reject(new StoreError("unavailable", message));
      });
    });
    try {
      return await Promise.race([connected, late]);
    } finally {
      timer?.cancel();
    }
  }

  /** Makes a call that may be repeated after any failure. Rejects with GrpcError or StoreError. */
  read(path: string, frame: Buffer, operation?: EtcdOperation): Promise<Uint8Array> {
    return this.#call({ path, frame, operation, span: this.#currentSpan() }, isTransient);
  }

  /** Makes a call that is repeated only when it certainly had no effect. Rejects with GrpcError or StoreError. */
  write(path: string, frame: Buffer, operation?: EtcdOperation): Promise<Uint8Array> {
    return this.#call({ path, frame, operation, span: this.#currentSpan() }, isRefusedForNow);
  }

  /** Makes the same call with callbacks, which are called synchronously; the error is a GrpcError or StoreError. */
  send(
    path: string,
    frame: Buffer,
    operation: EtcdOperation,
    done: (response: Uint8Array) => void,
    failed: (error: unknown) => void,
  ): void {
    const call = { path, frame, operation, span: this.#currentSpan() };
    const retry = (): void => void this.#call(call, isRefusedForNow).then(done, failed);
    const member = this.#member;
    if (!member?.session.open) return retry();
    this.#request(member, call, CALL_TIMEOUT_MS, (error, response) => {
      if (error === undefined) done(response);
      else if (isRefusedForNow(error)) retry();
      else failed(error);
    });
  }

  /** Disconnects from a member that does not work. */
  leave(member: Member, why: string): void {
    if (this.#member !== member || !member.session.open) return;
    this.#options.log.warn("etcd member left", { url: member.url, why });
    member.session.destroy(why);
  }

  close(): void {
    this.#end(new StoreError("closed", "The store has been closed"));
  }

  async #call(call: EtcdCall, canRetry: (error: unknown) => boolean): Promise<Uint8Array> {
    const { clock, random } = this.#options;
    const end = clock.steady() + CALL_TIMEOUT_MS;
    for (let failures = 0; ; failures++) {
      const member = await this.member(end - clock.steady());
      try {
        return await new Promise<Uint8Array>((resolve, reject) => {
          this.#request(member, call, end - clock.steady(), (error, response) =>
            error ? reject(error) : resolve(response),
          );
        });
      } catch (error) {
        const wait = backoff(failures, RETRY, random);
        if (this.#ended || !canRetry(error) || clock.steady() + wait >= end) throw error;
        await sleep(clock, wait, this.#stop.signal);
      }
    }
  }

  /** Makes a call of a member, and calls `done` synchronously when its outcome is known. etcd gets the span as metadata. */
  #request({ url, session }: Member, call: EtcdCall, timeoutMs: number, done: CallDone): void {
    const { clock, onCall } = this.#options;
    const { path, frame, operation, span } = call;
    const own = span?.isRecorded ? spanOf(path, url, span) : undefined;
    const began = clock.steady();
    const ended: CallDone = (error, response) => {
      if (operation) onCall?.(operation, (clock.steady() - began) / 1000, error !== undefined);
      own?.set({ "rpc.grpc.status_code": error?.code ?? CODES.ok });
      if (error) own?.fail(error.message);
      own?.end();
      done(error, response);
    };
    session.request(path, frame, timeoutMs, ended, (own ?? span)?.headers);
  }

  #connect(): Promise<Member> {
    return (this.#connecting ??= this.#findMember().finally(() => {
      this.#connecting = undefined;
    }));
  }

  async #findMember(): Promise<Member> {
    const { endpoints, clock, random, log } = this.#options;
    for (let tries = 1; ; tries++) {
      if (this.#ended) throw this.#ended;
      const url = endpoints[this.#next % endpoints.length]!;
      this.#next++;
      try {
        const member = await this.#open(url);
        log.info("etcd member connected", { url, version: member.version });
        return member;
      } catch (error) {
        this.#why = ` (${messageOf(error)})`;
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
    // The tick expires only the calls of the current member.
    const timer = clock.after(CONNECT_MS, () => session.destroy(`no response within ${CONNECT_MS} ms`));
    try {
      const status = readStatus(await session.call(CALLS.status, statusRequest(), CONNECT_MS));
      if (!status.hasLeader) throw new GrpcError(CODES.unavailable, "the member has no leader", false);
      const frame = rangeRequest({ key: probe, limit: 1, keysOnly: true });
      const { header } = readRange(await session.call(CALLS.range, frame, CONNECT_MS));
      this.#check(url, header);
      if (this.#ended) throw this.#ended;
      const { version } = status;
      const member = { url, session, version, reportsProgress: reportsProgress(version) };
      this.#member = member;
      this.#statusAt = clock.steady();
      this.#failures = 0;
      return member;
    } catch (error) {
      session.destroy("not usable");
      throw error;
    } finally {
      timer.cancel();
    }
  }

  /** Ends the client for another cluster or a lower revision, with which stale caches would seem current. */
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
    if (this.#ended) return;
    this.#timer = clock.after(TICK_MS, () => this.#tick());
    const member = this.#member;
    if (!member?.session.open) return;
    member.session.expire();
    const isDue = clock.steady() - this.#statusAt >= STATUS_INTERVAL_MS;
    if (isDue && !this.#isReadingStatus) void this.#readStatus(member);
  }

  async #readStatus(member: Member): Promise<void> {
    this.#isReadingStatus = true;
    try {
      const status = readStatus(await member.session.call(CALLS.status, statusRequest(), STATUS_TIMEOUT_MS));
      if (status.hasLeader) this.#options.onRevision(status.header.revision);
      else this.leave(member, "it has lost its leader");
    } catch (error) {
      this.leave(member, `its status could not be read: ${String(error)}`);
    } finally {
      this.#isReadingStatus = false;
      this.#statusAt = this.#options.clock.steady();
    }
  }

  #end(error: StoreError): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#stop.abort();
    this.#timer.cancel();
    this.#member?.session.destroy(error.message);
  }
}

/** A call of etcd. */
interface EtcdCall {
  readonly path: string;
  readonly frame: Buffer;
  /** Undefined for a call that is not counted. */
  readonly operation: EtcdOperation | undefined;
  /** The span of which it is a part. */
  readonly span: Span | undefined;
}

/** Starts the span of a call, which has the name and attributes of otelgrpc in kube-apiserver. */
function spanOf(path: string, url: string, parent: Span): Span {
  const [, service = "", method = ""] = path.split("/");
  const { hostname, port } = new URL(url);
  const attributes = {
    "rpc.system": "grpc",
    "rpc.service": service,
    "rpc.method": method,
    "server.address": hostname,
    "server.port": Number(port),
  };
  return parent.start(`${service}/${method}`, attributes, { kind: SPAN_KINDS.client });
}

/**
 * Whether a version responds to progress requests only after all earlier events (etcd issues 15220 and 17507): 3.4.31 and
 * later of 3.4, 3.5.13 and later.
 */
export function reportsProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}
