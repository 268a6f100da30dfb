/**
 * The perturbations of a run: only failures and orders that Kubernetes permits.
 *
 * @module
 */
import type { CleanRun } from "../causality.ts";
import type { ScenarioOutline } from "../contract/laboratory.ts";
import type { Perturbation, PerturbationType, Plan } from "../contract/plan.ts";
import { answerLost } from "./answer-lost.ts";
import { bookmark } from "./bookmark.ts";
import { clockJump } from "./clock-jump.ts";
import { crash } from "./crash.ts";
import { gap } from "./gap.ts";
import { lag } from "./lag.ts";
import { leadChanges } from "./lead-changes.ts";
import { nodeLost } from "./node-lost.ts";
import { overtaken } from "./overtaken.ts";
import { refused } from "./refused.ts";
import { repeated } from "./repeated.ts";
import { resync } from "./resync.ts";
import type { Candidate, PerturbationRule } from "./rule.ts";
import { slow } from "./slow.ts";
import { slowWebhooks } from "./slow-webhooks.ts";
import { staleRestart } from "./stale-restart.ts";

export type { Candidate, PerturbationRule } from "./rule.ts";
export { requestNoun } from "./words.ts";

/** All types of perturbations. */
export const perturbationRules: { readonly [T in PerturbationType]: PerturbationRule<T> } = {
  crash,
  "answer-lost": answerLost,
  refused,
  slow,
  lag,
  gap,
  "stale-restart": staleRestart,
  resync,
  bookmark,
  "lead-changes": leadChanges,
  "slow-webhooks": slowWebhooks,
  "node-lost": nodeLost,
  "clock-jump": clockJump,
  repeated,
  overtaken,
};

/** The names of all types of perturbations. */
export const perturbationTypes: readonly PerturbationType[] = Object.keys(perturbationRules) as PerturbationType[];

/** Returns a plain sentence, without its full stop: `operator is killed after it created ConfigMap default/a; the response is lost`. */
export const describePerturbation = (perturbation: Perturbation): string =>
  (perturbationRules[perturbation.type] as PerturbationRule<PerturbationType>).describe(perturbation as never);

/** Returns the sentences of a plan, one for each of its perturbations. */
export const describePlan = (plan: Plan): readonly string[] => plan.map(describePerturbation);

/** Returns the perturbations of some types that are worth trying after a clean run, in no order. */
export const proposals = (
  run: CleanRun,
  outline: ScenarioOutline,
  types: ReadonlySet<PerturbationType>,
): readonly Candidate[] =>
  perturbationTypes.filter((type) => types.has(type)).flatMap((type) => perturbationRules[type].propose(run, outline));
