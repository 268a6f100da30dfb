import type { DefinitionFactory } from "../../schema/definition.ts";
import { olderVersion } from "../rules/older-version.ts";
import { lease } from "./v1/lease.ts";
import { leaseCandidate } from "./v1beta1/lease-candidate.ts";

/** The coordination group: Lease in v1, LeaseCandidate in v1beta1 (LC-1), and in v1alpha2 where Kubernetes has it. */
export const coordinationGroup: DefinitionFactory = (ctx) => {
  const candidate = leaseCandidate(ctx);
  const older = ctx.dialect.rules.enforceDocumented ? [] : [olderVersion(candidate, "v1alpha2", "1.38")];
  return [lease(ctx), candidate, ...older];
};
