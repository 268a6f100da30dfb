/**
 * A story: what users do with built-in controllers while some of them are disturbed.
 *
 * @module
 */
import type { ControllerSettings } from "../../../src/controllers/index.ts";
import type { ClusterOptions } from "../../../src/testing/contract.ts";
import type { Scenario } from "../../../src/testing/explore/scenario.ts";

/** What an exploration finds and we leave, as kube-controller-manager does the same. */
export interface Accepted {
  /** The key of the fault, or its beginning. */
  readonly key: string;
  /** Why nothing can be mended. */
  readonly why: string;
}

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
