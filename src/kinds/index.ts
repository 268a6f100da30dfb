/**
 * The built-in kinds: one folder per group and version, one file per kind, one definition object each; `rules/` has what
 * kinds of several groups share. A group imports no other one, but for the groups that hold parts of kinds of `core/`.
 *
 * A definition is data and pure functions (see `schema/definition.ts`); nothing here knows of storage, HTTP or other requests.
 * What is derived from schemas is in `schema/walker.ts`.
 *
 * @module
 */
import { admissionRegistrationGroup } from "./admissionregistration/index.ts";
import { apiService } from "./apiregistration/v1/api-service.ts";
import { appsGroup } from "./apps/v1/index.ts";
import { authenticationGroup } from "./authentication/v1/group.ts";
import { authorizationGroup } from "./authorization/v1/group.ts";
import { customResourceDefinition } from "./apiextensions/v1/customresourcedefinition.ts";
import { autoscalingGroup } from "./autoscaling/index.ts";
import { batchGroup } from "./batch/v1/index.ts";
import { certificatesGroup } from "./certificates/index.ts";
import { coordinationGroup } from "./coordination/index.ts";
import { coreGroup, otherCoreKinds } from "./core/v1/index.ts";
import type { ApiContext, DefinitionFactory, ResourceDefinition } from "../schema/definition.ts";
import { discoveryGroup } from "./discovery/v1/index.ts";
import { networkingGroup } from "./networking/v1/index.ts";
import { flowcontrolGroup } from "./flowcontrol/v1/index.ts";
import { event } from "./events/v1/event.ts";
import { policyGroup } from "./policy/v1/index.ts";
import { rbacGroup } from "./rbac/v1/index.ts";
import { nodeGroup } from "./node/v1/runtime-class.ts";
import { resourceGroup } from "./resource/v1/index.ts";
import { schedulingGroup } from "./scheduling/v1/priority-class.ts";
import { storageGroup } from "./storage/v1/index.ts";
import { storageMigrationGroup } from "./storagemigration/index.ts";

/** The built-in kinds of a server: all of them, or those of the documents with their dependencies. */
export type KindSet = "all" | "documents";

const DOCUMENTED: readonly DefinitionFactory[] = [
  coreGroup,
  authenticationGroup,
  authorizationGroup,
  rbacGroup,
  certificatesGroup,
  coordinationGroup,
  (ctx) => [event(ctx)],
  storageGroup,
  storageMigrationGroup,
  () => [customResourceDefinition()],
  admissionRegistrationGroup,
];

const OTHERS: readonly DefinitionFactory[] = [
  otherCoreKinds,
  () => [apiService],
  appsGroup,
  networkingGroup,
  discoveryGroup,
  autoscalingGroup,
  batchGroup,
  schedulingGroup,
  nodeGroup,
  flowcontrolGroup,
  policyGroup,
  resourceGroup,
];

/** The built-in kinds of a dialect, those that are not served (`served: false`) included. */
export const builtInDefinitions = (ctx: ApiContext, kinds: KindSet = "all"): readonly ResourceDefinition[] =>
  [...DOCUMENTED, ...(kinds === "all" ? OTHERS : [])].flatMap((group) => group(ctx));
