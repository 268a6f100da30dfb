/**
 * Tokens that somebody else judges: each is sent as a TokenReview to a webhook, whose answer counts for a while, whatever it is.
 *
 * @module
 */
import { hash } from "node:crypto";
import { BoundedCache, textBytes } from "../util/bounded-cache.ts";
import type { Clock } from "../util/clock.ts";
import { flatCopy } from "../util/flat-copy.ts";
import { ConcurrencyLimiter, LimitExceeded } from "../util/semaphore.ts";
import { type Identity, type TokenAuthenticator, type TokenOwner, TokenRefused, TokenUnjudged } from "./contract.ts";
import { identityBytes } from "./identity-key.ts";

/** How a webhook is asked. */
export interface TokenWebhook {
  /** Sends a TokenReview as JSON, and gives back the value of the answer. Rejects where there is none. */
  readonly ask: (review: string) => Promise<unknown>;
  readonly version: "v1" | "v1beta1";
  /** How long an answer counts, in milliseconds. */
  readonly cacheMillis: number;
  /** This server's audiences. */
  readonly audiences: readonly string[];
  readonly clock: Pick<Clock, "after" | "steady">;
}

/** So many answers are remembered of good tokens, and so many of others; with more go those that were not asked for longest. */
const MOST = { entries: 10_000, bytes: 16 << 20 };
/** So many questions are under way at once, and others wait: whoever shows a token makes one be asked, and may be anybody. */
const BOUNDS = { running: 32, waiting: 1000, millis: 10_000 };

interface Answer {
  /** Undefined for a token that is not good. */
  readonly owner: TokenOwner | undefined;
  readonly why: string;
  readonly until: number;
}

/** Tokens of a webhook. */
export function webhookTokens(webhook: TokenWebhook): TokenAuthenticator {
  const { clock, audiences: own, cacheMillis } = webhook;
  // Apart from each other: strangers do not make it forget the tokens of others.
  const [good, bad] = [new Answers(clock), new Answers(clock)];
  const limiter = new ConcurrencyLimiter(clock, BOUNDS);
  /** Questions under way: who shows the same token waits for the same answer. */
  const asked = new Map<string, Promise<Answer>>();
  const ask = async (digest: string, token: string, audiences: readonly string[]): Promise<Answer> => {
    try {
      const said = await limiter.run(() => webhook.ask(reviewOf(webhook, token, audiences)));
      const answer = { ...read(said, audiences, own), until: clock.steady() + cacheMillis };
      if (cacheMillis > 0) (answer.owner ? good : bad).keep(digest, answer);
      return answer;
    } catch (error) {
      throw error instanceof LimitExceeded ? new TokenUnjudged("too many tokens wait to be judged") : error;
    } finally {
      asked.delete(digest);
    }
  };
  const answerTo = (digest: string, token: string, audiences: readonly string[]): Answer | Promise<Answer> => {
    const known = good.get(digest) ?? bad.get(digest) ?? asked.get(digest);
    if (known) return known;
    const answer = ask(digest, token, audiences);
    asked.set(digest, answer);
    return answer;
  };
  return {
    name: "webhook",
    async identify(token, audiences = own) {
      const digest = hash("sha256", JSON.stringify([token, audiences]), "base64");
      const { owner, why } = await answerTo(digest, token, audiences);
      if (why !== "") throw new TokenRefused(why);
      return owner;
    },
  };
}

function reviewOf({ version }: TokenWebhook, token: string, audiences: readonly string[]): string {
  const spec = { token, ...(audiences.length > 0 ? { audiences } : {}) };
  return JSON.stringify({ apiVersion: `authentication.k8s.io/${version}`, kind: "TokenReview", spec });
}

/** What was answered, by the digest of the question. */
class Answers {
  readonly #clock: Pick<Clock, "steady">;
  readonly #kept = new BoundedCache<Answer>({
    ...MOST,
    weigh: ({ owner, why }) => textBytes(why) + (owner ? identityBytes(owner.identity) : 0),
  });

  constructor(clock: Pick<Clock, "steady">) {
    this.#clock = clock;
  }

  get(digest: string): Answer | undefined {
    const answer = this.#kept.get(digest);
    return answer && answer.until > this.#clock.steady() ? answer : undefined;
  }

  keep(digest: string, answer: Answer): void {
    const now = this.#clock.steady();
    this.#kept.trim(({ until }) => until <= now);
    this.#kept.set(digest, answer);
  }
}

interface Said {
  readonly authenticated?: unknown;
  readonly audiences?: unknown;
  readonly error?: unknown;
  readonly user?: {
    readonly username?: unknown;
    readonly uid?: unknown;
    readonly groups?: unknown;
    readonly extra?: unknown;
  };
}

/** What the webhook says of a token; an answer for none of the audiences asked for is none. */
function read(value: unknown, asked: readonly string[], own: readonly string[]): Pick<Answer, "owner" | "why"> {
  const { authenticated, audiences, error, user = {} } = ((value as { status?: unknown } | null)?.status ?? {}) as Said;
  if (authenticated !== true)
    return { owner: undefined, why: typeof error === "string" ? flatCopy(error.slice(0, 1000)) : "" };
  const named = textsOf(audiences);
  const held = new Set(named.length > 0 ? named : own);
  const those = asked.filter((one) => held.has(one));
  const { username } = user;
  if (typeof username !== "string" || (asked.length > 0 && those.length === 0)) return { owner: undefined, why: "" };
  return { owner: { identity: identityOf(username, user), audiences: those }, why: "" };
}

function identityOf(user: string, { uid, groups, extra }: NonNullable<Said["user"]>): Identity {
  const entries = Object.entries((extra ?? {}) as object).map(([key, values]) => [key, textsOf(values)] as const);
  return {
    user,
    ...(typeof uid === "string" && uid !== "" ? { uid } : {}),
    groups: textsOf(groups),
    ...(entries.length > 0 ? { extra: Object.fromEntries(entries) } : {}),
  };
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
