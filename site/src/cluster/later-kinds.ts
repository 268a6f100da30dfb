/**
 * The groups of kinds that a cluster in a page loads after the first ones, see `first-kinds.ts`.
 *
 * @module
 */
import { admissionRegistrationGroup } from "../../../src/kinds/admissionregistration/index.ts";
import { apiService } from "../../../src/kinds/apiregistration/v1/api-service.ts";
import { autoscalingGroup } from "../../../src/kinds/autoscaling/index.ts";
import { batchGroup } from "../../../src/kinds/batch/v1/index.ts";
import { certificatesGroup } from "../../../src/kinds/certificates/index.ts";
import { discoveryGroup } from "../../../src/kinds/discovery/v1/index.ts";
import { flowcontrolGroup } from "../../../src/kinds/flowcontrol/v1/index.ts";
import { nodeGroup } from "../../../src/kinds/node/v1/runtime-class.ts";
import { policyGroup } from "../../../src/kinds/policy/v1/index.ts";
import { resourceGroup } from "../../../src/kinds/resource/v1/index.ts";
import { storageGroup } from "../../../src/kinds/storage/v1/index.ts";
import { storageMigrationGroup } from "../../../src/kinds/storagemigration/index.ts";
import type { ApiContext, DefinitionFactory, ResourceDefinition } from "../../../src/schema/definition.ts";

const LATER: readonly DefinitionFactory[] = [
  certificatesGroup,
  storageGroup,
  storageMigrationGroup,
  admissionRegistrationGroup,
  () => [apiService],
  discoveryGroup,
  autoscalingGroup,
  batchGroup,
  nodeGroup,
  flowcontrolGroup,
  policyGroup,
  resourceGroup,
];

/** The definitions of the groups that are loaded later. */
export const laterDefinitions = (ctx: ApiContext): readonly ResourceDefinition[] =>
  LATER.flatMap((group) => group(ctx));
