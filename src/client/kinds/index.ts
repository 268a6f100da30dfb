/**
 * `keelson/kinds`: each built-in kind as a value for clients and informers, and as the type of its objects.
 *
 *     import { Pod } from "keelson/kinds";
 *     const isBound = (pod: Pod): boolean => pod.spec.nodeName !== undefined;
 *     const pods = await client.resource(Pod).list({ namespace: "default" });
 *
 * The groups are those of Kubernetes; for a server of the neutral dialect see {@link neutral}.
 *
 * Made by `npm run kinds` from the definitions of the built-in kinds; not edited by hand.
 *
 * @module
 */
import type { Kind } from "../kind.ts";
import type * as types from "./types.ts";

export type { Condition } from "../condition.ts";
export { neutral } from "../kind.ts";
export type { ObjectMeta, ObjectMetaOwnerReference as OwnerReference } from "./types.ts";

/** The server of a group and version. */
export const APIService: Kind<types.APIService, "Cluster"> = {
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  plural: "apiservices",
  scope: "Cluster",
};
/** An object of the kind {@link APIService}. */
export type APIService = types.APIService;

/** Binds a Pod to a node, with the labels and annotations of this object. */
export const Binding: Kind<types.Binding, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Binding",
  plural: "bindings",
  scope: "Namespaced",
};
/** An object of the kind {@link Binding}. */
export type Binding = types.Binding;

/** The properties of a CSI volume driver: whether volumes are attached, what it receives on mount and what it needs. The name is the name of the driver. */
export const CSIDriver: Kind<types.CSIDriver, "Cluster"> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIDriver",
  plural: "csidrivers",
  scope: "Cluster",
};
/** An object of the kind {@link CSIDriver}. */
export type CSIDriver = types.CSIDriver;

/** Which CSI drivers are installed on one node. It has the name of the node, is owned by it and is filled by the node agent; without it the node has no CSI drivers. */
export const CSINode: Kind<types.CSINode, "Cluster"> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSINode",
  plural: "csinodes",
  scope: "Cluster",
};
/** An object of the kind {@link CSINode}. */
export type CSINode = types.CSINode;

/** How much storage of a class is left in a part of the cluster: the result of one GetCapacity call. No object, no capacity and a capacity of zero all mean that there is none. */
export const CSIStorageCapacity: Kind<types.CSIStorageCapacity, "Namespaced"> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIStorageCapacity",
  plural: "csistoragecapacities",
  scope: "Namespaced",
};
/** An object of the kind {@link CSIStorageCapacity}. */
export type CSIStorageCapacity = types.CSIStorageCapacity;

/** A request for a certificate, signed by a signer once it is approved. */
export const CertificateSigningRequest: Kind<types.CertificateSigningRequest, "Cluster"> = {
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  scope: "Cluster",
};
/** An object of the kind {@link CertificateSigningRequest}. */
export type CertificateSigningRequest = types.CertificateSigningRequest;

/** Rights to objects of all namespaces, of the cluster and to paths, for the users of its ClusterRoleBindings. A RoleBinding gives only the rights to the objects of its namespace. */
export const ClusterRole: Kind<types.ClusterRole, "Cluster"> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  scope: "Cluster",
};
/** An object of the kind {@link ClusterRole}. */
export type ClusterRole = types.ClusterRole;

/** Gives a ClusterRole to users, for all namespaces, the cluster and paths. */
export const ClusterRoleBinding: Kind<types.ClusterRoleBinding, "Cluster"> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  scope: "Cluster",
};
/** An object of the kind {@link ClusterRoleBinding}. */
export type ClusterRoleBinding = types.ClusterRoleBinding;

/** Certificates of authorities, which all users of the cluster may read, and Pods may mount. */
export const ClusterTrustBundle: Kind<types.ClusterTrustBundle, "Cluster"> = {
  group: "certificates.k8s.io",
  version: "v1beta1",
  kind: "ClusterTrustBundle",
  plural: "clustertrustbundles",
  scope: "Cluster",
};
/** An object of the kind {@link ClusterTrustBundle}. */
export type ClusterTrustBundle = types.ClusterTrustBundle;

