/**
 * The admission plugins of the kit: fewer than those of a server, so that a test sees its Pods as it has written them.
 *
 * @module
 */
import { ADMISSION_PLUGINS, type PluginChoice } from "../admission/names.ts";

/** The default plugins of the kit, where the dialect has them. */
export const KIT_PLUGINS: readonly string[] = [
  "NamespaceAutoProvision",
  "DefaultStorageClass",
  "StorageObjectInUseProtection",
  "PersistentVolumeClaimResize",
  "CertificateApproval",
  "CertificateSigning",
  "ClusterTrustBundleAttest",
  "CertificateSubjectRestriction",
  "DefaultIngressClass",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
];

/** Those that come with `nodes`: Pods stay on a lost node for five minutes, as on a server. */
export const NODE_PLUGINS: readonly string[] = ["DefaultTolerationSeconds"];

/** A choice among the plugins of a server that runs those of the kit, with the changes of another choice. */
export function kitPlugins({ enable = [], disable = [], ...others }: PluginChoice = {}): PluginChoice {
  const isKept = (name: string): boolean => KIT_PLUGINS.includes(name) || enable.includes(name);
  const unused = Object.keys(ADMISSION_PLUGINS).filter((name) => !isKept(name));
  return { ...others, enable, disable: [...disable, ...unused] };
}
