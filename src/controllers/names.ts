/** Descriptions of the built-in controllers, by their name in `--controllers`. */
export const CONTROLLERS = {
  attachdetach: "Attaches volumes to the nodes whose Pods use them, and detaches them afterwards.",
  "clusterrole-aggregation-controller":
    "Combines the rules of ClusterRoles in those with an aggregationRule, such as edit.",
  cronjob: "Creates the Jobs of CronJobs on their schedules, and deletes old Jobs (kubernetes dialect).",
  csrapproving: "Approves certificate requests of nodes that may have a client certificate.",
  csrcleaner: "Deletes old certificate requests.",
  csrsigning: "Signs approved certificate requests of clients and nodes with the CA of the server.",
  disruption: "Computes how many Pods of each PodDisruptionBudget may be evicted.",
  daemonset: "Creates one Pod of each DaemonSet on each matching node, and updates them in batches.",
  deployment: "Rolls out Deployments: creates a ReplicaSet for each template, and scales old and new ones.",
  endpoints: "Writes the addresses of the Pods of Services to Endpoints.",
  endpointslice: "Writes the addresses of the Pods of Services to EndpointSlices, at most 100 in each.",
  endpointslicemirroring: "Copies Endpoints that users create for Services without a selector to EndpointSlices.",
  "ephemeral-volume": "Creates the claims of generic ephemeral volumes of Pods.",
  "event-expiry": "Deletes Events when their time to live is over.",
  "garbage-collector": "Deletes objects whose owners are gone, and completes foreground deletion and orphaning.",
  job: "Creates the Pods of Jobs, counts succeeded and failed ones, and sets the conditions of Jobs (kubernetes dialect).",
  "horizontal-pod-autoscaling": "Scales workloads by their metrics.",
  "leader-election": "Selects a leader among LeaseCandidates (gate CoordinatedLeaderElection).",
  namespace: "Deletes the content of namespaces that are being deleted, and reports what remains.",
  "node-lifecycle-controller":
    "Detects nodes whose agents do not report, and taints nodes by their conditions (kubernetes dialect).",
  "persistentvolume-binder":
    "Binds claims to volumes, and retains or deletes released volumes by their reclaim policy.",
  "persistentvolume-expander": "Hands claims that request more storage to the resizer of their driver.",
  "pod-garbage-collector-controller":
    "Deletes Pods whose node is gone or out of service, and the oldest terminated Pods above the threshold.",
  podcertificaterequestcleaner: "Deletes old certificate requests of Pods (gate PodCertificateRequest).",
  "pv-protection": "Protects bound volumes from deletion.",
  "pvc-protection": "Protects claims that Pods use from deletion.",
  resourceclaim: "Creates resource claims from the templates of Pods, and frees devices of terminated Pods.",
  replicaset: "Creates and deletes Pods until each ReplicaSet has its number.",
  replicationcontroller: "Creates and deletes Pods until each ReplicationController has its number.",
  resourcequota: "Recalculates the usage of ResourceQuotas when objects are deleted or use less.",
  "root-ca": "Publishes the CA certificate of the server in every namespace (kubernetes dialect).",
  scheduler: "Binds Pods to nodes, with regard to their volumes; runs only if it is named.",
  "service-lb": "Assigns addresses to Services of the type LoadBalancer; runs only with --load-balancer-addresses.",
  serviceaccount: "Creates the ServiceAccount default in every namespace (kubernetes dialect).",
  "serviceaccount-token": "Writes tokens to Secrets of the type service-account-token (kubernetes dialect).",
  statefulset:
    "Creates the Pods and claims of StatefulSets in their order, and updates Pods from the last to the first.",
  "storage-version-migrator":
    "Writes all objects of a kind in its storage version for a StorageVersionMigration (gate StorageVersionMigrator).",
  "system-namespaces": "Creates system namespaces again after they were deleted.",
  "taint-eviction-controller": "Evicts Pods that do not tolerate a NoExecute taint of their node.",
  ttl: "Sets how long agents of nodes may cache ConfigMaps and Secrets, by the number of nodes (kubernetes dialect).",
  "trust-bundle-publisher":
    "Publishes the CA certificate of the server in a ClusterTrustBundle (gate ClusterTrustBundle).",
  "ttl-after-finished": "Deletes finished Jobs after their ttlSecondsAfterFinished (kubernetes dialect).",
  "vac-protection": "Protects VolumeAttributesClasses that claims or volumes use from deletion.",
  "validatingadmissionpolicy-status-controller": "Checks the types in expressions of ValidatingAdmissionPolicies.",
} as const;

/** Names of kube-controller-manager for controllers that have another one here, besides those that only end in `-controller`. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  "certificatesigningrequest-approving-controller": "csrapproving",
  "certificatesigningrequest-cleaner-controller": "csrcleaner",
  "certificatesigningrequest-signing-controller": "csrsigning",
  endpoint: "endpoints",
  "endpointslice-mirroring-controller": "endpointslicemirroring",
  garbagecollector: "garbage-collector",
  "horizontal-pod-autoscaler-controller": "horizontal-pod-autoscaling",
  horizontalpodautoscaling: "horizontal-pod-autoscaling",
  "kube-apiserver-serving-clustertrustbundle-publisher-controller": "trust-bundle-publisher",
  nodelifecycle: "node-lifecycle-controller",
  "persistentvolume-attach-detach-controller": "attachdetach",
  "persistentvolume-protection-controller": "pv-protection",
  "persistentvolumeclaim-protection-controller": "pvc-protection",
  "podcertificaterequest-cleaner-controller": "podcertificaterequestcleaner",
  podgc: "pod-garbage-collector-controller",
  "resource-claim-controller": "resourceclaim",
  "root-ca-cert-publisher": "root-ca",
  "root-ca-certificate-publisher-controller": "root-ca",
  "volumeattributesclass-protection-controller": "vac-protection",
};

/**
 * Returns the name of a controller here for one of kube-controller-manager, such as `deployment` for `deployment-controller`; a dash in
 * front stays. Other texts are returned as they are.
 */
export function ownName(name: string): string {
  const dash = name.startsWith("-") ? "-" : "";
  const bare = name.slice(dash.length);
  const known = [bare, OTHER_NAMES[bare], bare.replace(/-controller$/, ""), `${bare}-controller`];
  const own = known.find((one) => one !== undefined && Object.hasOwn(CONTROLLERS, one));
  return own === undefined ? name : dash + own;
}

/** Whether a list for `--controllers` selects a controller that runs by default. */
export function isControllerChosen(given: readonly string[], name: string): boolean {
  const names = given.map(ownName);
  const onlyWithout = names.length > 0 && names.every((one) => one.startsWith("-"));
  return names.includes(name) || ((onlyWithout || names.includes("*")) && !names.includes(`-${name}`));
}
