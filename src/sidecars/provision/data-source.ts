/**
 * The source of a claim, from either of its two members (PVC-7, PVC-9, PVC-23).
 *
 * @module
 */
import type { PersistentVolumeClaim } from "../../client/kinds/index.ts";

/** The object that is the source of a claim. */
export interface DataSource {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The source of a claim. The older member comes first: the server may have copied it into the other one. */
export function sourceOf({ metadata, spec }: PersistentVolumeClaim): DataSource | undefined {
  const { dataSource, dataSourceRef } = spec;
  const found = dataSource ?? dataSourceRef;
  if (!found) return undefined;
  const foreign = dataSource ? undefined : dataSourceRef?.namespace;
  return {
    group: found.apiGroup ?? "",
    kind: found.kind,
    namespace: foreign || (metadata.namespace ?? ""),
    name: found.name,
  };
}

/** The key of a source in indexes. */
export const sourceKey = ({ group, kind, namespace, name }: DataSource): string =>
  `${kind}.${group}/${namespace}/${name}`;
