import type { DefinitionFactory } from "../../../schema/definition.ts";
import { deviceClass } from "./deviceclass.ts";
import { resourceClaim } from "./resourceclaim.ts";
import { resourceClaimTemplate } from "./resourceclaimtemplate.ts";
import { resourceSlice } from "./resourceslice.ts";

/** The resource group: devices, and claims to them. */
export const resourceGroup: DefinitionFactory = () => [
  deviceClass,
  resourceClaim,
  resourceClaimTemplate,
  resourceSlice,
];