/** Certificates of authorities, which all users of the cluster may read, and Pods may mount. */
export const ClusterTrustBundleV1alpha1: Kind<types.ClusterTrustBundleV1alpha1, "Cluster"> = {
  group: "certificates.k8s.io",
  version: "v1alpha1",
  kind: "ClusterTrustBundle",
  plural: "clustertrustbundles",
  scope: "Cluster",
};
/** An object of the kind {@link ClusterTrustBundleV1alpha1}. */
export type ClusterTrustBundleV1alpha1 = types.ClusterTrustBundleV1alpha1;

/** The health of a component of the control plane. Deprecated. */
export const ComponentStatus: Kind<types.ComponentStatus, "Cluster"> = {
  group: "",
  version: "v1",
  kind: "ComponentStatus",
  plural: "componentstatuses",
  scope: "Cluster",
};
/** An object of the kind {@link ComponentStatus}. */
export type ComponentStatus = types.ComponentStatus;

/** Holds configuration data, as texts or as bytes, under keys that can become the names of files. */
export const ConfigMap: Kind<types.ConfigMap, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
};
/** An object of the kind {@link ConfigMap}. */
export type ConfigMap = types.ConfigMap;

/** A revision that a controller stores, so that it can roll back to it. */
export const ControllerRevision: Kind<types.ControllerRevision, "Namespaced"> = {
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  scope: "Namespaced",
};
/** An object of the kind {@link ControllerRevision}. */
export type ControllerRevision = types.ControllerRevision;

/** A report of something that happened. It is kept for a limited time, and no program should rely on it. */
export const CoreEvent: Kind<types.CoreEvent, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  scope: "Namespaced",
};
/** An object of the kind {@link CoreEvent}. */
export type CoreEvent = types.CoreEvent;

/** Jobs that start on a schedule. */
export const CronJob: Kind<types.CronJob, "Namespaced"> = {
  group: "batch",
  version: "v1",
  kind: "CronJob",
  plural: "cronjobs",
  scope: "Namespaced",
};
/** An object of the kind {@link CronJob}. */
export type CronJob = types.CronJob;

/** A kind that is served like the built-in ones, as long as its definition exists. */
export const CustomResourceDefinition: Kind<types.CustomResourceDefinition, "Cluster"> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};
/** An object of the kind {@link CustomResourceDefinition}. */
export type CustomResourceDefinition = types.CustomResourceDefinition;

/** One Pod of a template on each matching node. */
export const DaemonSet: Kind<types.DaemonSet, "Namespaced"> = {
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  plural: "daemonsets",
  scope: "Namespaced",
};
/** An object of the kind {@link DaemonSet}. */
export type DaemonSet = types.DaemonSet;

/** Pods of one template, which are replaced step by step when the template changes. */
export const Deployment: Kind<types.Deployment, "Namespaced"> = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  scope: "Namespaced",
};
/** An object of the kind {@link Deployment}. */
export type Deployment = types.Deployment;

/** A class of devices. */
export const DeviceClass: Kind<types.DeviceClass, "Cluster"> = {
  group: "resource.k8s.io",
  version: "v1",
  kind: "DeviceClass",
  plural: "deviceclasses",
  scope: "Cluster",
};
/** An object of the kind {@link DeviceClass}. */
export type DeviceClass = types.DeviceClass;

/** Some of the addresses of the Pods of a Service. */
export const EndpointSlice: Kind<types.EndpointSlice, "Namespaced"> = {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  scope: "Namespaced",
};
/** An object of the kind {@link EndpointSlice}. */
export type EndpointSlice = types.EndpointSlice;

/** The addresses of the Pods of a Service; EndpointSlices have more details. */
export const Endpoints: Kind<types.Endpoints, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Endpoints",
  plural: "endpoints",
  scope: "Namespaced",
};
/** An object of the kind {@link Endpoints}. */
export type Endpoints = types.Endpoints;

