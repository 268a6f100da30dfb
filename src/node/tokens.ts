/**
 * Tokens of the service accounts of Pods, kept as long as they are fresh: one for each Pod, audience and lifetime, whoever asks
 * (PROJ-57, NODE-35, NODE-37).
 *
 * A token is asked for again when 80 % of its lifetime is over or it is 24 hours old (LIM-12), a little earlier by chance, so that
 * the tokens of many Pods are not asked for at once. Nothing is written down: after a restart new ones are asked for.
 *
 * @module
 */
import type { Client } from "../client/index.ts";
import type { Pod, TokenRequest } from "../client/kinds/index.ts";
import type { Clock, Random } from "../util/clock.ts";
import type { TokenWish } from "../volumes/contract.ts";

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
}

interface Kept extends PodToken {
  /** Of the steady counter. */
  readonly renewAt: number;
  readonly endsAt: number;
}

/** What is kept for one wish of a Pod. */
interface Place {
  kept?: Kept;
  asked?: Promise<Kept> | undefined;
}

const DAY_MS = 24 * 3600 * 1000;
const FRESH_PART = 0.8;
const MOST_EARLIER_MS = 10_000;
/** How long a lifetime is where neither side says, in seconds. */
const HOUR = 3600;

/** See the head of this file. */
export class TokenKeeper {
  readonly #options: TokenKeeperOptions;
  /** By the uid of the Pod, then by wish. */
  readonly #pods = new Map<string, Map<string, Place>>();

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
  }

  /**
   * A token for a Pod, as fresh as it must be. One that could not be renewed is given while it is good.
   *
   * @throws StatusError where the server gives none
   */
  async get(pod: Pod, wish: TokenWish): Promise<PodToken> {
    const place = this.#placeOf(pod, wish);
    const now = this.#options.clock.steady();
    const { kept } = place;
    if (kept && now < kept.renewAt) return kept;
    try {
      return await this.#ask(place, pod, wish);
    } catch (error) {
      if (!kept || this.#options.clock.steady() >= kept.endsAt) throw error;
      this.#options.failed?.(error, pod);
      return kept;
    }
  }

  /** Milliseconds until a token that was given is to be asked for again; undefined where none was. */
  renewsIn(pod: Pod, wish: TokenWish): number | undefined {
    const kept = this.#pods.get(pod.metadata.uid)?.get(keyOf(wish))?.kept;
    return kept && Math.max(0, kept.renewAt - this.#options.clock.steady());
  }

  /** Forgets the tokens of a Pod that has ended (PROJ-58). */
  forget(podUid: string): void {
    this.#pods.delete(podUid);
  }

  /** How many Pods have tokens here. */
  get size(): number {
    return this.#pods.size;
  }

  #placeOf({ metadata: { uid } }: Pod, wish: TokenWish): Place {
    let places = this.#pods.get(uid);
    if (!places) this.#pods.set(uid, (places = new Map()));
    let place = places.get(keyOf(wish));
    if (!place) places.set(keyOf(wish), (place = {}));
    return place;
  }

  /** One request at a time for one wish. */
  #ask(place: Place, pod: Pod, wish: TokenWish): Promise<Kept> {
    place.asked ??= this.#request(pod, wish)
      .then((kept) => (place.kept = kept))
      .finally(() => (place.asked = undefined));
    return place.asked;
  }

  async #request(pod: Pod, { audience = "", expirationSeconds }: TokenWish): Promise<Kept> {
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
    const began = clock.steady();
    const answer = await client.json<TokenRequest>("POST", path, { body });
    const lifetime = (answer.spec.expirationSeconds ?? expirationSeconds ?? HOUR) * 1000;
    const fresh = Math.min(lifetime * FRESH_PART, DAY_MS) - random.next() * MOST_EARLIER_MS;
    return {
      token: answer.status?.token ?? "",
      expirationTimestamp: answer.status?.expirationTimestamp ?? "",
      renewAt: began + Math.max(0, fresh),
      endsAt: began + lifetime,
    };
  }
}

const keyOf = ({ audience = "", expirationSeconds }: TokenWish): string =>
  JSON.stringify([audience, expirationSeconds ?? 0]);
