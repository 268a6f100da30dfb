/**
 * Decisions of an authorizer for expressions, which cannot wait.
 *
 * @module
 */
import type { Authorizer, Decision } from "../../auth/contract.ts";
import type { AccessDecision, AccessRequest, Decide } from "../../cel/library/authorization.ts";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { requestedFields, requestedLabels } from "../../meta/requested-selectors.ts";
import { messageOf } from "../../util/error.ts";

/** A limit above the number of checks that one expression can pay for; more runs would mean an authorizer that never resolves. */
const MAX_RUNS = 100;

/** The decisions for one evaluation. */
export class DecisionCache {
  readonly #authorizer: Pick<Authorizer, "authorize">;
  readonly #known = new Map<string, AccessDecision>();
  #pending: Promise<void>[] = [];
  readonly #decide: Decide = (request) => this.#ask(request);

  constructor(authorizer: Pick<Authorizer, "authorize">) {
    this.#authorizer = authorizer;
  }

  /** The decisions so far, by the {@link accessKey} of their requests. */
  get known(): readonly (readonly [string, AccessDecision])[] {
    return [...this.#known];
  }

  /** Whether a decision is missing: the result of the present run is discarded. */
  get isPending(): boolean {
    return this.#pending.length > 0;
  }

  /** Runs work; runs it again when the missing decisions are known. */
  run<T>(work: (decide: Decide) => T | Promise<T>, runs = 1): T | Promise<T> {
    const done = (result: T): T | Promise<T> => this.#again(work, runs, () => result);
    const thrown = (error: unknown): T | Promise<T> =>
      this.#again(work, runs, () => {
        throw error;
      });
    let result: T | Promise<T>;
    try {
      result = work(this.#decide);
    } catch (error) {
      return thrown(error);
    }
    return result instanceof Promise ? result.then(done, thrown) : done(result);
  }

  /** The result or error of a run that had all decisions; else that of the next run. */
  #again<T>(work: (decide: Decide) => T | Promise<T>, runs: number, outcome: () => T): T | Promise<T> {
    if (this.#pending.length === 0 || runs >= MAX_RUNS) return outcome();
    const pending = this.#pending;
    this.#pending = [];
    return Promise.all(pending).then(() => this.run(work, runs + 1));
  }

  #ask(request: AccessRequest): AccessDecision {
    const key = accessKey(request);
    const known = this.#known.get(key);
    if (known) return known;
    const { user } = request;
    const identity = { user: user.username, groups: user.groups ?? [], ...optional(user) };
    const decision = attempt(() => this.#authorizer.authorize(identity, infoOf(request)));
    if (!(decision instanceof Promise)) return this.#keep(key, decision);
    this.#known.set(key, NOT_KNOWN);
    this.#pending.push(decision.catch(failed).then((done) => void this.#keep(key, done)));
    return NOT_KNOWN;
  }

  #keep(key: string, { allowed, reason, error }: Decision): AccessDecision {
    const decision = { allowed, reason, ...(error === undefined ? {} : { error }) };
    this.#known.set(key, decision);
    return decision;
  }
}

/** The placeholder in a run whose result is discarded. */
const NOT_KNOWN: AccessDecision = { allowed: false, reason: "" };

const failed = (error: unknown): Decision => ({ allowed: false, reason: "", error: messageOf(error) });

function attempt(work: () => Decision | Promise<Decision>): Decision | Promise<Decision> {
  try {
    return work();
  } catch (error) {
    return failed(error);
  }
}

const optional = ({ uid, extra }: AccessRequest["user"]): object => ({
  ...(uid === undefined ? {} : { uid }),
  ...(extra ? { extra } : {}),
});

/** A text that is the same for equal requests. */
export const accessKey = (request: AccessRequest): string => JSON.stringify(keyOf(request));

function keyOf({ user, verb, path, resource }: AccessRequest): unknown {
  if (!resource) return [user, verb, path];
  const { fieldSelector, labelSelector, ...attributes } = resource;
  return [user, verb, attributes, fieldSelector?.text, labelSelector?.text];
}

function infoOf({ verb, path, resource }: AccessRequest): RequestInfo {
  if (!resource) return { ...NO_REQUEST, verb, path };
  const { fieldSelector, labelSelector, ...attributes } = resource;
  return {
    ...NO_REQUEST,
    ...attributes,
    isResource: true,
    verb,
    version: "*",
    ...(fieldSelector ? { fieldSelector: requestedFields(fieldSelector.text) } : {}),
    ...(labelSelector ? { labelSelector: requestedLabels(labelSelector.text) } : {}),
  };
}
