/**
 * The numbers of the fields of every message that typed clients exchange with this server, as Kubernetes 1.35 has them.
 *
 * Numbers are facts of the wire and never change: a field that is retired keeps its number for good. A kind without an
 * entry in {@link KINDS} has no protobuf form.
 *
 * @module
 */
import { apiextensions } from "./apiextensions.ts";
import { apiregistration } from "./apiregistration.ts";
import { apps } from "./apps.ts";
import { authentication } from "./authentication.ts";
import { authorization } from "./authorization.ts";
import { autoscaling, autoscalingV2 } from "./autoscaling.ts";
import { batch } from "./batch.ts";
import { certificates } from "./certificates.ts";
import { coordination } from "./coordination.ts";
import { coreContainers } from "./core-containers.ts";
import { coreNode } from "./core-node.ts";
import { corePodVolumes } from "./core-pod-volumes.ts";
import { corePod } from "./core-pod.ts";
import { coreVolumes } from "./core-volumes.ts";
import { coreObjects } from "./core.ts";
import { discovery } from "./discovery.ts";
import { events } from "./events.ts";
import { flowcontrol } from "./flowcontrol.ts";
import { meta } from "./meta.ts";
import type { Messages, Numbers } from "./numbers.ts";
import { networking } from "./networking.ts";
import { policy } from "./policy.ts";
import { node } from "./node.ts";
import { rbac } from "./rbac.ts";
import { resource } from "./resource.ts";
import { scheduling } from "./scheduling.ts";
import { storage } from "./storage.ts";
import { storageMigration } from "./storagemigration.ts";

const GROUPS: Readonly<Record<string, Messages>> = {
  meta,
  core: { ...coreObjects, ...coreNode, ...coreVolumes, ...corePod, ...coreContainers, ...corePodVolumes },
  apiextensions,
  apiregistration,
  apps,
  authentication,
  authorization,
  autoscaling,
  "autoscaling-v2": autoscalingV2,
  batch,
  certificates,
  coordination,
  discovery,
  events,
  flowcontrol,
  networking,
  policy,
  node,
  rbac,
  resource,
  scheduling,
  storage,
  storagemigration: storageMigration,
};

