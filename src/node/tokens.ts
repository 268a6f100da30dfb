/**
 * Tokens of the service accounts of Pods: one for each Pod, audience and lifetime, kept until it has to be renewed
 * (PROJ-57, NODE-35, NODE-37).
 *
 * A token is renewed when 80 % of its lifetime are over or it is 24 hours old (LIM-12), a little earlier by chance, so that
 * the tokens of many Pods are not renewed at once. It is renewed at once when its account was deleted and created again:
 * the server does not accept it any more. A failed renewal is repeated after a pause. Nothing is on disk: after a restart
 * all tokens are new.
 *
 * A token ends by the wall clock, as for the server: the steady clock stands still while the machine sleeps. The steady
 * clock counts only where it has advanced further, since the wall clock was set back.
 *
 * @module
 */
import { type Client, type Key, keyText } from "../client/index.ts";
import { type Pod, ServiceAccount, type TokenRequest } from "../client/kinds/index.ts";
import { parseTime } from "../meta/time.ts";
import { backoff } from "../util/backoff.ts";
import type { Clock, Random, Timer } from "../util/clock.ts";
import type { TokenOptions } from "../volumes/contract.ts";

/** A token and its end. */
export interface PodToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** Options of a keeper. */
export interface TokenKeeperOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Called when a token that is still valid could not be renewed. */
  readonly failed?: (error: unknown, pod: Pod) => void;
  /** Reconciles the volumes of a Pod: one of its tokens has to be renewed. */
  readonly lookAt?: (podUid: string) => void;
}

/** A time by the wall clock and by the steady clock: whichever comes first. */
interface Moment {
  readonly wall: number;
  readonly steady: number;
}

interface Token extends PodToken {
  readonly renewAt: Moment;
  readonly endsAt: Moment;
  /** The uid of its account; undefined where the server has not returned it. */
  readonly accountUid: string | undefined;
}

/** The token for one request of a Pod. */
interface State {
  readonly account: Key<"Namespaced">;
  kept?: Token;
  renewing?: Promise<Token> | undefined;
  /** Failures since the last token. */
  failures: number;
  /** The steady time before which a valid token is not renewed. */
  notBefore: number;
}

const DAY_MS = 24 * 3600 * 1000;
const FRESH_PART = 0.8;
const MAX_EARLIER_MS = 10_000;
/** The default lifetime. */
const HOUR_SECONDS = 3600;
/** The pauses after failures: short compared with 20 % of the shortest lifetime. */
const RETRY = { first: 1000, most: 30_000 };
/** The minimum time between renewals, also where the clock of the server differs. */
const MIN_RENEWAL_MS = 60_000;
/** How often the accounts of tokens are checked: an agent may get them, and not watch them. */
const CHECK_INTERVAL_MS = 30_000;

