/**
 * The parts that the steps of policies need.
 *
 * @module
 */
import type { Observe } from "../../cel/observer.ts";
import type { Authorizer } from "../../auth/contract.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import type { Clock } from "../../util/clock.ts";
import type { WorkerThreads } from "../../util/worker-threads.ts";
import type { PolicyKinds } from "./contract.ts";
import type { PolicyMetrics } from "./policy-metrics.ts";

/** The parts that the steps of policies need. */
export interface PolicyParts {
  readonly dialect: Dialect;
  readonly lookup: Lookup;
  readonly authorizer: Authorizer;
  readonly clock: Pick<Clock, "steady" | "loop">;
  /** Evaluates in worker threads what would take too long on the event loop; without it everything is evaluated there. */
  readonly threads?: WorkerThreads | undefined;
  readonly policyKinds: PolicyKinds;
  readonly policyMetrics: PolicyMetrics;
  /** Observes the expressions of a policy, for coverage. */
  readonly observePolicy?: (policy: ApiObject) => Observe | undefined;
}