/** A report of something that happened, usually a change of state. It is kept for a limited time, its reason and note may change between occurrences, and no program should rely on it. */
export const Event: Kind<types.Event, "Namespaced"> = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  scope: "Namespaced",
};
/** An object of the kind {@link Event}. */
export type Event = types.Event;

/** Deletes a Pod, if the PodDisruptionBudget that selects it allows it. */
export const Eviction: Kind<types.Eviction, "Namespaced"> = {
  group: "policy",
  version: "v1",
  kind: "Eviction",
  plural: "evictions",
  scope: "Namespaced",
};
/** An object of the kind {@link Eviction}. */
export type Eviction = types.Eviction;

/** Assigns requests to a priority level, and to flows. */
export const FlowSchema: Kind<types.FlowSchema, "Cluster"> = {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "FlowSchema",
  plural: "flowschemas",
  scope: "Cluster",
};
/** An object of the kind {@link FlowSchema}. */
export type FlowSchema = types.FlowSchema;

/** Changes the number of Pods of a workload according to metrics. */
export const HorizontalPodAutoscaler: Kind<types.HorizontalPodAutoscaler, "Namespaced"> = {
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  scope: "Namespaced",
};
/** An object of the kind {@link HorizontalPodAutoscaler}. */
export type HorizontalPodAutoscaler = types.HorizontalPodAutoscaler;

/** Changes the number of Pods of a workload according to metrics. */
export const HorizontalPodAutoscalerV1: Kind<types.HorizontalPodAutoscalerV1, "Namespaced"> = {
  group: "autoscaling",
  version: "v1",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  scope: "Namespaced",
};
/** An object of the kind {@link HorizontalPodAutoscalerV1}. */
export type HorizontalPodAutoscalerV1 = types.HorizontalPodAutoscalerV1;

/** An address of the cluster, and the object that has it. */
export const IPAddress: Kind<types.IPAddress, "Cluster"> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IPAddress",
  plural: "ipaddresses",
  scope: "Cluster",
};
/** An object of the kind {@link IPAddress}. */
export type IPAddress = types.IPAddress;

/** Routes requests from outside to Services. */
export const Ingress: Kind<types.Ingress, "Namespaced"> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  plural: "ingresses",
  scope: "Namespaced",
};
/** An object of the kind {@link Ingress}. */
export type Ingress = types.Ingress;

/** The controller of the Ingresses of a class, and its parameters. */
export const IngressClass: Kind<types.IngressClass, "Cluster"> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IngressClass",
  plural: "ingressclasses",
  scope: "Cluster",
};
/** An object of the kind {@link IngressClass}. */
export type IngressClass = types.IngressClass;

/** Pods of one template that run until enough of them have succeeded. */
export const Job: Kind<types.Job, "Namespaced"> = {
  group: "batch",
  version: "v1",
  kind: "Job",
  plural: "jobs",
  scope: "Namespaced",
};
/** An object of the kind {@link Job}. */
export type Job = types.Job;

/** Names the holder of something, such as the leader among several programs, and how long the holder keeps it without renewal. */
export const Lease: Kind<types.Lease, "Namespaced"> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  scope: "Namespaced",
};
/** An object of the kind {@link Lease}. */
export type Lease = types.Lease;

/** A candidate for a Lease; the server chooses the holder among all candidates of the same Lease. */
export const LeaseCandidate: Kind<types.LeaseCandidate, "Namespaced"> = {
  group: "coordination.k8s.io",
  version: "v1beta1",
  kind: "LeaseCandidate",
  plural: "leasecandidates",
  scope: "Namespaced",
};
/** An object of the kind {@link LeaseCandidate}. */
export type LeaseCandidate = types.LeaseCandidate;

