/**
 * An authorizer that asks somebody else: a webhook is sent a SubjectAccessReview and allows, denies or has no opinion
 * (RBAC-38).
 *
 * Its decisions are kept for some time. It is not asked where one of its match conditions, CEL over the review, says no. Where
 * it does not answer, or a condition fails, its policy decides: denied, or no opinion, either with an error.
 *
 * https://kubernetes.io/docs/reference/access-authn-authz/webhook/
 *
 * @module
 */
import { type Condition, meets } from "../../cel/environments/reviews.ts";
import { Failure } from "../../cel/values.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import type { Clock } from "../../util/clock.ts";
import type { Value, ValueObject } from "../../value/value.ts";
import { NO_OPINION } from "../admin.ts";
import type { Authorizer, Decision, Identity } from "../contract.ts";
import { type ReviewVersion, decisionIn, reviewBody, reviewSpec } from "./access-review.ts";
import { DecisionCache } from "./decision-cache.ts";

/** How a webhook is asked. */
export interface WebhookOptions {
  /** Told in errors. */
  readonly name: string;
  /** Sends a JSON text and gives back the JSON value of the answer; rejects where none comes in time. */
  readonly ask: (body: string) => Promise<Value>;
  readonly version: ReviewVersion;
  /** For how long what is allowed is kept, and what is not, in ms; 0 for not at all. */
  readonly allowedMillis: number;
  readonly refusedMillis: number;
  /** What a webhook that does not answer has decided. */
  readonly failurePolicy: "NoOpinion" | "Deny";
  readonly conditions: readonly Extract<Condition, { readonly source: string }>[];
}

/** See the head of this file. */
export function webhookAuthorizer(options: WebhookOptions, clock: Pick<Clock, "steady">): Authorizer {
  const cache = new DecisionCache(clock);
  /** Questions under way: who asks the same waits for the same answer. */
  const asked = new Map<string, Promise<Decision>>();
  const ask = async (key: string, spec: ValueObject): Promise<Decision> => {
    try {
      const decision = decisionIn(await options.ask(reviewBody(spec, options.version)), options.version);
      cache.keep(key, decision, decision.allowed ? options.allowedMillis : options.refusedMillis);
      return decision;
    } catch (error) {
      return failed(options, error instanceof Error ? error.message : String(error));
    } finally {
      asked.delete(key);
    }
  };
  return {
    authorize(identity: Identity, info: RequestInfo) {
      const spec = reviewSpec(identity, info);
      const matched = matchOf(options.conditions, spec);
      if (matched === false) return NO_OPINION;
      if (matched instanceof Failure) return failed(options, matched.message);
      const key = JSON.stringify(spec);
      const known = cache.get(key) ?? asked.get(key);
      if (known) return known;
      const answer = ask(key, spec);
      asked.set(key, answer);
      return answer;
    },
    rightsOf: () => ({
      resourceRules: [],
      pathRules: [],
      incomplete: true,
      error: `the webhook ${options.name} does not list rights`,
    }),
  };
}

/** Whether all conditions are met. One that is not counts more than one that fails. */
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
