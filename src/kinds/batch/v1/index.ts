import type { DefinitionFactory } from "../../../schema/definition.ts";
import { cronJob } from "./cronjob.ts";
import { jobKind } from "./job.ts";

/** The kinds of workloads that end. Their group has the same name in every dialect. */
export const batchGroup: DefinitionFactory = (ctx) => [jobKind(ctx), cronJob(ctx)];