/** A candidate for a Lease; the server chooses the holder among all candidates of the same Lease. */
export const LeaseCandidateV1alpha2: Kind<types.LeaseCandidateV1alpha2, "Namespaced"> = {
  group: "coordination.k8s.io",
  version: "v1alpha2",
  kind: "LeaseCandidate",
  plural: "leasecandidates",
  scope: "Namespaced",
};
/** An object of the kind {@link LeaseCandidateV1alpha2}. */
export type LeaseCandidateV1alpha2 = types.LeaseCandidateV1alpha2;

/** How much one Pod, container or claim of a namespace may request. */
export const LimitRange: Kind<types.LimitRange, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "LimitRange",
  plural: "limitranges",
  scope: "Namespaced",
};
/** An object of the kind {@link LimitRange}. */
export type LimitRange = types.LimitRange;

/** Checks whether a user may do something in a namespace. */
export const LocalSubjectAccessReview: Kind<types.LocalSubjectAccessReview, "Namespaced"> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "LocalSubjectAccessReview",
  plural: "localsubjectaccessreviews",
  scope: "Namespaced",
};
/** An object of the kind {@link LocalSubjectAccessReview}. */
export type LocalSubjectAccessReview = types.LocalSubjectAccessReview;

/** A policy of expressions that changes writes. */
export const MutatingAdmissionPolicy: Kind<types.MutatingAdmissionPolicy, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1beta1",
  kind: "MutatingAdmissionPolicy",
  plural: "mutatingadmissionpolicies",
  scope: "Cluster",
};
/** An object of the kind {@link MutatingAdmissionPolicy}. */
export type MutatingAdmissionPolicy = types.MutatingAdmissionPolicy;

/** A binding of a mutating policy to requests and parameters. */
export const MutatingAdmissionPolicyBinding: Kind<types.MutatingAdmissionPolicyBinding, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1beta1",
  kind: "MutatingAdmissionPolicyBinding",
  plural: "mutatingadmissionpolicybindings",
  scope: "Cluster",
};
/** An object of the kind {@link MutatingAdmissionPolicyBinding}. */
export type MutatingAdmissionPolicyBinding = types.MutatingAdmissionPolicyBinding;

/** A binding of a mutating policy to requests and parameters. */
export const MutatingAdmissionPolicyBindingV1alpha1: Kind<types.MutatingAdmissionPolicyBindingV1alpha1, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1alpha1",
  kind: "MutatingAdmissionPolicyBinding",
  plural: "mutatingadmissionpolicybindings",
  scope: "Cluster",
};
/** An object of the kind {@link MutatingAdmissionPolicyBindingV1alpha1}. */
export type MutatingAdmissionPolicyBindingV1alpha1 = types.MutatingAdmissionPolicyBindingV1alpha1;

/** A policy of expressions that changes writes. */
export const MutatingAdmissionPolicyV1alpha1: Kind<types.MutatingAdmissionPolicyV1alpha1, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1alpha1",
  kind: "MutatingAdmissionPolicy",
  plural: "mutatingadmissionpolicies",
  scope: "Cluster",
};
/** An object of the kind {@link MutatingAdmissionPolicyV1alpha1}. */
export type MutatingAdmissionPolicyV1alpha1 = types.MutatingAdmissionPolicyV1alpha1;

/** Webhooks that may change writes, and may refuse them. */
export const MutatingWebhookConfiguration: Kind<types.MutatingWebhookConfiguration, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
  scope: "Cluster",
};
/** An object of the kind {@link MutatingWebhookConfiguration}. */
export type MutatingWebhookConfiguration = types.MutatingWebhookConfiguration;

/** A scope for names: objects of most kinds are in a namespace, and are deleted with it. */
export const Namespace: Kind<types.Namespace, "Cluster"> = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  scope: "Cluster",
};
/** An object of the kind {@link Namespace}. */
export type Namespace = types.Namespace;

/** The permitted connections to and from some Pods. */
export const NetworkPolicy: Kind<types.NetworkPolicy, "Namespaced"> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  scope: "Namespaced",
};
/** An object of the kind {@link NetworkPolicy}. */
export type NetworkPolicy = types.NetworkPolicy;

