/**
 * The steps that are built in, in the order in which they run.
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Admission, AdmissionStep } from "./contract.ts";
import { type PluginChoice, type PluginName, isChosen } from "./names.ts";
import { type ProvisionNamespace, namespaceLifecycle } from "./namespaces.ts";
import { defaultIngressClass } from "./networking.ts";
import { defaultTolerationSeconds, priority, runtimeClass, taintNodesByCondition } from "./pods.ts";
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from "./storage.ts";

export type { Admission } from "./contract.ts";
export type { PluginChoice } from "./names.ts";

/** What the steps are made of. */
export interface AdmissionParts {
  readonly lookup: Lookup;
  readonly dialect: Dialect;
  readonly provision: ProvisionNamespace;
  /** The steps of the dialect where nothing is said. */
  readonly plugins?: PluginChoice;
}

/** The steps that can be switched, in their order. */
const PLUGINS: Readonly<Record<PluginName, (lookup: Lookup, dialect: Dialect) => AdmissionStep>> = {
  TaintNodesByCondition: (_lookup, dialect) => taintNodesByCondition(dialect),
  Priority: priority,
  DefaultTolerationSeconds: (_lookup, dialect) => defaultTolerationSeconds(dialect),
  DefaultStorageClass: defaultStorageClass,
  StorageObjectInUseProtection: (_lookup, dialect) => storageObjectInUseProtection(dialect),
  PersistentVolumeClaimResize: persistentVolumeClaimResize,
  RuntimeClass: runtimeClass,
  DefaultIngressClass: defaultIngressClass,
};

/** The chain of a dialect, with the steps that are chosen. */
export function builtInAdmission({ lookup, dialect, provision, plugins = {} }: AdmissionParts): Admission {
  const chosen = (Object.keys(PLUGINS) as PluginName[]).filter((name) => isChosen(name, plugins, dialect.rules));
  return [namespaceLifecycle(lookup, dialect, provision), ...chosen.map((name) => PLUGINS[name](lookup, dialect))];
}
