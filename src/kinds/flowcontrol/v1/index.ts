import type { DefinitionFactory } from "../../../schema/definition.ts";
import { flowSchema } from "./flow-schema.ts";
import { priorityLevelConfiguration } from "./priority-level-configuration.ts";

/** The flow control group, whose kinds say how many requests run at a time. */
export const flowcontrolGroup: DefinitionFactory = (ctx) => [flowSchema(ctx), priorityLevelConfiguration];