/** A machine that runs programs. */
export const Node: Kind<types.Node, "Cluster"> = {
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  scope: "Cluster",
};
/** An object of the kind {@link Node}. */
export type Node = types.Node;

/** A storage resource provisioned by an administrator; it is a resource of the cluster like a node. */
export const PersistentVolume: Kind<types.PersistentVolume, "Cluster"> = {
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  scope: "Cluster",
};
/** An object of the kind {@link PersistentVolume}. */
export type PersistentVolume = types.PersistentVolume;

/** A user's request for and claim to a persistent volume. */
export const PersistentVolumeClaim: Kind<types.PersistentVolumeClaim, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  scope: "Namespaced",
};
/** An object of the kind {@link PersistentVolumeClaim}. */
export type PersistentVolumeClaim = types.PersistentVolumeClaim;

/** Containers that run together on a node, and the volumes that they share. */
export const Pod: Kind<types.Pod, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  scope: "Namespaced",
};
/** An object of the kind {@link Pod}. */
export type Pod = types.Pod;

/** A request of a node for a certificate of a Pod that runs on it. */
export const PodCertificateRequest: Kind<types.PodCertificateRequest, "Namespaced"> = {
  group: "certificates.k8s.io",
  version: "v1beta1",
  kind: "PodCertificateRequest",
  plural: "podcertificaterequests",
  scope: "Namespaced",
};
/** An object of the kind {@link PodCertificateRequest}. */
export type PodCertificateRequest = types.PodCertificateRequest;

/** How many Pods of a selection may be missing at a time because of evictions. */
export const PodDisruptionBudget: Kind<types.PodDisruptionBudget, "Namespaced"> = {
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  scope: "Namespaced",
};
/** An object of the kind {@link PodDisruptionBudget}. */
export type PodDisruptionBudget = types.PodDisruptionBudget;

/** A template of Pods, as an object of its own. */
export const PodTemplate: Kind<types.PodTemplate, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "PodTemplate",
  plural: "podtemplates",
  scope: "Namespaced",
};
/** An object of the kind {@link PodTemplate}. */
export type PodTemplate = types.PodTemplate;

/** A priority of Pods, by the name of the class. */
export const PriorityClass: Kind<types.PriorityClass, "Cluster"> = {
  group: "scheduling.k8s.io",
  version: "v1",
  kind: "PriorityClass",
  plural: "priorityclasses",
  scope: "Cluster",
};
/** An object of the kind {@link PriorityClass}. */
export type PriorityClass = types.PriorityClass;

/** How many requests of a level run at a time, and whether the others wait. */
export const PriorityLevelConfiguration: Kind<types.PriorityLevelConfiguration, "Cluster"> = {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
  scope: "Cluster",
};
/** An object of the kind {@link PriorityLevelConfiguration}. */
export type PriorityLevelConfiguration = types.PriorityLevelConfiguration;

/** A number of Pods of one template. */
export const ReplicaSet: Kind<types.ReplicaSet, "Namespaced"> = {
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  plural: "replicasets",
  scope: "Namespaced",
};
/** An object of the kind {@link ReplicaSet}. */
export type ReplicaSet = types.ReplicaSet;

/** A number of Pods of one template, selected by equal labels. */
export const ReplicationController: Kind<types.ReplicationController, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  scope: "Namespaced",
};
/** An object of the kind {@link ReplicationController}. */
export type ReplicationController = types.ReplicationController;

/** Requested devices, and those that were allocated. */
export const ResourceClaim: Kind<types.ResourceClaim, "Namespaced"> = {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceClaim",
  plural: "resourceclaims",
  scope: "Namespaced",
};
/** An object of the kind {@link ResourceClaim}. */
export type ResourceClaim = types.ResourceClaim;

