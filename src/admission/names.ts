/**
 * The steps of admission that can be switched, by the names that kube-apiserver has for them.
 *
 * @module
 */
import type { DialectRules } from "../meta/dialect.ts";

/** What is known of a step. */
interface Plugin {
  /** One sentence that says what it does. */
  readonly about: string;
  /** Whether it runs unless it is disabled: a switch of the dialect where that depends on it. */
  readonly byDefault: boolean | keyof DialectRules;
  /** Why it cannot be enabled; undefined where it can. */
  readonly unavailable?: string;
}

const NEEDS_FILE = "it needs a configuration file, which kube-apiserver reads with --admission-control-config-file";

/** Every step that can be enabled or disabled, in the order in which they run. */
export const ADMISSION_PLUGINS = {
  AlwaysAdmit: { about: "Does nothing; it is there for old command lines.", byDefault: false },
  NamespaceAutoProvision: {
    about: "Creates the namespace of a new object that does not exist yet.",
    byDefault: "autoProvisionNamespaces",
  },
  NamespaceExists: { about: "Refuses every write in a namespace that does not exist.", byDefault: false },
  LimitPodHardAntiAffinityTopology: {
    about: "Refuses Pods with a required anti-affinity by another topology than the host name.",
    byDefault: false,
  },
  LimitRanger: {
    about: "Holds Pods, containers and claims to the LimitRanges of their namespace, and fills in what they lack.",
    byDefault: "defaultAdmission",
  },
  ServiceAccount: {
    about:
      "Gives Pods the ServiceAccount `default` and a volume with its token, and refuses those whose account does not exist. The controller `serviceaccount` creates the account `default`; where it does not run, a Pod waits up to two seconds for that account, as another program may create it.",
    byDefault: "defaultAdmission",
  },
  NodeRestriction: {
    about: "Lets agents of nodes write their own Node, its Lease, and the Pods on it, and no labels that steer work.",
    byDefault: false,
  },
  TaintNodesByCondition: {
    about: "Taints new nodes as not ready; who finds them ready takes the taint away.",
    byDefault: "defaultAdmission",
  },
  AlwaysPullImages: { about: "Sets the pull policy `Always` of all containers of Pods.", byDefault: false },
  ImagePolicyWebhook: {
    about: "Asks a webhook about the images of Pods; not available.",
    byDefault: false,
    unavailable: NEEDS_FILE,
  },
  PodSecurity: {
    about:
      "Holds Pods to the level of Pod Security that the labels of their namespace set, such as `pod-security.kubernetes.io/enforce: restricted`.",
    byDefault: "defaultAdmission",
  },
  PodNodeSelector: {
    about: "Gives Pods the node selector of their namespace, an annotation, and refuses those that contradict it.",
    byDefault: false,
  },
  Priority: {
    about: "Gives Pods the priority of their PriorityClass, and refuses those whose class is not there.",
    byDefault: "defaultAdmission",
  },
  DefaultTolerationSeconds: {
    about:
      "Lets Pods stay for five minutes on nodes that are not ready, or cannot be reached, unless they say otherwise.",
    byDefault: "defaultAdmission",
  },
  PodTolerationRestriction: {
    about: "Gives Pods the tolerations of their namespace, an annotation, and refuses those that it does not list.",
    byDefault: false,
  },
  EventRateLimit: {
    about: "Limits how many Events are written in a second; not available.",
    byDefault: false,
    unavailable: NEEDS_FILE,
  },
  ExtendedResourceToleration: {
    about: "Gives Pods that request an extended resource a toleration of its taint.",
    byDefault: false,
  },
  DefaultStorageClass: { about: "Gives a claim without a class the one that is marked as default.", byDefault: true },
  StorageObjectInUseProtection: {
    about: "Gives claims, volumes and attributes classes the finalizer that keeps them while they are used.",
    byDefault: "storageProtection",
  },
  OwnerReferencesPermissionEnforcement: {
    about: "Asks for the right to delete of who changes owners, and to finalize of who lets owners wait.",
    byDefault: false,
  },
  PersistentVolumeClaimResize: {
    about: "Refuses that claims grow whose class does not allow it.",
    byDefault: "enforceUndocumented",
  },
  RuntimeClass: {
    about: "Gives Pods the overhead and the nodes of their RuntimeClass, and refuses those whose class is not there.",
    byDefault: "defaultAdmission",
  },
  CertificateApproval: {
    about: "Lets those decide on a CertificateSigningRequest who may approve for its signer.",
    byDefault: true,
  },
  CertificateSigning: {
    about: "Lets those issue what a CertificateSigningRequest asks for who may sign for its signer.",
    byDefault: true,
  },
  ClusterTrustBundleAttest: {
    about: "Lets those write a ClusterTrustBundle of a signer who may attest for it.",
    byDefault: true,
  },
  CertificateSubjectRestriction: {
    about: "Refuses requests for client certificates of `system:masters`.",
    byDefault: true,
  },
  DefaultIngressClass: {
    about: "Gives an Ingress without a class the one that is marked as default.",
    byDefault: true,
  },
  DenyServiceExternalIPs: {
    about: "Refuses Services with an external IP address that they do not have already.",
    byDefault: false,
  },
  PodTopologyLabels: {
    about: "Copies the labels of zone and region from a node to the Pods that are bound to it.",
    byDefault: "defaultAdmission",
  },
  NodeDeclaredFeatureValidator: {
    about:
      "Refuses changes of a Pod that need a feature which its node does not declare; with the gate `NodeDeclaredFeatures`.",
    byDefault: "defaultAdmission",
  },
  MutatingAdmissionPolicy: { about: "Changes objects as MutatingAdmissionPolicies say.", byDefault: true },
  MutatingAdmissionWebhook: {
    about: "Calls the webhooks of MutatingWebhookConfigurations, which may change and refuse a write.",
    byDefault: true,
  },
  ValidatingAdmissionPolicy: {
    about: "Refuses what ValidatingAdmissionPolicies refuse, with warnings and audit annotations.",
    byDefault: true,
  },
  ValidatingAdmissionWebhook: {
    about: "Calls the webhooks of ValidatingWebhookConfigurations, which may refuse a write.",
    byDefault: true,
  },
  ResourceQuota: {
    about: "Charges what objects take to the ResourceQuotas of their namespace, and refuses what does not fit.",
    byDefault: "defaultAdmission",
  },
  AlwaysDeny: {
    about: "Refuses every write, those of the server itself too: it cannot start on an empty store.",
    byDefault: false,
  },
} as const satisfies Readonly<Record<string, Plugin>>;

