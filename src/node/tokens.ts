/**
 * Tokens of the service accounts of Pods, kept as long as they are fresh: one for each Pod, audience and lifetime, whoever asks
 * (PROJ-57, NODE-35, NODE-37).
 *
 * A token is asked for again when 80 % of its lifetime is over or it is 24 hours old (LIM-12), a little earlier by chance, so that
 * the tokens of many Pods are not asked for at once; and at once when its account was deleted and made again, since the server takes
 * it no more. What fails is tried again after a pause. Nothing is written down: after a restart new ones are asked for.
 *
 * The wall clock says when a token ends, as it does for the server: the steady one stands still while the machine sleeps. That one
 * counts only where more time has passed by it, since somebody has set the wall clock back.
 *
 * @module
 */
import { type Client, type Key, keyText } from "../client/index.ts";
import { type Pod, ServiceAccount, type TokenRequest } from "../client/kinds/index.ts";
import { parseTime } from "../meta/time.ts";
import { backoff } from "../util/backoff.ts";
import type { Clock, Random, Timer } from "../util/clock.ts";
import type { TokenOptions } from "../volumes/contract.ts";

/** A token, and when it ends. */
export interface PodToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** What a keeper of tokens needs. */
export interface TokenKeeperOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Hears why a token could not be renewed that is good for a while yet. */
  readonly failed?: (error: unknown, pod: Pod) => void;
  /** Has the volumes of a Pod looked at: one of its tokens is to be asked for anew. */
  readonly lookAt?: (podUid: string) => void;
}

/** A time by the wall clock and by the steady counter; it has come when it has come by one of them. */
interface Moment {
  readonly wall: number;
  readonly steady: number;
}

interface Kept extends PodToken {
  readonly renewAt: Moment;
  readonly endsAt: Moment;
  /** The uid of the account that it is of; undefined where the server has not said it. */
  readonly accountUid: string | undefined;
}

/** What is kept for one wish of a Pod. */
interface Place {
  readonly account: Key<"Namespaced">;
  kept?: Kept;
  asked?: Promise<Kept> | undefined;
  /** Failures since the last token. */
  failures: number;
  /** Of the steady counter: until then a token that is good is not asked for again. */
  notBefore: number;
}

const DAY_MS = 24 * 3600 * 1000;
const FRESH_PART = 0.8;
const MOST_EARLIER_MS = 10_000;
/** How long a lifetime is where neither side says, in seconds. */
const HOUR = 3600;
/** The pauses after failures: short beside the 20 % of the shortest lifetime. */
const RETRY = { first: 1000, most: 30_000 };
/** No token is renewed sooner, also where the clock of the server shows another time. */
const LEAST_MS = 60_000;
/** How often the accounts of tokens are looked at: an agent may get them, and watches none. */
const LOOK_MS = 30_000;

