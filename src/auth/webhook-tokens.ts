/**
 * Tokens that somebody else judges: each is sent as a TokenReview to a webhook, whose answer counts for a while, whatever it is.
 *
 * @module
 */
import { hash } from "node:crypto";
import type { Clock } from "../util/clock.ts";
import { type Identity, type TokenAuthenticator, type TokenOwner, TokenRefused } from "./contract.ts";

/** How a webhook is asked. */
export interface TokenWebhook {
  /** Sends a TokenReview as JSON, and gives back the value of the answer. Rejects where there is none. */
  readonly ask: (review: string) => Promise<unknown>;
  readonly version: "v1" | "v1beta1";
  /** How long an answer counts, in milliseconds. */
  readonly cacheMillis: number;
  /** This server's audiences. */
  readonly audiences: readonly string[];
  readonly clock: Pick<Clock, "steady">;
}

/** So many answers are remembered; with more the oldest go. */
const MOST = 10_000;

interface Answer {
  /** Undefined for a token that is not good. */
  readonly owner: TokenOwner | undefined;
  readonly why: string;
  readonly until: number;
}

/** Tokens of a webhook. */
export function webhookTokens({ ask, version, cacheMillis, audiences: own, clock }: TokenWebhook): TokenAuthenticator {
  const answers = new Map<string, Answer>();
  const remember = (digest: string, answer: Answer): void => {
    answers.delete(digest);
    answers.set(digest, answer);
    for (const [oldest, { until }] of answers) {
      if (until > clock.steady() && answers.size <= MOST) break;
      answers.delete(oldest);
    }
  };
  return {
    name: "webhook",
    async identify(token, audiences = own) {
      const digest = hash("sha256", JSON.stringify([token, audiences]), "base64");
      let answer = answers.get(digest);
      if (!answer || answer.until <= clock.steady()) {
        const spec = { token, ...(audiences.length > 0 ? { audiences } : {}) };
        const apiVersion = `authentication.k8s.io/${version}`;
        const said = await ask(JSON.stringify({ apiVersion, kind: "TokenReview", spec }));
        answer = { ...read(said, audiences, own), until: clock.steady() + cacheMillis };
        if (cacheMillis > 0) remember(digest, answer);
      }
      if (answer.why !== "") throw new TokenRefused(answer.why);
      return answer.owner;
    },
  };
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
  if (authenticated !== true) return { owner: undefined, why: typeof error === "string" ? error.slice(0, 1000) : "" };
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