/** The template of claims of Pods. */
export const ResourceClaimTemplate: Kind<types.ResourceClaimTemplate, "Namespaced"> = {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceClaimTemplate",
  plural: "resourceclaimtemplates",
  scope: "Namespaced",
};
/** An object of the kind {@link ResourceClaimTemplate}. */
export type ResourceClaimTemplate = types.ResourceClaimTemplate;

/** The limits of the total usage of all objects of a namespace. */
export const ResourceQuota: Kind<types.ResourceQuota, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  scope: "Namespaced",
};
/** An object of the kind {@link ResourceQuota}. */
export type ResourceQuota = types.ResourceQuota;

/** Some of the devices of a pool, as reported by their driver. */
export const ResourceSlice: Kind<types.ResourceSlice, "Cluster"> = {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceSlice",
  plural: "resourceslices",
  scope: "Cluster",
};
/** An object of the kind {@link ResourceSlice}. */
export type ResourceSlice = types.ResourceSlice;

/** Rights to the objects of a namespace, for the users of its RoleBindings. */
export const Role: Kind<types.Role, "Namespaced"> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "Role",
  plural: "roles",
  scope: "Namespaced",
};
/** An object of the kind {@link Role}. */
export type Role = types.Role;

/** Gives a role to users in a namespace: a Role of that namespace, or a ClusterRole. */
export const RoleBinding: Kind<types.RoleBinding, "Namespaced"> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "RoleBinding",
  plural: "rolebindings",
  scope: "Namespaced",
};
/** An object of the kind {@link RoleBinding}. */
export type RoleBinding = types.RoleBinding;

/** The runtime of the containers of Pods that name this class. */
export const RuntimeClass: Kind<types.RuntimeClass, "Cluster"> = {
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  scope: "Cluster",
};
/** An object of the kind {@link RuntimeClass}. */
export type RuntimeClass = types.RuntimeClass;

/** Contains data that only authorized users may read: passwords, tokens, keys. */
export const Secret: Kind<types.Secret, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  scope: "Namespaced",
};
/** An object of the kind {@link Secret}. */
export type Secret = types.Secret;

/** Checks whether the current user may do something. */
export const SelfSubjectAccessReview: Kind<types.SelfSubjectAccessReview, "Cluster"> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  scope: "Cluster",
};
/** An object of the kind {@link SelfSubjectAccessReview}. */
export type SelfSubjectAccessReview = types.SelfSubjectAccessReview;

/** Returns the attributes of the current user. */
export const SelfSubjectReview: Kind<types.SelfSubjectReview, "Cluster"> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  scope: "Cluster",
};
/** An object of the kind {@link SelfSubjectReview}. */
export type SelfSubjectReview = types.SelfSubjectReview;

/** Lists what the current user may do in a namespace. */
export const SelfSubjectRulesReview: Kind<types.SelfSubjectRulesReview, "Cluster"> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  plural: "selfsubjectrulesreviews",
  scope: "Cluster",
};
/** An object of the kind {@link SelfSubjectRulesReview}. */
export type SelfSubjectRulesReview = types.SelfSubjectRulesReview;

/** A name, addresses and ports for a set of Pods. */
export const Service: Kind<types.Service, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  scope: "Namespaced",
};
/** An object of the kind {@link Service}. */
export type Service = types.Service;

/** An identity for programs, and the Secrets that they may mount. */
export const ServiceAccount: Kind<types.ServiceAccount, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  scope: "Namespaced",
};
/** An object of the kind {@link ServiceAccount}. */
export type ServiceAccount = types.ServiceAccount;

/** Networks with the addresses of Services. */
export const ServiceCIDR: Kind<types.ServiceCIDR, "Cluster"> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "ServiceCIDR",
  plural: "servicecidrs",
  scope: "Cluster",
};
/** An object of the kind {@link ServiceCIDR}. */
export type ServiceCIDR = types.ServiceCIDR;

/** Pods of one template that keep their names and their claims. */
export const StatefulSet: Kind<types.StatefulSet, "Namespaced"> = {
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  plural: "statefulsets",
  scope: "Namespaced",
};
/** An object of the kind {@link StatefulSet}. */
export type StatefulSet = types.StatefulSet;

