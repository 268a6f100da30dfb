/**
 * The rights of the controllers, by the name of their accounts in `kube-system` (RBAC-55). The role and the binding of each are
 * named `system:controller:NAME`.
 *
 * @module
 */
import type { Gates } from "../../../meta/gates.ts";
import type { RuleForm } from "../rule.ts";
import { EVENTS, can, read } from "./rule-builders.ts";

type Rules = Readonly<Record<string, readonly RuleForm[]>>;

/** The rights of each controller. */
export const controllerRules = (gates: Gates): Rules => ({
  "attachdetach-controller": [
    can("list watch", "core", "persistentvolumeclaims persistentvolumes"),
    read("core", "nodes"),
    can("patch update", "core", "nodes/status"),
    can("list watch", "core", "pods"),
    EVENTS,
    can("create delete get list watch", "storage.k8s.io", "volumeattachments"),
    read("storage.k8s.io", "csidrivers"),
    read("storage.k8s.io", "csinodes"),
  ],
  "certificate-controller": [
    can("delete get list watch", "certificates.k8s.io", "certificatesigningrequests"),
    can("update", "certificates.k8s.io", "certificatesigningrequests/approval certificatesigningrequests/status"),
    can("approve", "certificates.k8s.io", "signers", "kubernetes.io/kube-apiserver-client-kubelet"),
    can(
      "sign",
      "certificates.k8s.io",
      "signers",
      "kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown",
    ),
    can("create", "authorization.k8s.io", "subjectaccessreviews"),
    EVENTS,
  ],
  "clusterrole-aggregation-controller": [
    can("escalate get list patch update watch", "rbac.authorization.k8s.io", "clusterroles"),
  ],
  "cronjob-controller": [
    can("get list update watch", "batch", "cronjobs"),
    can("create delete get list patch update watch", "batch", "jobs"),
    can("update", "batch", "cronjobs/status"),
    can("update", "batch", "cronjobs/finalizers"),
    can("delete list watch", "core", "pods"),
    EVENTS,
  ],
  "daemon-set-controller": [
    read("apps extensions", "daemonsets"),
    can("update", "apps extensions", "daemonsets/status"),
    can("update", "apps extensions", "daemonsets/finalizers"),
    can("list watch", "core", "nodes"),
    can("create delete list patch watch", "core", "pods"),
    can("create", "core", "pods/binding"),
    can("create delete get list patch update watch", "apps", "controllerrevisions"),
    EVENTS,
  ],
  "deployment-controller": [
    can("get list update watch", "apps extensions", "deployments"),
    can("update", "apps extensions", "deployments/status"),
    can("update", "apps extensions", "deployments/finalizers"),
    can("create delete get list patch update watch", "apps extensions", "replicasets"),
    can("get list update watch", "core", "pods"),
    EVENTS,
  ],
  "disruption-controller": [
    read("apps extensions", "deployments"),
    read("apps extensions", "replicasets"),
    read("core", "replicationcontrollers"),
    read("policy", "poddisruptionbudgets"),
    read("apps", "statefulsets"),
    can("update", "policy", "poddisruptionbudgets/status"),
    can("patch update", "core", "pods/status"),
    can("get", "*", "*/scale"),
    EVENTS,
  ],
  "endpoint-controller": [
    read("core", "pods services"),
    can("create delete get list update watch", "core", "endpoints"),
    can("create", "core", "endpoints/restricted"),
    EVENTS,
  ],
  "endpointslice-controller": [
    read("core", "nodes pods services"),
    can("update", "core", "services/finalizers"),
    can("create delete get list update watch", "discovery.k8s.io", "endpointslices"),
    EVENTS,
  ],
  "endpointslicemirroring-controller": [
    read("core", "endpoints services"),
    can("update", "core", "services/finalizers"),
    can("update", "core", "endpoints/finalizers"),
    can("create delete get list update watch", "discovery.k8s.io", "endpointslices"),
    EVENTS,
  ],
  "ephemeral-volume-controller": [
    read("core", "pods"),
    can("update", "core", "pods/finalizers"),
    can("create get list watch", "core", "persistentvolumeclaims"),
    EVENTS,
  ],
  "expand-controller": [
    can("get list patch update watch", "core", "persistentvolumes"),
    can("patch update", "core", "persistentvolumeclaims/status"),
    read("core", "persistentvolumeclaims"),
    EVENTS,
    can("get", "core", "services"),
  ],
  "generic-garbage-collector": [can("delete get list patch update watch", "*", "*"), EVENTS],
  "horizontal-pod-autoscaler": [
    read("autoscaling", "horizontalpodautoscalers"),
    can("update", "autoscaling", "horizontalpodautoscalers/status"),
    can("get update", "*", "*/scale"),
    can("list watch", "core", "pods"),
    can("list watch", "metrics.k8s.io", "pods"),
    read("custom.metrics.k8s.io", "*"),
    read("external.metrics.k8s.io", "*"),
    EVENTS,
  ],
  "job-controller": [
    can("get list patch update watch", "batch", "jobs"),
    can("update", "batch", "jobs/status"),
    can("update", "batch", "jobs/finalizers"),
    can("create delete list patch watch", "core", "pods"),
    EVENTS,
  ],
  ...(gates.ClusterTrustBundle
    ? {
        "kube-apiserver-serving-clustertrustbundle-publisher": [
          can("attest", "certificates.k8s.io", "signers", "kubernetes.io/kube-apiserver-serving"),
          can("create delete list update watch", "certificates.k8s.io", "clustertrustbundles"),
          EVENTS,
        ],
      }
    : {}),
  "legacy-service-account-token-cleaner": [
    can("get", "core", "configmaps", "kube-apiserver-legacy-service-account-token-tracking"),
    can("delete patch", "core", "secrets"),
  ],
  "namespace-controller": [
    can("delete get list watch", "core", "namespaces"),
    can("update", "core", "namespaces/finalize namespaces/status"),
    can("delete deletecollection get list watch", "*", "*"),
  ],
  "node-controller": [
    can("delete get list patch update watch", "core", "nodes"),
    can("patch update", "core", "nodes/status"),
    can("patch update", "core", "pods/status"),
    can("delete get list watch", "core", "pods"),
    EVENTS,
  ],
  "persistent-volume-binder": [
    can("create delete get list update watch", "core", "persistentvolumes"),
    can("update", "core", "persistentvolumes/status"),
    can("get list update watch", "core", "persistentvolumeclaims"),
    can("update", "core", "persistentvolumeclaims/status"),
    can("create delete get list watch", "core", "pods"),
    read("storage.k8s.io", "storageclasses"),
    can("list watch", "core", "nodes"),
    EVENTS,
    can("watch", "core", "events"),
    can("get", "core", "services"),
  ],
  "pod-garbage-collector": [
    can("delete list watch", "core", "pods"),
    read("core", "nodes"),
    can("patch", "core", "pods/status"),
  ],
  ...(gates.PodCertificateRequest
    ? { podcertificaterequestcleaner: [can("delete get list watch", "certificates.k8s.io", "podcertificaterequests")] }
    : {}),
  "pv-protection-controller": [can("get list update watch", "core", "persistentvolumes"), EVENTS],
  "pvc-protection-controller": [
    can("get list update watch", "core", "persistentvolumeclaims"),
    read("core", "pods"),
    EVENTS,
  ],
  "replicaset-controller": [
    can("get list update watch", "apps extensions", "replicasets"),
    can("update", "apps extensions", "replicasets/status"),
    can("update", "apps extensions", "replicasets/finalizers"),
    can("create delete list patch watch", "core", "pods"),
    EVENTS,
  ],
  "replication-controller": [
    can("get list update watch", "core", "replicationcontrollers"),
    can("update", "core", "replicationcontrollers/status"),
    can("update", "core", "replicationcontrollers/finalizers"),
    can("create delete list patch watch", "core", "pods"),
    EVENTS,
  ],
  "resource-claim-controller": [
    read("core", "pods"),
    can("update", "core", "pods/finalizers"),
    can("create delete get list watch", "resource.k8s.io", "resourceclaims"),
    can("patch update", "resource.k8s.io", "resourceclaims resourceclaims/status"),
    can("patch update", "core", "pods/status"),
    EVENTS,
  ],
  "resourcequota-controller": [can("list watch", "*", "*"), can("update", "core", "resourcequotas/status"), EVENTS],
  "root-ca-cert-publisher": [can("create update", "core", "configmaps"), EVENTS],
  "route-controller": [can("list watch", "core", "nodes"), can("patch", "core", "nodes/status"), EVENTS],
  "selinux-warning-controller": [
    EVENTS,
    read("core", "persistentvolumes"),
    read("core", "persistentvolumeclaims"),
    read("core", "pods"),
    read("storage.k8s.io", "csidrivers"),
  ],
  "service-account-controller": [can("create", "core", "serviceaccounts"), EVENTS],
  "service-cidrs-controller": [
    can("get list patch update watch", "networking.k8s.io", "servicecidrs"),
    can("patch update", "networking.k8s.io", "servicecidrs/finalizers"),
    can("patch update", "networking.k8s.io", "servicecidrs/status"),
    read("networking.k8s.io", "ipaddresses"),
    EVENTS,
  ],
  "service-controller": [
    read("core", "services"),
    can("patch update", "core", "services/status"),
    can("list watch", "core", "nodes"),
    EVENTS,
  ],
  "statefulset-controller": [
    can("list watch", "core", "pods"),
    read("apps", "statefulsets"),
    can("update", "apps", "statefulsets/status"),
    can("update", "apps", "statefulsets/finalizers"),
    can("create delete get patch update", "core", "pods"),
    can("create delete get list patch update watch", "apps", "controllerrevisions"),
    can("create get list watch", "core", "persistentvolumeclaims"),
    can("delete update", "core", "persistentvolumeclaims"),
    can("update", "core", "pods/finalizers"),
    EVENTS,
  ],
  ...(gates.StorageVersionMigrator
    ? {
        "storage-version-migrator-controller": [
          can("create list patch", "*", "*"),
          can("update", "storagemigration.k8s.io", "storageversionmigrations/status"),
        ],
      }
    : {}),
  "ttl-after-finished-controller": [can("delete get list watch", "batch", "jobs"), EVENTS],
  "ttl-controller": [can("list patch update watch", "core", "nodes"), EVENTS],
  "validatingadmissionpolicy-status-controller": [
    read("admissionregistration.k8s.io", "validatingadmissionpolicies"),
    can("get patch update", "admissionregistration.k8s.io", "validatingadmissionpolicies/status"),
    EVENTS,
  ],
  ...(gates.VolumeAttributesClass
    ? {
        "volumeattributesclass-protection-controller": [
          read("core", "persistentvolumeclaims"),
          read("core", "persistentvolumes"),
          can("get list update watch", "storage.k8s.io", "volumeattributesclasses"),
          EVENTS,
        ],
      }
    : {}),
  ...(gates.DRADeviceTaints ? { "device-taint-eviction-controller": TAINTS } : {}),
});

const TAINTS: readonly RuleForm[] = [
  can("delete get list watch", "core", "pods"),
  can("patch update", "core", "pods/status"),
  read("resource.k8s.io", "resourceclaims"),
  read("resource.k8s.io", "resourceslices"),
  read("resource.k8s.io", "deviceclasses"),
  EVENTS,
];
