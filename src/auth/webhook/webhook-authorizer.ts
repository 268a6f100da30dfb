/**
 * An authorizer that sends a SubjectAccessReview to a webhook, which allows, denies or has no opinion (RBAC-38).
 *
 * Decisions are cached. A webhook is not called where one of its match conditions, CEL over the review, is false. Where the
 * call or a condition fails, the failure policy decides: denied, or no opinion, both with an error.
 *
 * https://kubernetes.io/docs/reference/access-authn-authz/webhook/
 *
 * @module
 */
import { type Condition, meets } from "../../cel/environments/reviews.ts";
import { Failure } from "../../cel/values.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import { textBytes } from "../../util/bounded-cache.ts";
import type { Clock } from "../../util/clock.ts";
import { errorText } from "../../util/cut-text.ts";
import type { Value, ValueObject } from "../../value/value.ts";
import { NO_OPINION } from "../admin.ts";
import type { Authorizer, Decision, Identity } from "../contract.ts";
import { ExpiringCache } from "../expiring-cache.ts";
import { type ReviewVersion, decisionIn, reviewBody, reviewSpec } from "./access-review.ts";

/** How a webhook is called. */
export interface WebhookOptions {
  /** The name in errors. */
  readonly name: string;
  /** Sends JSON and returns the JSON of the response; rejects at a timeout. */
  readonly ask: (body: string) => Promise<Value>;
  readonly version: ReviewVersion;
  /** For how many milliseconds decisions that allow are cached, and the others; 0 for not at all. */
  readonly allowedMillis: number;
  readonly refusedMillis: number;
  /** The decision where the call fails. */
  readonly failurePolicy: "NoOpinion" | "Deny";
  readonly conditions: readonly Extract<Condition, { readonly source: string }>[];
}

const CACHE_BOUNDS = { entries: 8192, bytes: 16 << 20 };
/** Decisions about longer reviews are not cached, so that clients cannot fill the memory. */
const MAX_KEY_LENGTH = 4096;

/** Returns the authorizer of a webhook. */
export function webhookAuthorizer(options: WebhookOptions, clock: Pick<Clock, "steady">): Authorizer {
  const cache = new ExpiringCache<Decision>(
    clock,
    CACHE_BOUNDS,
    ({ reason, error = "" }) => textBytes(reason) + textBytes(error),
  );
  /** Calls in flight; requests with the same review share one. */
  const inFlight = new Map<string, Promise<Decision>>();
  const ask = async (key: string, spec: ValueObject): Promise<Decision> => {
    try {
      const decision = decisionIn(await options.ask(reviewBody(spec, options.version)), options.version);
      const millis = decision.allowed ? options.allowedMillis : options.refusedMillis;
      if (key.length <= MAX_KEY_LENGTH) cache.set(key, decision, millis);
      return decision;
    } catch (error) {
      return failed(options, errorText(error));
    } finally {
      inFlight.delete(key);
    }
  };
  return {
    authorize(identity: Identity, info: RequestInfo) {
      const spec = reviewSpec(identity, info);
      const matched = matchOf(options.conditions, spec);
      if (matched === false) return NO_OPINION;
      if (matched instanceof Failure) return failed(options, matched.message);
      const key = JSON.stringify(spec);
      const known = (key.length <= MAX_KEY_LENGTH ? cache.get(key) : undefined) ?? inFlight.get(key);
      if (known) return known;
      const decision = ask(key, spec);
      inFlight.set(key, decision);
      return decision;
    },
    rightsOf: () => ({
      resourceRules: [],
      pathRules: [],
      incomplete: true,
      error: "webhook authorizer does not support user rule resolution",
    }),
  };
}

/** Whether all conditions are met. A condition that is false counts more than one that fails. */
function matchOf(conditions: WebhookOptions["conditions"], spec: ValueObject): boolean | Failure {
  let failure: Failure | undefined;
  for (const condition of conditions) {
    const met = meets(condition, spec);
    if (met === false) return false;
    if (met instanceof Failure) failure ??= met;
  }
  return failure ?? true;
}

function failed({ name, failurePolicy }: WebhookOptions, why: string): Decision {
  const error = `the authorization webhook ${name} has failed: ${why}`;
  return { allowed: false, ...(failurePolicy === "Deny" ? { denied: true } : {}), reason: "", error };
}
