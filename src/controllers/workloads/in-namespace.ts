/** Performs plans in namespaces that may be deleted soon. */
import { StatusError } from "../../client/index.ts";
import type { Result } from "../../runtime/index.ts";
import type { Plan } from "../../workloads/common/plan.ts";
import { type Performing, perform } from "./perform.ts";
import { isEnding } from "./refusal.ts";

/** Performs a plan as {@link perform} does; a create in a namespace that is being deleted is dropped. */
export async function performInNamespace(plan: Plan, parts: Performing): Promise<Result> {
  try {
    return await perform(plan, parts);
  } catch (error) {
    if (isOfTerminatingNamespace(error)) return undefined;
    throw error;
  }
}

/** Whether a create was refused because its namespace is being deleted. */
export const isOfTerminatingNamespace = (error: unknown): boolean => error instanceof StatusError && isEnding(error);
