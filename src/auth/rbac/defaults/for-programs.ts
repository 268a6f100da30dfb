/**
 * The rights of the other programs of a cluster (RBAC-55): nodes, scheduler, proxy, DNS, volumes, and approvers of certificates.
 *
 * @module
 */
import type { Gates } from "../../../meta/gates.ts";
import type { RuleForm } from "../rule.ts";
import { EVENTS, can, manage, read } from "./rule-builders.ts";

/** The rules of each role, by its name. */
export const programRules = (gates: Gates): Readonly<Record<string, readonly RuleForm[]>> => ({
  "system:certificates.k8s.io:certificatesigningrequests:nodeclient": [
    can("create", "certificates.k8s.io", "certificatesigningrequests/nodeclient"),
  ],
  "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient": [
    can("create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient"),
  ],
  "system:certificates.k8s.io:kube-apiserver-client-approver": [
    can("approve", "certificates.k8s.io", "signers", "kubernetes.io/kube-apiserver-client"),
  ],
  "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver": [
    can("approve", "certificates.k8s.io", "signers", "kubernetes.io/kube-apiserver-client-kubelet"),
  ],
  "system:certificates.k8s.io:kubelet-serving-approver": [
    can("approve", "certificates.k8s.io", "signers", "kubernetes.io/kubelet-serving"),
  ],
  "system:certificates.k8s.io:legacy-unknown-approver": [
    can("approve", "certificates.k8s.io", "signers", "kubernetes.io/legacy-unknown"),
  ],
  "system:heapster": [read("core", "events namespaces nodes pods"), read("extensions", "deployments")],
  "system:kube-aggregator": [read("core", "endpoints services")],
  "system:kube-controller-manager": [
    EVENTS,
    can("create", "coordination.k8s.io", "leases"),
    can("get update", "coordination.k8s.io", "leases", "kube-controller-manager"),
    can("create", "core", "secrets serviceaccounts"),
    can("delete", "core", "secrets"),
    can("get", "core", "configmaps namespaces secrets serviceaccounts"),
    can("update", "core", "secrets serviceaccounts"),
    can("create", "authentication.k8s.io", "tokenreviews"),
    can("create", "authorization.k8s.io", "subjectaccessreviews"),
    can("list watch", "*", "*"),
    can("create", "core", "serviceaccounts/token"),
  ],
  "system:kube-dns": [can("list watch", "core", "endpoints services")],
  "system:kube-scheduler": [
    EVENTS,
    can("create", "coordination.k8s.io", "leases"),
    can("get list update watch", "coordination.k8s.io", "leases", "kube-scheduler"),
    manage("coordination.k8s.io", "leasecandidates"),
    read("core", "nodes"),
    can("delete get list watch", "core", "pods"),
    can("create", "core", "bindings pods/binding"),
    can("patch update", "core", "pods/status"),
    read("core", "replicationcontrollers services"),
    read("apps extensions", "replicasets"),
    read("apps", "statefulsets"),
    read("policy", "poddisruptionbudgets"),
    read("core", "persistentvolumeclaims persistentvolumes"),
    can("create", "authentication.k8s.io", "tokenreviews"),
    can("create", "authorization.k8s.io", "subjectaccessreviews"),
    read("storage.k8s.io", "csinodes"),
    read("storage.k8s.io", "volumeattachments"),
    read("core", "namespaces"),
    read("storage.k8s.io", "csidrivers"),
    read("storage.k8s.io", "csistoragecapacities"),
    read("resource.k8s.io", "deviceclasses"),
    can("get list patch update watch", "resource.k8s.io", "resourceclaims"),
    can("get list patch update watch", "resource.k8s.io", "resourceclaims/status"),
    can("update", "core", "pods/finalizers"),
    read("resource.k8s.io", "resourceslices"),
    ...(gates.DRAExtendedResource ? [can("create delete", "resource.k8s.io", "resourceclaims")] : []),
    ...(gates.GenericWorkload ? [read("scheduling.k8s.io", "workloads")] : []),
  ],
  "system:kubelet-api-admin": [
    read("core", "nodes"),
    can("proxy", "core", "nodes"),
    can("*", "core", "nodes/log nodes/metrics nodes/proxy nodes/stats"),
    can("*", "core", "nodes/configz nodes/healthz nodes/pods"),
  ],
  "system:node": [
    can("create", "authentication.k8s.io", "tokenreviews"),
    can("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
    read("core", "services"),
    can("create get list watch", "core", "nodes"),
    can("patch update", "core", "nodes/status"),
    can("patch update", "core", "nodes"),
    EVENTS,
    read("core", "pods"),
    can("create delete", "core", "pods"),
    can("patch update", "core", "pods/status"),
    can("create", "core", "pods/eviction"),
    read("core", "configmaps secrets"),
    can("get", "core", "persistentvolumeclaims persistentvolumes"),
    can("get", "core", "endpoints"),
    can("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
    can("create delete get patch update", "coordination.k8s.io", "leases"),
    can("get", "storage.k8s.io", "volumeattachments"),
    can("create", "core", "serviceaccounts/token"),
    can("get patch update", "core", "persistentvolumeclaims/status"),
    read("storage.k8s.io", "csidrivers"),
    can("create delete get patch update", "storage.k8s.io", "csinodes"),
    read("node.k8s.io", "runtimeclasses"),
    can("get", "resource.k8s.io", "resourceclaims"),
    can("deletecollection", "resource.k8s.io", "resourceslices"),
    ...(gates.ClusterTrustBundle ? [read("certificates.k8s.io", "clustertrustbundles")] : []),
    can("get", "core", "serviceaccounts"),
    ...(gates.PodCertificateRequest
      ? [can("create get list watch", "certificates.k8s.io", "podcertificaterequests")]
      : []),
  ],
  "system:node-bootstrapper": [can("create get list watch", "certificates.k8s.io", "certificatesigningrequests")],
  "system:node-problem-detector": [can("get", "core", "nodes"), can("patch", "core", "nodes/status"), EVENTS],
  "system:node-proxier": [
    can("list watch", "core", "endpoints services"),
    read("core", "nodes"),
    EVENTS,
    can("list watch", "networking.k8s.io", "servicecidrs"),
    can("list watch", "discovery.k8s.io", "endpointslices"),
  ],
  "system:persistent-volume-provisioner": [
    can("create delete get list watch", "core", "persistentvolumes"),
    can("get list update watch", "core", "persistentvolumeclaims"),
    read("storage.k8s.io", "storageclasses"),
    can("watch", "core", "events"),
    EVENTS,
  ],
  "system:volume-scheduler": [
    can("get list patch update watch", "core", "persistentvolumes"),
    read("storage.k8s.io", "storageclasses"),
    can("get list patch update watch", "core", "persistentvolumeclaims"),
  ],
});
