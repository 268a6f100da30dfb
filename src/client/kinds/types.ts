/**
 * The built-in kinds as TypeScript sees them, members and all; types only.
 *
 * Made by `npm run kinds` from the definitions of the built-in kinds; not edited by hand.
 *
 * @module
 */
/** The server of a group and version. */
export interface APIService {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: APIServiceSpec;
  readonly status: APIServiceStatus;
}

/** What every object has: its identity, its versions, its owners and its labels. */
export interface ObjectMeta {
  /** Name of the object, unique among objects of its kind in its namespace; it cannot change. */
  readonly name: string;
  /** A prefix from which the server makes a unique name when `name` is empty; five characters are added. */
  readonly generateName?: string;
  /** The namespace of the object, empty for objects of the cluster; it cannot change. */
  readonly namespace?: string;
  /** No longer filled. */
  readonly selfLink?: string;
  /** Identifies this object in time and space; given by the server, never used again. */
  readonly uid: string;
  /** The version of the stored object: it changes with every write. Send it back to change that version only. */
  readonly resourceVersion: string;
  /** Counts the changes of the desired state; given by the server. */
  readonly generation?: number;
  /** When the object was created; given by the server. */
  readonly creationTimestamp: string;
  /** When the object was deleted; it goes when its finalizers are done. */
  readonly deletionTimestamp?: string;
  /** Seconds that the object is given to end before it is removed. */
  readonly deletionGracePeriodSeconds?: number;
  /** Keys and values by which objects are found and grouped. */
  readonly labels?: { readonly [key: string]: string };
  /** Keys and values that tools keep with the object; not for selection. */
  readonly annotations?: { readonly [key: string]: string };
  /** The owners of this object; when all are deleted, it is deleted too. */
  readonly ownerReferences?: readonly ObjectMetaOwnerReference[];
  /** Names of those who must act before the object may go; each removes its own. */
  readonly finalizers?: readonly string[];
  /** Who owns which field; kept by the server. */
  readonly managedFields?: readonly ObjectMetaManagedField[];
}

/** Refers from an object to its owner, which must be in the same namespace or cluster-scoped. */
export interface ObjectMetaOwnerReference {
  /** Group and version of the owner. */
  readonly apiVersion: string;
  /** Kind of the owner. */
  readonly kind: string;
  /** Name of the owner. */
  readonly name: string;
  /** UID of the owner, so that a later object of the same name is not taken for it. */
  readonly uid: string;
  /** Whether the owner is the one controller that manages this object. */
  readonly controller?: boolean;
  /** Whether a foreground deletion of the owner waits until this object is gone. */
  readonly blockOwnerDeletion?: boolean;
}

/** Which fields of the object a manager owns, and since when. */
export interface ObjectMetaManagedField {
  /** Name of the manager. */
  readonly manager?: string;
  /** `Apply` when the last write to the fields was an apply patch, `Update` otherwise. */
  readonly operation?: string;
  /** The API version that the field names belong to. */
  readonly apiVersion?: string;
  /** When the manager last changed something. */
  readonly time?: string;
  /** The form of the field set; always `FieldsV1`. */
  readonly fieldsType?: string;
  /** The owned fields as a tree: `f:` for members, `k:` for keyed entries, `v:` for set elements. */
  readonly fieldsV1?: unknown;
  /** The subresource through which the manager wrote, empty for the object itself. */
  readonly subresource?: string;
}

/** The group and version, and its server. */
export interface APIServiceSpec {
  readonly service?: APIServiceSpecService;
  /** The group; empty for the core group. */
  readonly group?: string;
  /** The version. */
  readonly version?: string;
  /** Whether the certificate of the server is not checked. */
  readonly insecureSkipTLSVerify?: boolean;
  /** Certificates in PEM by which that of the server is checked. */
  readonly caBundle?: string;
  /** The priority of the group: the highest comes first. */
  readonly groupPriorityMinimum: number;
  /** The priority of the version within its group: the highest comes first. */
  readonly versionPriority: number;
}

/** The Service of the server that responds; none where this one does. */
export interface APIServiceSpecService {
  /** The namespace of the Service. */
  readonly namespace?: string;
  /** The name of the Service. */
  readonly name?: string;
  /** Its port; 443 by default. */
  readonly port?: number;
}

/** The status of the server. */
export interface APIServiceStatus {
  /** The conditions of the server. */
  readonly conditions?: readonly APIServiceStatusCondition[];
}

