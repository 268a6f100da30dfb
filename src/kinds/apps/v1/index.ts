import type { DefinitionFactory } from "../../../schema/definition.ts";
import { controllerRevision } from "./controller-revision.ts";
import { daemonSet } from "./daemonset.ts";
import { deployment } from "./deployment.ts";
import { replicaSet } from "./replicaset.ts";
import { statefulSet } from "./statefulset.ts";

/** The kinds of workloads that run without an end. Their group has the same name in every dialect. */
export const appsGroup: DefinitionFactory = (ctx) => [
  deployment(ctx),
  statefulSet(ctx),
  daemonSet(ctx),
  replicaSet(ctx),
  controllerRevision(),
];
