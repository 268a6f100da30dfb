/**
 * The steps of admission that can be switched, by the names that kube-apiserver has for them.
 *
 * @module
 */
import type { DialectRules } from "../meta/dialect.ts";

/** What is said of a step. */
interface Plugin {
  /** One sentence that says what it does. */
  readonly about: string;
  /** Whether it runs unless it is switched off: a switch of the dialect where that depends on it. */
  readonly byDefault: boolean | keyof DialectRules;
  /** The controller without which it does not run by default. */
  readonly controller?: string;
}

/** Every step that can be switched. */
export const ADMISSION_PLUGINS = {
  CertificateApproval: {
    about: "Lets those decide on a CertificateSigningRequest who may approve for its signer.",
    byDefault: true,
  },
  CertificateSigning: {
    about: "Lets those issue what a CertificateSigningRequest asks for who may sign for its signer.",
    byDefault: true,
  },
  CertificateSubjectRestriction: {
    about: "Refuses requests for client certificates of `system:masters`.",
    byDefault: true,
  },
  ClusterTrustBundleAttest: {
    about: "Lets those write a ClusterTrustBundle of a signer who may attest for it.",
    byDefault: true,
  },
  DefaultIngressClass: {
    about: "Gives an Ingress without a class the one that is marked as default.",
    byDefault: true,
  },
  DefaultStorageClass: { about: "Gives a claim without a class the one that is marked as default.", byDefault: true },
  DefaultTolerationSeconds: {
    about:
      "Lets Pods stay for five minutes on nodes that are not ready, or cannot be reached, unless they say otherwise.",
    byDefault: false,
  },
  LimitRanger: {
    about: "Holds Pods, containers and claims to the LimitRanges of their namespace, and fills in what they lack.",
    byDefault: false,
  },
  MutatingAdmissionPolicy: {
    about: "Changes objects as MutatingAdmissionPolicies say.",
    byDefault: true,
  },
  MutatingAdmissionWebhook: {
    about: "Calls the webhooks of MutatingWebhookConfigurations, which may change and refuse a write.",
    byDefault: true,
  },
  NodeRestriction: {
    about: "Lets agents of nodes write their own Node, its Lease, and the Pods on it, and no labels that steer work.",
    byDefault: false,
  },
  OwnerReferencesPermissionEnforcement: {
    about: "Asks for the right to delete of who changes owners, and to finalize of who lets owners wait.",
    byDefault: false,
  },
  PersistentVolumeClaimResize: {
    about: "Refuses that claims grow whose class does not allow it.",
    byDefault: "enforceUndocumented",
  },
  Priority: {
    about: "Gives Pods the priority of their PriorityClass, and refuses those whose class is not there.",
    byDefault: false,
  },
  ResourceQuota: {
    about: "Charges what objects take to the ResourceQuotas of their namespace, and refuses what does not fit.",
    byDefault: false,
  },
  RuntimeClass: {
    about: "Gives Pods the overhead and the nodes of their RuntimeClass, and refuses those whose class is not there.",
    byDefault: false,
  },
  ServiceAccount: {
    about:
      "Gives Pods the ServiceAccount default and a volume with its token, and refuses those whose account is not there; it runs by default where the controller `serviceaccount` does.",
    byDefault: "namespaceObjects",
    controller: "serviceaccount",
  },
  StorageObjectInUseProtection: {
    about: "Gives claims, volumes and attributes classes the finalizer that keeps them while they are used.",
    byDefault: "storageProtection",
  },
  TaintNodesByCondition: {
    about: "Taints new nodes as not ready; who finds them ready takes the taint away.",
    byDefault: false,
  },
  ValidatingAdmissionPolicy: {
    about: "Refuses what ValidatingAdmissionPolicies refuse, with warnings and audit annotations.",
    byDefault: true,
  },
  ValidatingAdmissionWebhook: {
    about: "Calls the webhooks of ValidatingWebhookConfigurations, which may refuse a write.",
    byDefault: true,
  },
} as const satisfies Readonly<Record<string, Plugin>>;

/** A step that can be switched. */
export type PluginName = keyof typeof ADMISSION_PLUGINS;

/** Steps that always run. */
const ALWAYS: readonly string[] = ["NamespaceLifecycle", "NamespaceAutoProvision"];

/** Which steps are to run beside those of the dialect, and which of them are not. */
export interface PluginChoice {
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  /** Controllers that run beside; none where nothing is said. */
  readonly controllers?: readonly string[];
}

const isPlugin = (name: string): name is PluginName => Object.hasOwn(ADMISSION_PLUGINS, name);

/** The controllers that some step needs, to run by default. */
export const PLUGIN_CONTROLLERS: readonly string[] = Object.values(ADMISSION_PLUGINS).flatMap(
  ({ controller }: Plugin) => controller ?? [],
);

/** Whether a step runs. */
export function isChosen(
  name: PluginName,
  { enable = [], disable = [], controllers = [] }: PluginChoice,
  rules: DialectRules,
): boolean {
  const { byDefault, controller } = ADMISSION_PLUGINS[name] as Plugin;
  const isMeant = typeof byDefault === "boolean" ? byDefault : rules[byDefault] === true;
  const usual = isMeant && (controller === undefined || controllers.includes(controller));
  return enable.includes(name) || (usual && !disable.includes(name));
}

/** Names of a choice that change nothing: of steps that are not there, and of those that always run. */
export function idleNames({ enable = [], disable = [] }: PluginChoice): {
  readonly unknown: readonly string[];
  readonly always: readonly string[];
} {
  const names = [...new Set([...enable, ...disable])].filter((name) => !isPlugin(name));
  return {
    unknown: names.filter((name) => !ALWAYS.includes(name)),
    always: names.filter((name) => ALWAYS.includes(name)),
  };
}
