/**
 * Evaluates the expressions of policies, and the match conditions of webhooks, for one request: on the event loop in slices, and in a worker thread where a slice would
 * take too long.
 *
 * Expressions cannot wait for the authorizer: an evaluation that lacks decisions runs again when they are known.
 *
 * @module
 */
import type { Inputs } from "../../cel/environments/admission.ts";
import type { Decide } from "../../cel/library/authorization.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { jobFailure } from "../../schema/write/job-failure.ts";
import type { Slice } from "../../util/loop.ts";
import { type Steps, inSlices } from "../../util/steps.ts";
import { WorkTooLong, withWorkLimit } from "../../util/work-limit.ts";
import { JobError, siblingModule } from "../../util/worker-threads.ts";
import { decodeOwnJson } from "../../value/json.ts";
import { DecisionCache } from "../rules/decision-cache.ts";
import { MutationFault } from "./mutation.ts";
import type { PolicyParts } from "./parts.ts";
import { type PolicyResult, type PolicyTask, accessOf, taskInputs } from "./policy-task.ts";

/** The subject of an evaluation: a policy, or the match conditions of a webhook in the form of one. */
export type TaskHead = Pick<PolicyTask, "what" | "index"> & { readonly policy: ApiObject };

/** One evaluation. */
export interface EvaluationWork<T> {
  readonly inputs: (decide: Decide) => Inputs;
  readonly steps: (inputs: Inputs) => Steps<T>;
  /** The same evaluation for a worker thread. */
  readonly task: TaskHead;
}

type EvaluationParts = Pick<PolicyParts, "authorizer" | "threads" | "clock">;

const MODULE = siblingModule(import.meta.url, "policy-job");

/** Runs the evaluations of a server. */
export class Evaluation {
  readonly #parts: EvaluationParts;
  readonly #decisions: DecisionCache;
  /** All evaluations of a request share one limit: there may be many short ones. */
  readonly #slice: Slice;

  constructor(parts: EvaluationParts) {
    this.#parts = parts;
    this.#slice = parts.clock.loop.slice();
    this.#decisions = new DecisionCache(parts.authorizer);
  }

  /** The result of some work; throws or rejects with what the work throws. */
  run<T>(work: EvaluationWork<T>): T | Promise<T> {
    const pause = this.#slice.pause();
    return pause ? pause.then(() => this.#evaluate(work)) : this.#evaluate(work);
  }

  #evaluate<T>({ inputs, steps, task }: EvaluationWork<T>): T | Promise<T> {
    const { threads } = this.#parts;
    return this.#decisions.run((decide) => {
      const bound = inputs(decide);
      if (!threads) return inSlices(steps(bound), this.#slice);
      const inThread = (error: unknown): Promise<T> => {
        if (!(error instanceof WorkTooLong)) throw error;
        return this.#inThread<T>(task, bound, decide);
      };
      try {
        const done = inSlices(withWorkLimit(steps(bound)), this.#slice);
        return done instanceof Promise ? done.catch(inThread) : done;
      } catch (error) {
        return inThread(error);
      }
    });
  }

  /** Runs the work in a worker thread, again with each new decision of the authorizer. */
  async #inThread<T>({ policy, ...task }: TaskHead, inputs: Inputs, decide: Decide): Promise<T> {
    const head = { ...task, policy: JSON.stringify(policy), inputs: taskInputs(inputs) };
    for (;;) {
      const result = await this.#ask({ ...head, known: this.#decisions.known }, policy);
      for (const asked of result.asked) decide(accessOf(asked));
      if (result.asked.length > 0 && !this.#decisions.isPending) continue;
      if (result.fault !== undefined) throw new MutationFault(result.fault);
      return decodeOwnJson(result.result) as T;
    }
  }

  async #ask(input: PolicyTask, policy: ApiObject): Promise<PolicyResult> {
    const noun = policy.kind.endsWith("WebhookConfiguration") ? "webhook" : "policy";
    const what = `the ${noun} ${JSON.stringify(policy.metadata.name)}`;
    try {
      return (await this.#parts.threads!.run({ what, module: MODULE, input }, policy)) as PolicyResult;
    } catch (error) {
      throw error instanceof JobError ? jobFailure(error) : error;
    }
  }
}
