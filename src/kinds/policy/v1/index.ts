import type { DefinitionFactory } from "../../../schema/definition.ts";
import { eviction } from "./eviction.ts";
import { podDisruptionBudget } from "./poddisruptionbudget.ts";

/** The kinds of policy. Their group has the same name in every dialect. */
export const policyGroup: DefinitionFactory = () => [podDisruptionBudget, eviction];
