/**
 * The scheduler: binds Pods to nodes, with regard to their volumes.
 *
 * Decisions are pure functions of memory ({@link decide}), one after the other; each counts for the next before it is
 * stored. The writes and waits of binding cycles run concurrently.
 */
import type { Dialect } from "../../meta/dialect.ts";
import { type Controller, defineKeyController } from "../../runtime/index.ts";
import { runBindingCycle } from "./binding-cycle.ts";
import { runSchedulingCycle } from "./scheduling-cycle.ts";
import { DECIDE, SchedulerMemory } from "./memory.ts";
import { SCHEDULER, SCHEDULER_CONTROLLER, schedulerNames } from "./names.ts";
import { allOf, schedulerSpecs } from "./specs.ts";

/** The controller named `scheduler`. */
export function scheduler(dialect: Dialect): Controller {
  const specs = schedulerSpecs(dialect);
  const names = schedulerNames(dialect);
  return defineKeyController({
    name: SCHEDULER_CONTROLLER,
    eventSource: SCHEDULER,
    uses: allOf(specs),
    concurrency: 64,
    begin: (parts, add) => new SchedulerMemory(specs, names, parts, add),
    reconcile: (ctx) =>
      ctx.key === DECIDE ? runSchedulingCycle(ctx) : runBindingCycle(ctx, ctx.key.slice("pod/".length)),
  });
}
