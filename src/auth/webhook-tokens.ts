/**
 * Authenticates tokens with a webhook: each token is sent as a TokenReview, and the response is cached, whatever it says.
 *
 * @module
 */
import { hash } from "node:crypto";
import { textBytes } from "../util/bounded-cache.ts";
import type { Clock } from "../util/clock.ts";
import { flatCopy } from "../util/flat-copy.ts";
import { LimitExceeded, ConcurrencyLimiter } from "../util/semaphore.ts";
import { isObject } from "../value/value.ts";
import {
  AuthenticatorBusy,
  type Identity,
  type TokenAuthenticator,
  type TokenOwner,
  TokenRefused,
} from "./contract.ts";
import { ExpiringCache } from "./expiring-cache.ts";
import { identityBytes } from "./identity-key.ts";

/** How a webhook is called. */
export interface TokenWebhook {
  /** Sends a TokenReview as JSON and returns the value of the response; rejects where there is none. */
  readonly ask: (review: string) => Promise<unknown>;
  readonly version: "v1" | "v1beta1";
  /** For how many milliseconds a result is cached. */
  readonly cacheMillis: number;
  /** The audiences of this server. */
  readonly audiences: readonly string[];
  readonly clock: Pick<Clock, "after" | "steady">;
}

/** The bounds of each of the two caches: of accepted tokens, and of the others. */
const CACHE_BOUNDS = { entries: 10_000, bytes: 16 << 20 };
/** The calls in flight and in the queue: unauthenticated clients cause them. */
const QUEUE_BOUNDS = { running: 32, waiting: 1000, millis: 10_000 };

/** The result of a review. */
interface Result {
  /** Undefined for a token that is not accepted. */
  readonly owner: TokenOwner | undefined;
  /** Why the token is not accepted; empty where the webhook gives no reason. */
  readonly error: string;
}

/** Returns the authenticator of a webhook. */
export function webhookTokens(webhook: TokenWebhook): TokenAuthenticator {
  const { clock, audiences: own, cacheMillis } = webhook;
  const newCache = (): ExpiringCache<Result> => new ExpiringCache(clock, CACHE_BOUNDS, resultBytes);
  // Two caches, so that unknown tokens do not evict accepted ones.
  const [accepted, refused] = [newCache(), newCache()];
  const queue = new ConcurrencyLimiter(clock, QUEUE_BOUNDS);
  /** Reviews in flight; requests with the same token share one. */
  const inFlight = new Map<string, Promise<Result>>();
  const review = async (digest: string, token: string, audiences: readonly string[]): Promise<Result> => {
    try {
      const response = await queue.run(() => webhook.ask(reviewOf(webhook, token, audiences)));
      const result = resultOf(response, audiences, own);
      (result.owner ? accepted : refused).set(digest, result, cacheMillis);
      return result;
    } catch (error) {
      throw error instanceof LimitExceeded ? new AuthenticatorBusy("too many token reviews are waiting") : error;
    } finally {
      inFlight.delete(digest);
    }
  };
  const resultFor = (digest: string, token: string, audiences: readonly string[]): Result | Promise<Result> => {
    const known = accepted.get(digest) ?? refused.get(digest) ?? inFlight.get(digest);
    if (known) return known;
    const result = review(digest, token, audiences);
    inFlight.set(digest, result);
    return result;
  };
  return {
    name: "webhook",
    async identify(token, audiences = own) {
      const digest = hash("sha256", JSON.stringify([token, audiences]), "base64");
      const { owner, error } = await resultFor(digest, token, audiences);
      if (error !== "") throw new TokenRefused(error);
      return owner;
    },
  };
}

const resultBytes = ({ owner, error }: Result): number =>
  textBytes(error) + (owner ? identityBytes(owner.identity) : 0);

function reviewOf({ version }: TokenWebhook, token: string, audiences: readonly string[]): string {
  const spec = { token, ...(audiences.length > 0 ? { audiences } : {}) };
  return JSON.stringify({ apiVersion: `authentication.k8s.io/${version}`, kind: "TokenReview", spec });
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** Reads the status of a review; a token for none of the requested audiences is not accepted. */
function resultOf(response: unknown, requested: readonly string[], own: readonly string[]): Result {
  const { authenticated, audiences, error, user } = membersOf(membersOf(response)["status"]);
  if (authenticated !== true) {
    return { owner: undefined, error: typeof error === "string" ? flatCopy(error.slice(0, 1000)) : "" };
  }
  const named = stringsOf(audiences);
  const accepted = new Set(named.length > 0 ? named : own);
  const shared = requested.filter((one) => accepted.has(one));
  const identity = identityOf(membersOf(user));
  const isAccepted = identity && (requested.length === 0 || shared.length > 0);
  return { owner: isAccepted ? { identity, audiences: shared } : undefined, error: "" };
}

function identityOf({ username, uid, groups, extra }: Readonly<Record<string, unknown>>): Identity | undefined {
  if (typeof username !== "string") return undefined;
  const entries = Object.entries(membersOf(extra)).map(([key, values]) => [key, stringsOf(values)] as const);
  return {
    user: username,
    ...(typeof uid === "string" && uid !== "" ? { uid } : {}),
    groups: stringsOf(groups),
    ...(entries.length > 0 ? { extra: Object.fromEntries(entries) } : {}),
  };
}

const stringsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
