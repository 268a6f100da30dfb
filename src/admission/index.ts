/**
 * The steps that are built in, in the order in which they run.
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Admission } from "./contract.ts";
import { defaultIngressClass } from "./networking.ts";
import { type ProvisionNamespace, namespaceLifecycle } from "./namespaces.ts";
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from "./storage.ts";

export type { Admission } from "./contract.ts";

/** The chain of a dialect; steps that the documents do not ask for run only where the dialect says so. */
export function builtInAdmission(lookup: Lookup, dialect: Dialect, provision: ProvisionNamespace): Admission {
  return [
    namespaceLifecycle(lookup, dialect, provision),
    defaultStorageClass(lookup, dialect),
    defaultIngressClass(lookup, dialect),
    ...(dialect.rules.storageProtection ? [storageObjectInUseProtection(dialect)] : []),
    ...(dialect.rules.enforceUndocumented ? [persistentVolumeClaimResize(lookup, dialect)] : []),
  ];
}
