/** Descriptions of the built-in controllers, by their name in `--controllers`. */
export const CONTROLLERS = {
  attachdetach: "Attaches volumes to the nodes of the Pods that use them, and takes them off again.",
  "clusterrole-aggregation-controller": "Gathers the rules of ClusterRoles into those that ask for them, such as edit.",
  cronjob: "Makes the Jobs of CronJobs when they are due, and deletes old ones (kubernetes dialect).",
  csrapproving: "Approves requests of nodes for client certificates, where who asks may have them.",
  csrcleaner: "Removes requests for certificates that are old.",
  csrsigning: "Issues what approved requests for client certificates and of nodes ask for, with the CA of the server.",
  disruption: "Counts the Pods of PodDisruptionBudgets, and how many of them may be evicted.",
  daemonset: "Makes a Pod of each DaemonSet on each node that fits, and updates them some nodes at a time.",
  deployment: "Rolls out Deployments: a ReplicaSet for each template, and how many Pods each of them wants.",
  endpoints: "Keeps the addresses of the Pods of Services in Endpoints.",
  endpointslice: "Keeps the addresses of the Pods of Services in EndpointSlices, at most 100 in each.",
  endpointslicemirroring: "Mirrors Endpoints that somebody makes for a Service without a selector into EndpointSlices.",
  "ephemeral-volume": "Makes the claims that Pods bring with them.",
  "event-expiry": "Deletes Events some time after their last write.",
  "garbage-collector": "Deletes objects whose owners are gone, and finishes foreground and orphaning deletions.",
  job: "Makes the Pods of Jobs, counts those that ended, and says when a Job has finished (kubernetes dialect).",
  "horizontal-pod-autoscaling": "Changes the replicas of workloads by what their metrics say.",
  "leader-election": "Chooses who leads among LeaseCandidates (gate CoordinatedLeaderElection).",
  namespace: "Deletes what is in a namespace that is deleted, and says what holds it.",
  "node-lifecycle-controller":
    "Finds nodes whose agents are silent, and taints nodes by their conditions (kubernetes dialect).",
  "persistentvolume-binder": "Brings claims and volumes together, and does with released volumes what they say.",
  "persistentvolume-expander": "Hands claims that ask for more to who enlarges volumes.",
  "pod-garbage-collector-controller":
    "Removes Pods that no agent ends: their node is gone, or out of service; and of those that have ended all but some.",
  podcertificaterequestcleaner: "Removes requests of Pods for certificates that are old (gate PodCertificateRequest).",
  "pv-protection": "Keeps volumes that are bound.",
  "pvc-protection": "Keeps claims that Pods use.",
  resourceclaim: "Makes the claims of devices that Pods ask for by templates, and frees those whose Pods have ended.",
  replicaset: "Keeps the number of Pods that ReplicaSets want.",
  replicationcontroller: "Keeps the number of Pods that ReplicationControllers want.",
  resourcequota: "Counts what is taken of ResourceQuotas anew, where objects have gone or take something else.",
  "root-ca": "Keeps the certificate of the server in every namespace (kubernetes dialect).",
  scheduler: "Gives Pods their nodes, with a view to their volumes; it runs only where it is named.",
  "service-lb": "Gives Services of the type LoadBalancer addresses; it runs only with --load-balancer-addresses.",
  serviceaccount: "Keeps the ServiceAccount default in every namespace (kubernetes dialect).",
  "serviceaccount-token": "Fills Secrets that are to hold the token of a ServiceAccount (kubernetes dialect).",
  statefulset: "Makes the Pods and claims of StatefulSets one after the other, and updates them from the last one.",
  "storage-version-migrator":
    "Writes the objects of a kind anew for a StorageVersionMigration (gate StorageVersionMigrator).",
  "system-namespaces": "Makes the namespaces that every cluster has again when they are deleted.",
  "taint-eviction-controller": "Evicts Pods from nodes with taints that they do not tolerate (NoExecute).",
  ttl: "Tells agents of nodes how long they may keep ConfigMaps and Secrets, by the number of nodes (kubernetes dialect).",
  "trust-bundle-publisher":
    "Keeps the certificate of the server in a ClusterTrustBundle of its own (gate ClusterTrustBundle).",
  "ttl-after-finished": "Deletes Jobs some time after they have finished, where they say so (kubernetes dialect).",
  "vac-protection": "Keeps attributes classes that claims or volumes name.",
  "validatingadmissionpolicy-status-controller":
    "Checks the expressions of ValidatingAdmissionPolicies against the types that they are about.",
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