/** See the head of this file. */
export class TokenKeeper implements Disposable {
  readonly #options: TokenKeeperOptions;
  /** By the uid of the Pod, then by wish. */
  readonly #pods = new Map<string, Map<string, Place>>();
  /** The uids of the accounts, as the server has said them last. */
  readonly #accounts = new Map<string, string>();
  #timer: Timer | undefined;
  #isOver = false;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
  }

  /**
   * A token for a Pod, as fresh as it must be. One that could not be renewed is given while it is good.
   *
   * @throws StatusError where the server gives none
   */
  async get(pod: Pod, wish: TokenOptions): Promise<PodToken> {
    const place = this.#placeOf(pod, wish);
    const { kept } = place;
    if (kept && this.#isGood(kept) && this.#waits(place, kept) > 0) return kept;
    try {
      return await this.#ask(place, pod, wish);
    } catch (error) {
      if (!kept || !this.#isGood(kept)) throw error;
      this.#options.failed?.(error, pod);
      return kept;
    }
  }

  /** Milliseconds until a token that was given is to be asked for again; undefined where none was. */
  renewsIn(pod: Pod, wish: TokenOptions): number | undefined {
    const place = this.#pods.get(pod.metadata.uid)?.get(keyOf(wish));
    return place?.kept && this.#waits(place, place.kept);
  }

  /** Forgets the tokens of a Pod that has ended (PROJ-58). */
  forget(podUid: string): void {
    this.#pods.delete(podUid);
    const used = new Set(this.#places().map(([, { account }]) => keyText(account)));
    for (const key of this.#accounts.keys()) if (!used.has(key)) this.#accounts.delete(key);
    if (used.size === 0) this.#rest();
  }

  /** How many Pods have tokens here. */
  get size(): number {
    return this.#pods.size;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#rest();
  }

  #places(): readonly (readonly [podUid: string, place: Place])[] {
    return [...this.#pods].flatMap(([uid, places]) => [...places.values()].map((place) => [uid, place] as const));
  }

  #placeOf({ metadata: { uid, namespace = "" }, spec }: Pod, wish: TokenOptions): Place {
    let places = this.#pods.get(uid);
    if (!places) this.#pods.set(uid, (places = new Map()));
    let place = places.get(keyOf(wish));
    if (!place) {
      place = { account: { namespace, name: spec.serviceAccountName ?? "" }, failures: 0, notBefore: 0 };
      places.set(keyOf(wish), place);
    }
    return place;
  }

  #isGood({ endsAt }: Kept): boolean {
    return this.#until(endsAt) > 0;
  }

  #until({ wall, steady }: Moment): number {
    const { clock } = this.#options;
    return Math.min(wall - clock.now(), steady - clock.steady());
  }

  /** Milliseconds until a token is asked for again. */
  #waits({ account, notBefore }: Place, { renewAt, accountUid }: Kept): number {
    const known = this.#accounts.get(keyText(account));
    const due = accountUid === known ? this.#until(renewAt) : 0;
    return Math.max(0, due, notBefore - this.#options.clock.steady());
  }

  /** One request at a time for one wish. */
  #ask(place: Place, pod: Pod, wish: TokenOptions): Promise<Kept> {
    place.asked ??= this.#renew(place, pod, wish).finally(() => (place.asked = undefined));
    return place.asked;
  }

  async #renew(place: Place, pod: Pod, wish: TokenOptions): Promise<Kept> {
    const { clock, random } = this.#options;
    try {
      const kept = await this.#request(pod, wish);
      const lifetime = kept.endsAt.steady - clock.steady();
      Object.assign(place, { kept, failures: 0, notBefore: clock.steady() + Math.min(LEAST_MS, lifetime / 2) });
      this.#learn(place.account, kept.accountUid);
      this.#wait();
      return kept;
    } catch (error) {
      place.notBefore = clock.steady() + backoff(place.failures++, RETRY, random);
      throw error;
    }
  }

  async #request(pod: Pod, { audience = "", expirationSeconds }: TokenOptions): Promise<Kept> {
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
    // From before it was asked for: it may be older than its answer, never younger.
    const [began, wallBegan] = [clock.steady(), clock.now()];
    const { spec: given, status, metadata } = await client.json<TokenRequest>("POST", path, { body });
    const lifetime = (given.expirationSeconds ?? expirationSeconds ?? HOUR) * 1000;
    const ends = parseTime(status?.expirationTimestamp ?? "") ?? wallBegan + lifetime;
    const earlier = random.next() * MOST_EARLIER_MS;
    // Whole milliseconds: the wall clock has no others.
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

  /** An account has a uid: tokens of one that had its name before are asked for anew at once. */
  #learn(account: Key<"Namespaced">, uid: string | undefined): void {
    const key = keyText(account);
    const known = this.#accounts.get(key);
    if (uid === undefined || uid === known) return;
    this.#accounts.set(key, uid);
    const { clock, lookAt } = this.#options;
    for (const [podUid, place] of this.#places()) {
      const { kept } = place;
      if (!kept || keyText(place.account) !== key) continue;
      // What was given before any uid was known is of this account.
      if (kept.accountUid === undefined && known === undefined) place.kept = { ...kept, accountUid: uid };
      else if (kept.accountUid !== uid) {
        Object.assign(place, { failures: 0, notBefore: clock.steady() });
        lookAt?.(podUid);
      }
    }
  }

  #wait(): void {
    if (this.#timer || this.#isOver || this.#pods.size === 0) return;
    const { clock, random } = this.#options;
    const look = (): void => void this.#look();
    const after = LOOK_MS * (1 - random.next() / 10);
    this.#timer = clock.after(after, look, { owner: "service accounts of Pods", upkeep: true });
  }

  #rest(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Looks at the accounts of all Pods, one after the other; what cannot be looked at is at the next look. */
  async #look(): Promise<void> {
    const timer = this.#timer;
    const accounts = new Map(this.#places().map(([, { account }]) => [keyText(account), account]));
    for (const account of accounts.values()) {
      const { metadata } = (await this.#find(account)) ?? {};
      if (this.#timer !== timer) return;
      this.#learn(account, metadata?.uid);
    }
    this.#timer = undefined;
    this.#wait();
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