/** See the head of this file. */
export class TokenKeeper implements Disposable {
  readonly #options: TokenKeeperOptions;
  /** By the uid of the Pod, then by request. */
  readonly #pods = new Map<string, Map<string, State>>();
  /** The last known uids of the accounts. */
  readonly #accounts = new Map<string, string>();
  #timer: Timer | undefined;
  #isOver = false;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
  }

  /**
   * A token for a Pod. One that could not be renewed is returned while it is valid.
   *
   * @throws StatusError of the server
   */
  async get(pod: Pod, wish: TokenOptions): Promise<PodToken> {
    const state = this.#stateOf(pod, wish);
    const { kept } = state;
    if (kept && this.#isValid(kept) && this.#waits(state, kept) > 0) return kept;
    try {
      return await this.#renew(state, pod, wish);
    } catch (error) {
      if (!kept || !this.#isValid(kept)) throw error;
      this.#options.failed?.(error, pod);
      return kept;
    }
  }

  /** Milliseconds until a token has to be renewed; undefined where there is none. */
  renewsIn(pod: Pod, wish: TokenOptions): number | undefined {
    const state = this.#pods.get(pod.metadata.uid)?.get(keyOf(wish));
    return state?.kept && this.#waits(state, state.kept);
  }

  /** Forgets the tokens of a Pod (PROJ-58). */
  forget(podUid: string): void {
    this.#pods.delete(podUid);
    const used = new Set(this.#states().map(([, { account }]) => keyText(account)));
    for (const key of this.#accounts.keys()) if (!used.has(key)) this.#accounts.delete(key);
    if (used.size === 0) this.#rest();
  }

  /** How many Pods have tokens. */
  get size(): number {
    return this.#pods.size;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#rest();
  }

  #states(): readonly (readonly [podUid: string, state: State])[] {
    return [...this.#pods].flatMap(([uid, states]) => [...states.values()].map((state) => [uid, state] as const));
  }

  #stateOf({ metadata: { uid, namespace = "" }, spec }: Pod, wish: TokenOptions): State {
    const states = this.#pods.get(uid) ?? new Map<string, State>();
    this.#pods.set(uid, states);
    const account = { namespace, name: spec.serviceAccountName ?? "" };
    const state = states.get(keyOf(wish)) ?? { account, failures: 0, notBefore: 0 };
    states.set(keyOf(wish), state);
    return state;
  }

  #isValid({ endsAt }: Token): boolean {
    return this.#until(endsAt) > 0;
  }

  #until({ wall, steady }: Moment): number {
    const { clock } = this.#options;
    return Math.min(wall - clock.now(), steady - clock.steady());
  }

  /** Milliseconds until a token is renewed. */
  #waits({ account, notBefore }: State, { renewAt, accountUid }: Token): number {
    const known = this.#accounts.get(keyText(account));
    const due = accountUid === known ? this.#until(renewAt) : 0;
    return Math.max(0, due, notBefore - this.#options.clock.steady());
  }

  /** Runs one call at a time for each request of a Pod. */
  #renew(state: State, pod: Pod, wish: TokenOptions): Promise<Token> {
    state.renewing ??= this.#requestAndKeep(state, pod, wish).finally(() => (state.renewing = undefined));
    return state.renewing;
  }

  async #requestAndKeep(state: State, pod: Pod, wish: TokenOptions): Promise<Token> {
    const { clock, random } = this.#options;
    try {
      const kept = await this.#request(pod, wish);
      const lifetime = kept.endsAt.steady - clock.steady();
      Object.assign(state, { kept, failures: 0, notBefore: clock.steady() + Math.min(MIN_RENEWAL_MS, lifetime / 2) });
      this.#learn(state.account, kept.accountUid);
      this.#schedule();
      return kept;
    } catch (error) {
      state.notBefore = clock.steady() + backoff(state.failures++, RETRY, random);
      throw error;
    }
  }

  async #request(pod: Pod, { audience = "", expirationSeconds }: TokenOptions): Promise<Token> {
    const { client, clock, random } = this.#options;
    const { namespace = "", name, uid } = pod.metadata;
    const account = pod.spec.serviceAccountName ?? "";
    if (account === "") throw new Error(`expected Pod ${name} to have a service account`);
    const spec = {
      audiences: audience === "" ? [] : [audience],
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
    };
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(account)}/token`;
    // The time of the request: a token may be older than its response, never younger.
    const [began, wallBegan] = [clock.steady(), clock.now()];
    const { spec: granted, status, metadata } = await client.json<TokenRequest>("POST", path, { body });
    const lifetime = (granted.expirationSeconds ?? expirationSeconds ?? HOUR_SECONDS) * 1000;
    const ends = parseTime(status?.expirationTimestamp ?? "") ?? wallBegan + lifetime;
    const earlier = random.next() * MAX_EARLIER_MS;
    // The wall clock has whole milliseconds.
    const longest = Math.min(lifetime * FRESH_PART, DAY_MS);
    const fresh = Math.floor(Math.max(longest / 2, longest - earlier));
    return {
      token: status?.token ?? "",
      expirationTimestamp: status?.expirationTimestamp ?? "",
      renewAt: { wall: ends - lifetime + fresh, steady: began + fresh },
      endsAt: { wall: ends, steady: began + lifetime },
      accountUid: metadata?.uid || this.#accounts.get(keyText({ namespace, name: account })),
    };
  }

  /** Notes the uid of an account. Tokens of an earlier account of that name are renewed at once. */
  #learn(account: Key<"Namespaced">, uid: string | undefined): void {
    const key = keyText(account);
    const known = this.#accounts.get(key);
    if (uid === undefined || uid === known) return;
    this.#accounts.set(key, uid);
    const { clock, lookAt } = this.#options;
    for (const [podUid, state] of this.#states()) {
      const { kept } = state;
      if (!kept || keyText(state.account) !== key) continue;
      // A token from the time before any uid was known is one of this account.
      if (kept.accountUid === undefined && known === undefined) state.kept = { ...kept, accountUid: uid };
      else if (kept.accountUid !== uid) {
        Object.assign(state, { failures: 0, notBefore: clock.steady() });
        lookAt?.(podUid);
      }
    }
  }

  #schedule(): void {
    if (this.#timer || this.#isOver || this.#pods.size === 0) return;
    const { clock, random } = this.#options;
    const check = (): void => void this.#check();
    const after = CHECK_INTERVAL_MS * (1 - random.next() / 10);
    this.#timer = clock.after(after, check, { owner: "service accounts of Pods", upkeep: true });
  }

  #rest(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Checks the accounts of all Pods, one after the other; ignores errors until the next check. */
  async #check(): Promise<void> {
    const timer = this.#timer;
    const accounts = new Map(this.#states().map(([, { account }]) => [keyText(account), account]));
    for (const account of accounts.values()) {
      const { metadata } = (await this.#find(account)) ?? {};
      if (this.#timer !== timer) return;
      this.#learn(account, metadata?.uid);
    }
    this.#timer = undefined;
    this.#schedule();
  }

  async #find(account: Key<"Namespaced">): Promise<ServiceAccount | undefined> {
    try {
      return await this.#options.client.resource(ServiceAccount).find(account);
    } catch {
      return undefined;
    }
  }
}

const keyOf = ({ audience = "", expirationSeconds }: TokenOptions): string =>
  JSON.stringify([audience, expirationSeconds ?? 0]);
