/**
 * A story: what users do with built-in controllers while some of them are disturbed.
 *
 * @module
 */
import type { Finding } from "../../../src/explore/contract/finding.ts";
import type { Plan } from "../../../src/explore/contract/plan.ts";
import type { ControllerSettings } from "../../../src/controllers/index.ts";
import type { ClusterOptions } from "../../../src/testing/contract.ts";
import type { Scenario } from "../../../src/testing/explore/scenario.ts";

/** What an exploration finds and we leave, as kube-controller-manager does the same. */
export interface Accepted {
  /** The key of the fault, or its words in the beginning: `leaked Pod default/a-*`. */
  readonly key: string;
  /** Which plans show it; all by default. */
  readonly when?: (plan: Plan) => boolean;
  /** Why nothing can be mended. */
  readonly why: string;
}

/** Whether a program of a plan starts again, or another replica leads: what was seen before is not known any more. */
export const beginsAnew = (plan: Plan): boolean => plan.some(({ type }) => type === "crash" || type === "lead-changes");

/** Whether a plan lets a create of a kind be handled when its program has started again, or another replica leads. */
export const isLateCreate =
  (kind: string) =>
  (plan: Plan): boolean =>
    plan.some(
      (one) =>
        ((one.type === "crash" && one.when === "late") || one.type === "lead-changes") &&
        one.at.verb === "create" &&
        one.at.kind === kind,
    );

/** A scenario of built-in controllers. */
export interface OwnStory {
  /** The controllers that are disturbed, one program. */
  readonly explored: readonly string[];
  /** Those that work beside them. */
  readonly beside: readonly string[];
  readonly scenario: Scenario;
  /** Settings of the explored controllers. */
  readonly settings?: Partial<ControllerSettings>;
  /** Further options of the cluster. */
  readonly cluster?: Omit<ClusterOptions, "clock" | "seed" | "from" | "routes" | "controllers">;
  readonly accepted?: readonly Accepted[];
}

/** What a story accepts a finding by; undefined where it does not. */
export const acceptedBy = (
  { accepted = [] }: OwnStory,
  { fault, plan }: Pick<Finding, "fault" | "plan">,
): Accepted | undefined =>
  accepted.find(({ key, when }) => `${fault.key} `.startsWith(`${key} `) && (when?.(plan) ?? true));
