import type { DefinitionFactory } from "../../../schema/definition.ts";
import { flowSchema } from "./flow-schema.ts";
import { priorityLevelConfiguration } from "./priority-level-configuration.ts";

/** The flow control group, whose kinds limit concurrent requests. */
export const flowcontrolGroup: DefinitionFactory = (ctx) => [flowSchema(ctx), priorityLevelConfiguration];
