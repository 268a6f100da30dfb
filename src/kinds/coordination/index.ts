import type { ApiObject, DefinitionFactory, ResourceDefinition } from "../../schema/definition.ts";
import { lease } from "./v1/lease.ts";
import { leaseCandidate } from "./v1beta1/lease-candidate.ts";

/** The same kind under an older version: only apiVersion differs (DEC-37). */
function olderVersion(definition: ResourceDefinition, version: string): ResourceDefinition {
  const { group, plural } = definition;
  const under = (apiVersion: string) => (object: ApiObject) => ({ ...object, apiVersion });
  return {
    ...definition,
    version,
    deprecated: `${group}/${version} ${definition.kind} is an alpha version, use ${group}/${definition.version}`,
    storedAs: {
      definition: `${plural}.${group}/${definition.version}`,
      toStored: under(`${group}/${definition.version}`),
      fromStored: under(`${group}/${version}`),
    },
  };
}

/** The coordination group: Lease in v1, LeaseCandidate in v1beta1 (LC-1), and in v1alpha2 where Kubernetes has it. */
export const coordinationGroup: DefinitionFactory = (ctx) => {
  const candidate = leaseCandidate(ctx);
  const older = ctx.dialect.rules.enforceDocumented ? [] : [olderVersion(candidate, "v1alpha2")];
  return [lease(ctx), candidate, ...older];
};