/** A step that can be switched. */
export type PluginName = keyof typeof ADMISSION_PLUGINS;

/** Steps that always run. */
const ALWAYS: readonly string[] = ["NamespaceLifecycle"];

/** Which steps are to run beside those of the dialect, and which of them are not. */
export interface PluginChoice {
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  /** Those of {@link PLUGIN_CONTROLLERS} that run in this process; none by default. */
  readonly controllers?: readonly string[];
}

/** The controllers whose objects some step reads. */
export const PLUGIN_CONTROLLERS: readonly string[] = ["serviceaccount"];

const isPlugin = (name: string): name is PluginName => Object.hasOwn(ADMISSION_PLUGINS, name);

/** Whether a step runs. */
export function isChosen(name: PluginName, { enable = [], disable = [] }: PluginChoice, rules: DialectRules): boolean {
  const { byDefault } = ADMISSION_PLUGINS[name] as Plugin;
  const isDefault = typeof byDefault === "boolean" ? byDefault : rules[byDefault] === true;
  return enable.includes(name) || (isDefault && !disable.includes(name));
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

/** The first enabled step that is not available, with the reason; undefined for none. */
export function unavailablePlugin({ enable = [] }: PluginChoice): string | undefined {
  for (const name of enable) {
    const { unavailable } = isPlugin(name) ? (ADMISSION_PLUGINS[name] as Plugin) : {};
    if (unavailable !== undefined) return `${name}: ${unavailable}`;
  }
  return undefined;
}
