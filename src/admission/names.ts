/**
 * The steps of admission that can be enabled or disabled, by their names in kube-apiserver.
 *
 * @module
 */
import type { DialectRules } from "../meta/dialect.ts";

/** The properties of a step. */
interface Plugin {
  /** One sentence that describes it. */
  readonly about: string;
  /** Whether it runs unless it is disabled: a switch of the dialect where that depends on it. */
  readonly byDefault: boolean | keyof DialectRules;
  /** Why it cannot be enabled; undefined where it can. */
  readonly unavailable?: string;
}

const NEEDS_FILE = "it needs a configuration file, which kube-apiserver reads with --admission-control-config-file";

/** Every step that can be enabled or disabled, in the order in which they run. */
export const ADMISSION_PLUGINS = {
  AlwaysAdmit: { about: "Does nothing; it exists for old command lines.", byDefault: false },
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
    about:
      "Enforces the LimitRanges of a namespace for its Pods, containers and claims, and sets their missing values.",
    byDefault: "defaultAdmission",
  },
  ServiceAccount: {
    about:
      "Gives Pods the ServiceAccount `default` and a volume with its token, and refuses Pods whose account does not exist. The controller `serviceaccount` creates the account `default`; if it does not run, a Pod waits up to two seconds for that account, as another program may create it.",
    byDefault: "defaultAdmission",
  },
  NodeRestriction: {
    about:
      "Limits agents of nodes to writes of their own Node, its Lease, and the Pods on it, without labels that affect scheduling.",
    byDefault: false,
  },
  TaintNodesByCondition: {
    about: "Adds the taint not-ready to new nodes; the controller of nodes removes it when they are ready.",
    byDefault: "defaultAdmission",
  },
  AlwaysPullImages: { about: "Sets the pull policy `Always` of all containers of Pods.", byDefault: false },
  ImagePolicyWebhook: {
    about: "Calls a webhook that decides about the images of Pods; not available.",
    byDefault: false,
    unavailable: NEEDS_FILE,
  },
  PodSecurity: {
    about:
      "Enforces the level of Pod Security that the labels of a namespace set, such as `pod-security.kubernetes.io/enforce: restricted`.",
    byDefault: "defaultAdmission",
  },
  PodNodeSelector: {
    about:
      "Adds the node selector of the namespace, which is in an annotation, to Pods, and refuses Pods that contradict it.",
    byDefault: false,
  },
  Priority: {
    about: "Sets the priority of Pods from their PriorityClass, and refuses Pods whose class does not exist.",
    byDefault: "defaultAdmission",
  },
  DefaultTolerationSeconds: {
    about:
      "Adds tolerations to Pods, so that they stay for five minutes on nodes that are not ready or not reachable, unless they set their own.",
    byDefault: "defaultAdmission",
  },
  PodTolerationRestriction: {
    about:
      "Adds the tolerations of the namespace, which are in an annotation, to Pods, and refuses tolerations that it does not list.",
    byDefault: false,
  },
  EventRateLimit: {
    about: "Limits how many Events are written in a second; not available.",
    byDefault: false,
    unavailable: NEEDS_FILE,
  },
  ExtendedResourceToleration: {
    about: "Adds a toleration of the taint of an extended resource to Pods that request it.",
    byDefault: false,
  },
  DefaultStorageClass: { about: "Sets the default class of claims without a class.", byDefault: true },
  StorageObjectInUseProtection: {
    about: "Adds the finalizer to claims, volumes and attributes classes that protects them while they are used.",
    byDefault: "storageProtection",
  },
  OwnerReferencesPermissionEnforcement: {
    about:
      "Requires the right to delete an object to change its owners, and the right to update the finalizers of an owner to set blockOwnerDeletion.",
    byDefault: false,
  },
  PersistentVolumeClaimResize: {
    about: "Refuses to expand a claim whose class does not allow it.",
    byDefault: "enforceUndocumented",
  },
  RuntimeClass: {
    about:
      "Sets the overhead and the node selector of Pods from their RuntimeClass, and refuses Pods whose class does not exist.",
    byDefault: "defaultAdmission",
  },
  CertificateApproval: {
    about:
      "Permits approval and denial of a CertificateSigningRequest only to users with the right to approve for its signer.",
    byDefault: true,
  },
  CertificateSigning: {
    about:
      "Permits the certificate of a CertificateSigningRequest only to users with the right to sign for its signer.",
    byDefault: true,
  },
  ClusterTrustBundleAttest: {
    about: "Permits writes of a ClusterTrustBundle of a signer only to users with the right to attest for it.",
    byDefault: true,
  },
  CertificateSubjectRestriction: {
    about: "Refuses requests for client certificates of `system:masters`.",
    byDefault: true,
  },
  DefaultIngressClass: {
    about: "Sets the default class of an Ingress without a class.",
    byDefault: true,
  },
  DenyServiceExternalIPs: {
    about: "Refuses new external IP addresses of Services.",
    byDefault: false,
  },
  PodTopologyLabels: {
    about: "Copies the labels of zone and region from a node to the Pods that are bound to it.",
    byDefault: "defaultAdmission",
  },
  NodeDeclaredFeatureValidator: {
    about:
      "Refuses changes of a Pod that need a feature that its node does not declare; with the gate `NodeDeclaredFeatures`.",
    byDefault: "defaultAdmission",
  },
  MutatingAdmissionPolicy: { about: "Evaluates MutatingAdmissionPolicies, which may change objects.", byDefault: true },
  MutatingAdmissionWebhook: {
    about: "Calls the webhooks of MutatingWebhookConfigurations, which may change and refuse a write.",
    byDefault: true,
  },
  ValidatingAdmissionPolicy: {
    about: "Evaluates ValidatingAdmissionPolicies, which may refuse a write, warn, or add audit annotations.",
    byDefault: true,
  },
  ValidatingAdmissionWebhook: {
    about: "Calls the webhooks of ValidatingWebhookConfigurations, which may refuse a write.",
    byDefault: true,
  },
  ResourceQuota: {
    about:
      "Charges the usage of objects to the ResourceQuotas of their namespace, and refuses objects that exceed them.",
    byDefault: "defaultAdmission",
  },
  AlwaysDeny: {
    about: "Refuses every write, including those of the server itself: it cannot start on an empty store.",
    byDefault: false,
  },
} as const satisfies Readonly<Record<string, Plugin>>;

/** The name of a step that can be enabled or disabled. */
export type PluginName = keyof typeof ADMISSION_PLUGINS;

/** Steps that always run. */
const ALWAYS: readonly string[] = ["NamespaceLifecycle"];

/** The steps that are enabled in addition to those of the dialect, and the disabled ones. */
export interface PluginChoice {
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  /** The {@link PLUGIN_CONTROLLERS} that run in this process; none by default. */
  readonly controllers?: readonly string[];
}

/** The controllers whose objects a step reads. */
export const PLUGIN_CONTROLLERS: readonly string[] = ["serviceaccount"];

const isPlugin = (name: string): name is PluginName => Object.hasOwn(ADMISSION_PLUGINS, name);

/** Whether a step runs. */
export function isChosen(name: PluginName, { enable = [], disable = [] }: PluginChoice, rules: DialectRules): boolean {
  const { byDefault } = ADMISSION_PLUGINS[name] as Plugin;
  const isDefault = typeof byDefault === "boolean" ? byDefault : rules[byDefault] === true;
  return enable.includes(name) || (isDefault && !disable.includes(name));
}

/** Names in a choice that have no effect: of unknown steps, and of steps that always run. */
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