/** Describes a class of storage for which volumes can be provisioned dynamically. */
export const StorageClass: Kind<types.StorageClass, "Cluster"> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  scope: "Cluster",
};
/** An object of the kind {@link StorageClass}. */
export type StorageClass = types.StorageClass;

/** A migration of the stored objects of one resource to the latest storage version. */
export const StorageVersionMigration: Kind<types.StorageVersionMigration, "Cluster"> = {
  group: "storagemigration.k8s.io",
  version: "v1beta1",
  kind: "StorageVersionMigration",
  plural: "storageversionmigrations",
  scope: "Cluster",
};
/** An object of the kind {@link StorageVersionMigration}. */
export type StorageVersionMigration = types.StorageVersionMigration;

/** A migration of the stored objects of one resource to the latest storage version. */
export const StorageVersionMigrationV1alpha1: Kind<types.StorageVersionMigrationV1alpha1, "Cluster"> = {
  group: "storagemigration.k8s.io",
  version: "v1alpha1",
  kind: "StorageVersionMigration",
  plural: "storageversionmigrations",
  scope: "Cluster",
};
/** An object of the kind {@link StorageVersionMigrationV1alpha1}. */
export type StorageVersionMigrationV1alpha1 = types.StorageVersionMigrationV1alpha1;

/** Checks whether a user may do something. */
export const SubjectAccessReview: Kind<types.SubjectAccessReview, "Cluster"> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  scope: "Cluster",
};
/** An object of the kind {@link SubjectAccessReview}. */
export type SubjectAccessReview = types.SubjectAccessReview;

/** Requests a token of a service account. */
export const TokenRequest: Kind<types.TokenRequest, "Namespaced"> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
  plural: "tokenrequests",
  scope: "Namespaced",
};
/** An object of the kind {@link TokenRequest}. */
export type TokenRequest = types.TokenRequest;

/** Checks a token and returns its user. */
export const TokenReview: Kind<types.TokenReview, "Cluster"> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenReview",
  plural: "tokenreviews",
  scope: "Cluster",
};
/** An object of the kind {@link TokenReview}. */
export type TokenReview = types.TokenReview;

/** A policy of expressions that accepts or refuses writes and does not change them. */
export const ValidatingAdmissionPolicy: Kind<types.ValidatingAdmissionPolicy, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  scope: "Cluster",
};
/** An object of the kind {@link ValidatingAdmissionPolicy}. */
export type ValidatingAdmissionPolicy = types.ValidatingAdmissionPolicy;

/** A binding of a validating policy to requests and parameters. */
export const ValidatingAdmissionPolicyBinding: Kind<types.ValidatingAdmissionPolicyBinding, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  scope: "Cluster",
};
/** An object of the kind {@link ValidatingAdmissionPolicyBinding}. */
export type ValidatingAdmissionPolicyBinding = types.ValidatingAdmissionPolicyBinding;

/** Webhooks that accept or refuse writes and do not change them. */
export const ValidatingWebhookConfiguration: Kind<types.ValidatingWebhookConfiguration, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  scope: "Cluster",
};
/** An object of the kind {@link ValidatingWebhookConfiguration}. */
export type ValidatingWebhookConfiguration = types.ValidatingWebhookConfiguration;

/** Requests that a volume is attached to a node; the deletion of the object detaches it. */
export const VolumeAttachment: Kind<types.VolumeAttachment, "Cluster"> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  scope: "Cluster",
};
/** An object of the kind {@link VolumeAttachment}. */
export type VolumeAttachment = types.VolumeAttachment;

/** Describes attributes of volumes that a CSI driver defines. They are chosen when a volume is provisioned and can be changed later through its claim. */
export const VolumeAttributesClass: Kind<types.VolumeAttributesClass, "Cluster"> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  scope: "Cluster",
};
/** An object of the kind {@link VolumeAttributesClass}. */
export type VolumeAttributesClass = types.VolumeAttributesClass;