/** A condition of the server. */
export interface APIServiceStatusCondition {
  /** The type of the condition, such as Available. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the status changed last. */
  readonly lastTransitionTime?: string | null;
  /** Why, in one word. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

/** Binds a Pod to a node, with the labels and annotations of this object. */
export interface Binding {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly target: EventRelated;
}

/** Any object, or a part of it. */
export interface EventRelated {
  /** Kind of the object. */
  readonly kind?: string;
  /** Namespace of the object. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name?: string;
  /** UID of the object. */
  readonly uid?: string;
  /** Group and version of the object. */
  readonly apiVersion?: string;
  /** Version of the object that is meant. */
  readonly resourceVersion?: string;
  /** A part of the object, such as `spec.containers{name}`. */
  readonly fieldPath?: string;
}

/** A CSI volume driver that is deployed in the cluster. */
export interface CSIDriver {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: CSIDriverSpec;
}

/** The requirements and abilities of the driver. */
export interface CSIDriverSpec {
  /** Whether volumes must be attached to a node before they are mounted; it cannot change. */
  readonly attachRequired: boolean;
  /** Whether the driver gets information about the pod when it mounts a volume. */
  readonly podInfoOnMount: boolean;
  /** `Persistent`, `Ephemeral` or both; `Persistent` when empty; it cannot change. */
  readonly volumeLifecycleModes?: readonly string[];
  /** Whether pods are scheduled by the capacity that the driver reports (CSIStorageCapacity). */
  readonly storageCapacity: boolean;
  /** When ownership and permissions of a volume are changed before it is mounted: `ReadWriteOnceWithFSType`, `File` (always) or `None`. */
  readonly fsGroupPolicy: string;
  /** The tokens that the driver needs, each for an audience of its own. */
  readonly tokenRequests?: readonly CSIDriverSpecTokenRequest[];
  /** Whether the driver is called again from time to time to bring mounted volumes up to date. */
  readonly requiresRepublish: boolean;
  /** Whether every volume can be mounted with an SELinux context of its own. */
  readonly seLinuxMount: boolean;
  /** Seconds between updates of the allocatable count in CSINode, at least 10; never updated when unset. */
  readonly nodeAllocatableUpdatePeriodSeconds?: number;
  /** Whether tokens are passed as secrets only, instead of in the volume context. */
  readonly serviceAccountTokenInSecrets?: boolean;
}

/** A service account token of the mounting pod that the driver needs. */
export interface CSIDriverSpecTokenRequest {
  /** The audience of the token; empty means the API server. */
  readonly audience: string;
  /** How long the token is valid, by default as for token requests (3600). */
  readonly expirationSeconds?: number;
}

/** The CSI drivers on one node. */
export interface CSINode {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: CSINodeSpec;
}

/** The drivers on the node. */
export interface CSINodeSpec {
  /** The drivers on the node, empty when all were uninstalled; names are unique. */
  readonly drivers: readonly CSINodeSpecDriver[];
}

/** A driver on the node. */
export interface CSINodeSpecDriver {
  /** The name that the driver itself gives (GetPluginName). */
  readonly name: string;
  /** The name of the node for the driver, which may differ from that of the Node. */
  readonly nodeID: string;
  /** Keys of the topology that the driver supports; they become labels of the node. */
  readonly topologyKeys: readonly string[];
  readonly allocatable?: CSINodeSpecDriverAllocatable;
}

/** How many volumes a driver can use on a node. */
export interface CSINodeSpecDriverAllocatable {
  /** Most distinct volumes of the driver on the node, each counted once however it is used; no limit when unset. */
  readonly count?: number;
}

/** The capacity of a class of storage in a part of the cluster. */
export interface CSIStorageCapacity {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly nodeTopology?: JobSpecSelector;
  /** The class that the capacity is for; it cannot change. */
  readonly storageClassName: string;
  /** The bytes that are free for new volumes; not known when unset. */
  readonly capacity?: string;
  /** The largest size of one volume; not known when unset. */
  readonly maximumVolumeSize?: string;
}

/** Selects objects by their labels; everything in it must hold. An empty selector selects all. */
export interface JobSpecSelector {
  /** Labels that must be there with exactly these values. */
  readonly matchLabels?: { readonly [key: string]: string };
  /** What else is asked of the labels. */
  readonly matchExpressions?: readonly JobSpecSelectorMatchExpression[];
}

/** One thing that is asked of the labels. */
export interface JobSpecSelectorMatchExpression {
  /** The key of the label. */
  readonly key: string;
  /** How the value is compared: In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** The values of In and NotIn; none for the other operators. */
  readonly values?: readonly string[];
}

/** A request for a certificate, signed by a signer once it is approved. */
export interface CertificateSigningRequest {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: CertificateSigningRequestSpec;
  readonly status: CertificateSigningRequestStatus;
}

/** The request and its user; it is immutable. */
export interface CertificateSigningRequestSpec {
  /** The request, PKCS#10 in a PEM block CERTIFICATE REQUEST. */
  readonly request: string | null;
  /** The signer, as DOMAIN/PATH. */
  readonly signerName: string;
  /** For how long the certificate should be good; the signer may give less. At least 600. */
  readonly expirationSeconds?: number;
  /** The usages of the certificate, such as `client auth`. */
  readonly usages?: readonly string[];
  /** The name of the requesting user; set by the server. */
  readonly username?: string;
  /** The UID of the requesting user; set by the server. */
  readonly uid?: string;
  /** The groups of the requesting user; set by the server. */
  readonly groups?: readonly string[];
  /** Further attributes of the requesting user; set by the server. */
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** The result of the request. */
export interface CertificateSigningRequestStatus {
  /** The decision; Approved and Denied are permanent, and exclude each other. */
  readonly conditions?: readonly CertificateSigningRequestStatusCondition[];
  /** The certificate and those that lead to its root, PEM; written once by the signer. */
  readonly certificate?: string;
}

/** The result of the request. */
export interface CertificateSigningRequestStatusCondition {
  /** Approved, Denied, Failed, or a type of the signer. */
  readonly type: string;
  /** True, False or Unknown; only True for Approved, Denied and Failed. */
  readonly status: string;
  /** Why, for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
  /** When the condition was last written. */
  readonly lastUpdateTime?: string | null;
  /** When its status last changed. */
  readonly lastTransitionTime?: string | null;
}

/** Rights to objects of all namespaces, of the cluster and to paths, for the users of its ClusterRoleBindings. A RoleBinding gives only the rights to the objects of its namespace. */
export interface ClusterRole {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The rules; rights of all rules add up, and no rule denies anything. */
  readonly rules?: readonly RoleRule[] | null;
  readonly aggregationRule?: ClusterRoleAggregationRule;
}

/** Verbs that are permitted on resources, or on paths. */
export interface RoleRule {
  /** The permitted verbs, or '*' for all. */
  readonly verbs: readonly string[] | null;
  /** The API groups of the objects: '' is the core group, '*' is all. */
  readonly apiGroups?: readonly string[];
  /** The resources: 'pods', 'pods/log' for a subresource, '*\/scale' for that of all, '*' for everything. */
  readonly resources?: readonly string[];
  /** The names that the objects must have; any name, and none, where this is empty. */
  readonly resourceNames?: readonly string[];
  /** Paths that are no objects: '/healthz', or '/healthz/*' for all that begins so. In a ClusterRole only. */
  readonly nonResourceURLs?: readonly string[];
}

/** Selects the roles whose rules are aggregated. */
export interface ClusterRoleAggregationRule {
  /** Which ClusterRoles give their rules: each that one of the selectors finds. */
  readonly clusterRoleSelectors?: readonly JobSpecSelector[];
}

/** Gives a ClusterRole to users, for all namespaces, the cluster and paths. */
export interface ClusterRoleBinding {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The subjects of the role. */
  readonly subjects?: readonly RoleBindingSubject[];
  readonly roleRef: RoleBindingRoleRef;
}

/** A subject of the role. */
export interface RoleBindingSubject {
  /** User, Group or ServiceAccount. */
  readonly kind: string;
  /** The group of the kind: '' for a ServiceAccount, rbac.authorization.k8s.io for the others. */
  readonly apiGroup?: string;
  /** The name of the user, the group or the account. */
  readonly name: string;
  /** The namespace of the account; not for users and groups. */
  readonly namespace?: string;
}

/** The role that is given. */
export interface RoleBindingRoleRef {
  /** The group of roles, rbac.authorization.k8s.io. */
  readonly apiGroup: string;
  /** Role or ClusterRole. */
  readonly kind: string;
  /** The name of the role. */
  readonly name: string;
}

/** Certificates of authorities, which all users of the cluster may read, and Pods may mount. */
export interface ClusterTrustBundle {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ClusterTrustBundleSpec;
}

/** The certificates, and their signer. */
export interface ClusterTrustBundleSpec {
  /** The signer whose certificates they verify; it cannot change, and begins the name of the bundle. */
  readonly signerName?: string;
  /** The certificates, PEM: one at least, each once, all of authorities. */
  readonly trustBundle: string;
}

/** As {@link ClusterTrustBundle}. */
export type ClusterTrustBundleV1alpha1 = ClusterTrustBundle;

/** The health of a component of the control plane. Deprecated. */
export interface ComponentStatus {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** A condition of the program. */
  readonly conditions?: readonly ComponentStatusCondition[];
}

/** A condition of the program. */
export interface ComponentStatusCondition {
  /** Healthy. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** The message of the program. */
  readonly message?: string;
  /** Why its health could not be checked. */
  readonly error?: string;
}

/** Holds configuration data, as texts or as bytes, under keys that can become the names of files. */
export interface ConfigMap {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** Texts by their keys. Data that is not UTF-8 belongs in binaryData; a key is in one of both only. */
  readonly data?: { readonly [key: string]: string };
  /** Bytes by their keys, base64 in JSON. */
  readonly binaryData?: { readonly [key: string]: string };
  /** When true, only the metadata can change from then on, and this cannot be undone. */
  readonly immutable?: boolean;
}

/** A revision that a controller stores, so that it can roll back to it. */
export interface ControllerRevision {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The state, in a form that its controller defines. */
  readonly data?: unknown;
  /** Which revision it is: the greater, the later. */
  readonly revision: number;
}

/** A report of something that happened. It is kept for a limited time, and no program should rely on it. */
export interface CoreEvent {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly involvedObject: EventRelated;
  /** Why it happened, in a word for programs. */
  readonly reason?: string;
  /** What happened, for people. */
  readonly message?: string;
  readonly source: CoreEventSource;
  /** When it was first seen. */
  readonly firstTimestamp?: string | null;
  /** When it was last seen. */
  readonly lastTimestamp?: string | null;
  /** How often it was seen. */
  readonly count?: number;
  /** Normal or Warning; there may be others. */
  readonly type?: string;
  /** When it was first observed. */
  readonly eventTime?: string | null;
  readonly series?: CoreEventSeries;
  /** The action that was taken or failed. */
  readonly action?: string;
  readonly related?: EventRelated;
  /** The controller that reported it. */
  readonly reportingComponent: string;
  /** The instance of the controller. */
  readonly reportingInstance: string;
}

/** The reporter of the event. */
export interface CoreEventSource {
  /** The component that reported it. */
  readonly component?: string;
  /** The node that it reported from. */
  readonly host?: string;
}

/** Data about repeated occurrences. */
export interface CoreEventSeries {
  /** How often it was seen, up to the last heartbeat. */
  readonly count?: number;
  /** When it was last seen before the last heartbeat. */
  readonly lastObservedTime?: string | null;
}

/** Jobs that start on a schedule. */
export interface CronJob {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: CronJobSpec;
  readonly status: CronJobStatus;
}

/** When, and what. */
export interface CronJobSpec {
  /** When: minute, hour, day of the month, month and day of the week, or such as @daily. */
  readonly schedule: string;
  /** The zone of these times, such as Europe/Berlin; that of the controller by default. */
  readonly timeZone?: string;
  /** How late a Job may begin. */
  readonly startingDeadlineSeconds?: number;
  /** Allow; Forbid: not while another Job runs; Replace: the new Job replaces the running one. */
  readonly concurrencyPolicy: string;
  /** Whether no new Job begins for now. */
  readonly suspend?: boolean;
  readonly jobTemplate: CronJobSpecJobTemplate;
  /** How many Jobs that have succeeded are kept; 3 by default. */
  readonly successfulJobsHistoryLimit?: number;
  /** How many Jobs that have failed are kept; 1 by default. */
  readonly failedJobsHistoryLimit?: number;
}

/** The template of the Jobs. */
export interface CronJobSpecJobTemplate {
  readonly metadata: ObjectMeta;
  readonly spec: JobSpec;
}

/** The desired state of the Job. */
export interface JobSpec {
  /** How many Pods run at the same time at most. */
  readonly parallelism?: number;
  /** How many Pods are to succeed; without it, one that succeeds is the end of all. */
  readonly completions?: number;
  /** How long the Job may run. */
  readonly activeDeadlineSeconds?: number;
  readonly podFailurePolicy?: JobSpecPodFailurePolicy;
  readonly successPolicy?: JobSpecSuccessPolicy;
  /** How many failures are borne; 6 by default. */
  readonly backoffLimit?: number;
  /** How many failures of one index are borne. */
  readonly backoffLimitPerIndex?: number;
  /** How many indexes may fail. */
  readonly maxFailedIndexes?: number;
  readonly selector?: JobSpecSelector;
  /** Whether the selector is the client's and not made by the server. */
  readonly manualSelector?: boolean;
  readonly template: JobSpecTemplate;
  /** How long the Job is kept when it has ended. */
  readonly ttlSecondsAfterFinished?: number;
  /** NonIndexed, or Indexed: each Pod has a number. */
  readonly completionMode?: string;
  /** Whether no Pod is to run for now. */
  readonly suspend?: boolean;
  /** When a Pod is replaced: TerminatingOrFailed, or Failed. */
  readonly podReplacementPolicy?: string;
  /** The controller of the Job, where it is not that of the cluster. */
  readonly managedBy?: string;
}

/** How the Job handles failed Pods. */
export interface JobSpecPodFailurePolicy {
  /** The rules; the first that fits counts. */
  readonly rules: readonly JobSpecPodFailurePolicyRule[] | null;
}

/** How one sort of failure is handled. */
export interface JobSpecPodFailurePolicyRule {
  /** FailJob, FailIndex, Ignore or Count. */
  readonly action: string;
  readonly onExitCodes?: JobSpecPodFailurePolicyRuleOnExitCodes;
  /** Conditions of the Pod, one of which is enough. */
  readonly onPodConditions?: readonly JobSpecPodFailurePolicyRuleOnPodCondition[];
}

/** How a container has ended. */
export interface JobSpecPodFailurePolicyRuleOnExitCodes {
  /** One container; any of them without a name. */
  readonly containerName?: string;
  /** In or NotIn. */
  readonly operator: string;
  /** The codes, in ascending order. */
  readonly values: readonly number[] | null;
}

/** A condition that a Pod has. */
export interface JobSpecPodFailurePolicyRuleOnPodCondition {
  /** The type of the condition. */
  readonly type: string;
  /** Its status; True by default. */
  readonly status: string;
}

/** When the Job has succeeded before all of it is done. */
export interface JobSpecSuccessPolicy {
  /** The rules; one that holds is enough. */
  readonly rules: readonly JobSpecSuccessPolicyRule[] | null;
}

/** The indexes that must have succeeded. */
export interface JobSpecSuccessPolicyRule {
  /** Numbers of Pods and ranges of them, such as 0,2-4. */
  readonly succeededIndexes?: string;
  /** How many of them. */
  readonly succeededCount?: number;
}

/** The template of Pods: their metadata and spec. */
export interface JobSpecTemplate {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** The containers, volumes and placement of the Pod. */
export interface PodSpec {
  /** The volumes that containers can mount. */
  readonly volumes?: readonly PodSpecVolume[];
  /** Containers that run one after another before the others. */
  readonly initContainers?: readonly PodSpecContainer[];
  /** The containers. */
  readonly containers: readonly PodSpecContainer[];
  /** Containers put into the running Pod. */
  readonly ephemeralContainers?: readonly PodSpecEphemeralContainer[];
  /** `Always`, `OnFailure` or `Never`. */
  readonly restartPolicy?: string;
  /** Seconds that the Pod is given to end. */
  readonly terminationGracePeriodSeconds?: number;
  /** Seconds that the Pod may be active. */
  readonly activeDeadlineSeconds?: number;
  /** `ClusterFirst`, `ClusterFirstWithHostNet`, `Default` or `None`. */
  readonly dnsPolicy?: string;
  /** Labels that the node must have. */
  readonly nodeSelector?: { readonly [key: string]: string };
  /** The service account. */
  readonly serviceAccountName?: string;
  /** The older name of serviceAccountName. */
  readonly serviceAccount?: string;
  /** Whether a token of the service account is mounted. */
  readonly automountServiceAccountToken?: boolean;
  /** The node that the Pod runs on. */
  readonly nodeName?: string;
  /** Whether the network is that of the node. */
  readonly hostNetwork?: boolean;
  /** Whether processes are those of the node. */
  readonly hostPID?: boolean;
  /** Whether IPC is that of the node. */
  readonly hostIPC?: boolean;
  /** Whether containers see the processes of one another. */
  readonly shareProcessNamespace?: boolean;
  readonly securityContext?: PodSpecSecurityContext;
  /** Secrets for pulling images. */
  readonly imagePullSecrets?: readonly PodSpecImagePullSecret[];
  /** The host name. */
  readonly hostname?: string;
  /** The domain below that of the namespace. */
  readonly subdomain?: string;
  readonly affinity?: PodSpecAffinity;
  /** The scheduler. */
  readonly schedulerName?: string;
  /** Taints that do not keep the Pod away. */
  readonly tolerations?: readonly PodSpecToleration[];
  /** Lines of the hosts file. */
  readonly hostAliases?: readonly PodSpecHostAlias[];
  /** The priority class. */
  readonly priorityClassName?: string;
  /** The priority; from the class. */
  readonly priority?: number;
  readonly dnsConfig?: PodSpecDnsConfig;
  /** Conditions that must hold for the Pod to be ready. */
  readonly readinessGates?: readonly PodSpecReadinessGate[];
  /** The runtime class. */
  readonly runtimeClassName?: string;
  /** Whether services become environment variables. */
  readonly enableServiceLinks?: boolean;
  /** `PreemptLowerPriority` or `Never`. */
  readonly preemptionPolicy?: string;
  /** The overhead of the runtime. */
  readonly overhead?: { readonly [key: string]: string };
  /** How pods are spread. */
  readonly topologySpreadConstraints?: readonly PodSpecTopologySpreadConstraint[];
  /** Whether the host name is fully qualified. */
  readonly setHostnameAsFQDN?: boolean;
  readonly os?: PodSpecOs;
  /** Whether user ids are those of the node. */
  readonly hostUsers?: boolean;
  /** Gates that keep the Pod from being scheduled. */
  readonly schedulingGates?: readonly PodSpecSchedulingGate[];
  /** The resource claims. */
  readonly resourceClaims?: readonly PodSpecResourceClaim[];
  readonly resources?: PodSpecResources;
  /** The host name, whatever else is set. */
  readonly hostnameOverride?: string;
  readonly workloadRef?: PodSpecWorkloadRef;
}

/** A volume of the Pod: a name and one source. */
export interface PodSpecVolume {
  /** Name of the volume, a DNS label, unique in the Pod. */
  readonly name: string;
  readonly emptyDir?: PodSpecVolumeEmptyDir;
  readonly hostPath?: PodSpecVolumeHostPath;
  readonly gitRepo?: PodSpecVolumeGitRepo;
  readonly gcePersistentDisk?: PodSpecVolumeGcePersistentDisk;
  readonly awsElasticBlockStore?: PodSpecVolumeAwsElasticBlockStore;
  readonly secret?: PodSpecVolumeSecret;
  readonly nfs?: PodSpecVolumeNfs;
  readonly iscsi?: PodSpecVolumeIscsi;
  readonly glusterfs?: PodSpecVolumeGlusterfs;
  readonly flocker?: PodSpecVolumeFlocker;
  readonly persistentVolumeClaim?: PodSpecVolumePersistentVolumeClaim;
  readonly rbd?: PodSpecVolumeRbd;
  readonly cinder?: PodSpecVolumeCinder;
  readonly cephfs?: PodSpecVolumeCephfs;
  readonly quobyte?: PodSpecVolumeQuobyte;
  readonly downwardAPI?: PodSpecVolumeDownwardAPI;
  readonly fc?: PodSpecVolumeFc;
  readonly flexVolume?: PodSpecVolumeFlexVolume;
  readonly configMap?: PodSpecVolumeConfigMap;
  readonly azureFile?: PodSpecVolumeAzureFile;
  readonly vsphereVolume?: PodSpecVolumeVsphereVolume;
  readonly photonPersistentDisk?: PodSpecVolumePhotonPersistentDisk;
  readonly portworxVolume?: PodSpecVolumePortworxVolume;
  readonly azureDisk?: PodSpecVolumeAzureDisk;
  readonly storageos?: PodSpecVolumeStorageos;
  readonly projected?: PodSpecVolumeProjected;
  readonly scaleIO?: PodSpecVolumeScaleIO;
  readonly csi?: PodSpecVolumeCsi;
  readonly ephemeral?: PodSpecVolumeEphemeral;
  readonly image?: PodSpecVolumeImage;
}

/** A directory that is empty at first and deleted with the Pod. */
export interface PodSpecVolumeEmptyDir {
  /** The medium: empty for that of the node, `Memory`, `HugePages`. */
  readonly medium?: string;
  /** How much may be stored in it. */
  readonly sizeLimit?: string;
}

/** A file or directory of the node; for development on one node. */
export interface PodSpecVolumeHostPath {
  /** The path on the node; a symbolic link is followed. */
  readonly path: string;
  /** The required type: empty for no check, `Directory`, `File`, `Socket`, `CharDevice`, `BlockDevice`, or `DirectoryOrCreate` and `FileOrCreate`, which create an empty one when there is none. */
  readonly type: string;
}

/** A git repository that is checked out when the Pod starts; deprecated. */
export interface PodSpecVolumeGitRepo {
  /** URL of the repository. */
  readonly repository: string;
  /** Hash of the commit. */
  readonly revision?: string;
  /** The directory of the checkout; `.` for the volume itself, else a directory below it. */
  readonly directory?: string;
}

/** A persistent disk of a cloud; deprecated. */
export interface PodSpecVolumeGcePersistentDisk {
  /** The name of the disk. */
  readonly pdName: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** The partition to mount; unset or 0 for the whole disk. */
  readonly partition?: number;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** A block disk of cloud A; deprecated. */
export interface PodSpecVolumeAwsElasticBlockStore {
  /** The identifier of the disk. */
  readonly volumeID: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** The partition to mount; unset or 0 for the whole disk. */
  readonly partition?: number;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** A Secret as files: one for each key. */
export interface PodSpecVolumeSecret {
  /** Name of the Secret. */
  readonly secretName?: string;
  /** The keys to project; all when empty. A listed key that is missing is an error unless optional. */
  readonly items?: readonly PodSpecVolumeSecretItem[];
  /** Mode bits of the file, 0000 to 0777 octal (JSON has decimal numbers only: 0 to 511), of files that do not say their own. */
  readonly defaultMode: number;
  /** Whether the Pod may start without it, or without a listed key. */
  readonly optional?: boolean;
}

/** A key and the file for its value. */
export interface PodSpecVolumeSecretItem {
  /** The key to project. */
  readonly key: string;
  /** The file, relative to the volume; without `..` as an element or at the beginning. */
  readonly path: string;
  /** Mode bits of the file, 0000 to 0777 octal (JSON has decimal numbers only: 0 to 511); the defaultMode of the volume when unset. */
  readonly mode?: number;
}

/** A directory of an NFS server. */
export interface PodSpecVolumeNfs {
  /** Host name or address of the server. */
  readonly server: string;
  /** The directory that the server exports, absolute. */
  readonly path: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** An iSCSI device. */
export interface PodSpecVolumeIscsi {
  /** Address of the target, host or host:port. */
  readonly targetPortal: string;
  /** Qualified name of the target. */
  readonly iqn: string;
  /** Number of the unit at the target. */
  readonly lun: number;
  /** Name of the interface; `default` means tcp. */
  readonly iscsiInterface: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  /** More addresses of the target. */
  readonly portals?: readonly string[];
  /** Whether discovery uses CHAP. */
  readonly chapAuthDiscovery?: boolean;
  /** Whether sessions use CHAP. */
  readonly chapAuthSession?: boolean;
  readonly secretRef?: PodSpecImagePullSecret;
  /** Qualified name of the initiator. */
  readonly initiatorName?: string;
}

/** An object in the namespace of the one that refers to it. */
export interface PodSpecImagePullSecret {
  /** Name of the object. */
  readonly name?: string;
}

/** A file system behind an Endpoints object; deprecated. */
export interface PodSpecVolumeGlusterfs {
  /** Name of the Endpoints object that lists the servers. */
  readonly endpoints: string;
  /** Name of the volume on the servers. */
  readonly path: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** A dataset of a data manager; deprecated. */
export interface PodSpecVolumeFlocker {
  /** Name of the dataset; or datasetUUID. */
  readonly datasetName?: string;
  /** UUID of the dataset; or datasetName. */
  readonly datasetUUID?: string;
}

/** A PersistentVolumeClaim of the Pod's namespace. */
export interface PodSpecVolumePersistentVolumeClaim {
  /** Name of the claim. */
  readonly claimName: string;
  /** Whether the volume is mounted read-only. */
  readonly readOnly?: boolean;
}

/** A block device that monitors serve; deprecated. */
export interface PodSpecVolumeRbd {
  /** Addresses of the monitors. */
  readonly monitors: readonly string[];
  /** Name of the image. */
  readonly image: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** The pool of the image. */
  readonly pool: string;
  /** The user. */
  readonly user: string;
  /** File with the keys of the user. */
  readonly keyring: string;
  readonly secretRef?: PodSpecImagePullSecret;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** A volume of a block storage service; deprecated. */
export interface PodSpecVolumeCinder {
  /** The identifier of the volume. */
  readonly volumeID: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  readonly secretRef?: PodSpecImagePullSecret;
}

/** A file system that monitors serve; deprecated. */
export interface PodSpecVolumeCephfs {
  /** Addresses of the monitors. */
  readonly monitors: readonly string[];
  /** The directory to mount; `/` when unset. */
  readonly path?: string;
  /** The user; `admin` when unset. */
  readonly user?: string;
  /** File with the key of the user on the node. */
  readonly secretFile?: string;
  readonly secretRef?: PodSpecImagePullSecret;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** A volume of a registry of servers; deprecated. */
export interface PodSpecVolumeQuobyte {
  /** The servers: host:port pairs, separated by commas. */
  readonly registry: string;
  /** Name of the volume. */
  readonly volume: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  /** The user to which access is mapped. */
  readonly user?: string;
  /** The group to which access is mapped. */
  readonly group?: string;
  /** The tenant that owns the volume. */
  readonly tenant?: string;
}

/** Members of the Pod and resources of its containers as files. */
export interface PodSpecVolumeDownwardAPI {
  /** The files. */
  readonly items?: readonly PodSpecVolumeDownwardAPIItem[];
  /** Mode bits of the file, 0000 to 0777 octal (JSON has decimal numbers only: 0 to 511), of files that do not say their own. */
  readonly defaultMode: number;
}

/** A file that holds a member of the Pod or a resource of a container. */
export interface PodSpecVolumeDownwardAPIItem {
  /** The file, relative to the volume; without `..` as an element or at the beginning. */
  readonly path: string;
  readonly fieldRef?: PodSpecVolumeDownwardAPIItemFieldRef;
  readonly resourceFieldRef?: PodSpecVolumeDownwardAPIItemResourceFieldRef;
  /** Mode bits of the file, 0000 to 0777 octal (JSON has decimal numbers only: 0 to 511); the defaultMode of the volume when unset. */
  readonly mode?: number;
}

/** A member of the Pod. */
export interface PodSpecVolumeDownwardAPIItemFieldRef {
  /** The version in which the path is written. */
  readonly apiVersion: string;
  /** The member, such as `metadata.labels` or `metadata.annotations['key']`. */
  readonly fieldPath: string;
}

/** A resource of a container. */
export interface PodSpecVolumeDownwardAPIItemResourceFieldRef {
  /** The container; required in volumes, optional in environment variables. */
  readonly containerName?: string;
  /** The resource, such as `limits.cpu`. */
  readonly resource: string;
  /** The unit in which the value is written, 1 when unset. */
  readonly divisor: string;
}

/** A Fibre Channel device. */
export interface PodSpecVolumeFc {
  /** World wide names of the targets; with `lun`. */
  readonly targetWWNs?: readonly string[];
  /** Number of the unit at the targets. */
  readonly lun?: number;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  /** World wide identifiers of the volume; instead of targetWWNs and lun. */
  readonly wwids?: readonly string[];
}

/** A volume of a script on the node; deprecated. */
export interface PodSpecVolumeFlexVolume {
  /** Name of the script. */
  readonly driver: string;
  /** File system of the volume; the script decides when unset. */
  readonly fsType?: string;
  readonly secretRef?: PodSpecImagePullSecret;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  /** Options for the script. */
  readonly options?: { readonly [key: string]: string };
}

/** A ConfigMap as files: one for each key. */
export interface PodSpecVolumeConfigMap {
  /** Name of the ConfigMap. */
  readonly name?: string;
  /** The keys to project; all when empty. A listed key that is missing is an error unless optional. */
  readonly items?: readonly PodSpecVolumeSecretItem[];
  /** Mode bits of the file, 0000 to 0777 octal (JSON has decimal numbers only: 0 to 511), of files that do not say their own. */
  readonly defaultMode: number;
  /** Whether the Pod may start without it, or without a listed key. */
  readonly optional?: boolean;
}

/** A file share of cloud B. */
export interface PodSpecVolumeAzureFile {
  /** Name of the Secret with account and key. */
  readonly secretName: string;
  /** Name of the share. */
  readonly shareName: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** A virtual disk of vendor G. */
export interface PodSpecVolumeVsphereVolume {
  /** Path of the disk. */
  readonly volumePath: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** Name of the storage policy. */
  readonly storagePolicyName?: string;
  /** Identifier of the storage policy. */
  readonly storagePolicyID?: string;
}

/** A persistent disk of cloud C; deprecated. */
export interface PodSpecVolumePhotonPersistentDisk {
  /** The identifier of the disk. */
  readonly pdID: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
}

/** A volume of vendor D. */
export interface PodSpecVolumePortworxVolume {
  /** The identifier of the volume. */
  readonly volumeID: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** A data disk of cloud B. */
export interface PodSpecVolumeAzureDisk {
  /** The name of the disk. */
  readonly diskName: string;
  /** The URI of the disk. */
  readonly diskURI: string;
  /** How the host caches: `None`, `ReadOnly` or `ReadWrite`. */
  readonly cachingMode: string;
  /** File system of the volume. */
  readonly fsType: string;
  /** Whether the volume is read-only. */
  readonly readOnly: boolean;
  /** `Shared` for several disks in one account, `Dedicated` for one, `Managed` for a managed disk. */
  readonly kind: string;
}

/** A volume of vendor F; deprecated. */
export interface PodSpecVolumeStorageos {
  /** Name of the volume, unique in its namespace. */
  readonly volumeName?: string;
  /** Namespace of the volume at the vendor. */
  readonly volumeNamespace?: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  readonly secretRef?: PodSpecImagePullSecret;
}

/** Several sources in one directory. */
export interface PodSpecVolumeProjected {
  /** The sources. */
  readonly sources: readonly PodSpecVolumeProjectedSource[];
  /** Mode bits of the file, 0000 to 0777 octal (JSON has decimal numbers only: 0 to 511), of files that do not say their own. */
  readonly defaultMode: number;
}

/** One source of a projected volume: exactly one member is set. */
export interface PodSpecVolumeProjectedSource {
  readonly secret?: PodSpecVolumeProjectedSourceSecret;
  readonly downwardAPI?: PodSpecVolumeProjectedSourceDownwardAPI;
  readonly configMap?: PodSpecVolumeProjectedSourceConfigMap;
  readonly serviceAccountToken?: PodSpecVolumeProjectedSourceServiceAccountToken;
  readonly clusterTrustBundle?: PodSpecVolumeProjectedSourceClusterTrustBundle;
  readonly podCertificate?: PodSpecVolumeProjectedSourcePodCertificate;
}

/** A Secret as files. */
export interface PodSpecVolumeProjectedSourceSecret {
  /** Name of the Secret. */
  readonly name?: string;
  /** The keys to project; all when empty. */
  readonly items?: readonly PodSpecVolumeSecretItem[];
  /** Whether the Pod may start without it, or without a listed key. */
  readonly optional?: boolean;
}

/** Members of the Pod and resources of its containers as files. */
export interface PodSpecVolumeProjectedSourceDownwardAPI {
  /** The files. */
  readonly items?: readonly PodSpecVolumeDownwardAPIItem[];
}

/** A ConfigMap as files. */
export interface PodSpecVolumeProjectedSourceConfigMap {
  /** Name of the ConfigMap. */
  readonly name?: string;
  /** The keys to project; all when empty. */
  readonly items?: readonly PodSpecVolumeSecretItem[];
  /** Whether the Pod may start without it, or without a listed key. */
  readonly optional?: boolean;
}

/** A token of the Pod's service account, renewed before it expires. */
export interface PodSpecVolumeProjectedSourceServiceAccountToken {
  /** The audience of the token; the API server when empty. */
  readonly audience?: string;
  /** How long the token is valid: at least 600 seconds. */
  readonly expirationSeconds: number;
  /** The file, relative to the volume. */
  readonly path: string;
}

/** Trust anchors as a file of PEM certificates. */
export interface PodSpecVolumeProjectedSourceClusterTrustBundle {
  /** One bundle by name; not together with signerName or labelSelector. */
  readonly name?: string;
  /** All bundles of a signer; their certificates are united. */
  readonly signerName?: string;
  readonly labelSelector?: JobSpecSelector;
  /** Whether the Pod may start when no bundle is there. */
  readonly optional?: boolean;
  /** The file, relative to the volume. */
  readonly path: string;
}

/** A key that the node agent makes and the certificate chain that a signer gives for it, renewed in time. */
export interface PodSpecVolumeProjectedSourcePodCertificate {
  /** The signer, such as `example.com/signer`. */
  readonly signerName: string;
  /** `RSA3072`, `RSA4096`, `ECDSAP256`, `ECDSAP384`, `ECDSAP521` or `ED25519`. */
  readonly keyType: string;
  /** The longest requested lifetime: 3600 to 7862400 seconds, one day when unset. */
  readonly maxExpirationSeconds?: number;
  /** A file with the private key in PKCS#8 and the certificates, leaf first. */
  readonly credentialBundlePath?: string;
  /** A file with the key alone; it may not match the chain while both are being renewed. */
  readonly keyPath?: string;
  /** A file with the certificates alone. */
  readonly certificateChainPath?: string;
  /** Annotations for the signer; keys with a domain. */
  readonly userAnnotations?: { readonly [key: string]: string };
}

/** A volume of vendor E; deprecated. */
export interface PodSpecVolumeScaleIO {
  /** Address of the gateway. */
  readonly gateway: string;
  /** Name of the storage system. */
  readonly system: string;
  readonly secretRef?: PodSpecImagePullSecret | null;
  /** Whether the gateway is spoken to by TLS. */
  readonly sslEnabled?: boolean;
  /** Name of the protection domain. */
  readonly protectionDomain?: string;
  /** The pool of the protection domain. */
  readonly storagePool?: string;
  /** `ThickProvisioned` or `ThinProvisioned`. */
  readonly storageMode: string;
  /** Name of the volume in the storage system. */
  readonly volumeName?: string;
  /** File system of the volume. */
  readonly fsType: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** A volume that a CSI driver makes for the Pod. */
export interface PodSpecVolumeCsi {
  /** Name of the driver. */
  readonly driver: string;
  /** Whether the volume is mounted read-only. */
  readonly readOnly?: boolean;
  /** File system of the volume; the driver decides when unset. */
  readonly fsType?: string;
  /** Attributes of the volume for the driver. */
  readonly volumeAttributes?: { readonly [key: string]: string };
  readonly nodePublishSecretRef?: PodSpecImagePullSecret;
}

/** A volume of a claim that is created for the Pod and deleted with it. */
export interface PodSpecVolumeEphemeral {
  readonly volumeClaimTemplate?: PodSpecVolumeEphemeralVolumeClaimTemplate;
}

/** The claim that is made for the Pod. */
export interface PodSpecVolumeEphemeralVolumeClaimTemplate {
  readonly metadata: ObjectMeta;
  readonly spec: PersistentVolumeClaimSpec;
}

/** The request of the claim. */
export interface PersistentVolumeClaimSpec {
  /** The access modes of the volume: `ReadWriteOnce`, `ReadOnlyMany` ... */
  readonly accessModes?: readonly string[];
  readonly selector?: JobSpecSelector;
  readonly resources: PersistentVolumeClaimSpecResources;
  /** The volume that the claim is bound to. */
  readonly volumeName?: string;
  /** The requested class; empty for none, unset for the default class. */
  readonly storageClassName?: string;
  /** `Filesystem`, or `Block` for a raw device. */
  readonly volumeMode: string;
  readonly dataSource?: PersistentVolumeClaimSpecDataSource;
  readonly dataSourceRef?: PersistentVolumeClaimSpecDataSourceRef;
  /** The VolumeAttributesClass that the driver applies; it may change later. Empty or unset for none. */
  readonly volumeAttributesClassName?: string;
}

/** The size of the volume. */
export interface PersistentVolumeClaimSpecResources {
  /** The maximum of the volume; only `storage` has a meaning. */
  readonly limits?: { readonly [key: string]: string };
  /** The minimum of the volume; only `storage` has a meaning. */
  readonly requests?: { readonly [key: string]: string };
}

/** An object of the claim's namespace. */
export interface PersistentVolumeClaimSpecDataSource {
  /** Group of the object; unset for the core group, required for kinds of others. */
  readonly apiGroup?: string | null;
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
}

/** An object, possibly of another namespace. */
export interface PersistentVolumeClaimSpecDataSourceRef {
  /** Group of the object; unset for the core group, required for kinds of others. */
  readonly apiGroup?: string | null;
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
  /** Namespace of the object, which must grant the reference; that of the claim when unset. */
  readonly namespace?: string;
}

/** An OCI image or artifact, mounted read-only. */
export interface PodSpecVolumeImage {
  /** The image or artifact. */
  readonly reference?: string;
  /** `Always`, `Never` or `IfNotPresent`; `Always` for the tag `latest` and `IfNotPresent` for others when unset. */
  readonly pullPolicy?: string;
}

/** A process, or some, in an image. */
export interface PodSpecContainer {
  /** Name of the container, a DNS label; it cannot change. */
  readonly name: string;
  /** The image. */
  readonly image?: string;
  /** The entry point; that of the image when empty. */
  readonly command?: readonly string[];
  /** Arguments of the entry point; those of the image when empty. */
  readonly args?: readonly string[];
  /** The working directory; that of the image when empty. */
  readonly workingDir?: string;
  /** The ports of the container. */
  readonly ports?: readonly PodSpecContainerPort[];
  /** Sources of environment variables. */
  readonly envFrom?: readonly PodSpecContainerEnvFrom[];
  /** Environment variables. */
  readonly env?: readonly PodSpecContainerEnv[];
  readonly resources: PodStatusResources;
  /** The effects of changes of resources. */
  readonly resizePolicy?: readonly PodSpecContainerResizePolicy[];
  /** `Always` for an init container that keeps running; else that of the Pod. */
  readonly restartPolicy?: string;
  /** When the container is restarted, by exit code. */
  readonly restartPolicyRules?: readonly PodSpecContainerRestartPolicyRule[];
  /** The volumes in the file system. */
  readonly volumeMounts?: readonly PodSpecContainerVolumeMount[];
  /** The raw block devices. */
  readonly volumeDevices?: readonly PodSpecContainerVolumeDevice[];
  readonly livenessProbe?: PodSpecContainerStartupProbe;
  readonly readinessProbe?: PodSpecContainerStartupProbe;
  readonly startupProbe?: PodSpecContainerStartupProbe;
  readonly lifecycle?: PodSpecContainerLifecycle;
  /** File with the last message of the container. */
  readonly terminationMessagePath?: string;
  /** `File`, or `FallbackToLogsOnError`. */
  readonly terminationMessagePolicy?: string;
  /** `Always`, `Never` or `IfNotPresent`; by the tag of the image when unset. */
  readonly imagePullPolicy?: string;
  readonly securityContext?: PodSpecContainerSecurityContext;
  /** Whether there is a standard input. */
  readonly stdin?: boolean;
  /** Whether it is closed after the first client. */
  readonly stdinOnce?: boolean;
  /** Whether there is a terminal. */
  readonly tty?: boolean;
}

/** A port of the container. */
export interface PodSpecContainerPort {
  /** Name of the port, unique in the Pod. */
  readonly name?: string;
  /** The port of the node. */
  readonly hostPort?: number;
  /** The port of the Pod. */
  readonly containerPort: number;
  /** `TCP`, `UDP` or `SCTP`. */
  readonly protocol: string;
  /** The address of the node to bind to. */
  readonly hostIP?: string;
}

/** All keys of a ConfigMap or Secret as environment variables. */
export interface PodSpecContainerEnvFrom {
  /** A prefix for each name. */
  readonly prefix?: string;
  readonly configMapRef?: PodSpecContainerEnvFromConfigMapRef;
  readonly secretRef?: PodSpecContainerEnvFromSecretRef;
}

/** A ConfigMap. */
export interface PodSpecContainerEnvFromConfigMapRef {
  /** Name of the object. */
  readonly name?: string;
  /** Whether the container may start without it. */
  readonly optional?: boolean;
}

/** A Secret. */
export interface PodSpecContainerEnvFromSecretRef {
  /** Name of the object. */
  readonly name?: string;
  /** Whether the container may start without it. */
  readonly optional?: boolean;
}

/** An environment variable. */
export interface PodSpecContainerEnv {
  /** Name of the variable. */
  readonly name: string;
  /** Its value; `$(NAME)` is another variable. */
  readonly value?: string;
  readonly valueFrom?: PodSpecContainerEnvValueFrom;
}

/** The source of the value; exactly one member is set. */
export interface PodSpecContainerEnvValueFrom {
  readonly fieldRef?: PodSpecVolumeDownwardAPIItemFieldRef;
  readonly resourceFieldRef?: PodSpecVolumeDownwardAPIItemResourceFieldRef;
  readonly configMapKeyRef?: PodSpecContainerEnvValueFromConfigMapKeyRef;
  readonly secretKeyRef?: PodSpecContainerEnvValueFromSecretKeyRef;
  readonly fileKeyRef?: PodSpecContainerEnvValueFromFileKeyRef;
}

/** A key of a ConfigMap. */
export interface PodSpecContainerEnvValueFromConfigMapKeyRef {
  /** Name of the object. */
  readonly name?: string;
  /** The key. */
  readonly key: string;
  /** Whether the container may start without it. */
  readonly optional?: boolean;
}

/** A key of a Secret. */
export interface PodSpecContainerEnvValueFromSecretKeyRef {
  /** Name of the object. */
  readonly name?: string;
  /** The key. */
  readonly key: string;
  /** Whether the container may start without it. */
  readonly optional?: boolean;
}

/** A key of a file in a volume. */
export interface PodSpecContainerEnvValueFromFileKeyRef {
  /** The volume. */
  readonly volumeName: string;
  /** The file in the volume. */
  readonly path: string;
  /** The key in the file. */
  readonly key: string;
  /** Whether the container may start without it. */
  readonly optional: boolean;
}

/** The requests and the limits. */
export interface PodStatusResources {
  /** The most that may be used. */
  readonly limits?: { readonly [key: string]: string };
  /** The requested resources; the limits when unset. */
  readonly requests?: { readonly [key: string]: string };
  /** The resource claims that are used. */
  readonly claims?: readonly PodSpecResourcesClaim[];
}

/** A claim of the Pod. */
export interface PodSpecResourcesClaim {
  /** Name of the claim in spec.resourceClaims. */
  readonly name: string;
  /** One request of the claim; all when empty. */
  readonly request?: string;
}

/** The effect of a change of a resource. */
export interface PodSpecContainerResizePolicy {
  /** The resource. */
  readonly resourceName: string;
  /** `NotRequired` or `RestartContainer`. */
  readonly restartPolicy: string;
}

/** When the container is restarted. */
export interface PodSpecContainerRestartPolicyRule {
  /** `Restart`. */
  readonly action: string;
  readonly exitCodes?: PodSpecContainerRestartPolicyRuleExitCodes;
}

/** The exit codes that are meant. */
export interface PodSpecContainerRestartPolicyRuleExitCodes {
  /** `In` or `NotIn`. */
  readonly operator: string;
  /** Exit codes. */
  readonly values?: readonly number[];
}

/** A volume in the file system of the container. */
export interface PodSpecContainerVolumeMount {
  /** Name of the volume. */
  readonly name: string;
  /** Whether it is mounted read-only. */
  readonly readOnly?: boolean;
  /** `Disabled`, `IfPossible` or `Enabled`. */
  readonly recursiveReadOnly?: string;
  /** The path of the mount. */
  readonly mountPath: string;
  /** A path in the volume that is mounted instead of its root. */
  readonly subPath?: string;
  /** `None`, `HostToContainer` or `Bidirectional`. */
  readonly mountPropagation?: string;
  /** As subPath, with `$(NAME)` for variables. */
  readonly subPathExpr?: string;
}

/** A raw block device in the container. */
export interface PodSpecContainerVolumeDevice {
  /** Name of a volume behind a claim. */
  readonly name: string;
  /** Path of the device. */
  readonly devicePath: string;
}

/** A check of the health of the container; exactly one action is set. */
export interface PodSpecContainerStartupProbe {
  readonly exec?: PodSpecContainerStartupProbeExec;
  readonly httpGet?: PodSpecContainerStartupProbeHttpGet;
  readonly tcpSocket?: PodSpecContainerStartupProbeTcpSocket;
  readonly grpc?: PodSpecContainerStartupProbeGrpc;
  /** Seconds after the start before it begins. */
  readonly initialDelaySeconds?: number;
  /** Seconds until a probe has failed; 1 when unset. */
  readonly timeoutSeconds?: number;
  /** Seconds between two probes; 10 when unset. */
  readonly periodSeconds?: number;
  /** How many successes in a row make a success; 1 when unset. */
  readonly successThreshold?: number;
  /** How many failures in a row make a failure; 3 when unset. */
  readonly failureThreshold?: number;
  /** Seconds that the Pod is given to end after a failure. */
  readonly terminationGracePeriodSeconds?: number;
}

/** A command. */
export interface PodSpecContainerStartupProbeExec {
  /** The command and its arguments; no shell. */
  readonly command?: readonly string[];
}

/** An HTTP request. */
export interface PodSpecContainerStartupProbeHttpGet {
  /** The path. */
  readonly path: string;
  /** Number or name of the port. */
  readonly port: number | string;
  /** The host; the address of the Pod when empty. */
  readonly host?: string;
  /** `HTTP` or `HTTPS`. */
  readonly scheme: string;
  /** Headers of the request. */
  readonly httpHeaders?: readonly PodSpecContainerStartupProbeHttpGetHttpHeader[];
}

/** A header. */
export interface PodSpecContainerStartupProbeHttpGetHttpHeader {
  /** Its name. */
  readonly name: string;
  /** Its value. */
  readonly value: string;
}

/** A connection. */
export interface PodSpecContainerStartupProbeTcpSocket {
  /** Number or name of the port. */
  readonly port: number | string;
  /** The host; the address of the Pod when empty. */
  readonly host?: string;
}

/** A call of the gRPC health service. */
export interface PodSpecContainerStartupProbeGrpc {
  /** Number of the port. */
  readonly port: number;
  /** Name of the service. */
  readonly service: string;
}

/** Actions after the start of the container and before its end. */
export interface PodSpecContainerLifecycle {
  readonly postStart?: PodSpecContainerLifecyclePreStop;
  readonly preStop?: PodSpecContainerLifecyclePreStop;
  /** The signal that ends the container. */
  readonly stopSignal?: string;
}

/** An action; exactly one member is set. */
export interface PodSpecContainerLifecyclePreStop {
  readonly exec?: PodSpecContainerStartupProbeExec;
  readonly httpGet?: PodSpecContainerStartupProbeHttpGet;
  readonly tcpSocket?: PodSpecContainerStartupProbeTcpSocket;
  readonly sleep?: PodSpecContainerLifecyclePreStopSleep;
}

/** A pause. */
export interface PodSpecContainerLifecyclePreStopSleep {
  /** Seconds to wait. */
  readonly seconds: number;
}

/** The security settings of the container. */
export interface PodSpecContainerSecurityContext {
  readonly capabilities?: PodSpecContainerSecurityContextCapabilities;
  /** Whether processes are as good as root on the node. */
  readonly privileged?: boolean;
  readonly seLinuxOptions?: PodSpecSecurityContextSeLinuxOptions;
  readonly windowsOptions?: PodSpecSecurityContextWindowsOptions;
  /** The user id. */
  readonly runAsUser?: number;
  /** The group id. */
  readonly runAsGroup?: number;
  /** Whether user 0 is refused. */
  readonly runAsNonRoot?: boolean;
  /** Whether the root file system is read-only. */
  readonly readOnlyRootFilesystem?: boolean;
  /** Whether a process may get more rights than its parent. */
  readonly allowPrivilegeEscalation?: boolean;
  /** `Default` or `Unmasked`. */
  readonly procMount?: string;
  readonly seccompProfile?: PodSpecSecurityContextSeccompProfile;
  readonly appArmorProfile?: PodSpecSecurityContextAppArmorProfile;
}

/** Capabilities of the kernel. */
export interface PodSpecContainerSecurityContextCapabilities {
  /** Those to add. */
  readonly add?: readonly string[];
  /** Those to take away. */
  readonly drop?: readonly string[];
}

/** Labels of SELinux. */
export interface PodSpecSecurityContextSeLinuxOptions {
  /** The user label. */
  readonly user?: string;
  /** The role label. */
  readonly role?: string;
  /** The type label. */
  readonly type?: string;
  /** The level label. */
  readonly level?: string;
}

/** Settings that only Windows has. */
export interface PodSpecSecurityContextWindowsOptions {
  /** Name of the credential spec. */
  readonly gmsaCredentialSpecName?: string;
  /** The credential spec itself. */
  readonly gmsaCredentialSpec?: string;
  /** The user. */
  readonly runAsUserName?: string;
  /** Whether processes run on the host. */
  readonly hostProcess?: boolean;
}

/** Which system calls are allowed. */
export interface PodSpecSecurityContextSeccompProfile {
  /** `RuntimeDefault`, `Unconfined` or `Localhost`. */
  readonly type: string;
  /** File with the profile on the node, for Localhost. */
  readonly localhostProfile?: string;
}

/** The AppArmor profile. */
export interface PodSpecSecurityContextAppArmorProfile {
  /** `RuntimeDefault`, `Unconfined` or `Localhost`. */
  readonly type: string;
  /** Name of the profile on the node, for Localhost. */
  readonly localhostProfile?: string;
}

/** A container that is put into a running Pod to look around. */
export interface PodSpecEphemeralContainer {
  /** Name of the container, a DNS label; it cannot change. */
  readonly name: string;
  /** The image. */
  readonly image?: string;
  /** The entry point; that of the image when empty. */
  readonly command?: readonly string[];
  /** Arguments of the entry point; those of the image when empty. */
  readonly args?: readonly string[];
  /** The working directory; that of the image when empty. */
  readonly workingDir?: string;
  /** The ports of the container. */
  readonly ports?: readonly PodSpecContainerPort[];
  /** Sources of environment variables. */
  readonly envFrom?: readonly PodSpecContainerEnvFrom[];
  /** Environment variables. */
  readonly env?: readonly PodSpecContainerEnv[];
  readonly resources: PodSpecEphemeralContainerResources;
  /** The effects of changes of resources. */
  readonly resizePolicy?: readonly PodSpecContainerResizePolicy[];
  /** `Always` for an init container that keeps running; else that of the Pod. */
  readonly restartPolicy?: string;
  /** When the container is restarted, by exit code. */
  readonly restartPolicyRules?: readonly PodSpecContainerRestartPolicyRule[];
  /** The volumes in the file system. */
  readonly volumeMounts?: readonly PodSpecContainerVolumeMount[];
  /** The raw block devices. */
  readonly volumeDevices?: readonly PodSpecContainerVolumeDevice[];
  readonly livenessProbe?: PodSpecContainerStartupProbe;
  readonly readinessProbe?: PodSpecContainerStartupProbe;
  readonly startupProbe?: PodSpecContainerStartupProbe;
  readonly lifecycle?: PodSpecContainerLifecycle;
  /** File with the last message of the container. */
  readonly terminationMessagePath?: string;
  /** `File`, or `FallbackToLogsOnError`. */
  readonly terminationMessagePolicy?: string;
  /** `Always`, `Never` or `IfNotPresent`; by the tag of the image when unset. */
  readonly imagePullPolicy?: string;
  readonly securityContext?: PodSpecContainerSecurityContext;
  /** Whether there is a standard input. */
  readonly stdin?: boolean;
  /** Whether it is closed after the first client. */
  readonly stdinOnce?: boolean;
  /** Whether there is a terminal. */
  readonly tty?: boolean;
  /** The container whose processes are to be seen. */
  readonly targetContainerName?: string;
}

/** The requests and the limits. */
export interface PodSpecEphemeralContainerResources {
  /** The most that may be used. */
  readonly limits?: { readonly [key: string]: string };
  /** The requested resources; the limits when unset. */
  readonly requests?: { readonly [key: string]: string };
  /** The resource claims that are used. */
  readonly claims?: readonly PodSpecResourcesClaim[];
}

/** The security settings of all containers of the Pod, unless they have their own. */
export interface PodSpecSecurityContext {
  readonly seLinuxOptions?: PodSpecSecurityContextSeLinuxOptions;
  readonly windowsOptions?: PodSpecSecurityContextWindowsOptions;
  /** The user id. */
  readonly runAsUser?: number;
  /** The group id. */
  readonly runAsGroup?: number;
  /** Whether user 0 is refused. */
  readonly runAsNonRoot?: boolean;
  /** More group ids. */
  readonly supplementalGroups?: readonly number[];
  /** `Merge` or `Strict`. */
  readonly supplementalGroupsPolicy?: string;
  /** The group that owns the volumes. */
  readonly fsGroup?: number;
  /** Parameters of the kernel. */
  readonly sysctls?: readonly PodSpecSecurityContextSysctl[];
  /** `OnRootMismatch` or `Always`. */
  readonly fsGroupChangePolicy?: string;
  readonly seccompProfile?: PodSpecSecurityContextSeccompProfile;
  readonly appArmorProfile?: PodSpecSecurityContextAppArmorProfile;
  /** `MountOption` or `Recursive`. */
  readonly seLinuxChangePolicy?: string;
}

/** A parameter of the kernel. */
export interface PodSpecSecurityContextSysctl {
  /** Its name. */
  readonly name: string;
  /** Its value. */
  readonly value: string;
}

/** The affinity and anti-affinity of the Pod. */
export interface PodSpecAffinity {
  readonly nodeAffinity?: PodSpecAffinityNodeAffinity;
  readonly podAffinity?: PodSpecAffinityPodAffinity;
  readonly podAntiAffinity?: PodSpecAffinityPodAntiAffinity;
}

/** The nodes that are meant. */
export interface PodSpecAffinityNodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: ResourceSliceSpecNodeSelector;
  /** The preferences. */
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PodSpecAffinityNodeAffinityPreferredDuringSchedulingIgnoredDuringExecution[];
}

/** Selects nodes: those that any of the terms matches. */
export interface ResourceSliceSpecNodeSelector {
  /** The alternatives. */
  readonly nodeSelectorTerms: readonly ResourceSliceSpecNodeSelectorNodeSelectorTerm[];
}

/** Requirements for a node, all of which must hold. An empty term matches no node. */
export interface ResourceSliceSpecNodeSelectorNodeSelectorTerm {
  /** Requirements for the labels of the node. */
  readonly matchExpressions?: readonly ResourceSliceSpecNodeSelectorNodeSelectorTermMatchField[];
  /** Requirements for the fields of the node. */
  readonly matchFields?: readonly ResourceSliceSpecNodeSelectorNodeSelectorTermMatchField[];
}

/** A requirement for a node. */
export interface ResourceSliceSpecNodeSelectorNodeSelectorTermMatchField {
  /** The label, or the member. */
  readonly key: string;
  /** `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`. */
  readonly operator: string;
  /** The values of In and NotIn; one number for Gt and Lt. */
  readonly values?: readonly string[];
}

/** A wish and its weight. */
export interface PodSpecAffinityNodeAffinityPreferredDuringSchedulingIgnoredDuringExecution {
  /** 1 to 100. */
  readonly weight: number;
  readonly preference: ResourceSliceSpecNodeSelectorNodeSelectorTerm;
}

/** Pods near which the Pod is to run. */
export interface PodSpecAffinityPodAffinity {
  /** The requirements. */
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodSpecAffinityPodAffinityRequiredDuringSchedulingIgnoredDuringExecution[];
  /** The preferences. */
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PodSpecAffinityPodAffinityPreferredDuringSchedulingIgnoredDuringExecution[];
}

/** Pods near or far from which the Pod is to run. */
export interface PodSpecAffinityPodAffinityRequiredDuringSchedulingIgnoredDuringExecution {
  readonly labelSelector?: JobSpecSelector;
  /** The namespaces of the pods. */
  readonly namespaces?: readonly string[];
  /** The label of nodes that defines a topology domain. */
  readonly topologyKey: string;
  readonly namespaceSelector?: JobSpecSelector;
  /** Labels whose values must be those of the Pod. */
  readonly matchLabelKeys?: readonly string[];
  /** Labels whose values must differ from those of the Pod. */
  readonly mismatchLabelKeys?: readonly string[];
}

/** A wish and its weight. */
export interface PodSpecAffinityPodAffinityPreferredDuringSchedulingIgnoredDuringExecution {
  /** 1 to 100. */
  readonly weight: number;
  readonly podAffinityTerm: PodSpecAffinityPodAffinityRequiredDuringSchedulingIgnoredDuringExecution;
}

/** Pods far from which the Pod is to run. */
export interface PodSpecAffinityPodAntiAffinity {
  /** The requirements. */
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodSpecAffinityPodAffinityRequiredDuringSchedulingIgnoredDuringExecution[];
  /** The preferences. */
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PodSpecAffinityPodAffinityPreferredDuringSchedulingIgnoredDuringExecution[];
}

/** A taint that does not keep the Pod away. */
export interface PodSpecToleration {
  /** The key of the taint; all when empty. */
  readonly key?: string;
  /** `Equal` when unset, or `Exists`. */
  readonly operator?: string;
  /** The value of the taint. */
  readonly value?: string;
  /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`; all when empty. */
  readonly effect?: string;
  /** Seconds that a NoExecute taint is tolerated. */
  readonly tolerationSeconds?: number;
}

/** A line of the hosts file. */
export interface PodSpecHostAlias {
  /** The address. */
  readonly ip: string;
  /** Its names. */
  readonly hostnames?: readonly string[];
}

/** Parameters of name resolution. */
export interface PodSpecDnsConfig {
  /** Addresses of servers. */
  readonly nameservers?: readonly string[];
  /** Search domains. */
  readonly searches?: readonly string[];
  /** Options of the resolver. */
  readonly options?: readonly PodSpecDnsConfigOption[];
}

/** An option of the resolver. */
export interface PodSpecDnsConfigOption {
  /** Its name. */
  readonly name?: string;
  /** Its value. */
  readonly value?: string;
}

/** A condition. */
export interface PodSpecReadinessGate {
  /** Its type. */
  readonly conditionType: string;
}

/** How pods are spread over nodes. */
export interface PodSpecTopologySpreadConstraint {
  /** How unevenly at most. */
  readonly maxSkew: number;
  /** The label of nodes that defines a topology domain. */
  readonly topologyKey: string;
  /** `DoNotSchedule` or `ScheduleAnyway`. */
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: JobSpecSelector;
  /** How many places there must be. */
  readonly minDomains?: number;
  /** `Honor` or `Ignore`. */
  readonly nodeAffinityPolicy?: string;
  /** `Honor` or `Ignore`. */
  readonly nodeTaintsPolicy?: string;
  /** Labels whose values must be those of the Pod. */
  readonly matchLabelKeys?: readonly string[];
}

/** The operating system. */
export interface PodSpecOs {
  /** `linux` or `windows`. */
  readonly name: string;
}

/** A gate. */
export interface PodSpecSchedulingGate {
  /** Its name. */
  readonly name: string;
}

/** A resource claim by the name that containers know it by. */
export interface PodSpecResourceClaim {
  /** The name that containers use. */
  readonly name: string;
  /** A ResourceClaim. */
  readonly resourceClaimName?: string;
  /** A ResourceClaimTemplate. */
  readonly resourceClaimTemplateName?: string;
}

/** The requests and the limits. */
export interface PodSpecResources {
  /** The most that may be used. */
  readonly limits?: { readonly [key: string]: string };
  /** The requested resources; the limits when unset. */
  readonly requests?: { readonly [key: string]: string };
  /** The resource claims that are used. */
  readonly claims?: readonly PodSpecResourcesClaim[];
}

/** The group of pods that the Pod is scheduled with. */
export interface PodSpecWorkloadRef {
  /** The Workload. */
  readonly name: string;
  /** The group in the Workload. */
  readonly podGroup: string;
  /** Which of the replicas of the group. */
  readonly podGroupReplicaKey?: string;
}

/** The Jobs that have begun. */
export interface CronJobStatus {
  /** The Jobs that run. */
  readonly active?: readonly EventRelated[];
  /** When a Job began last. */
  readonly lastScheduleTime?: string;
  /** When a Job had succeeded last. */
  readonly lastSuccessfulTime?: string;
}

/** A kind that is served like the built-in ones, as long as its definition exists. */
export interface CustomResourceDefinition {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: CustomResourceDefinitionSpec;
  readonly status: CustomResourceDefinitionStatus;
}

/** The properties of the kind. */
export interface CustomResourceDefinitionSpec {
  /** The API group. */
  readonly group: string;
  readonly names: CustomResourceDefinitionSpecNames;
  /** Cluster or Namespaced. */
  readonly scope: string;
  /** The versions of the kind. */
  readonly versions: readonly CustomResourceDefinitionSpecVersion[];
  readonly conversion?: CustomResourceDefinitionSpecConversion;
  /** Not supported; see x-kubernetes-preserve-unknown-fields. */
  readonly preserveUnknownFields?: boolean;
}

/** The names of the kind. */
export interface CustomResourceDefinitionSpecNames {
  /** The name of the resource in paths, in lower case. */
  readonly plural: string;
  /** One of them, for people; the kind in lower case by default. */
  readonly singular?: string;
  /** Shorter names for commands. */
  readonly shortNames?: readonly string[];
  /** The kind of an object. */
  readonly kind: string;
  /** The kind of a list; the kind and `List` by default. */
  readonly listKind?: string;
  /** Groups of resources that it belongs to, such as `all`. */
  readonly categories?: readonly string[];
}

/** A version of the kind. */
export interface CustomResourceDefinitionSpecVersion {
  /** The name of the version: v1, v1beta1. */
  readonly name: string;
  /** Whether it is served. */
  readonly served: boolean;
  /** Whether objects are stored in it; one version is. */
  readonly storage: boolean;
  /** Whether responses carry a warning. */
  readonly deprecated?: boolean;
  /** The words of that warning. */
  readonly deprecationWarning?: string;
  readonly schema?: CustomResourceDefinitionSpecVersionSchema;
  readonly subresources?: CustomResourceDefinitionSpecVersionSubresources;
  /** The columns of `kubectl get`; the age by default. */
  readonly additionalPrinterColumns?: readonly CustomResourceDefinitionSpecVersionAdditionalPrinterColumn[];
  /** Fields that selectors may name; at most eight. */
  readonly selectableFields?: readonly CustomResourceDefinitionSpecVersionSelectableField[];
}

/** How objects look in this version. */
export interface CustomResourceDefinitionSpecVersionSchema {
  readonly openAPIV3Schema?: CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema;
}

/** A schema of values. */
export interface CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema {
  /** Not supported. */
  readonly id?: string;
  /** The dialect of the schema; it is not used. */
  readonly $schema?: string;
  /** Not supported. */
  readonly $ref?: string;
  /** The description of the value, for `kubectl explain`. */
  readonly description?: string;
  /** object, array, string, integer, number or boolean. */
  readonly type?: string;
  /** The form of a text or the size of a number: date-time, int64, byte and others. */
  readonly format?: string;
  /** A name of the value, for people. */
  readonly title?: string;
  /** The value of a member that is missing. */
  readonly default?: unknown;
  /** The greatest value that is allowed. */
  readonly maximum?: number;
  /** Whether the maximum itself is not allowed. */
  readonly exclusiveMaximum?: boolean;
  /** The least value that is allowed. */
  readonly minimum?: number;
  /** Whether the minimum itself is not allowed. */
  readonly exclusiveMinimum?: boolean;
  /** How many characters a text may have. */
  readonly maxLength?: number;
  /** How many characters a text must have. */
  readonly minLength?: number;
  /** A regular expression that is found in the text. */
  readonly pattern?: string;
  /** How many elements a list may have. */
  readonly maxItems?: number;
  /** How many elements a list must have. */
  readonly minItems?: number;
  /** Not supported; see x-kubernetes-list-type. */
  readonly uniqueItems?: boolean;
  /** The number must be a multiple of this one. */
  readonly multipleOf?: number;
  /** The values that are allowed. */
  readonly enum?: readonly unknown[];
  /** How many members an object may have. */
  readonly maxProperties?: number;
  /** How many members an object must have. */
  readonly minProperties?: number;
  /** The members that must be there. */
  readonly required?: readonly string[];
  /** The schema of the elements of a list. */
  readonly items?: CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema | readonly CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema[];
  /** The value must fit all of these. */
  readonly allOf?: readonly CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema[];
  /** The value must fit exactly one of these. */
  readonly oneOf?: readonly CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema[];
  /** The value must fit at least one of these. */
  readonly anyOf?: readonly CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema[];
  readonly not?: CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema;
  /** The members of an object. */
  readonly properties?: { readonly [key: string]: CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema };
  /** The schema of the values of a map. */
  readonly additionalProperties?: CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema | boolean;
  /** Not supported. */
  readonly patternProperties?: { readonly [key: string]: CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema };
  /** Not supported. */
  readonly dependencies?: { readonly [key: string]: CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema | readonly string[] };
  /** Not supported. */
  readonly additionalItems?: CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema | boolean;
  /** Not supported. */
  readonly definitions?: { readonly [key: string]: CustomResourceDefinitionSpecVersionSchemaOpenAPIV3Schema };
  readonly externalDocs?: CustomResourceDefinitionSpecVersionSchemaOpenAPIV3SchemaExternalDocs;
  /** An example of a valid value; it is not used. */
  readonly example?: unknown;
  /** Whether null is allowed. */
  readonly nullable?: boolean;
  /** Keeps members that the schema does not name. */
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  /** The value is an object of a kind: with apiVersion, kind and metadata. */
  readonly "x-kubernetes-embedded-resource"?: boolean;
  /** The value is an integer or a text. */
  readonly "x-kubernetes-int-or-string"?: boolean;
  /** The members that tell the elements of a list apart. */
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  /** How writers share a list: atomic, set or map. */
  readonly "x-kubernetes-list-type"?: string;
  /** How writers share an object: granular or atomic. */
  readonly "x-kubernetes-map-type"?: string;
  /** Rules in CEL that the value must obey. */
  readonly "x-kubernetes-validations"?: readonly CustomResourceDefinitionSpecVersionSchemaOpenAPIV3SchemaXKubernetesValidation[];
}

/** External documentation. */
export interface CustomResourceDefinitionSpecVersionSchemaOpenAPIV3SchemaExternalDocs {
  /** The description of that documentation. */
  readonly description?: string;
  /** The address. */
  readonly url?: string;
}

/** A rule that values must obey, written in CEL. */
export interface CustomResourceDefinitionSpecVersionSchemaOpenAPIV3SchemaXKubernetesValidation {
  /** The expression; `self` is the value, `oldSelf` the old one. It must be true. */
  readonly rule: string;
  /** The message of a violation. */
  readonly message?: string;
  /** An expression that returns the message; `message` is used where it fails. */
  readonly messageExpression?: string;
  /** The reason of the cause: FieldValueInvalid unless another one is given. */
  readonly reason?: string;
  /** Which member below the value the cause names. */
  readonly fieldPath?: string;
  /** Whether `oldSelf` is an optional value, so that the rule applies to new values too. */
  readonly optionalOldSelf?: boolean;
}

/** Other ways to an object. */
export interface CustomResourceDefinitionSpecVersionSubresources {
  readonly status?: CustomResourceDefinitionSpecVersionSubresourcesStatus;
  readonly scale?: CustomResourceDefinitionSpecVersionSubresourcesScale;
}

/** The status is written by a path of its own. */
export interface CustomResourceDefinitionSpecVersionSubresourcesStatus {}

/** The object can be scaled. */
export interface CustomResourceDefinitionSpecVersionSubresourcesScale {
  /** The path of the desired number, below `.spec`. */
  readonly specReplicasPath: string;
  /** The path of the current number, below `.status`. */
  readonly statusReplicasPath: string;
  /** The path of the selector of the scaled objects, a text. */
  readonly labelSelectorPath?: string;
}

/** A column of `kubectl get`. */
export interface CustomResourceDefinitionSpecVersionAdditionalPrinterColumn {
  /** The heading of the column. */
  readonly name: string;
  /** integer, number, string, boolean or date. */
  readonly type: string;
  /** How the value is written. */
  readonly format?: string;
  /** The description of the column. */
  readonly description?: string;
  /** 0 is always shown, more only in wide tables. */
  readonly priority?: number;
  /** The path of the value in the object. */
  readonly jsonPath: string;
}

/** A field that selectors may name. */
export interface CustomResourceDefinitionSpecVersionSelectableField {
  /** The path of the field, such as `.spec.color`. */
  readonly jsonPath: string;
}

/** How objects come from one version to another. */
export interface CustomResourceDefinitionSpecConversion {
  /** None: only apiVersion changes. Webhook: a webhook converts. */
  readonly strategy: string;
  readonly webhook?: CustomResourceDefinitionSpecConversionWebhook;
}

/** How the webhook is called. */
export interface CustomResourceDefinitionSpecConversionWebhook {
  readonly clientConfig?: MutatingWebhookConfigurationWebhookClientConfig;
  /** The versions of ConversionReview that it supports. */
  readonly conversionReviewVersions: readonly string[];
}

/** The address of the webhook: a URL or a service. */
export interface MutatingWebhookConfigurationWebhookClientConfig {
  /** Its address, `https://...`. */
  readonly url?: string;
  readonly service?: MutatingWebhookConfigurationWebhookClientConfigService;
  /** PEM: the certificates that the one of the webhook must be signed by. */
  readonly caBundle?: string;
}

/** The Service of the webhook. */
export interface MutatingWebhookConfigurationWebhookClientConfigService {
  /** The namespace of the service. */
  readonly namespace: string;
  /** The name of the service. */
  readonly name: string;
  /** The path of the URL. */
  readonly path?: string;
  /** The port of the service, 443 by default. */
  readonly port?: number;
}

/** The status of the definition, which the server sets. */
export interface CustomResourceDefinitionStatus {
  /** The last observed states. */
  readonly conditions: readonly CustomResourceDefinitionStatusCondition[];
  readonly acceptedNames: CustomResourceDefinitionSpecNames;
  /** The versions in which objects may be stored. */
  readonly storedVersions: readonly string[];
  /** The generation of the definition that was seen. */
  readonly observedGeneration?: number;
}

/** The last observed state of one aspect of the definition. */
export interface CustomResourceDefinitionStatusCondition {
  /** The aspect: Established, NamesAccepted, Terminating and others. */
  readonly type: string;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  /** When the status last changed. */
  readonly lastTransitionTime?: string;
  /** Why, in one word. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
  /** The generation of the definition that was seen. */
  readonly observedGeneration?: number;
}

/** One Pod of a template on each matching node. */
export interface DaemonSet {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: DaemonSetSpec;
  readonly status: DaemonSetStatus;
}

/** The desired state. */
export interface DaemonSetSpec {
  readonly selector: JobSpecSelector | null;
  readonly template: JobSpecTemplate;
  readonly updateStrategy: DaemonSetSpecUpdateStrategy;
  /** How long a Pod must be ready before it counts as available. */
  readonly minReadySeconds?: number;
  /** How many old revisions are kept; 10 by default. */
  readonly revisionHistoryLimit?: number;
}

/** How Pods of an old template are replaced. */
export interface DaemonSetSpecUpdateStrategy {
  /** RollingUpdate: some nodes at a time. OnDelete: when they are deleted. */
  readonly type?: string;
  readonly rollingUpdate?: DaemonSetSpecUpdateStrategyRollingUpdate;
}

/** How many nodes at a time; one of the two is 0. */
export interface DaemonSetSpecUpdateStrategyRollingUpdate {
  /** On how many nodes a Pod may be missing, as a number or a percentage. */
  readonly maxUnavailable?: number | string;
  /** On how many nodes there may be two, as a number or a percentage. */
  readonly maxSurge?: number | string;
}

/** On how many nodes the Pods are. */
export interface DaemonSetStatus {
  /** Nodes that have a Pod and should have one. */
  readonly currentNumberScheduled: number;
  /** Nodes that have a Pod and should have none. */
  readonly numberMisscheduled: number;
  /** Nodes that should have a Pod. */
  readonly desiredNumberScheduled: number;
  /** Nodes with a Pod that is ready. */
  readonly numberReady: number;
  /** The generation of the object that the status speaks of. */
  readonly observedGeneration?: number;
  /** Nodes with a Pod of the current template. */
  readonly updatedNumberScheduled?: number;
  /** Nodes with a Pod that has been ready for long enough. */
  readonly numberAvailable?: number;
  /** Nodes that should have such a Pod and have none. */
  readonly numberUnavailable?: number;
  /** How often a name of a revision was taken. */
  readonly collisionCount?: number;
  /** The conditions of the set. */
  readonly conditions?: readonly DaemonSetStatusCondition[];
}

/** A condition of the workload. */
export interface DaemonSetStatusCondition {
  /** The type of the condition. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the status last changed. */
  readonly lastTransitionTime?: string | null;
  /** Why, for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

/** Pods of one template, which are replaced step by step when the template changes. */
export interface Deployment {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: DeploymentSpec;
  readonly status: DeploymentStatus;
}

/** The desired state. */
export interface DeploymentSpec {
  /** The desired number of Pods; 1 by default. */
  readonly replicas?: number;
  readonly selector: JobSpecSelector | null;
  readonly template: JobSpecTemplate;
  readonly strategy: DeploymentSpecStrategy;
  /** How long a Pod must be ready before it counts as available. */
  readonly minReadySeconds?: number;
  /** How many old revisions are kept; 10 by default. */
  readonly revisionHistoryLimit?: number;
  /** Whether a change of the template waits. */
  readonly paused?: boolean;
  /** After how long without progress it has failed; 600 by default. */
  readonly progressDeadlineSeconds?: number;
}

/** How Pods of an old template are replaced. */
export interface DeploymentSpecStrategy {
  /** RollingUpdate: some at a time. Recreate: all old ones go first. */
  readonly type?: string;
  readonly rollingUpdate?: DeploymentSpecStrategyRollingUpdate;
}

/** How many at a time. */
export interface DeploymentSpecStrategyRollingUpdate {
  /** How many Pods may be missing, as a number or a percentage. */
  readonly maxUnavailable?: number | string;
  /** How many Pods may exist above the desired number, or a percentage of it. */
  readonly maxSurge?: number | string;
}

/** How far the deployment is. */
export interface DeploymentStatus {
  /** The generation of the object that the status speaks of. */
  readonly observedGeneration?: number;
  /** Pods that there are. */
  readonly replicas?: number;
  /** Pods of the current template. */
  readonly updatedReplicas?: number;
  /** Pods that are ready. */
  readonly readyReplicas?: number;
  /** Pods that have been ready for long enough. */
  readonly availableReplicas?: number;
  /** Pods that are missing. */
  readonly unavailableReplicas?: number;
  /** Pods that are about to go. */
  readonly terminatingReplicas?: number;
  /** The conditions of the deployment. */
  readonly conditions?: readonly DeploymentStatusCondition[];
  /** How often a name of a revision was taken. */
  readonly collisionCount?: number;
}

/** A condition of the deployment. */
export interface DeploymentStatusCondition {
  /** The type of the condition: Available, Progressing or ReplicaFailure. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When it was last written. */
  readonly lastUpdateTime?: string | null;
  /** When the status last changed. */
  readonly lastTransitionTime?: string | null;
  /** Why, for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

/** A class of devices. */
export interface DeviceClass {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: DeviceClassSpec;
}

/** Which devices they are. */
export interface DeviceClassSpec {
  /** Expressions that must all be true for each device; at most 32. */
  readonly selectors?: readonly DeviceClassSpecSelector[];
  /** Configurations for drivers; at most 32. */
  readonly config?: readonly DeviceClassSpecConfig[];
  /** The extended resource by which containers request devices of this class, such as example.com/gpu. */
  readonly extendedResourceName?: string;
}

/** Which devices are fit. */
export interface DeviceClassSpecSelector {
  readonly cel?: DeviceClassSpecSelectorCel;
}

/** An expression in the Common Expression Language. */
export interface DeviceClassSpecSelectorCel {
  /** It speaks of one `device`, which is fit where it is true; at most 10 KiB, and not too dear. */
  readonly expression: string;
}

/** A configuration of devices. */
export interface DeviceClassSpecConfig {
  readonly opaque?: DeviceClassSpecConfigOpaque;
}

/** A configuration for its driver. */
export interface DeviceClassSpecConfigOpaque {
  /** The driver that it is for. */
  readonly driver: string;
  /** Parameters for the driver, an object; at most 10 KiB. */
  readonly parameters: unknown;
}

/** Some of the addresses of the Pods of a Service. */
export interface EndpointSlice {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The type of the addresses: IPv4, IPv6 or FQDN. */
  readonly addressType: string;
  /** The programs, at most 1000. */
  readonly endpoints: readonly EndpointSliceEndpoint[];
  /** The ports of each of them. */
  readonly ports: readonly EndpointSlicePort[];
}

/** A program. */
export interface EndpointSliceEndpoint {
  /** Its addresses: any of them leads to it. */
  readonly addresses: readonly string[];
  readonly conditions: EndpointSliceEndpointConditions;
  /** Its name in the Service. */
  readonly hostname?: string;
  readonly targetRef?: EventRelated;
  /** The topology in the form of old clients; values that are sent are dropped. */
  readonly deprecatedTopology?: { readonly [key: string]: string };
  /** The node that it is on. */
  readonly nodeName?: string;
  /** The zone that it is in. */
  readonly zone?: string;
  readonly hints?: EndpointSliceEndpointHints;
}

/** How it is. */
export interface EndpointSliceEndpointConditions {
  /** Whether it takes requests; unset is yes. */
  readonly ready?: boolean;
  /** Whether it responds, also while it terminates. */
  readonly serving?: boolean;
  /** Whether it ends. */
  readonly terminating?: boolean;
}

/** The clients that should use it. */
export interface EndpointSliceEndpointHints {
  /** The zones that should. */
  readonly forZones?: readonly EndpointSliceEndpointHintsForZone[];
  /** The nodes that should. */
  readonly forNodes?: readonly EndpointSliceEndpointHintsForNode[];
}

/** A zone. */
export interface EndpointSliceEndpointHintsForZone {
  /** Its name. */
  readonly name: string;
}

/** A node. */
export interface EndpointSliceEndpointHintsForNode {
  /** Its name. */
  readonly name: string;
}

/** A port of the programs. */
export interface EndpointSlicePort {
  /** Its name; empty for the only one. */
  readonly name?: string;
  /** TCP, UDP or SCTP. */
  readonly protocol?: string;
  /** Its number; all ports when unset. */
  readonly port?: number;
  /** The protocol of the application. */
  readonly appProtocol?: string;
}

/** The addresses of the Pods of a Service; EndpointSlices have more details. */
export interface Endpoints {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The programs. */
  readonly subsets?: readonly EndpointsSubset[];
}

/** Programs with the same ports. */
export interface EndpointsSubset {
  /** Those that take requests. */
  readonly addresses?: readonly EndpointsSubsetAddress[];
  /** Those that do not yet, or no more. */
  readonly notReadyAddresses?: readonly EndpointsSubsetAddress[];
  /** The ports of each of them. */
  readonly ports?: readonly EndpointsSubsetPort[];
}

/** The address of a program. */
export interface EndpointsSubsetAddress {
  /** Its address. */
  readonly ip: string;
  /** Its name in the Service. */
  readonly hostname?: string;
  /** The node that it is on. */
  readonly nodeName?: string;
  readonly targetRef?: EventRelated;
}

/** A port of the programs. */
export interface EndpointsSubsetPort {
  /** Its name; needed when there are several. */
  readonly name?: string;
  /** Its number. */
  readonly port: number;
  /** TCP, UDP or SCTP. */
  readonly protocol?: string;
  /** The protocol of the application. */
  readonly appProtocol?: string;
}

/** A report of something that happened, usually a change of state. It is kept for a limited time, its reason and note may change between occurrences, and no program should rely on it. */
export interface Event {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** When it was first observed. */
  readonly eventTime?: string | null;
  readonly series?: EventSeries;
  /** Name of the controller that reported it. */
  readonly reportingController?: string;
  /** The instance of the controller; at most 128 characters. */
  readonly reportingInstance?: string;
  /** The action that was taken or failed, for programs; at most 128 characters. */
  readonly action?: string;
  /** Why it was done, for people; at most 128 characters. */
  readonly reason?: string;
  readonly regarding: EventRelated;
  readonly related?: EventRelated;
  /** How the action went, for people; at most 1 kB, and readers should be ready for 64 kB. */
  readonly note?: string;
  /** Normal or Warning; readers should be ready for others. */
  readonly type?: string;
  readonly deprecatedSource: EventDeprecatedSource;
  /** When an event of the older kind was first seen. */
  readonly deprecatedFirstTimestamp?: string | null;
  /** When an event of the older kind was last seen. */
  readonly deprecatedLastTimestamp?: string | null;
  /** How often an event of the older kind was seen. */
  readonly deprecatedCount?: number;
}

/** Data about repeated occurrences. */
export interface EventSeries {
  /** How often it was seen, up to the last heartbeat. */
  readonly count: number;
  /** When it was last seen before the last heartbeat. */
  readonly lastObservedTime: string;
}

/** The source of an event of the older form. */
export interface EventDeprecatedSource {
  /** The component that reported it. */
  readonly component?: string;
  /** The node that it reported from. */
  readonly host?: string;
}

/** Deletes a Pod, if the PodDisruptionBudget that selects it allows it. */
export interface Eviction {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly deleteOptions?: EvictionDeleteOptions;
}

/** How to delete. */
export interface EvictionDeleteOptions {
  /** The version of these options. */
  readonly apiVersion?: string;
  /** DeleteOptions. */
  readonly kind?: string;
  /** Seconds to wait; what the object says by default. */
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: EvictionDeleteOptionsPreconditions;
  /** Whether what belongs to the object stays; propagationPolicy says more. */
  readonly orphanDependents?: boolean;
  /** What happens to what belongs to the object: Background, Foreground or Orphan. */
  readonly propagationPolicy?: string;
  /** `All` to change nothing. */
  readonly dryRun?: readonly string[];
  /** Whether damaged objects are deleted unread. */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

/** What must be so. */
export interface EvictionDeleteOptionsPreconditions {
  /** The UID of the object. */
  readonly uid?: string;
  /** Its version. */
  readonly resourceVersion?: string;
}

/** Assigns requests to a priority level, and to flows. */
export interface FlowSchema {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: FlowSchemaSpec;
  readonly status: FlowSchemaStatus;
}

/** Which requests, and where they go. */
export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: FlowSchemaSpecPriorityLevelConfiguration;
  /** Of all matching schemas the one with the lowest number is used; 1000 by default. */
  readonly matchingPrecedence: number;
  readonly distinguisherMethod?: FlowSchemaSpecDistinguisherMethod;
  /** The requests: those that one of the rules speaks of. */
  readonly rules?: readonly FlowSchemaSpecRule[];
}

/** The level that takes them. */
export interface FlowSchemaSpecPriorityLevelConfiguration {
  /** The name of the level. */
  readonly name: string;
}

/** How flows are distinguished; without it all requests are one flow. */
export interface FlowSchemaSpecDistinguisherMethod {
  /** ByUser or ByNamespace. */
  readonly type: string;
}

/** Subjects and requests. */
export interface FlowSchemaSpecRule {
  /** The senders: one of them must match. */
  readonly subjects: readonly FlowSchemaSpecRuleSubject[] | null;
  /** The requested resources: one of them, or of the other rules, must match. */
  readonly resourceRules?: readonly FlowSchemaSpecRuleResourceRule[];
  /** The requested paths. */
  readonly nonResourceRules?: readonly FlowSchemaSpecRuleNonResourceRule[];
}

/** The sender of a request. */
export interface FlowSchemaSpecRuleSubject {
  /** User, Group or ServiceAccount; the member of that name identifies it. */
  readonly kind: string;
  readonly user?: FlowSchemaSpecRuleSubjectUser;
  readonly group?: FlowSchemaSpecRuleSubjectGroup;
  readonly serviceAccount?: FlowSchemaSpecRuleSubjectServiceAccount;
}

/** A user. */
export interface FlowSchemaSpecRuleSubjectUser {
  /** The name, or * for all. */
  readonly name: string;
}

/** A group. */
export interface FlowSchemaSpecRuleSubjectGroup {
  /** The name, or * for any. */
  readonly name: string;
}

/** A service account. */
export interface FlowSchemaSpecRuleSubjectServiceAccount {
  /** Its namespace. */
  readonly namespace: string;
  /** Its name, or * for all of the namespace. */
  readonly name: string;
}

/** Requests for resources. */
export interface FlowSchemaSpecRuleResourceRule {
  /** The verbs, or * alone. */
  readonly verbs: readonly string[] | null;
  /** The groups, an empty text for the core group, or * alone. */
  readonly apiGroups: readonly string[] | null;
  /** Resources and subresources (pods, pods/log), or * alone. */
  readonly resources: readonly string[] | null;
  /** Whether requests without a namespace are meant. */
  readonly clusterScope?: boolean;
  /** In which namespaces, or * alone for all. */
  readonly namespaces?: readonly string[] | null;
}

/** Requests for paths that are no resources. */
export interface FlowSchemaSpecRuleNonResourceRule {
  /** The verbs, or * alone. */
  readonly verbs: readonly string[] | null;
  /** The paths; /a/* is all below /a/, * alone any. */
  readonly nonResourceURLs: readonly string[] | null;
}

/** The state of the object, which the server sets. */
export interface FlowSchemaStatus {
  /** Its conditions, such as Dangling. */
  readonly conditions?: readonly FlowSchemaStatusCondition[];
}

/** A condition of the object. */
export interface FlowSchemaStatusCondition {
  /** The type of the condition. */
  readonly type?: string;
  /** True, False or Unknown. */
  readonly status?: string;
  /** When the status last changed. */
  readonly lastTransitionTime?: string | null;
  /** Why, for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

/** Changes the number of Pods of a workload according to metrics. */
export interface HorizontalPodAutoscaler {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly status: HorizontalPodAutoscalerStatus;
}

/** The desired state. */
export interface HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef: HorizontalPodAutoscalerSpecScaleTargetRef;
  /** The least number of Pods; 1 by default. */
  readonly minReplicas?: number;
  /** The greatest number of Pods. */
  readonly maxReplicas: number;
  /** The metrics, of which the one with the highest result decides; 80% of cpu by default. */
  readonly metrics?: readonly HorizontalPodAutoscalerSpecMetric[];
  readonly behavior?: HorizontalPodAutoscalerSpecBehavior;
}

/** An object of the same namespace. */
export interface HorizontalPodAutoscalerSpecScaleTargetRef {
  /** Its kind. */
  readonly kind: string;
  /** Its name. */
  readonly name: string;
  /** Group and version of its kind. */
  readonly apiVersion?: string;
}

/** A metric for the scaling. */
export interface HorizontalPodAutoscalerSpecMetric {
  /** Which of the members: ContainerResource, External, Object, Pods or Resource. */
  readonly type: string;
  readonly object?: HorizontalPodAutoscalerSpecMetricObject;
  readonly pods?: HorizontalPodAutoscalerSpecMetricPods;
  readonly resource?: HorizontalPodAutoscalerSpecMetricResource;
  readonly containerResource?: HorizontalPodAutoscalerSpecMetricContainerResource;
  readonly external?: HorizontalPodAutoscalerSpecMetricExternal;
}

/** A metric of one object of the cluster. */
export interface HorizontalPodAutoscalerSpecMetricObject {
  readonly describedObject: HorizontalPodAutoscalerSpecScaleTargetRef;
  readonly metric: HorizontalPodAutoscalerSpecMetricPodsMetric;
  readonly target: HorizontalPodAutoscalerSpecMetricPodsTarget;
}

/** Which metric. */
export interface HorizontalPodAutoscalerSpecMetricPodsMetric {
  /** Its name. */
  readonly name: string;
  readonly selector?: JobSpecSelector;
}

/** The target of the metric; one of the values. */
export interface HorizontalPodAutoscalerSpecMetricPodsTarget {
  /** Which of the values: Utilization, Value or AverageValue. */
  readonly type: string;
  /** The value itself. */
  readonly value?: string;
  /** The value divided by the number of Pods. */
  readonly averageValue?: string;
  /** The share of what the Pods ask for, in percent, on average. */
  readonly averageUtilization?: number;
}

/** A metric of each Pod, averaged. */
export interface HorizontalPodAutoscalerSpecMetricPods {
  readonly metric: HorizontalPodAutoscalerSpecMetricPodsMetric;
  readonly target: HorizontalPodAutoscalerSpecMetricPodsTarget;
}

/** The usage of a resource by the Pods. */
export interface HorizontalPodAutoscalerSpecMetricResource {
  /** The resource: cpu, memory. */
  readonly name: string;
  readonly target: HorizontalPodAutoscalerSpecMetricPodsTarget;
}

/** The usage of a resource by one container of each Pod. */
export interface HorizontalPodAutoscalerSpecMetricContainerResource {
  /** The resource: cpu, memory. */
  readonly name: string;
  /** The container. */
  readonly container: string;
  readonly target: HorizontalPodAutoscalerSpecMetricPodsTarget;
}

/** A metric from outside of the cluster. */
export interface HorizontalPodAutoscalerSpecMetricExternal {
  readonly metric: HorizontalPodAutoscalerSpecMetricPodsMetric;
  readonly target: HorizontalPodAutoscalerSpecMetricPodsTarget;
}

/** How fast the number of Pods changes. */
export interface HorizontalPodAutoscalerSpecBehavior {
  readonly scaleUp?: HorizontalPodAutoscalerSpecBehaviorScaleUp;
  readonly scaleDown?: HorizontalPodAutoscalerSpecBehaviorScaleUp;
}

/** How fast the number of Pods changes in one direction. */
export interface HorizontalPodAutoscalerSpecBehaviorScaleUp {
  /** The time in which earlier recommendations count, too; at most 3600 seconds. */
  readonly stabilizationWindowSeconds?: number;
  /** Which policy counts: Max, the one that allows most, Min, or Disabled, none. */
  readonly selectPolicy?: string;
  /** The permitted changes. */
  readonly policies?: readonly HorizontalPodAutoscalerSpecBehaviorScaleUpPolicy[];
  /** How far a metric may be off without any change, as a part of its target. */
  readonly tolerance?: string;
}

/** How much may change within a time. */
export interface HorizontalPodAutoscalerSpecBehaviorScaleUpPolicy {
  /** The unit of the value: Pods or Percent. */
  readonly type: string;
  /** How much may change. */
  readonly value: number;
  /** Within how many seconds; at most 1800. */
  readonly periodSeconds: number;
}

/** How it is. */
export interface HorizontalPodAutoscalerStatus {
  /** The generation of the object that the status speaks of. */
  readonly observedGeneration?: number;
  /** When the number of Pods was last changed. */
  readonly lastScaleTime?: string;
  /** How many Pods there were. */
  readonly currentReplicas?: number;
  /** How many Pods there are to be. */
  readonly desiredReplicas: number;
  /** The metrics as they were last read. */
  readonly currentMetrics?: readonly HorizontalPodAutoscalerStatusCurrentMetric[] | null;
  /** The conditions of the autoscaler. */
  readonly conditions?: readonly HorizontalPodAutoscalerStatusCondition[];
}

/** A metric as it was last read. */
export interface HorizontalPodAutoscalerStatusCurrentMetric {
  /** Which of the members: ContainerResource, External, Object, Pods or Resource. */
  readonly type: string;
  readonly object?: HorizontalPodAutoscalerStatusCurrentMetricObject;
  readonly pods?: HorizontalPodAutoscalerStatusCurrentMetricPods;
  readonly resource?: HorizontalPodAutoscalerStatusCurrentMetricResource;
  readonly containerResource?: HorizontalPodAutoscalerStatusCurrentMetricContainerResource;
  readonly external?: HorizontalPodAutoscalerStatusCurrentMetricExternal;
}

/** A metric of one object of the cluster. */
export interface HorizontalPodAutoscalerStatusCurrentMetricObject {
  readonly describedObject: HorizontalPodAutoscalerSpecScaleTargetRef;
  readonly metric: HorizontalPodAutoscalerSpecMetricPodsMetric;
  readonly current: HorizontalPodAutoscalerStatusCurrentMetricPodsCurrent;
}

/** The current value of the metric. */
export interface HorizontalPodAutoscalerStatusCurrentMetricPodsCurrent {
  /** The value itself. */
  readonly value?: string;
  /** The value divided by the number of Pods. */
  readonly averageValue?: string;
  /** The share of what the Pods ask for, in percent, on average. */
  readonly averageUtilization?: number;
}

/** A metric of each Pod, averaged. */
export interface HorizontalPodAutoscalerStatusCurrentMetricPods {
  readonly metric: HorizontalPodAutoscalerSpecMetricPodsMetric;
  readonly current: HorizontalPodAutoscalerStatusCurrentMetricPodsCurrent;
}

/** The usage of a resource by the Pods. */
export interface HorizontalPodAutoscalerStatusCurrentMetricResource {
  /** The resource: cpu, memory. */
  readonly name: string;
  readonly current: HorizontalPodAutoscalerStatusCurrentMetricPodsCurrent;
}

/** The usage of a resource by one container of each Pod. */
export interface HorizontalPodAutoscalerStatusCurrentMetricContainerResource {
  /** The resource: cpu, memory. */
  readonly name: string;
  /** The container. */
  readonly container: string;
  readonly current: HorizontalPodAutoscalerStatusCurrentMetricPodsCurrent;
}

/** A metric from outside of the cluster. */
export interface HorizontalPodAutoscalerStatusCurrentMetricExternal {
  readonly metric: HorizontalPodAutoscalerSpecMetricPodsMetric;
  readonly current: HorizontalPodAutoscalerStatusCurrentMetricPodsCurrent;
}

/** A condition of the autoscaler. */
export interface HorizontalPodAutoscalerStatusCondition {
  /** The type of the condition: AbleToScale, ScalingActive or ScalingLimited. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the status last changed. */
  readonly lastTransitionTime?: string | null;
  /** Why, for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

/** Changes the number of Pods of a workload according to metrics. */
export interface HorizontalPodAutoscalerV1 {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: HorizontalPodAutoscalerV1Spec;
  readonly status: HorizontalPodAutoscalerV1Status;
}

/** The desired state. */
export interface HorizontalPodAutoscalerV1Spec {
  readonly scaleTargetRef: HorizontalPodAutoscalerV1SpecScaleTargetRef;
  /** The least number of Pods; 1 by default. */
  readonly minReplicas?: number;
  /** The greatest number of Pods. */
  readonly maxReplicas: number;
  /** The share of the cpu that the Pods ask for, on average; 80 by default where there is no other metric. */
  readonly targetCPUUtilizationPercentage?: number;
}

/** An object of the same namespace. */
export interface HorizontalPodAutoscalerV1SpecScaleTargetRef {
  /** Its kind. */
  readonly kind: string;
  /** Its name. */
  readonly name: string;
  /** Group and version of its kind. */
  readonly apiVersion?: string;
}

/** How it is. */
export interface HorizontalPodAutoscalerV1Status {
  /** The generation of the object that the status speaks of. */
  readonly observedGeneration?: number;
  /** When the number of Pods was last changed. */
  readonly lastScaleTime?: string;
  /** How many Pods there were. */
  readonly currentReplicas: number;
  /** How many Pods there are to be. */
  readonly desiredReplicas: number;
  /** The share of the cpu that the Pods used, on average. */
  readonly currentCPUUtilizationPercentage?: number;
}

/** An address of the cluster, and the object that has it. */
export interface IPAddress {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: IPAddressSpec;
}

/** The owner of the address. */
export interface IPAddressSpec {
  readonly parentRef: IPAddressSpecParentRef;
}

/** The object that has the address. */
export interface IPAddressSpecParentRef {
  /** Its API group, empty for the core group. */
  readonly group?: string;
  /** Its resource, the plural. */
  readonly resource: string;
  /** Its namespace, where it has one. */
  readonly namespace?: string;
  /** Its name. */
  readonly name: string;
}

/** Routes requests from outside to Services. */
export interface Ingress {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: IngressSpec;
  readonly status: IngressStatus;
}

/** Which requests, and where they go. */
export interface IngressSpec {
  /** The class, which defines its controller. */
  readonly ingressClassName?: string;
  readonly defaultBackend?: IngressSpecDefaultBackend;
  /** Hosts that are spoken to by TLS. */
  readonly tls?: readonly IngressSpecTl[];
  /** The rules, by host. */
  readonly rules?: readonly IngressSpecRule[];
}

/** The target of requests: a Service, or another object. */
export interface IngressSpecDefaultBackend {
  readonly service?: IngressSpecDefaultBackendService;
  readonly resource?: IngressSpecDefaultBackendResource;
}

/** A Service of the namespace. */
export interface IngressSpecDefaultBackendService {
  /** Its name. */
  readonly name: string;
  readonly port: IngressSpecDefaultBackendServicePort;
}

/** Its port, by name or number. */
export interface IngressSpecDefaultBackendServicePort {
  /** The name. */
  readonly name?: string;
  /** The number. */
  readonly number?: number;
}

/** An object of the namespace. */
export interface IngressSpecDefaultBackendResource {
  /** Its API group. */
  readonly apiGroup?: string | null;
  /** Its kind. */
  readonly kind: string;
  /** Its name. */
  readonly name: string;
}

/** Hosts that are spoken to by TLS. */
export interface IngressSpecTl {
  /** The names of the hosts. */
  readonly hosts?: readonly string[];
  /** The Secret with certificate and key. */
  readonly secretName?: string;
}

/** Requests for a host. */
export interface IngressSpecRule {
  /** The name of the host, `*.` before it for all below it; any when empty. */
  readonly host?: string;
  readonly http?: IngressSpecRuleHttp;
}

/** Requests by their paths. */
export interface IngressSpecRuleHttp {
  /** The paths, the longest first. */
  readonly paths: readonly IngressSpecRuleHttpPath[];
}

/** Requests for some paths. */
export interface IngressSpecRuleHttpPath {
  /** The path, or the beginning of it. */
  readonly path?: string;
  /** Exact, Prefix or ImplementationSpecific. */
  readonly pathType: string | null;
  readonly backend: IngressSpecDefaultBackend;
}

/** The addresses for requests. */
export interface IngressStatus {
  readonly loadBalancer: IngressStatusLoadBalancer;
}

/** The load balancer. */
export interface IngressStatusLoadBalancer {
  /** The addresses for requests. */
  readonly ingress?: readonly IngressStatusLoadBalancerIngress[];
}

/** The addresses for requests. */
export interface IngressStatusLoadBalancerIngress {
  /** The address. */
  readonly ip?: string;
  /** The name. */
  readonly hostname?: string;
  /** The ports. */
  readonly ports?: readonly IngressStatusLoadBalancerIngressPort[];
}

/** A port there. */
export interface IngressStatusLoadBalancerIngressPort {
  /** The number. */
  readonly port: number;
  /** TCP, UDP or SCTP. */
  readonly protocol: string;
  /** The error. */
  readonly error?: string;
}

/** The controller of the Ingresses of a class, and its parameters. */
export interface IngressClass {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: IngressClassSpec;
}

/** Who, and how. */
export interface IngressClassSpec {
  /** The controller of these Ingresses: a domain and a path. */
  readonly controller?: string;
  readonly parameters?: IngressClassSpecParameters;
}

/** An object with more settings. */
export interface IngressClassSpecParameters {
  /** Its API group; the core group when unset. */
  readonly apiGroup?: string;
  /** Its kind. */
  readonly kind: string;
  /** Its name. */
  readonly name: string;
  /** Cluster or Namespace: where it is. */
  readonly scope?: string | null;
  /** Its namespace, for the scope Namespace. */
  readonly namespace?: string;
}

/** Pods of one template that run until enough of them have succeeded. */
export interface Job {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: JobSpec;
  readonly status: JobStatus;
}

/** How far the Job is. */
export interface JobStatus {
  /** A condition of the Job. */
  readonly conditions?: readonly JobStatusCondition[];
  /** When it began. */
  readonly startTime?: string;
  /** When it had succeeded. */
  readonly completionTime?: string;
  /** Pods that run or wait. */
  readonly active?: number;
  /** Pods that have succeeded. */
  readonly succeeded?: number;
  /** Pods that have failed. */
  readonly failed?: number;
  /** Pods that are about to go. */
  readonly terminating?: number;
  /** The indexes that have succeeded, such as 0,2-4. */
  readonly completedIndexes?: string;
  /** The indexes that have failed. */
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: JobStatusUncountedTerminatedPods;
  /** Pods that are ready. */
  readonly ready?: number;
}

/** A condition of the Job. */
export interface JobStatusCondition {
  /** The type of the condition: Complete, Failed, Suspended and others. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When it was last looked at. */
  readonly lastProbeTime?: string | null;
  /** When the status last changed. */
  readonly lastTransitionTime?: string | null;
  /** Why, for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

/** Pods that have ended and are not counted yet, by their uids. */
export interface JobStatusUncountedTerminatedPods {
  /** Those that have succeeded. */
  readonly succeeded?: readonly string[];
  /** Those that have failed. */
  readonly failed?: readonly string[];
}

/** Names the holder of something, such as the leader among several programs, and how long the holder keeps it without renewal. */
export interface Lease {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: LeaseSpec;
}

/** The holder, and since when it holds the Lease. */
export interface LeaseSpec {
  /** The holder; with an election, the name of the candidate that was chosen. */
  readonly holderIdentity?: string;
  /** How long others wait after the last renewal before they take it. */
  readonly leaseDurationSeconds?: number;
  /** When the holder got it. */
  readonly acquireTime?: string;
  /** When the holder last renewed it. */
  readonly renewTime?: string;
  /** How often the holder has changed. */
  readonly leaseTransitions?: number;
  /** How the server chooses the holder; only for elections by the server. */
  readonly strategy?: string;
  /** The next holder; the current holder ends when this is set. Needs a strategy. */
  readonly preferredHolder?: string;
}

/** A candidate for a Lease; the server chooses the holder among all candidates of the same Lease. */
export interface LeaseCandidate {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: LeaseCandidateSpec;
}

/** The properties of the candidate, and its Lease. */
export interface LeaseCandidateSpec {
  /** The name of its Lease; it is immutable. */
  readonly leaseName: string;
  /** When the server last requested a renewal; the candidate responds with a new renewTime. */
  readonly pingTime?: string;
  /** When it was last renewed. One that is not renewed for hours is removed. */
  readonly renewTime?: string;
  /** Semantic version of the program, without `v` in front. */
  readonly binaryVersion: string;
  /** Semantic version that the program behaves as; at most binaryVersion. OldestEmulationVersion needs it. */
  readonly emulationVersion?: string;
  /** How the holder is chosen; where candidates differ, the one with the newest binaryVersion decides. */
  readonly strategy?: string;
}

/** As {@link LeaseCandidate}. */
export type LeaseCandidateV1alpha2 = LeaseCandidate;

/** How much one Pod, container or claim of a namespace may request. */
export interface LimitRange {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: LimitRangeSpec;
}

/** The limits of the namespace. */
export interface LimitRangeSpec {
  /** The limits, by type. */
  readonly limits: readonly LimitRangeSpecLimit[] | null;
}

/** The limits of one type. */
export interface LimitRangeSpecLimit {
  /** `Container`, `Pod`, `PersistentVolumeClaim`, or a name with a domain. */
  readonly type: string;
  /** The most of a resource that one may ask for. */
  readonly max?: { readonly [key: string]: string };
  /** The least of a resource that one may ask for. */
  readonly min?: { readonly [key: string]: string };
  /** The limit of a container that has none. */
  readonly default?: { readonly [key: string]: string };
  /** The request of a container that has none. */
  readonly defaultRequest?: { readonly [key: string]: string };
  /** By how much a limit may exceed its request. */
  readonly maxLimitRequestRatio?: { readonly [key: string]: string };
}

/** Checks whether a user may do something in a namespace. */
export interface LocalSubjectAccessReview {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: SubjectAccessReviewSpec;
  readonly status: SubjectAccessReviewStatus;
}

/** The user, and the request to check; one of both kinds. */
export interface SubjectAccessReviewSpec {
  readonly resourceAttributes?: SubjectAccessReviewSpecResourceAttributes;
  readonly nonResourceAttributes?: SubjectAccessReviewSpecNonResourceAttributes;
  /** The user. */
  readonly user?: string;
  /** The groups of the user. */
  readonly groups?: readonly string[];
  /** Further attributes of the user. */
  readonly extra?: { readonly [key: string]: readonly string[] };
  /** The UID of the user. */
  readonly uid?: string;
}

/** A request for objects; `*` means all. */
export interface SubjectAccessReviewSpecResourceAttributes {
  /** Namespace of the object, empty for the cluster or all of them. */
  readonly namespace?: string;
  /** get, list, watch, create, update, patch, delete, deletecollection or another. */
  readonly verb?: string;
  /** Group of the resource. */
  readonly group?: string;
  /** Version of the resource. */
  readonly version?: string;
  /** The resource, in the plural. */
  readonly resource?: string;
  /** Its subresource. */
  readonly subresource?: string;
  /** Name of the object, empty for all. */
  readonly name?: string;
  readonly fieldSelector?: SubjectAccessReviewSpecResourceAttributesFieldSelector;
  readonly labelSelector?: SubjectAccessReviewSpecResourceAttributesFieldSelector;
}

/** The selector of the request, as text or as requirements. */
export interface SubjectAccessReviewSpecResourceAttributesFieldSelector {
  /** The selector as it was sent. */
  readonly rawSelector?: string;
  /** The selector, read. */
  readonly requirements?: readonly SubjectAccessReviewSpecResourceAttributesFieldSelectorRequirement[];
}

/** A requirement for a key. */
export interface SubjectAccessReviewSpecResourceAttributesFieldSelectorRequirement {
  /** The key. */
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** The values of In and NotIn. */
  readonly values?: readonly string[];
}

/** A request for a path that is no resource. */
export interface SubjectAccessReviewSpecNonResourceAttributes {
  /** The path of the request. */
  readonly path?: string;
  /** The method of the request, in lower case. */
  readonly verb?: string;
}

/** The decision. */
export interface SubjectAccessReviewStatus {
  /** Whether the request is allowed. */
  readonly allowed: boolean;
  /** Whether it is denied, even if another authorizer would allow it. */
  readonly denied?: boolean;
  /** Why. */
  readonly reason?: string;
  /** The error of the authorizer. */
  readonly evaluationError?: string;
}

/** A policy of expressions that changes writes. */
export interface MutatingAdmissionPolicy {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: MutatingAdmissionPolicySpec;
}

/** The mutations, and the requests that they change. */
export interface MutatingAdmissionPolicySpec {
  readonly paramKind?: MutatingAdmissionPolicySpecParamKind;
  readonly matchConstraints?: MutatingAdmissionPolicySpecMatchConstraints;
  /** Fail: a request is refused where an expression fails or the policy cannot be evaluated, which is the default. Ignore: failures are ignored. */
  readonly failurePolicy?: string;
  /** Named expressions; each may use those before it, and is evaluated when it is used. */
  readonly variables?: readonly MutatingAdmissionPolicySpecVariable[];
  /** The mutations in their order, each on the result of those before it; at least one. */
  readonly mutations?: readonly MutatingAdmissionPolicySpecMutation[];
  /** Conditions on a request that rules and selectors match: all of them must be true; at most 64. */
  readonly matchConditions?: readonly MutatingAdmissionPolicySpecMatchCondition[];
  /** Never: the policy is evaluated once. IfNeeded: it is evaluated once more where others have changed the object since. */
  readonly reinvocationPolicy?: string;
}

/** The kind of the parameters of a policy. */
export interface MutatingAdmissionPolicySpecParamKind {
  /** The group and version of the kind: `group/version`, the version alone for the core group. */
  readonly apiVersion?: string;
  /** The kind. */
  readonly kind?: string;
}

/** The requests that a policy or a binding is about. */
export interface MutatingAdmissionPolicySpecMatchConstraints {
  readonly namespaceSelector?: MutatingWebhookConfigurationWebhookNamespaceSelector;
  readonly objectSelector?: MutatingWebhookConfigurationWebhookObjectSelector;
  /** The operations on resources; a request has to match one of the rules. */
  readonly resourceRules?: readonly MutatingAdmissionPolicySpecMatchConstraintsResourceRule[];
  /** Operations on resources that are left out, also where a rule of resourceRules matches. */
  readonly excludeResourceRules?: readonly MutatingAdmissionPolicySpecMatchConstraintsResourceRule[];
  /** Exact: requests in the versions of the rules alone. Equivalent: requests for the same objects in other versions and groups as well, which is the default. */
  readonly matchPolicy?: string;
}

/** Selects namespaces: it matches requests for objects in such a namespace, and for such a Namespace. Other cluster-scoped objects always match. Everything by default. */
export interface MutatingWebhookConfigurationWebhookNamespaceSelector {
  /** Labels that must be there with exactly these values. */
  readonly matchLabels?: { readonly [key: string]: string };
  /** What else is asked of the labels. */
  readonly matchExpressions?: readonly JobSpecSelectorMatchExpression[];
}

/** Selects objects by their labels: the old or the new state must match. Everything by default. */
export interface MutatingWebhookConfigurationWebhookObjectSelector {
  /** Labels that must be there with exactly these values. */
  readonly matchLabels?: { readonly [key: string]: string };
  /** What else is asked of the labels. */
  readonly matchExpressions?: readonly JobSpecSelectorMatchExpression[];
}

/** Operations on resources, or on the objects of some names. */
export interface MutatingAdmissionPolicySpecMatchConstraintsResourceRule {
  /** The names of the objects; all of them without names. */
  readonly resourceNames?: readonly string[];
  /** The operations: CREATE, UPDATE, DELETE and CONNECT, or * alone for all of them. */
  readonly operations?: readonly string[];
  /** The API groups, empty for the core group, or * alone for all of them. */
  readonly apiGroups?: readonly string[];
  /** The API versions, or * alone for all of them. */
  readonly apiVersions?: readonly string[];
  /** The resources: `pods` is the resource alone, `pods/log` one subresource, `pods/*` the resource and all of its subresources, `*` all resources, `*\/scale` the subresource of all resources, `*\/*` everything. */
  readonly resources?: readonly string[];
  /** Cluster, Namespaced, or * for both; * by default. A Namespace is cluster-scoped. */
  readonly scope?: string;
}

/** A named expression, which other expressions read as `variables.NAME`. */
export interface MutatingAdmissionPolicySpecVariable {
  /** The name of the variable: a CEL identifier. */
  readonly name: string;
  /** The expression in CEL, of any type; it may use the variables before it. */
  readonly expression: string;
}

/** A change of an object. */
export interface MutatingAdmissionPolicySpecMutation {
  /** ApplyConfiguration or JSONPatch; the member of that name is set, and no other. */
  readonly patchType: string;
  readonly applyConfiguration?: MutatingAdmissionPolicySpecMutationApplyConfiguration;
  readonly jsonPatch?: MutatingAdmissionPolicySpecMutationJsonPatch;
}

/** A change that is merged into the object as server-side apply does. */
export interface MutatingAdmissionPolicySpecMutationApplyConfiguration {
  /** The expression in CEL that makes the members to merge, of type Object. */
  readonly expression?: string;
}

/** A change by the operations of a JSON patch. */
export interface MutatingAdmissionPolicySpecMutationJsonPatch {
  /** The expression in CEL that makes the operations, a list of type JSONPatch. */
  readonly expression?: string;
}

/** A condition on a request. */
export interface MutatingAdmissionPolicySpecMatchCondition {
  /** The name of the condition: a qualified name, unique in the list. */
  readonly name: string;
  /** The expression in CEL, of type bool, over object, oldObject, request and authorizer; params where a policy has them. */
  readonly expression: string;
}

/** A binding of a mutating policy to requests and parameters. */
export interface MutatingAdmissionPolicyBinding {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: MutatingAdmissionPolicyBindingSpec;
}

/** The policy and its parameters. */
export interface MutatingAdmissionPolicyBindingSpec {
  /** The name of the policy; without such a policy the binding has no effect. */
  readonly policyName?: string;
  readonly paramRef?: MutatingAdmissionPolicyBindingSpecParamRef;
  readonly matchResources?: MutatingAdmissionPolicyBindingSpecMatchResources;
}

/** The parameters that a binding gives to its policy. */
export interface MutatingAdmissionPolicyBindingSpecParamRef {
  /** The name of the parameter object; either it or a selector is set. */
  readonly name?: string;
  /** The namespace of the parameters; by default, for a namespaced kind, that of the request. */
  readonly namespace?: string;
  readonly selector?: MutatingAdmissionPolicyBindingSpecParamRefSelector;
  /** Allow or Deny: what happens to a request where no parameter is found. */
  readonly parameterNotFoundAction?: string;
}

/** Selects parameter objects by their labels; the request has to satisfy the policy with each of them. */
export interface MutatingAdmissionPolicyBindingSpecParamRefSelector {
  /** Labels that must be there with exactly these values. */
  readonly matchLabels?: { readonly [key: string]: string };
  /** What else is asked of the labels. */
  readonly matchExpressions?: readonly JobSpecSelectorMatchExpression[];
}

/** Which of the requests of the policy the binding is about; all of them by default. */
export interface MutatingAdmissionPolicyBindingSpecMatchResources {
  readonly namespaceSelector?: MutatingWebhookConfigurationWebhookNamespaceSelector;
  readonly objectSelector?: MutatingWebhookConfigurationWebhookObjectSelector;
  /** The operations on resources; a request has to match one of the rules. */
  readonly resourceRules?: readonly MutatingAdmissionPolicySpecMatchConstraintsResourceRule[];
  /** Operations on resources that are left out, also where a rule of resourceRules matches. */
  readonly excludeResourceRules?: readonly MutatingAdmissionPolicySpecMatchConstraintsResourceRule[];
  /** Exact: requests in the versions of the rules alone. Equivalent: requests for the same objects in other versions and groups as well, which is the default. */
  readonly matchPolicy?: string;
}

/** As {@link MutatingAdmissionPolicyBinding}. */
export type MutatingAdmissionPolicyBindingV1alpha1 = MutatingAdmissionPolicyBinding;

/** As {@link MutatingAdmissionPolicy}. */
export type MutatingAdmissionPolicyV1alpha1 = MutatingAdmissionPolicy;

/** Webhooks that may change writes, and may refuse them. */
export interface MutatingWebhookConfiguration {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The webhooks, in the order of their calls. */
  readonly webhooks?: readonly MutatingWebhookConfigurationWebhook[];
}

/** A webhook that may change writes, and may refuse them. */
export interface MutatingWebhookConfigurationWebhook {
  /** The name of the webhook: a domain name of at least three parts, unique in the configuration. */
  readonly name: string;
  readonly clientConfig: MutatingWebhookConfigurationWebhookClientConfig;
  /** Fail: a request is refused where the call of the webhook fails, which is the default. Ignore: it continues. */
  readonly failurePolicy?: string;
  /** The requests of the webhook: those that one of the rules matches. */
  readonly rules?: readonly MutatingWebhookConfigurationWebhookRule[];
  /** Exact: requests in the versions of the rules alone. Equivalent: requests for the same objects in other versions and groups as well, which is the default. */
  readonly matchPolicy?: string;
  readonly namespaceSelector?: MutatingWebhookConfigurationWebhookNamespaceSelector;
  readonly objectSelector?: MutatingWebhookConfigurationWebhookObjectSelector;
  /** None: a call has no side effects. NoneOnDryRun: a call for a dry run has none. */
  readonly sideEffects: string | null;
  /** The seconds until a call has failed, 1 to 30; 10 by default. */
  readonly timeoutSeconds?: number;
  /** The versions of AdmissionReview that the webhook supports; the first known one is sent. */
  readonly admissionReviewVersions: readonly string[] | null;
  /** Conditions on a request that rules and selectors match: all of them must be true; at most 64. */
  readonly matchConditions?: readonly MutatingAdmissionPolicySpecMatchCondition[];
  /** Never: the webhook is called once, which is the default. IfNeeded: it is called once more where others have changed the object after its call. */
  readonly reinvocationPolicy?: string;
}

/** Operations on resources. */
export interface MutatingWebhookConfigurationWebhookRule {
  /** The operations: CREATE, UPDATE, DELETE and CONNECT, or * alone for all of them. */
  readonly operations?: readonly string[];
  /** The API groups, empty for the core group, or * alone for all of them. */
  readonly apiGroups?: readonly string[];
  /** The API versions, or * alone for all of them. */
  readonly apiVersions?: readonly string[];
  /** The resources: `pods` is the resource alone, `pods/log` one subresource, `pods/*` the resource and all of its subresources, `*` all resources, `*\/scale` the subresource of all resources, `*\/*` everything. */
  readonly resources?: readonly string[];
  /** Cluster, Namespaced, or * for both; * by default. A Namespace is cluster-scoped. */
  readonly scope?: string;
}

/** A scope for names: objects of most kinds are in a namespace, and are deleted with it. */
export interface Namespace {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: NamespaceSpec;
  readonly status: NamespaceStatus;
}

/** The desired state of the namespace. */
export interface NamespaceSpec {
  /** The finalizers that delay the deletion of the namespace; changed through `finalize` only. */
  readonly finalizers?: readonly string[];
}

/** How the namespace is. */
export interface NamespaceStatus {
  /** Active, or Terminating while it is being deleted. */
  readonly phase?: string;
  /** The conditions that delay the removal. */
  readonly conditions?: readonly NamespaceStatusCondition[];
}

/** A condition of the removal of the content. */
export interface NamespaceStatusCondition {
  /** The type of the condition. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the status last changed. */
  readonly lastTransitionTime?: string | null;
  /** Why, for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

/** The permitted connections to and from some Pods. */
export interface NetworkPolicy {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: NetworkPolicySpec;
}

/** The selected Pods, and their permitted connections. */
export interface NetworkPolicySpec {
  readonly podSelector: JobSpecSelector;
  /** Rules for incoming connections. */
  readonly ingress?: readonly NetworkPolicySpecIngress[];
  /** Rules for outgoing connections. */
  readonly egress?: readonly NetworkPolicySpecEgress[];
  /** Ingress, Egress or both: which rules count. */
  readonly policyTypes?: readonly string[];
}

/** Sources that may connect to the Pods. */
export interface NetworkPolicySpecIngress {
  /** The ports; all when there are none. */
  readonly ports?: readonly NetworkPolicySpecEgressPort[];
  /** The sources; all when there are none. */
  readonly from?: readonly NetworkPolicySpecEgressTo[];
}

/** A port, or some behind one another. */
export interface NetworkPolicySpecEgressPort {
  /** TCP, UDP or SCTP. */
  readonly protocol?: string;
  /** The number or name; all ports when unset. */
  readonly port?: number | string;
  /** The last number, where there are several. */
  readonly endPort?: number;
}

/** The Pods or addresses of a rule. */
export interface NetworkPolicySpecEgressTo {
  readonly podSelector?: JobSpecSelector;
  readonly namespaceSelector?: JobSpecSelector;
  readonly ipBlock?: NetworkPolicySpecEgressToIpBlock;
}

/** Addresses. */
export interface NetworkPolicySpecEgressToIpBlock {
  /** A network. */
  readonly cidr: string;
  /** Networks in it that are not meant. */
  readonly except?: readonly string[];
}

/** Targets to which the Pods may connect. */
export interface NetworkPolicySpecEgress {
  /** The ports; all when there are none. */
  readonly ports?: readonly NetworkPolicySpecEgressPort[];
  /** The targets; all when there are none. */
  readonly to?: readonly NetworkPolicySpecEgressTo[];
}

/** A machine that runs programs. */
export interface Node {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
}

/** The desired state of the node. */
export interface NodeSpec {
  /** Addresses for programs on the node. */
  readonly podCIDR?: string;
  /** The same, one for each family of addresses. */
  readonly podCIDRs?: readonly string[];
  /** How the provider of the machine calls it. */
  readonly providerID?: string;
  /** Whether new programs are kept away. */
  readonly unschedulable?: boolean;
  /** The taints of the node. */
  readonly taints?: readonly NodeSpecTaint[];
  readonly configSource?: NodeSpecConfigSource;
  /** No longer used. */
  readonly externalID?: string;
}

/** Keeps programs away that do not tolerate it. */
export interface NodeSpecTaint {
  /** Key of the taint. */
  readonly key: string;
  /** Value of the taint. */
  readonly value?: string;
  /** NoSchedule, PreferNoSchedule or NoExecute. */
  readonly effect: string;
  /** When the taint was added. */
  readonly timeAdded?: string;
}

/** The source of the configuration of the agent; no longer used. */
export interface NodeSpecConfigSource {
  readonly configMap?: NodeSpecConfigSourceConfigMap;
}

/** A ConfigMap with the configuration. */
export interface NodeSpecConfigSourceConfigMap {
  /** Namespace of the ConfigMap. */
  readonly namespace: string;
  /** Name of the ConfigMap. */
  readonly name: string;
  /** UID of the ConfigMap. */
  readonly uid?: string;
  /** Version of the ConfigMap. */
  readonly resourceVersion?: string;
  /** The key of the configuration. */
  readonly kubeletConfigKey: string;
}

/** How the node is, as its agent reports it. */
export interface NodeStatus {
  /** The resources of the node. */
  readonly capacity?: { readonly [key: string]: string };
  /** The resources that Pods can request. */
  readonly allocatable?: { readonly [key: string]: string };
  /** No longer filled. */
  readonly phase?: string;
  /** The conditions of the node. */
  readonly conditions?: readonly NodeStatusCondition[];
  /** The addresses of the node. */
  readonly addresses?: readonly NodeStatusAddress[];
  readonly daemonEndpoints: NodeStatusDaemonEndpoints;
  readonly nodeInfo: NodeStatusNodeInfo;
  /** Images that are there. */
  readonly images?: readonly NodeStatusImage[];
  /** Volumes that are mounted or being mounted. */
  readonly volumesInUse?: readonly string[];
  /** Volumes that are attached. */
  readonly volumesAttached?: readonly NodeStatusVolumesAttached[];
  readonly config?: NodeStatusConfig;
  /** The ways to run containers. */
  readonly runtimeHandlers?: readonly NodeStatusRuntimeHandler[];
  readonly features?: NodeStatusFeatures;
  /** Features that the agent has, in order. */
  readonly declaredFeatures?: readonly string[];
}

/** A condition of the node. */
export interface NodeStatusCondition {
  /** The type of the condition, such as Ready. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When it was last reported. */
  readonly lastHeartbeatTime?: string | null;
  /** When the status last changed. */
  readonly lastTransitionTime?: string | null;
  /** Why, for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

/** One address of the node. */
export interface NodeStatusAddress {
  /** Hostname, InternalIP, ExternalIP and the like. */
  readonly type: string;
  /** The address. */
  readonly address: string;
}

/** The port of the agent. */
export interface NodeStatusDaemonEndpoints {
  readonly kubeletEndpoint: NodeStatusDaemonEndpointsKubeletEndpoint;
}

/** The endpoint of the agent. */
export interface NodeStatusDaemonEndpointsKubeletEndpoint {
  /** Its port. */
  readonly Port: number;
}

/** The system of the node. */
export interface NodeStatusNodeInfo {
  /** ID of the machine. */
  readonly machineID: string;
  /** UUID of the machine. */
  readonly systemUUID: string;
  /** ID of this boot. */
  readonly bootID: string;
  /** Version of the kernel. */
  readonly kernelVersion: string;
  /** Name of the operating system's image. */
  readonly osImage: string;
  /** Name and version of the container runtime. */
  readonly containerRuntimeVersion: string;
  /** Version of the node agent. */
  readonly kubeletVersion: string;
  /** No longer filled. */
  readonly kubeProxyVersion: string;
  /** Name of the operating system. */
  readonly operatingSystem: string;
  /** Architecture of the processor. */
  readonly architecture: string;
  readonly swap?: NodeStatusNodeInfoSwap;
}

/** Memory that is on a disk. */
export interface NodeStatusNodeInfoSwap {
  /** Its size in bytes. */
  readonly capacity?: number;
}

/** An image on the node. */
export interface NodeStatusImage {
  /** Names of the image. */
  readonly names?: readonly string[] | null;
  /** Its size in bytes. */
  readonly sizeBytes?: number;
}

/** A volume that is attached. */
export interface NodeStatusVolumesAttached {
  /** Name of the volume. */
  readonly name: string;
  /** The path of the device. */
  readonly devicePath: string;
}

/** Which configuration the agent had; no longer used. */
export interface NodeStatusConfig {
  readonly assigned?: NodeSpecConfigSource;
  readonly active?: NodeSpecConfigSource;
  readonly lastKnownGood?: NodeSpecConfigSource;
  /** The error of the configuration. */
  readonly error?: string;
}

/** A way to run containers. */
export interface NodeStatusRuntimeHandler {
  /** Its name, empty for the default one. */
  readonly name: string;
  readonly features?: NodeStatusRuntimeHandlerFeatures;
}

/** Its features. */
export interface NodeStatusRuntimeHandlerFeatures {
  /** Whether mounts are read-only with all below them. */
  readonly recursiveReadOnlyMounts?: boolean;
  /** Whether users of a Pod may be others than those of the node. */
  readonly userNamespaces?: boolean;
}

/** The features of the runtime. */
export interface NodeStatusFeatures {
  /** Whether a Pod can set how the groups of its image are used. */
  readonly supplementalGroupsPolicy?: boolean;
}

/** A storage resource of the cluster. */
export interface PersistentVolume {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: PersistentVolumeSpec;
  readonly status: PersistentVolumeStatus;
}

/** The source and the properties of a volume; exactly one source is set. */
export interface PersistentVolumeSpec {
  /** The size of the volume: `storage`. */
  readonly capacity?: { readonly [key: string]: string };
  readonly hostPath?: PodSpecVolumeHostPath;
  readonly gcePersistentDisk?: PodSpecVolumeGcePersistentDisk;
  readonly awsElasticBlockStore?: PodSpecVolumeAwsElasticBlockStore;
  readonly glusterfs?: PersistentVolumeSpecGlusterfs;
  readonly flocker?: PodSpecVolumeFlocker;
  readonly nfs?: PodSpecVolumeNfs;
  readonly rbd?: PersistentVolumeSpecRbd;
  readonly quobyte?: PodSpecVolumeQuobyte;
  readonly cephfs?: PersistentVolumeSpecCephfs;
  readonly iscsi?: PersistentVolumeSpecIscsi;
  readonly cinder?: PersistentVolumeSpecCinder;
  readonly fc?: PodSpecVolumeFc;
  readonly flexVolume?: PersistentVolumeSpecFlexVolume;
  readonly azureFile?: PersistentVolumeSpecAzureFile;
  readonly vsphereVolume?: PodSpecVolumeVsphereVolume;
  readonly photonPersistentDisk?: PodSpecVolumePhotonPersistentDisk;
  readonly portworxVolume?: PodSpecVolumePortworxVolume;
  readonly azureDisk?: PodSpecVolumeAzureDisk;
  readonly scaleIO?: PersistentVolumeSpecScaleIO;
  readonly local?: PersistentVolumeSpecLocal;
  readonly storageos?: PersistentVolumeSpecStorageos;
  readonly csi?: PersistentVolumeSpecCsi;
  /** How the volume can be mounted: `ReadWriteOnce`, `ReadOnlyMany` ... */
  readonly accessModes?: readonly string[];
  readonly claimRef?: PersistentVolumeSpecClaimRef;
  /** What happens after the claim is deleted: `Retain`, `Delete`, or the deprecated `Recycle`. */
  readonly persistentVolumeReclaimPolicy?: string;
  /** The class of the volume, empty for none. */
  readonly storageClassName?: string;
  /** Options with which the volume is mounted; not checked. */
  readonly mountOptions?: readonly string[];
  /** `Filesystem`, or `Block` for a raw device; a file system when unset. */
  readonly volumeMode?: string;
  readonly nodeAffinity?: PersistentVolumeSpecNodeAffinity;
  /** The VolumeAttributesClass of the volume; not empty when set. */
  readonly volumeAttributesClassName?: string;
}

/** A file system behind an Endpoints object; deprecated. */
export interface PersistentVolumeSpecGlusterfs {
  /** Name of the Endpoints object that lists the servers. */
  readonly endpoints: string;
  /** Name of the volume on the servers. */
  readonly path: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  /** Namespace of the Endpoints; that of the bound claim when unset. */
  readonly endpointsNamespace?: string;
}

/** A block device that monitors serve; deprecated. */
export interface PersistentVolumeSpecRbd {
  /** Addresses of the monitors. */
  readonly monitors: readonly string[];
  /** Name of the image. */
  readonly image: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** The pool of the image. */
  readonly pool: string;
  /** The user. */
  readonly user: string;
  /** File with the keys of the user. */
  readonly keyring: string;
  readonly secretRef?: PersistentVolumeSpecRbdSecretRef;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** A Secret in a namespace. */
export interface PersistentVolumeSpecRbdSecretRef {
  /** Name of the Secret. */
  readonly name?: string;
  /** Namespace of the Secret. */
  readonly namespace?: string;
}

/** A file system that monitors serve; deprecated. */
export interface PersistentVolumeSpecCephfs {
  /** Addresses of the monitors. */
  readonly monitors: readonly string[];
  /** The directory to mount; `/` when unset. */
  readonly path?: string;
  /** The user; `admin` when unset. */
  readonly user?: string;
  /** File with the key of the user on the node. */
  readonly secretFile?: string;
  readonly secretRef?: PersistentVolumeSpecRbdSecretRef;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** An iSCSI device. */
export interface PersistentVolumeSpecIscsi {
  /** Address of the target, host or host:port. */
  readonly targetPortal: string;
  /** Qualified name of the target. */
  readonly iqn: string;
  /** Number of the unit at the target. */
  readonly lun: number;
  /** Name of the interface; `default` means tcp. */
  readonly iscsiInterface: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  /** More addresses of the target. */
  readonly portals?: readonly string[];
  /** Whether discovery uses CHAP. */
  readonly chapAuthDiscovery?: boolean;
  /** Whether sessions use CHAP. */
  readonly chapAuthSession?: boolean;
  readonly secretRef?: PersistentVolumeSpecRbdSecretRef;
  /** Qualified name of the initiator. */
  readonly initiatorName?: string;
}

/** A volume of a block storage service; deprecated. */
export interface PersistentVolumeSpecCinder {
  /** The identifier of the volume. */
  readonly volumeID: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  readonly secretRef?: PersistentVolumeSpecRbdSecretRef;
}

/** A volume of a script on the node; deprecated. */
export interface PersistentVolumeSpecFlexVolume {
  /** Name of the script. */
  readonly driver: string;
  /** File system of the volume; the script decides when unset. */
  readonly fsType?: string;
  readonly secretRef?: PersistentVolumeSpecRbdSecretRef;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  /** Options for the script. */
  readonly options?: { readonly [key: string]: string };
}

/** A file share of cloud B. */
export interface PersistentVolumeSpecAzureFile {
  /** Name of the Secret with account and key. */
  readonly secretName: string;
  /** Name of the share. */
  readonly shareName: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  /** Namespace of the Secret; that of the Pod when unset. */
  readonly secretNamespace?: string | null;
}

/** A volume of vendor E; deprecated. */
export interface PersistentVolumeSpecScaleIO {
  /** Address of the gateway. */
  readonly gateway: string;
  /** Name of the storage system. */
  readonly system: string;
  readonly secretRef?: PersistentVolumeSpecRbdSecretRef | null;
  /** Whether the gateway is spoken to by TLS. */
  readonly sslEnabled?: boolean;
  /** Name of the protection domain. */
  readonly protectionDomain?: string;
  /** The pool of the protection domain. */
  readonly storagePool?: string;
  /** `ThickProvisioned` or `ThinProvisioned`. */
  readonly storageMode: string;
  /** Name of the volume in the storage system. */
  readonly volumeName?: string;
  /** File system of the volume. */
  readonly fsType: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
}

/** A directory or block device of one node. */
export interface PersistentVolumeSpecLocal {
  /** The path on the node. */
  readonly path: string;
  /** File system to make on a block device; chosen when unset. */
  readonly fsType?: string;
}

/** A volume of vendor F; deprecated. */
export interface PersistentVolumeSpecStorageos {
  /** Name of the volume, unique in its namespace. */
  readonly volumeName?: string;
  /** Namespace of the volume at the vendor. */
  readonly volumeNamespace?: string;
  /** File system of the volume; ext4 when unset. */
  readonly fsType?: string;
  /** Whether the volume is read-only. */
  readonly readOnly?: boolean;
  readonly secretRef?: EventRelated;
}

/** A volume of a CSI driver. */
export interface PersistentVolumeSpecCsi {
  /** Name of the driver. */
  readonly driver: string;
  /** The unique name of the volume that the driver's CreateVolume gave. */
  readonly volumeHandle: string;
  /** Whether the volume is published read-only. */
  readonly readOnly?: boolean;
  /** File system of the volume, such as `ext4`. */
  readonly fsType?: string;
  /** Attributes for the driver when it publishes the volume. */
  readonly volumeAttributes?: { readonly [key: string]: string };
  readonly controllerPublishSecretRef?: PersistentVolumeSpecCsiControllerPublishSecretRef;
  readonly nodeStageSecretRef?: PersistentVolumeSpecCsiNodeStageSecretRef;
  readonly nodePublishSecretRef?: PersistentVolumeSpecCsiNodePublishSecretRef;
  readonly controllerExpandSecretRef?: PersistentVolumeSpecCsiControllerExpandSecretRef;
  readonly nodeExpandSecretRef?: PersistentVolumeSpecCsiNodeExpandSecretRef;
}

/** The Secret that is passed to the driver in ControllerPublishVolume and ControllerUnpublishVolume. */
export interface PersistentVolumeSpecCsiControllerPublishSecretRef {
  /** Name of the Secret. */
  readonly name?: string;
  /** Namespace of the Secret. */
  readonly namespace?: string;
}

/** The Secret that is passed to the driver in NodeStageVolume. */
export interface PersistentVolumeSpecCsiNodeStageSecretRef {
  /** Name of the Secret. */
  readonly name?: string;
  /** Namespace of the Secret. */
  readonly namespace?: string;
}

/** The Secret that is passed to the driver in NodePublishVolume. */
export interface PersistentVolumeSpecCsiNodePublishSecretRef {
  /** Name of the Secret. */
  readonly name?: string;
  /** Namespace of the Secret. */
  readonly namespace?: string;
}

/** The Secret that is passed to the driver in ControllerExpandVolume. */
export interface PersistentVolumeSpecCsiControllerExpandSecretRef {
  /** Name of the Secret. */
  readonly name?: string;
  /** Namespace of the Secret. */
  readonly namespace?: string;
}

/** The Secret that is passed to the driver in NodeExpandVolume. */
export interface PersistentVolumeSpecCsiNodeExpandSecretRef {
  /** Name of the Secret. */
  readonly name?: string;
  /** Namespace of the Secret. */
  readonly namespace?: string;
}

/** Any object, or a part of it. */
export interface PersistentVolumeSpecClaimRef {
  /** Kind of the object. */
  readonly kind?: string;
  /** Namespace of the object. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name?: string;
  /** UID of the object. */
  readonly uid?: string;
  /** Group and version of the object. */
  readonly apiVersion?: string;
  /** Version of the object that is meant. */
  readonly resourceVersion?: string;
  /** A part of the object, such as `spec.containers{name}`. */
  readonly fieldPath?: string;
}

/** Which nodes can reach the volume. */
export interface PersistentVolumeSpecNodeAffinity {
  readonly required?: ResourceSliceSpecNodeSelector;
}

/** How far a volume is. */
export interface PersistentVolumeStatus {
  /** `Pending`, `Available`, `Bound`, `Released` when its claim is gone, or `Failed`. */
  readonly phase: string;
  /** Why the volume is in this state, for people. */
  readonly message?: string;
  /** A short failure description for machines. */
  readonly reason?: string;
  /** When the phase changed last. */
  readonly lastPhaseTransitionTime?: string;
}

/** A user's request for and claim to a persistent volume. */
export interface PersistentVolumeClaim {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: PersistentVolumeClaimSpec;
  readonly status: PersistentVolumeClaimStatus;
}

/** How far a claim is. */
export interface PersistentVolumeClaimStatus {
  /** `Pending`, `Bound`, or `Lost` when the volume is gone. */
  readonly phase: string;
  /** How the volume can be mounted. */
  readonly accessModes?: readonly string[];
  /** The actual resources of the volume. */
  readonly capacity?: { readonly [key: string]: string };
  /** The sides of the claim's state; `Resizing` while it is resized. */
  readonly conditions?: readonly PersistentVolumeClaimStatusCondition[];
  /** The resources that are allocated to the claim, `storage` or names with a domain; may exceed the capacity. */
  readonly allocatedResources?: { readonly [key: string]: string };
  /** The state of a resize per resource; none when there is no resize. */
  readonly allocatedResourceStatuses?: { readonly [key: string]: string };
  /** The VolumeAttributesClass that the volume has. */
  readonly currentVolumeAttributesClassName?: string;
  readonly modifyVolumeStatus?: PersistentVolumeClaimStatusModifyVolumeStatus;
}

/** One side of the state of a claim. */
export interface PersistentVolumeClaimStatusCondition {
  /** The type of the condition, such as `Resizing` or `FileSystemResizePending`. */
  readonly type: string;
  /** Whether it holds: `True`, `False` or `Unknown`. */
  readonly status: string;
  /** When the condition was probed. */
  readonly lastProbeTime?: string | null;
  /** When the condition moved from one status to another. */
  readonly lastTransitionTime?: string | null;
  /** A short, machine-readable reason of the last transition. */
  readonly reason?: string;
  /** Details of the last transition for people. */
  readonly message?: string;
}

/** How far a change of the VolumeAttributesClass is. */
export interface PersistentVolumeClaimStatusModifyVolumeStatus {
  /** The class that the claim is being reconciled to. */
  readonly targetVolumeAttributesClassName?: string;
  /** `Pending` while a requirement is unmet, `InProgress`, or `Infeasible` when the driver refused the class. */
  readonly status: string;
}

/** Containers that run together on a node, and the volumes that they share. */
export interface Pod {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

/** How far the Pod is. */
export interface PodStatus {
  /** The generation that the status is about. */
  readonly observedGeneration?: number;
  /** `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`. */
  readonly phase?: string;
  /** The sides of the Pod's state. */
  readonly conditions?: readonly PodStatusCondition[];
  /** Why the Pod is in this state, for people. */
  readonly message?: string;
  /** Why the Pod is in this state, for machines. */
  readonly reason?: string;
  /** The node that is being made free for the Pod. */
  readonly nominatedNodeName?: string;
  /** Address of the node. */
  readonly hostIP?: string;
  /** Addresses of the node. */
  readonly hostIPs?: readonly PodStatusPodIP[];
  /** Address of the Pod. */
  readonly podIP?: string;
  /** Addresses of the Pod. */
  readonly podIPs?: readonly PodStatusPodIP[];
  /** When the node agent took the Pod. */
  readonly startTime?: string;
  /** How far the init containers are. */
  readonly initContainerStatuses?: readonly PodStatusContainerStatus[];
  /** How far the containers are. */
  readonly containerStatuses?: readonly PodStatusContainerStatus[];
  /** `Guaranteed`, `Burstable` or `BestEffort`. */
  readonly qosClass?: string;
  /** How far the ephemeral containers are. */
  readonly ephemeralContainerStatuses?: readonly PodStatusContainerStatus[];
  /** How far a change of resources is. */
  readonly resize?: string;
  /** The resource claims. */
  readonly resourceClaimStatuses?: readonly PodStatusResourceClaimStatus[];
  readonly extendedResourceClaimStatus?: PodStatusExtendedResourceClaimStatus;
  /** The resources that the node has allocated to the Pod. */
  readonly allocatedResources?: { readonly [key: string]: string };
  readonly resources?: PodStatusResources;
}

/** One side of the state of the Pod. */
export interface PodStatusCondition {
  /** The type of the condition, such as `Ready`. */
  readonly type: string;
  /** The generation that it is about. */
  readonly observedGeneration?: number;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  /** When it was probed. */
  readonly lastProbeTime?: string | null;
  /** When it changed. */
  readonly lastTransitionTime?: string | null;
  /** Why it changed, for machines. */
  readonly reason?: string;
  /** Why it changed, for people. */
  readonly message?: string;
}

/** An address. */
export interface PodStatusPodIP {
  /** The address. */
  readonly ip: string;
}

/** How far a container is. */
export interface PodStatusContainerStatus {
  /** Name of the container. */
  readonly name: string;
  readonly state: PodStatusContainerStatusState;
  readonly lastState: PodStatusContainerStatusState;
  /** Whether it is ready. */
  readonly ready: boolean;
  /** How often it was restarted. */
  readonly restartCount: number;
  /** The image. */
  readonly image: string;
  /** The identifier of the image. */
  readonly imageID: string;
  /** Its identifier at the runtime. */
  readonly containerID?: string;
  /** Whether it has started. */
  readonly started?: boolean;
  /** The resources that the node has allocated to it. */
  readonly allocatedResources?: { readonly [key: string]: string };
  readonly resources?: PodStatusResources;
  /** The mounts. */
  readonly volumeMounts?: readonly PodStatusContainerStatusVolumeMount[];
  readonly user?: PodStatusContainerStatusUser;
  /** The health of the resources. */
  readonly allocatedResourcesStatus?: readonly PodStatusContainerStatusAllocatedResourcesStatus[];
  /** The signal that ends the container. */
  readonly stopSignal?: string;
}

/** The state of the container; at most one member is set. */
export interface PodStatusContainerStatusState {
  readonly waiting?: PodStatusContainerStatusStateWaiting;
  readonly running?: PodStatusContainerStatusStateRunning;
  readonly terminated?: PodStatusContainerStatusStateTerminated;
}

/** It has not started. */
export interface PodStatusContainerStatusStateWaiting {
  /** Why, for machines. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

/** It runs. */
export interface PodStatusContainerStatusStateRunning {
  /** Since when. */
  readonly startedAt?: string | null;
}

/** It has ended. */
export interface PodStatusContainerStatusStateTerminated {
  /** The exit code. */
  readonly exitCode: number;
  /** The signal that ended it. */
  readonly signal?: number;
  /** Why, for machines. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
  /** When it had started. */
  readonly startedAt?: string | null;
  /** When it ended. */
  readonly finishedAt?: string | null;
  /** Its identifier at the runtime. */
  readonly containerID?: string;
}

/** A mount. */
export interface PodStatusContainerStatusVolumeMount {
  /** Name of the volume. */
  readonly name: string;
  /** The path of the mount. */
  readonly mountPath: string;
  /** Whether it is read-only. */
  readonly readOnly?: boolean;
  /** `Disabled` or `Enabled`. */
  readonly recursiveReadOnly?: string;
}

/** The user of the processes. */
export interface PodStatusContainerStatusUser {
  readonly linux?: PodStatusContainerStatusUserLinux;
}

/** Ids of the first process. */
export interface PodStatusContainerStatusUserLinux {
  /** User id. */
  readonly uid: number;
  /** Group id. */
  readonly gid: number;
  /** More group ids. */
  readonly supplementalGroups?: readonly number[];
}

/** The health of a resource. */
export interface PodStatusContainerStatusAllocatedResourcesStatus {
  /** Name of the resource. */
  readonly name: string;
  /** The devices. */
  readonly resources?: readonly PodStatusContainerStatusAllocatedResourcesStatusResource[];
}

/** One device. */
export interface PodStatusContainerStatusAllocatedResourcesStatusResource {
  /** Its identifier. */
  readonly resourceID: string;
  /** `Healthy`, `Unhealthy` or `Unknown`. */
  readonly health?: string;
}

/** The claim behind a name. */
export interface PodStatusResourceClaimStatus {
  /** The name in spec.resourceClaims. */
  readonly name: string;
  /** The ResourceClaim. */
  readonly resourceClaimName?: string;
}

/** The claim for extended resources of the Pod. */
export interface PodStatusExtendedResourceClaimStatus {
  /** The result of a requested resize. */
  readonly requestMappings: readonly PodStatusExtendedResourceClaimStatusRequestMapping[];
  /** The ResourceClaim. */
  readonly resourceClaimName: string;
}

/** A resource of a container and its request in the claim. */
export interface PodStatusExtendedResourceClaimStatusRequestMapping {
  /** The container. */
  readonly containerName: string;
  /** The resource. */
  readonly resourceName: string;
  /** The request in the claim. */
  readonly requestName: string;
}

/** A request of a node for a certificate of a Pod that runs on it. */
export interface PodCertificateRequest {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: PodCertificateRequestSpec;
  readonly status: PodCertificateRequestStatus;
}

/** The request; it is immutable. */
export interface PodCertificateRequestSpec {
  /** The signer, as DOMAIN/PATH. */
  readonly signerName: string;
  /** The name of the Pod. */
  readonly podName: string;
  /** The UID of the Pod. */
  readonly podUID: string;
  /** The name of the Pod's ServiceAccount. */
  readonly serviceAccountName: string;
  /** The UID of the ServiceAccount. */
  readonly serviceAccountUID: string;
  /** The name of the node that the Pod is on. */
  readonly nodeName: string;
  /** The UID of the node. */
  readonly nodeUID: string;
  /** For how long the certificate may be good at most; an hour to 91 days, to one day for signers of kubernetes.io. */
  readonly maxExpirationSeconds: number;
  /** The key for the certificate, as SubjectPublicKeyInfo: Ed25519, ECDSA P-256, P-384, P-521, RSA 3072, 4096. */
  readonly pkixPublicKey: string | null;
  /** The signature of the Pod's UID by that key: ECDSA over its SHA-256, RSA as PSS over its SHA-256, or Ed25519. */
  readonly proofOfPossession: string | null;
  /** Information of the Pod for the signer; it is not verified. */
  readonly unverifiedUserAnnotations?: { readonly [key: string]: string };
}

/** The result of the request. */
export interface PodCertificateRequestStatus {
  /** At most one of Issued, Denied and Failed, for good. */
  readonly conditions?: readonly ServiceCIDRStatusCondition[];
  /** The certificate of the Pod and those that lead to its root, PEM. */
  readonly certificateChain?: string;
  /** When the certificate begins to be good. */
  readonly notBefore?: string;
  /** When to ask for the next one. */
  readonly beginRefreshAt?: string;
  /** When the certificate ends. */
  readonly notAfter?: string;
}

/** A condition of the object. */
export interface ServiceCIDRStatusCondition {
  /** The type of the condition. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** The generation of the object that it speaks of. */
  readonly observedGeneration?: number;
  /** When the status last changed. */
  readonly lastTransitionTime: string | null;
  /** Why, for programs. */
  readonly reason: string;
  /** Why, for people. */
  readonly message: string;
}

/** How many Pods of a selection may be missing at a time because of evictions. */
export interface PodDisruptionBudget {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: PodDisruptionBudgetSpec;
  readonly status: PodDisruptionBudgetStatus;
}

/** Which Pods, and how many of them. */
export interface PodDisruptionBudgetSpec {
  /** How many Pods must be healthy, as a number or a percentage. */
  readonly minAvailable?: number | string;
  readonly selector?: PodDisruptionBudgetSpecSelector;
  /** How many Pods may be missing, as a number or a percentage. */
  readonly maxUnavailable?: number | string;
  /** Whether Pods that are not Ready may be evicted: IfHealthyBudget (the default), or AlwaysAllow. */
  readonly unhealthyPodEvictionPolicy?: string;
}

/** Selects objects by their labels; everything in it must hold. An empty selector selects all. */
export interface PodDisruptionBudgetSpecSelector {
  /** Labels that must be there with exactly these values. */
  readonly matchLabels?: { readonly [key: string]: string };
  /** What else is asked of the labels. */
  readonly matchExpressions?: readonly JobSpecSelectorMatchExpression[];
}

/** The counts of the Pods, by the disruption controller. */
export interface PodDisruptionBudgetStatus {
  /** The generation that was counted by; an eviction waits for that of the present spec. */
  readonly observedGeneration?: number;
  /** Pods whose eviction was granted, and when; each counts as missing until it is seen to be. */
  readonly disruptedPods?: { readonly [key: string]: string };
  /** How many Pods may be evicted now. */
  readonly disruptionsAllowed: number;
  /** How many Pods are healthy. */
  readonly currentHealthy: number;
  /** How many Pods must be healthy. */
  readonly desiredHealthy: number;
  /** How many Pods there are to be. */
  readonly expectedPods: number;
  /** The conditions of the budget, such as DisruptionAllowed. */
  readonly conditions?: readonly ServiceCIDRStatusCondition[];
}

/** A template of Pods, as an object of its own. */
export interface PodTemplate {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly template: JobSpecTemplate;
}

/** A priority of Pods, by the name of the class. */
export interface PriorityClass {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The priority of its Pods: the greater, the more important. */
  readonly value: number;
  /** Whether Pods that name no class have this one. */
  readonly globalDefault?: boolean;
  /** When to use it. */
  readonly description?: string;
  /** Whether its Pods preempt Pods of lower priority: PreemptLowerPriority, or Never. */
  readonly preemptionPolicy: string;
}

/** How many requests of a level run at a time, and whether the others wait. */
export interface PriorityLevelConfiguration {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: PriorityLevelConfigurationSpec;
  readonly status: FlowSchemaStatus;
}

/** The properties of the level. */
export interface PriorityLevelConfigurationSpec {
  /** Limited; Exempt for the level of that name, which has no limit. */
  readonly type: string;
  readonly limited?: PriorityLevelConfigurationSpecLimited;
  readonly exempt?: PriorityLevelConfigurationSpecExempt;
}

/** The limits of a level of the type Limited. */
export interface PriorityLevelConfigurationSpecLimited {
  /** The level's part of the seats of the server, measured against the shares of all levels. 30 unless said. */
  readonly nominalConcurrencyShares?: number | null;
  readonly limitResponse: PriorityLevelConfigurationSpecLimitedLimitResponse;
  /** How much of its seats, in percent, others may use while it does not. */
  readonly lendablePercent?: number;
  /** How many seats it may borrow, in percent of its own; without a limit by default. */
  readonly borrowingLimitPercent?: number;
}

/** How requests without a seat are handled. */
export interface PriorityLevelConfigurationSpecLimitedLimitResponse {
  /** Queue: they wait; Reject: they are refused. */
  readonly type: string;
  readonly queuing?: PriorityLevelConfigurationSpecLimitedLimitResponseQueuing;
}

/** The queues of the level. */
export interface PriorityLevelConfigurationSpecLimitedLimitResponseQueuing {
  /** The number of queues; 64 by default. */
  readonly queues: number;
  /** The number of queues among which a flow chooses; 8 by default. */
  readonly handSize: number;
  /** How many requests may wait in one queue; 50 by default. */
  readonly queueLengthLimit: number;
}

/** What a level of the type Exempt may lend. */
export interface PriorityLevelConfigurationSpecExempt {
  /** The level's part of the seats of the server, measured against the shares of all levels. */
  readonly nominalConcurrencyShares?: number;
  /** How much of its seats, in percent, others may use while it does not. */
  readonly lendablePercent?: number;
}

/** A number of Pods of one template. */
export interface ReplicaSet {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ReplicaSetSpec;
  readonly status: ReplicaSetStatus;
}

/** The desired state. */
export interface ReplicaSetSpec {
  /** The desired number of Pods; 1 by default. */
  readonly replicas?: number;
  /** How long a Pod must be ready before it counts as available. */
  readonly minReadySeconds?: number;
  readonly selector: JobSpecSelector | null;
  readonly template: JobSpecTemplate;
}

/** How many Pods there are. */
export interface ReplicaSetStatus {
  /** Pods that there are. */
  readonly replicas: number;
  /** Pods with all labels of the template. */
  readonly fullyLabeledReplicas?: number;
  /** Pods that are ready. */
  readonly readyReplicas?: number;
  /** Pods that have been ready for long enough. */
  readonly availableReplicas?: number;
  /** Pods that are about to go. */
  readonly terminatingReplicas?: number;
  /** The generation of the object that the status speaks of. */
  readonly observedGeneration?: number;
  /** The conditions of the set. */
  readonly conditions?: readonly DaemonSetStatusCondition[];
}

/** A number of Pods of one template, selected by equal labels. */
export interface ReplicationController {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ReplicationControllerSpec;
  readonly status: ReplicationControllerStatus;
}

/** The desired state. */
export interface ReplicationControllerSpec {
  /** The desired number of Pods. */
  readonly replicas: number;
  /** How long a Pod must be ready before it counts as available. */
  readonly minReadySeconds?: number;
  /** Labels of the Pods; those of the template by default. */
  readonly selector?: { readonly [key: string]: string };
  readonly template?: JobSpecTemplate;
}

/** How many Pods there are. */
export interface ReplicationControllerStatus {
  /** Pods that there are. */
  readonly replicas: number;
  /** Pods with all labels of the template. */
  readonly fullyLabeledReplicas?: number;
  /** Pods that are ready. */
  readonly readyReplicas?: number;
  /** Pods that have been ready for long enough. */
  readonly availableReplicas?: number;
  /** The generation of the object that the status speaks of. */
  readonly observedGeneration?: number;
  /** The conditions of the controller. */
  readonly conditions?: readonly DaemonSetStatusCondition[];
}

/** Requested devices, and those that were allocated. */
export interface ResourceClaim {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ResourceClaimSpec;
  readonly status: ResourceClaimStatus;
}

/** The requests of the claim. */
export interface ResourceClaimSpec {
  readonly devices: ResourceClaimSpecDevices;
}

/** Devices. */
export interface ResourceClaimSpecDevices {
  /** The requested devices; at most 32. */
  readonly requests?: readonly ResourceClaimSpecDevicesRequest[] | null;
  /** Constraints of several of them; at most 32. */
  readonly constraints?: readonly ResourceClaimSpecDevicesConstraint[];
  /** Configurations for drivers; at most 32. */
  readonly config?: readonly ResourceClaimSpecDevicesConfig[];
}

/** Requested devices. */
export interface ResourceClaimSpecDevicesRequest {
  /** The name of the request, a DNS label. */
  readonly name: string;
  readonly exactly?: ResourceClaimSpecDevicesRequestExactly;
  /** Devices of several sorts, of which the first do that can be had; at most 8. */
  readonly firstAvailable?: readonly ResourceClaimSpecDevicesRequestFirstAvailable[];
}

/** A class of devices. */
export interface ResourceClaimSpecDevicesRequestExactly {
  /** The DeviceClass that the devices are of. */
  readonly deviceClassName: string;
  /** Further expressions that must all be true for each device; at most 32. */
  readonly selectors?: readonly DeviceClassSpecSelector[];
  /** ExactCount: `count` devices; All: all matching devices. ExactCount by default. */
  readonly allocationMode?: string;
  /** How many, for ExactCount; 1 by default. */
  readonly count?: number;
  /** Whether to look after devices that others use; for namespaces that are marked for it. */
  readonly adminAccess?: boolean;
  /** The taints that do not matter. */
  readonly tolerations?: readonly ResourceClaimSpecDevicesRequestExactlyToleration[];
  readonly capacity?: ResourceClaimSpecDevicesRequestExactlyCapacity;
}

/** A taint that does not matter. */
export interface ResourceClaimSpecDevicesRequestExactlyToleration {
  /** Its key; any by default. */
  readonly key?: string;
  /** Equal: with this value; Exists: with any. */
  readonly operator: string;
  /** Its value, for Equal. */
  readonly value?: string;
  /** Its effect; any by default. */
  readonly effect?: string;
  /** For how long a NoExecute does not matter; for ever by default. */
  readonly tolerationSeconds?: number;
}

/** The requested capacity of each device. */
export interface ResourceClaimSpecDevicesRequestExactlyCapacity {
  /** Amounts by the names of the capacities. */
  readonly requests?: { readonly [key: string]: string };
}

/** Devices that would do. */
export interface ResourceClaimSpecDevicesRequestFirstAvailable {
  /** The name of it, a DNS label. */
  readonly name: string;
  /** The DeviceClass that the devices are of. */
  readonly deviceClassName: string;
  /** Further expressions that must all be true for each device; at most 32. */
  readonly selectors?: readonly DeviceClassSpecSelector[];
  /** ExactCount: `count` devices; All: all matching devices. ExactCount by default. */
  readonly allocationMode?: string;
  /** How many, for ExactCount; 1 by default. */
  readonly count?: number;
  /** The taints that do not matter. */
  readonly tolerations?: readonly ResourceClaimSpecDevicesRequestExactlyToleration[];
  readonly capacity?: ResourceClaimSpecDevicesRequestExactlyCapacity;
}

/** A constraint of several devices. */
export interface ResourceClaimSpecDevicesConstraint {
  /** The requests whose devices it is about, as `request` or `request/alternative`; all by default. */
  readonly requests?: readonly string[];
  /** An attribute that is the same in all of them, with its domain. */
  readonly matchAttribute?: string;
  /** An attribute that differs in all of them, with its domain. */
  readonly distinctAttribute?: string;
}

/** A configuration of devices. */
export interface ResourceClaimSpecDevicesConfig {
  /** The requests whose devices it is for, as `request` or `request/alternative`; all by default. */
  readonly requests?: readonly string[];
  readonly opaque?: DeviceClassSpecConfigOpaque;
}

/** The devices that the claim has. */
export interface ResourceClaimStatus {
  readonly allocation?: ResourceClaimStatusAllocation;
  /** The objects that may use them; at most 256. */
  readonly reservedFor?: readonly ResourceClaimStatusReservedFor[];
  /** How they are, as their drivers say. */
  readonly devices?: readonly ResourceClaimStatusDevice[];
}

/** The allocation of the claim. */
export interface ResourceClaimStatusAllocation {
  readonly devices: ResourceClaimStatusAllocationDevices;
  readonly nodeSelector?: ResourceSliceSpecNodeSelector;
  /** When the devices were found. */
  readonly allocationTimestamp?: string;
}

/** Devices. */
export interface ResourceClaimStatusAllocationDevices {
  /** The devices; at most 32. */
  readonly results?: readonly ResourceClaimStatusAllocationDevicesResult[];
  /** Configurations for drivers, those of classes first; at most 64. */
  readonly config?: readonly ResourceClaimStatusAllocationDevicesConfig[];
}

/** A device that the claim has. */
export interface ResourceClaimStatusAllocationDevicesResult {
  /** The request that it was found for, as `request` or `request/alternative`. */
  readonly request: string;
  /** The driver of the device. */
  readonly driver: string;
  /** The pool that it is in. */
  readonly pool: string;
  /** Its name in the pool. */
  readonly device: string;
  /** Whether the claim looks after the device, which others may have. */
  readonly adminAccess?: boolean;
  /** The taints that do not matter. */
  readonly tolerations?: readonly ResourceClaimSpecDevicesRequestExactlyToleration[];
  /** Conditions of the claim that are to be true before a Pod is bound; at most 4. */
  readonly bindingConditions?: readonly string[];
  /** Conditions of the claim, each of which means that the device is not available; at most 4. */
  readonly bindingFailureConditions?: readonly string[];
  /** Which share of a device it is that several have; a UID. */
  readonly shareID?: string;
  /** How much of it the claim has, by the names of capacities. */
  readonly consumedCapacity?: { readonly [key: string]: string };
}

/** A configuration of devices. */
export interface ResourceClaimStatusAllocationDevicesConfig {
  /** Its source: FromClass or FromClaim. */
  readonly source: string;
  /** The requests whose devices it is for; all by default. */
  readonly requests?: readonly string[];
  readonly opaque?: DeviceClassSpecConfigOpaque;
}

/** An object that may use the devices. */
export interface ResourceClaimStatusReservedFor {
  /** The group of the resource; empty for the core group. */
  readonly apiGroup?: string;
  /** The resource, such as pods. */
  readonly resource: string;
  /** The name of the object. */
  readonly name: string;
  /** Which object of this name it is. */
  readonly uid: string;
}

/** How a device is. */
export interface ResourceClaimStatusDevice {
  /** The driver of the device. */
  readonly driver: string;
  /** The pool that it is in. */
  readonly pool: string;
  /** Its name in the pool. */
  readonly device: string;
  /** Which share of a device it is that several have; a UID. */
  readonly shareID?: string;
  /** Its conditions, which its driver sets; at most 8. */
  readonly conditions?: readonly ServiceCIDRStatusCondition[] | null;
  /** Further data of its driver, an object; at most 10 KiB. */
  readonly data?: unknown;
  readonly networkData?: ResourceClaimStatusDeviceNetworkData;
}

/** How it is reached in a network. */
export interface ResourceClaimStatusDeviceNetworkData {
  /** The name of the interface; at most 256 bytes. */
  readonly interfaceName?: string;
  /** Its addresses with the size of their network, such as 192.0.2.5/24; at most 16. */
  readonly ips?: readonly string[];
  /** Its hardware address; at most 128 bytes. */
  readonly hardwareAddress?: string;
}

/** The template of claims of Pods. */
export interface ResourceClaimTemplate {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ResourceClaimTemplateSpec;
}

/** The template of a claim. */
export interface ResourceClaimTemplateSpec {
  readonly metadata: ObjectMeta;
  readonly spec: ResourceClaimSpec;
}

/** The limits of the total usage of all objects of a namespace. */
export interface ResourceQuota {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ResourceQuotaSpec;
  readonly status: ResourceQuotaStatus;
}

/** The limits of the quota. */
export interface ResourceQuotaSpec {
  /** The most of each resource, or the greatest number of objects. */
  readonly hard?: { readonly [key: string]: string };
  /** Which objects it is about: those that all of these hold for; all objects without any. */
  readonly scopes?: readonly string[];
  readonly scopeSelector?: ResourceQuotaSpecScopeSelector;
}

/** Selects objects, in addition to scopes. */
export interface ResourceQuotaSpecScopeSelector {
  /** Requirements, all of which must hold. */
  readonly matchExpressions?: readonly ResourceQuotaSpecScopeSelectorMatchExpression[];
}

/** Which objects a quota is about. */
export interface ResourceQuotaSpecScopeSelectorMatchExpression {
  /** The scope, such as PriorityClass. */
  readonly scopeName: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** The names that are meant, with In and NotIn. */
  readonly values?: readonly string[];
}

/** The enforced limits, and the usage. */
export interface ResourceQuotaStatus {
  /** The amounts that are enforced. */
  readonly hard?: { readonly [key: string]: string };
  /** The usage. */
  readonly used?: { readonly [key: string]: string };
}

/** Some of the devices of a pool, as reported by their driver. */
export interface ResourceSlice {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ResourceSliceSpec;
}

/** The devices. */
export interface ResourceSliceSpec {
  /** The driver that publishes them. */
  readonly driver: string;
  readonly pool: ResourceSliceSpecPool;
  /** The node that has them. */
  readonly nodeName?: string;
  readonly nodeSelector?: ResourceSliceSpecNodeSelector;
  /** Whether all nodes reach them. */
  readonly allNodes?: boolean;
  /** The devices; at most 128, or 64 where any has taints or takes of shared amounts. */
  readonly devices?: readonly ResourceSliceSpecDevice[];
  /** Whether each device defines its nodes. */
  readonly perDeviceNodeSelection?: boolean;
  /** Amounts that devices of the pool take of; at most 8. */
  readonly sharedCounters?: readonly ResourceSliceSpecSharedCounter[];
}

/** The pool that the devices are in. */
export interface ResourceSliceSpecPool {
  /** Its name: DNS subdomains with slashes between them, often that of a node. */
  readonly name: string;
  /** Which state of the pool it is: the slices of the greatest count. */
  readonly generation: number;
  /** How many slices the pool has in this state. */
  readonly resourceSliceCount: number;
}

/** A device. */
export interface ResourceSliceSpecDevice {
  /** Its name in the pool, a DNS label. */
  readonly name: string;
  /** Its attributes, by names with a domain unless that is the driver; with capacities at most 32. */
  readonly attributes?: { readonly [key: string]: ResourceSliceSpecDeviceAttribute };
  /** How much it has, by names as those of attributes. */
  readonly capacity?: { readonly [key: string]: ResourceSliceSpecDeviceCapacity };
  /** The amounts of shared counters that it uses; at most 2. */
  readonly consumesCounters?: readonly ResourceSliceSpecDeviceConsumesCounter[];
  /** The node that it is on, with perDeviceNodeSelection. */
  readonly nodeName?: string;
  readonly nodeSelector?: ResourceSliceSpecNodeSelector;
  /** Whether all nodes reach it, with perDeviceNodeSelection. */
  readonly allNodes?: boolean;
  /** The taints of the device; at most 16. */
  readonly taints?: readonly ResourceSliceSpecDeviceTaint[];
  /** Whether its consumer stays on the node of the allocation. */
  readonly bindsToNode?: boolean;
  /** Conditions of the claim that are to be true before a Pod is bound; at most 4. */
  readonly bindingConditions?: readonly string[];
  /** Conditions of the claim, each of which means that the device is not available; at most 4. */
  readonly bindingFailureConditions?: readonly string[];
  /** Whether several claims may have it at a time. */
  readonly allowMultipleAllocations?: boolean;
}

/** An attribute of a device. */
export interface ResourceSliceSpecDeviceAttribute {
  /** A number. */
  readonly int?: number;
  /** Whether it is so. */
  readonly bool?: boolean;
  /** A text; at most 64 bytes. */
  readonly string?: string;
  /** A version, as semver.org has them; at most 64 bytes. */
  readonly version?: string;
}

/** A capacity of the device. */
export interface ResourceSliceSpecDeviceCapacity {
  /** How much there is. */
  readonly value: string;
  readonly requestPolicy?: ResourceSliceSpecDeviceCapacityRequestPolicy;
}

/** The amounts that a claim may request; requests are rounded up. */
export interface ResourceSliceSpecDeviceCapacityRequestPolicy {
  /** The amount of a claim without a request. */
  readonly default?: string | null;
  /** The only amounts, from the least to the most; at most 10. */
  readonly validValues?: readonly string[];
  readonly validRange?: ResourceSliceSpecDeviceCapacityRequestPolicyValidRange;
}

/** The amounts from one to another. */
export interface ResourceSliceSpecDeviceCapacityRequestPolicyValidRange {
  /** The least. */
  readonly min?: string;
  /** The most; all that there is by default. */
  readonly max?: string;
  /** How far amounts are from each other, beginning with the least. */
  readonly step?: string;
}

/** The amounts of shared counters that the device uses. */
export interface ResourceSliceSpecDeviceConsumesCounter {
  /** The name of those in `sharedCounters`. */
  readonly counterSet: string;
  /** Amounts by their names; at most 32. */
  readonly counters: { readonly [key: string]: ResourceSliceSpecSharedCounterCounter };
}

/** An amount. */
export interface ResourceSliceSpecSharedCounterCounter {
  /** How much. */
  readonly value: string;
}

/** A taint of a device. */
export interface ResourceSliceSpecDeviceTaint {
  /** The key, in the form of the key of a label. */
  readonly key: string;
  /** More of it, as the value of a label. */
  readonly value?: string;
  /** The effect: NoSchedule, NoExecute, or None. */
  readonly effect: string;
  /** Since when; now by default. */
  readonly timeAdded?: string;
}

/** Amounts that devices take of. */
export interface ResourceSliceSpecSharedCounter {
  /** The name of all of them, a DNS label. */
  readonly name: string;
  /** Amounts by their names; at most 32. */
  readonly counters: { readonly [key: string]: ResourceSliceSpecSharedCounterCounter };
}

/** Rights to the objects of a namespace, for the users of its RoleBindings. */
export interface Role {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The rules; rights of all rules add up, and no rule denies anything. */
  readonly rules?: readonly RoleRule[] | null;
}

/** Gives a role to users in a namespace: a Role of that namespace, or a ClusterRole. */
export interface RoleBinding {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The subjects of the role. */
  readonly subjects?: readonly RoleBindingSubject[];
  readonly roleRef: RoleBindingRoleRef;
}

/** The runtime of the containers of Pods that name this class. */
export interface RuntimeClass {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The name of the runtime on nodes; it is the same on all nodes that have it. */
  readonly handler: string;
  readonly overhead?: RuntimeClassOverhead;
  readonly scheduling?: RuntimeClassScheduling;
}

/** The overhead of the runtime, in addition to the containers. */
export interface RuntimeClassOverhead {
  /** The overhead of each Pod. */
  readonly podFixed?: { readonly [key: string]: string };
}

/** The nodes that have it. */
export interface RuntimeClassScheduling {
  /** Labels of nodes that have it. */
  readonly nodeSelector?: { readonly [key: string]: string };
  /** Taints of these nodes that do not keep its Pods away. */
  readonly tolerations?: readonly PodSpecToleration[];
}

/** Contains data that only authorized users may read: passwords, tokens, keys. */
export interface Secret {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** Bytes by their keys, base64 in JSON; all values together stay below 1 MiB. */
  readonly data?: { readonly [key: string]: string };
  /** Texts by their keys, for writes only: they are merged into data, overwrite it, and are never read back. */
  readonly stringData?: { readonly [key: string]: string };
  /** When true, only the metadata can change from then on, and this cannot be undone. */
  readonly immutable?: boolean;
  /** The type of the data, for programs; it is immutable. `Opaque` by default. */
  readonly type: string;
}

/** Checks whether the current user may do something. */
export interface SelfSubjectAccessReview {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: SelfSubjectAccessReviewSpec;
  readonly status: SubjectAccessReviewStatus;
}

/** The request to check; one of both kinds. */
export interface SelfSubjectAccessReviewSpec {
  readonly resourceAttributes?: SubjectAccessReviewSpecResourceAttributes;
  readonly nonResourceAttributes?: SubjectAccessReviewSpecNonResourceAttributes;
}

/** Returns the attributes of the current user. */
export interface SelfSubjectReview {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly status: SelfSubjectReviewStatus;
}

/** The result. */
export interface SelfSubjectReviewStatus {
  readonly userInfo?: SelfSubjectReviewStatusUserInfo;
}

/** The identity of a user. */
export interface SelfSubjectReviewStatusUserInfo {
  /** Name of the user. */
  readonly username?: string;
  /** Tells users of the same name apart. */
  readonly uid?: string;
  /** Groups of the user. */
  readonly groups?: readonly string[];
  /** Further attributes of the user. */
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** Lists what the current user may do in a namespace. */
export interface SelfSubjectRulesReview {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: SelfSubjectRulesReviewSpec;
  readonly status: SelfSubjectRulesReviewStatus;
}

/** The scope of the list. */
export interface SelfSubjectRulesReviewSpec {
  /** The namespace. */
  readonly namespace?: string;
}

/** The permitted actions, as far as they are known. */
export interface SelfSubjectRulesReviewStatus {
  /** Permitted actions on resources. */
  readonly resourceRules: readonly SelfSubjectRulesReviewStatusResourceRule[];
  /** Permitted actions on paths that are no resources. */
  readonly nonResourceRules: readonly SelfSubjectRulesReviewStatusNonResourceRule[];
  /** Whether there may be more that is allowed. */
  readonly incomplete: boolean;
  /** The error of the authorizer. */
  readonly evaluationError?: string;
}

/** Permitted actions on resources. */
export interface SelfSubjectRulesReviewStatusResourceRule {
  /** The permitted verbs. */
  readonly verbs: readonly string[];
  /** Groups of the resources. */
  readonly apiGroups?: readonly string[];
  /** The resources. */
  readonly resources?: readonly string[];
  /** Names of objects; all when there are none. */
  readonly resourceNames?: readonly string[];
}

/** Permitted actions on paths that are no resources. */
export interface SelfSubjectRulesReviewStatusNonResourceRule {
  /** The permitted verbs. */
  readonly verbs: readonly string[];
  /** The paths; `*` at the end matches any rest. */
  readonly nonResourceURLs?: readonly string[];
}

/** A name, addresses and ports for a set of Pods. */
export interface Service {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ServiceSpec;
  readonly status: ServiceStatus;
}

/** The properties of the service. */
export interface ServiceSpec {
  /** The ports of the service. */
  readonly ports?: readonly ServiceSpecPort[];
  /** Labels of the programs behind it. */
  readonly selector?: { readonly [key: string]: string };
  /** The address of the service, allocated unless it is requested; None for a service without one. */
  readonly clusterIP?: string;
  /** The addresses, one for each family; the first is `clusterIP`. */
  readonly clusterIPs?: readonly string[];
  /** ClusterIP, NodePort, LoadBalancer or ExternalName. */
  readonly type: string;
  /** More addresses that lead to it. */
  readonly externalIPs?: readonly string[];
  /** ClientIP or None. */
  readonly sessionAffinity: string;
  /** The address that a load balancer should have. */
  readonly loadBalancerIP?: string;
  /** From where a load balancer takes requests. */
  readonly loadBalancerSourceRanges?: readonly string[];
  /** The external name, for the type ExternalName. */
  readonly externalName?: string;
  /** Cluster or Local, for requests from outside. */
  readonly externalTrafficPolicy?: string;
  /** The port on which nodes tell whether they serve it. */
  readonly healthCheckNodePort?: number;
  /** Whether programs count before they are ready. */
  readonly publishNotReadyAddresses?: boolean;
  readonly sessionAffinityConfig?: ServiceSpecSessionAffinityConfig;
  /** SingleStack, PreferDualStack or RequireDualStack. */
  readonly ipFamilyPolicy?: string;
  /** IPv4, IPv6 or both. */
  readonly ipFamilies?: readonly string[];
  /** Whether a load balancer needs ports on the nodes. */
  readonly allocateLoadBalancerNodePorts?: boolean;
  /** Which load balancer serves it. */
  readonly loadBalancerClass?: string;
  /** Cluster or Local, for requests from inside. */
  readonly internalTrafficPolicy?: string;
  /** Which programs are preferred: PreferSameZone, PreferSameNode or PreferClose. */
  readonly trafficDistribution?: string;
}

/** One port of the service. */
export interface ServiceSpecPort {
  /** Name of the port; needed when there are several. */
  readonly name?: string;
  /** TCP, UDP or SCTP. */
  readonly protocol: string;
  /** The protocol of the application. */
  readonly appProtocol?: string;
  /** The port of the service. */
  readonly port: number;
  /** The port of the programs, by number or name; the same as `port` by default. */
  readonly targetPort: number | string;
  /** The port on every node, for the types that have one; allocated unless it is requested. */
  readonly nodePort?: number;
}

/** How long clients are bound. */
export interface ServiceSpecSessionAffinityConfig {
  readonly clientIP?: ServiceSpecSessionAffinityConfigClientIP;
}

/** By the address of the client. */
export interface ServiceSpecSessionAffinityConfigClientIP {
  /** How long, 10800 by default. */
  readonly timeoutSeconds?: number;
}

/** How the service is. */
export interface ServiceStatus {
  readonly loadBalancer: ServiceStatusLoadBalancer;
  /** The conditions of the service. */
  readonly conditions?: readonly ServiceStatusCondition[];
}

/** The load balancer. */
export interface ServiceStatusLoadBalancer {
  /** The addresses for requests. */
  readonly ingress?: readonly ServiceStatusLoadBalancerIngress[];
}

/** An address of a load balancer. */
export interface ServiceStatusLoadBalancerIngress {
  /** Its address. */
  readonly ip?: string;
  /** Its name. */
  readonly hostname?: string;
  /** VIP: packets keep the address; Proxy: they get that of a node or a program. */
  readonly ipMode?: string;
  /** How its ports are. */
  readonly ports?: readonly ServiceStatusLoadBalancerIngressPort[];
}

/** One port of the load balancer. */
export interface ServiceStatusLoadBalancerIngressPort {
  /** The port of the service. */
  readonly port: number;
  /** TCP, UDP or SCTP. */
  readonly protocol: string;
  /** The error. */
  readonly error?: string;
}

/** A condition of the service. */
export interface ServiceStatusCondition {
  /** The type of the condition. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** The generation of the service that this is known of. */
  readonly observedGeneration?: number;
  /** Why, for programs. */
  readonly reason: string;
  /** Why, for people. */
  readonly message: string;
  /** When the status last changed. */
  readonly lastTransitionTime?: string | null;
}

/** An identity for programs, and the Secrets that they may mount. */
export interface ServiceAccount {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** Secrets that programs of this account may mount. */
  readonly secrets?: readonly EventRelated[];
  /** Secrets with which images are pulled. */
  readonly imagePullSecrets?: readonly PodSpecImagePullSecret[];
  /** Whether programs are given a token without asking. */
  readonly automountServiceAccountToken?: boolean;
}

/** Networks with the addresses of Services. */
export interface ServiceCIDR {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ServiceCIDRSpec;
  readonly status: ServiceCIDRStatus;
}

/** The networks. */
export interface ServiceCIDRSpec {
  /** One network, or one of each family. */
  readonly cidrs?: readonly string[];
}

/** Whether addresses are given out. */
export interface ServiceCIDRStatus {
  /** The conditions of the networks. */
  readonly conditions?: readonly ServiceCIDRStatusCondition[];
}

/** Pods of one template that keep their names and their claims. */
export interface StatefulSet {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: StatefulSetSpec;
  readonly status: StatefulSetStatus;
}

/** The desired state. */
export interface StatefulSetSpec {
  /** The desired number of Pods; 1 by default. */
  readonly replicas?: number;
  readonly selector: JobSpecSelector | null;
  readonly template: JobSpecTemplate;
  /** The claims that each Pod has of its own. */
  readonly volumeClaimTemplates?: readonly StatefulSetSpecVolumeClaimTemplate[];
  /** The service that gives the Pods their names. */
  readonly serviceName: string;
  /** OrderedReady: one Pod after the other. Parallel: all at once. */
  readonly podManagementPolicy: string;
  readonly updateStrategy: StatefulSetSpecUpdateStrategy;
  /** How many old revisions are kept; 10 by default. */
  readonly revisionHistoryLimit?: number;
  /** How long a Pod must be ready before it counts as available. */
  readonly minReadySeconds?: number;
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetSpecPersistentVolumeClaimRetentionPolicy;
  readonly ordinals?: StatefulSetSpecOrdinals;
}

/** A claim that each Pod has of its own; its name is that of a volume. */
export interface StatefulSetSpecVolumeClaimTemplate {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion?: string;
  /** The kind of the object. */
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec: PersistentVolumeClaimSpec;
  readonly status: PersistentVolumeClaimStatus;
}

/** How Pods of an old template are replaced. */
export interface StatefulSetSpecUpdateStrategy {
  /** RollingUpdate: one after the other, from the last. OnDelete: when they are deleted. */
  readonly type?: string;
  readonly rollingUpdate?: StatefulSetSpecUpdateStrategyRollingUpdate;
}

/** Which Pods, and how many at a time. */
export interface StatefulSetSpecUpdateStrategyRollingUpdate {
  /** Pods with a lower number keep the old template. */
  readonly partition?: number;
  /** How many Pods may be missing, as a number or a percentage. */
  readonly maxUnavailable?: number | string;
}

/** Whether claims go with their Pods. */
export interface StatefulSetSpecPersistentVolumeClaimRetentionPolicy {
  /** Retain or Delete, when the set is deleted. */
  readonly whenDeleted?: string;
  /** Retain or Delete, when there are to be fewer Pods. */
  readonly whenScaled?: string;
}

/** The numbers of the Pods. */
export interface StatefulSetSpecOrdinals {
  /** The number of the first Pod. */
  readonly start: number;
}

/** How many Pods there are. */
export interface StatefulSetStatus {
  /** The generation of the object that the status speaks of. */
  readonly observedGeneration?: number;
  /** Pods that there are. */
  readonly replicas: number;
  /** Pods that are ready. */
  readonly readyReplicas?: number;
  /** Pods of the revision before. */
  readonly currentReplicas?: number;
  /** Pods of the present revision. */
  readonly updatedReplicas?: number;
  /** The revision before. */
  readonly currentRevision?: string;
  /** The present revision. */
  readonly updateRevision?: string;
  /** How often a name of a revision was taken. */
  readonly collisionCount?: number;
  /** The conditions of the set. */
  readonly conditions?: readonly DaemonSetStatusCondition[];
  /** Pods that have been ready for long enough. */
  readonly availableReplicas: number;
}

/** A class of storage. */
export interface StorageClass {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The name of the provisioner of the class. */
  readonly provisioner: string;
  /** Parameters for the provisioner; up to 512 entries and 256 KiB. */
  readonly parameters?: { readonly [key: string]: string };
  /** The reclaim policy of provisioned volumes: `Delete`, `Recycle` or `Retain`. */
  readonly reclaimPolicy: string;
  /** Mount options of provisioned volumes; they are not checked, a wrong one makes mounts fail. */
  readonly mountOptions?: readonly string[];
  /** Whether claims of the class may grow. */
  readonly allowVolumeExpansion?: boolean;
  /** When claims are provisioned and bound: `Immediate`, or `WaitForFirstConsumer` to wait for a pod that uses the claim. */
  readonly volumeBindingMode: string;
  /** The topologies in which volumes may be provisioned, any of the terms; everywhere when empty. */
  readonly allowedTopologies?: readonly StorageClassAllowedTopology[];
}

/** A set of nodes: those that match all requirements; none when there are no requirements. */
export interface StorageClassAllowedTopology {
  /** The requirements, each on another label. */
  readonly matchLabelExpressions?: readonly StorageClassAllowedTopologyMatchLabelExpression[];
}

/** A label of nodes and the values that it may have. */
export interface StorageClassAllowedTopologyMatchLabelExpression {
  /** The key of the label. */
  readonly key: string;
  /** A node matches when its label has one of these values. */
  readonly values: readonly string[];
}

/** A migration of stored objects to the latest storage version. */
export interface StorageVersionMigration {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: StorageVersionMigrationSpec;
  readonly status: StorageVersionMigrationStatus;
}

/** The resource to migrate; it is immutable. */
export interface StorageVersionMigrationSpec {
  readonly resource: StorageVersionMigrationSpecResource;
}

/** The resource that is migrated. */
export interface StorageVersionMigrationSpecResource {
  /** The API group, empty for the core group. */
  readonly group: string;
  /** The plural name of the resource. */
  readonly resource: string;
}

/** How far the migration is; written by its controller. */
export interface StorageVersionMigrationStatus {
  /** The latest observations; at most one of Succeeded and Failed is true, for good. */
  readonly conditions?: readonly StorageVersionMigrationStatusCondition[];
  /** The version of the resource when the migration was first seen; it is set once. */
  readonly resourceVersion?: string;
}

/** The last observed state of one aspect of the migration. */
export interface StorageVersionMigrationStatusCondition {
  /** The aspect: `Running`, `Succeeded`, `Failed` or a qualified name. */
  readonly type: string;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  /** The generation of the object that the condition was seen for. */
  readonly observedGeneration?: number;
  /** When the condition last changed. */
  readonly lastTransitionTime: string;
  /** Why the condition last changed, in one word. */
  readonly reason: string;
  /** Details of the last change, for people. */
  readonly message: string;
}

/** A migration of stored objects to the latest storage version. */
export interface StorageVersionMigrationV1alpha1 {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: StorageVersionMigrationV1alpha1Spec;
  readonly status: StorageVersionMigrationV1alpha1Status;
}

/** The resource to migrate; it is immutable. */
export interface StorageVersionMigrationV1alpha1Spec {
  readonly resource: StorageVersionMigrationV1alpha1SpecResource;
  /** The token for the next batch of objects; while the migration runs it shows the progress. */
  readonly continueToken?: string;
}

/** The resource that is migrated, by the endpoint that serves it. */
export interface StorageVersionMigrationV1alpha1SpecResource {
  /** The API group, empty for the core group. */
  readonly group?: string;
  /** The version of the endpoint. */
  readonly version?: string;
  /** The plural name of the resource. */
  readonly resource?: string;
}

/** How far the migration is; written by its controller. */
export interface StorageVersionMigrationV1alpha1Status {
  /** The latest observations; at most one of Succeeded and Failed is true, for good. */
  readonly conditions?: readonly StorageVersionMigrationV1alpha1StatusCondition[];
  /** The version of the resource when the migration was first seen; the garbage collector must know it to go on. */
  readonly resourceVersion?: string;
}

/** The last observed state of one aspect of the migration. */
export interface StorageVersionMigrationV1alpha1StatusCondition {
  /** The aspect: `Running`, `Succeeded` or `Failed`. */
  readonly type: string;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  /** When the condition was last updated. */
  readonly lastUpdateTime?: string;
  /** Why the condition last changed, in one word. */
  readonly reason?: string;
  /** Details of the last change, for people. */
  readonly message?: string;
  /** The generation of the object that the condition was seen for. */
  readonly observedGeneration?: number;
}

/** Checks whether a user may do something. */
export interface SubjectAccessReview {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: SubjectAccessReviewSpec;
  readonly status: SubjectAccessReviewStatus;
}

/** Requests a token of a service account. */
export interface TokenRequest {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: TokenRequestSpec;
  readonly status?: TokenRequestStatus;
}

/** The properties of the requested token. */
export interface TokenRequestSpec {
  /** The audiences of the token; this server by default. */
  readonly audiences?: readonly string[] | null;
  /** How long it is good, in seconds. */
  readonly expirationSeconds: number;
  readonly boundObjectRef?: TokenRequestSpecBoundObjectRef | null;
}

/** The object that a token is bound to: it ends with the object. */
export interface TokenRequestSpecBoundObjectRef {
  /** Kind of the object: Pod, Secret or Node. */
  readonly kind?: string;
  /** API version of the object. */
  readonly apiVersion?: string;
  /** Name of the object. */
  readonly name?: string;
  /** UID of the object. */
  readonly uid?: string;
}

/** The token. */
export interface TokenRequestStatus {
  /** The token itself. */
  readonly token: string;
  /** When it ends. */
  readonly expirationTimestamp?: string | null;
}

/** Checks a token and returns its user. */
export interface TokenReview {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: TokenReviewSpec;
  readonly status: TokenReviewStatus;
}

/** The token to check. */
export interface TokenReviewSpec {
  /** The token. */
  readonly token?: string;
  /** The audiences of which the token must have one; this server by default. */
  readonly audiences?: readonly string[];
}

/** The result. */
export interface TokenReviewStatus {
  /** Whether the token is good. */
  readonly authenticated?: boolean;
  readonly user: TokenReviewStatusUser;
  /** The requested audiences that the token has. */
  readonly audiences?: readonly string[];
  /** Why the token is not good. */
  readonly error?: string;
}

/** The user of the token. */
export interface TokenReviewStatusUser {
  /** Name of the user. */
  readonly username?: string;
  /** Tells users of the same name apart. */
  readonly uid?: string;
  /** Groups of the user. */
  readonly groups?: readonly string[];
  /** Further attributes of the user. */
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** A policy of expressions that accepts or refuses writes and does not change them. */
export interface ValidatingAdmissionPolicy {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ValidatingAdmissionPolicySpec;
  readonly status: ValidatingAdmissionPolicyStatus;
}

/** The expressions, and the requests that they judge. */
export interface ValidatingAdmissionPolicySpec {
  readonly paramKind?: MutatingAdmissionPolicySpecParamKind;
  readonly matchConstraints?: MutatingAdmissionPolicySpecMatchConstraints;
  /** Fail: a request is refused where an expression fails or the policy cannot be evaluated, which is the default. Ignore: failures are ignored. */
  readonly failurePolicy?: string;
  /** The expressions; a policy needs at least one, or an audit annotation. */
  readonly validations?: readonly ValidatingAdmissionPolicySpecValidation[];
  /** The annotations of audit events; at most 20. */
  readonly auditAnnotations?: readonly ValidatingAdmissionPolicySpecAuditAnnotation[];
  /** Conditions on a request that rules and selectors match: all of them must be true; at most 64. */
  readonly matchConditions?: readonly MutatingAdmissionPolicySpecMatchCondition[];
  /** Named expressions; each may use those before it, and is evaluated when it is used. */
  readonly variables?: readonly MutatingAdmissionPolicySpecVariable[];
}

/** An expression that has to be true. */
export interface ValidatingAdmissionPolicySpecValidation {
  /** The expression in CEL, of type bool, over object, oldObject, request, params, namespaceObject, variables and authorizer. */
  readonly expression: string;
  /** The message of a refusal, in one line. */
  readonly message?: string;
  /** The reason of a refusal: Forbidden, Invalid or RequestEntityTooLarge; Invalid by default. */
  readonly reason?: string;
  /** An expression of type string that makes the message of a refusal; `message` is used where it fails. */
  readonly messageExpression?: string;
}

/** An annotation of audit events. */
export interface ValidatingAdmissionPolicySpecAuditAnnotation {
  /** The key of the annotation below the name of the policy: `POLICY/KEY`. */
  readonly key: string;
  /** The expression in CEL that makes the value, of type string or null; there is no annotation for null. */
  readonly valueExpression: string;
}

/** The status of the policy, which a controller sets. */
export interface ValidatingAdmissionPolicyStatus {
  /** The generation of the policy that the status is about. */
  readonly observedGeneration?: number;
  readonly typeChecking?: ValidatingAdmissionPolicyStatusTypeChecking;
  /** The latest observations. */
  readonly conditions?: readonly ServiceCIDRStatusCondition[];
}

/** The result of type checking; it is complete where it is set. */
export interface ValidatingAdmissionPolicyStatusTypeChecking {
  /** The findings about expressions. */
  readonly expressionWarnings?: readonly ValidatingAdmissionPolicyStatusTypeCheckingExpressionWarning[];
}

/** A finding about an expression. */
export interface ValidatingAdmissionPolicyStatusTypeCheckingExpressionWarning {
  /** The path of the expression, such as `spec.validations[0].expression`. */
  readonly fieldRef: string;
  /** The types for which the expression does not fit, and why. */
  readonly warning: string;
}

/** A binding of a validating policy to requests and parameters. */
export interface ValidatingAdmissionPolicyBinding {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ValidatingAdmissionPolicyBindingSpec;
}

/** The policy, its parameters and its actions. */
export interface ValidatingAdmissionPolicyBindingSpec {
  /** The name of the policy; without such a policy the binding has no effect. */
  readonly policyName?: string;
  readonly paramRef?: MutatingAdmissionPolicyBindingSpecParamRef;
  readonly matchResources?: MutatingAdmissionPolicyBindingSpecMatchResources;
  /** What a failed validation does: Deny refuses the request, Warn adds a warning, Audit adds an annotation to the audit event; not both Deny and Warn. */
  readonly validationActions?: readonly string[];
}

/** Webhooks that accept or refuse writes and do not change them. */
export interface ValidatingWebhookConfiguration {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The webhooks. */
  readonly webhooks?: readonly ValidatingWebhookConfigurationWebhook[];
}

/** A webhook that accepts or refuses writes. */
export interface ValidatingWebhookConfigurationWebhook {
  /** The name of the webhook: a domain name of at least three parts, unique in the configuration. */
  readonly name: string;
  readonly clientConfig: MutatingWebhookConfigurationWebhookClientConfig;
  /** Fail: a request is refused where the call of the webhook fails, which is the default. Ignore: it continues. */
  readonly failurePolicy?: string;
  /** The requests of the webhook: those that one of the rules matches. */
  readonly rules?: readonly MutatingWebhookConfigurationWebhookRule[];
  /** Exact: requests in the versions of the rules alone. Equivalent: requests for the same objects in other versions and groups as well, which is the default. */
  readonly matchPolicy?: string;
  readonly namespaceSelector?: MutatingWebhookConfigurationWebhookNamespaceSelector;
  readonly objectSelector?: MutatingWebhookConfigurationWebhookObjectSelector;
  /** None: a call has no side effects. NoneOnDryRun: a call for a dry run has none. */
  readonly sideEffects: string | null;
  /** The seconds until a call has failed, 1 to 30; 10 by default. */
  readonly timeoutSeconds?: number;
  /** The versions of AdmissionReview that the webhook supports; the first known one is sent. */
  readonly admissionReviewVersions: readonly string[] | null;
  /** Conditions on a request that rules and selectors match: all of them must be true; at most 64. */
  readonly matchConditions?: readonly MutatingAdmissionPolicySpecMatchCondition[];
}

/** The attachment of a volume to a node. */
export interface VolumeAttachment {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: VolumeAttachmentSpec;
  readonly status: VolumeAttachmentStatus;
}

/** The volume, the node and the attacher; it is immutable. */
export interface VolumeAttachmentSpec {
  /** The name of the CSI driver that attaches (GetPluginName). */
  readonly attacher: string;
  readonly source: VolumeAttachmentSpecSource;
  /** The node to attach to. */
  readonly nodeName: string;
}

/** The volume; exactly one member is set. */
export interface VolumeAttachmentSpecSource {
  /** The name of the PersistentVolume. */
  readonly persistentVolumeName?: string;
  readonly inlineVolumeSpec?: PersistentVolumeSpec;
}

/** How far the attachment is; written by the attacher. */
export interface VolumeAttachmentStatus {
  /** Whether the volume was attached successfully. */
  readonly attached: boolean;
  /** The result of a successful attach; it is passed to the calls that wait for it or mount the volume. */
  readonly attachmentMetadata?: { readonly [key: string]: string };
  readonly attachError?: VolumeAttachmentStatusAttachError;
  readonly detachError?: VolumeAttachmentStatusDetachError;
}

/** The last error of attaching. */
export interface VolumeAttachmentStatusAttachError {
  /** When the error happened. */
  readonly time?: string | null;
  /** The error. It may be logged, so it must contain no sensitive data. */
  readonly message?: string;
  /** The gRPC code of the failed call. */
  readonly errorCode?: number;
}

/** The last error of detaching. */
export interface VolumeAttachmentStatusDetachError {
  /** When the error happened. */
  readonly time?: string | null;
  /** The error. It may be logged, so it must contain no sensitive data. */
  readonly message?: string;
  /** The gRPC code of the failed call. */
  readonly errorCode?: number;
}

/** A class of attributes of volumes. */
export interface VolumeAttributesClass {
  /** Group and version of this form of the object, the version alone for the core group. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** The name of the CSI driver of the class; it cannot change. */
  readonly driverName: string;
  /** The attributes, which only the driver interprets: 1 to 512 entries, up to 256 KiB; they are immutable. */
  readonly parameters?: { readonly [key: string]: string };
}