/** The message of a kind, by group, version and kind. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["v1/Binding", "core.Binding"],
  ["v1/ComponentStatus", "core.ComponentStatus"],
  ["v1/ConfigMap", "core.ConfigMap"],
  ["v1/Endpoints", "core.Endpoints"],
  ["v1/Event", "core.Event"],
  ["v1/LimitRange", "core.LimitRange"],
  ["v1/Namespace", "core.Namespace"],
  ["v1/Node", "core.Node"],
  ["v1/PersistentVolume", "core.PersistentVolume"],
  ["v1/PersistentVolumeClaim", "core.PersistentVolumeClaim"],
  ["v1/Pod", "core.Pod"],
  ["v1/PodTemplate", "core.PodTemplate"],
  ["v1/ReplicationController", "core.ReplicationController"],
  ["v1/ResourceQuota", "core.ResourceQuota"],
  ["v1/Secret", "core.Secret"],
  ["v1/Service", "core.Service"],
  ["v1/ServiceAccount", "core.ServiceAccount"],
  ["v1/Status", "meta.Status"],
  ["v1/DeleteOptions", "meta.DeleteOptions"],
  ["meta.k8s.io/v1/PartialObjectMetadata", "meta.PartialObjectMetadata"],
  ["meta.k8s.io/v1beta1/PartialObjectMetadata", "meta.PartialObjectMetadata"],
  ["apiextensions.k8s.io/v1/CustomResourceDefinition", "apiextensions.CustomResourceDefinition"],
  ["apiregistration.k8s.io/v1/APIService", "apiregistration.APIService"],
  ["apps/v1/ControllerRevision", "apps.ControllerRevision"],
  ["apps/v1/DaemonSet", "apps.DaemonSet"],
  ["apps/v1/Deployment", "apps.Deployment"],
  ["apps/v1/ReplicaSet", "apps.ReplicaSet"],
  ["apps/v1/StatefulSet", "apps.StatefulSet"],
  ["authentication.k8s.io/v1/SelfSubjectReview", "authentication.SelfSubjectReview"],
  ["authentication.k8s.io/v1/TokenRequest", "authentication.TokenRequest"],
  ["authentication.k8s.io/v1/TokenReview", "authentication.TokenReview"],
  ["authorization.k8s.io/v1/LocalSubjectAccessReview", "authorization.LocalSubjectAccessReview"],
  ["authorization.k8s.io/v1/SelfSubjectAccessReview", "authorization.SelfSubjectAccessReview"],
  ["authorization.k8s.io/v1/SelfSubjectRulesReview", "authorization.SelfSubjectRulesReview"],
  ["authorization.k8s.io/v1/SubjectAccessReview", "authorization.SubjectAccessReview"],
  ["autoscaling/v1/HorizontalPodAutoscaler", "autoscaling.HorizontalPodAutoscaler"],
  ["autoscaling/v1/Scale", "autoscaling.Scale"],
  ["autoscaling/v2/HorizontalPodAutoscaler", "autoscaling-v2.HorizontalPodAutoscaler"],
  ["batch/v1/CronJob", "batch.CronJob"],
  ["batch/v1/Job", "batch.Job"],
  ["certificates.k8s.io/v1/CertificateSigningRequest", "certificates.CertificateSigningRequest"],
  ["certificates.k8s.io/v1alpha1/ClusterTrustBundle", "certificates.ClusterTrustBundle"],
  ["certificates.k8s.io/v1beta1/ClusterTrustBundle", "certificates.ClusterTrustBundle"],
  ["certificates.k8s.io/v1beta1/PodCertificateRequest", "certificates.PodCertificateRequest"],
  ["coordination.k8s.io/v1/Lease", "coordination.Lease"],
  ["coordination.k8s.io/v1alpha2/LeaseCandidate", "coordination.LeaseCandidate"],
  ["coordination.k8s.io/v1beta1/LeaseCandidate", "coordination.LeaseCandidate"],
  ["discovery.k8s.io/v1/EndpointSlice", "discovery.EndpointSlice"],
  ["events.k8s.io/v1/Event", "events.Event"],
  ["flowcontrol.apiserver.k8s.io/v1/FlowSchema", "flowcontrol.FlowSchema"],
  ["flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration", "flowcontrol.PriorityLevelConfiguration"],
  ["networking.k8s.io/v1/Ingress", "networking.Ingress"],
  ["networking.k8s.io/v1/IngressClass", "networking.IngressClass"],
  ["networking.k8s.io/v1/NetworkPolicy", "networking.NetworkPolicy"],
  ["networking.k8s.io/v1/IPAddress", "networking.IPAddress"],
  ["networking.k8s.io/v1/ServiceCIDR", "networking.ServiceCIDR"],
  ["policy/v1/Eviction", "policy.Eviction"],
  ["policy/v1/PodDisruptionBudget", "policy.PodDisruptionBudget"],
  ["node.k8s.io/v1/RuntimeClass", "node.RuntimeClass"],
  ["rbac.authorization.k8s.io/v1/ClusterRole", "rbac.ClusterRole"],
  ["rbac.authorization.k8s.io/v1/ClusterRoleBinding", "rbac.ClusterRoleBinding"],
  ["rbac.authorization.k8s.io/v1/Role", "rbac.Role"],
  ["rbac.authorization.k8s.io/v1/RoleBinding", "rbac.RoleBinding"],
  ["resource.k8s.io/v1/DeviceClass", "resource.DeviceClass"],
  ["resource.k8s.io/v1/ResourceClaim", "resource.ResourceClaim"],
  ["resource.k8s.io/v1/ResourceClaimTemplate", "resource.ResourceClaimTemplate"],
  ["resource.k8s.io/v1/ResourceSlice", "resource.ResourceSlice"],
  ["scheduling.k8s.io/v1/PriorityClass", "scheduling.PriorityClass"],
  ["storage.k8s.io/v1/CSIDriver", "storage.CSIDriver"],
  ["storage.k8s.io/v1/CSINode", "storage.CSINode"],
  ["storage.k8s.io/v1/CSIStorageCapacity", "storage.CSIStorageCapacity"],
  ["storage.k8s.io/v1/StorageClass", "storage.StorageClass"],
  ["storage.k8s.io/v1/VolumeAttachment", "storage.VolumeAttachment"],
  ["storage.k8s.io/v1/VolumeAttributesClass", "storage.VolumeAttributesClass"],
  ["storagemigration.k8s.io/v1beta1/StorageVersionMigration", "storagemigration.StorageVersionMigration"],
]);

/** The message of a kind as `group.Message`; undefined when it has no protobuf form. */
export const messageOf = (apiVersion: string, kind: string): string | undefined => KINDS.get(`${apiVersion}/${kind}`);

/** The name of a message as a field of another one says it, in full. */
export const qualified = (name: string, holder: string): string =>
  name.includes(".") ? name : `${holder.slice(0, holder.indexOf("."))}.${name}`;

/** The numbers of a message by its full name. */
export function numbersOf(message: string): Numbers {
  const dot = message.indexOf(".");
  const numbers = GROUPS[message.slice(0, dot)]?.[message.slice(dot + 1)];
  if (!numbers) throw new Error(`Expected the numbers of the message ${message} to be there`);
  return numbers;
}
