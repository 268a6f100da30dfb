/**
 * What a claim is to be filled from, whichever of its two members says so (PVC-7, PVC-9, PVC-23).
 *
 * @module
 */
import type { PersistentVolumeClaim } from "../../client/kinds/index.ts";

/** An object that a new volume is filled from. */
export interface DataSource {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The source of a claim; the older member is asked first, as its other one may have been added for it. */
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

/** A source as text: sources that are the same object are the same text. */
export const sourceKey = ({ group, kind, namespace, name }: DataSource): string =>
  `${kind}.${group}/${namespace}/${name}`;
