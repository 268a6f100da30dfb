/**
 * dataSource and dataSourceRef of a claim: the two fields for the content of a new volume (doc 3 "dataSource and
 * dataSourceRef rules", PVC-9..11, PVC-21..29).
 * The older member accepts local snapshots and claims and drops anything else; the newer one accepts any object and is strict. A claim that
 * sets one of them gets the other.
 *
 * @module
 */
import type { WriteContext } from "../../../schema/definition.ts";
import { dropGated } from "../../rules/gated-field.ts";
import { type ClaimSpec, hasNamespace } from "./claim-spec.ts";

/** Drops references that are gated or not allowed and copies the one member to the other; changes `spec`. */
export function prepareDataSources(spec: ClaimSpec, stored: ClaimSpec | undefined, ctx: WriteContext): void {
  dropGatedSource(spec, stored, "spec", ctx);
  if (!stored?.dataSource && !stored?.dataSourceRef && !spec.dataSourceRef) dropForeignSource(spec, ctx);
  if (ctx.gates.AnyVolumeDataSource) mirror(spec);
}

/** Drops a gated dataSourceRef: the only change to the template of an ephemeral volume, which is copied later (VOL-28). */
export function dropGatedSource(spec: ClaimSpec, stored: ClaimSpec | undefined, path: string, ctx: WriteContext): void {
  dropGated(spec, stored, "dataSourceRef", "AnyVolumeDataSource", path, ctx);
  if (hasNamespace(spec.dataSourceRef)) {
    dropGated(spec, stored, "dataSourceRef", "CrossNamespaceVolumeDataSource", path, ctx);
  }
}

/** dataSource accepts only claims and snapshots; others are dropped without an error (PVC-26). */
function dropForeignSource(spec: ClaimSpec, ctx: WriteContext): void {
  if (!spec.dataSource) return;
  const { kind, apiGroup } = spec.dataSource;
  const isClaim = kind === "PersistentVolumeClaim" && !apiGroup;
  const isSnapshot = kind === "VolumeSnapshot" && apiGroup === `snapshot.storage.${ctx.dialect.domain}`;
  if (!isClaim && !isSnapshot) delete spec.dataSource;
}

/** The one that is set is copied to the other; a reference to another namespace is not copied (PVC-23, PVC-25). */
function mirror(spec: ClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef && !dataSource && !hasNamespace(dataSourceRef)) {
    const { namespace: _local, ...reference } = dataSourceRef;
    spec.dataSource = reference;
  }
}
