import type { ApiObject, ResourceDefinition } from "../../schema/definition.ts";

/**
 * The same kind under an older version: only apiVersion differs (DEC-37).
 *
 * @param removedRelease the release of Kubernetes that does not serve it any more
 */
export function olderVersion(
  definition: ResourceDefinition,
  version: string,
  removedRelease: string,
): ResourceDefinition {
  const { group, plural } = definition;
  const under = (apiVersion: string) => (object: ApiObject) => ({ ...object, apiVersion });
  return {
    ...definition,
    version,
    deprecated: `${group}/${version} ${definition.kind} is an alpha version, use ${group}/${definition.version}`,
    removedRelease,
    storedAs: {
      definition: `${plural}.${group}/${definition.version}`,
      toStored: under(`${group}/${definition.version}`),
      fromStored: under(`${group}/${version}`),
    },
  };
}
