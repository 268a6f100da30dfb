/**
 * The field numbers of all messages of typed clients, as in Kubernetes 1.35. A number never changes: that of a removed field is
 * not used again. A kind that is not in {@link VERSIONS} has no protobuf form.
 *
 * @module
 */
import { admissionregistration } from "./admissionregistration.ts";
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
  admissionregistration,
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

/** The kinds of each version with a protobuf form, and the messages that they belong to. */
const VERSIONS: readonly (readonly [apiVersion: string, messages: string, kinds: string])[] = [
  ["v1", "core", "Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume"],
  ["v1", "core", "PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service"],
  ["v1", "core", "ServiceAccount"],
  ["v1", "meta", "Status DeleteOptions"],
  ["meta.k8s.io/v1", "meta", "PartialObjectMetadata"],
  ["meta.k8s.io/v1beta1", "meta", "PartialObjectMetadata"],
  [
    "admissionregistration.k8s.io/v1",
    "admissionregistration",
    "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
  ],
  [
    "admissionregistration.k8s.io/v1beta1",
    "admissionregistration",
    "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding",
  ],
  [
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration",
    "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding",
  ],
  ["apiextensions.k8s.io/v1", "apiextensions", "CustomResourceDefinition"],
  ["apiregistration.k8s.io/v1", "apiregistration", "APIService"],
  ["apps/v1", "apps", "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet"],
  ["authentication.k8s.io/v1", "authentication", "SelfSubjectReview TokenRequest TokenReview"],
  ["authorization.k8s.io/v1", "authorization", "LocalSubjectAccessReview SelfSubjectAccessReview"],
  ["authorization.k8s.io/v1", "authorization", "SelfSubjectRulesReview SubjectAccessReview"],
  ["autoscaling/v1", "autoscaling", "HorizontalPodAutoscaler Scale"],
  ["autoscaling/v2", "autoscaling-v2", "HorizontalPodAutoscaler"],
  ["batch/v1", "batch", "CronJob Job"],
  ["certificates.k8s.io/v1", "certificates", "CertificateSigningRequest"],
  ["certificates.k8s.io/v1alpha1", "certificates", "ClusterTrustBundle"],
  ["certificates.k8s.io/v1beta1", "certificates", "ClusterTrustBundle PodCertificateRequest"],
  ["coordination.k8s.io/v1", "coordination", "Lease"],
  ["coordination.k8s.io/v1alpha2", "coordination", "LeaseCandidate"],
  ["coordination.k8s.io/v1beta1", "coordination", "LeaseCandidate"],
  ["discovery.k8s.io/v1", "discovery", "EndpointSlice"],
  ["events.k8s.io/v1", "events", "Event"],
  ["flowcontrol.apiserver.k8s.io/v1", "flowcontrol", "FlowSchema PriorityLevelConfiguration"],
  ["networking.k8s.io/v1", "networking", "Ingress IngressClass NetworkPolicy IPAddress ServiceCIDR"],
  ["policy/v1", "policy", "Eviction PodDisruptionBudget"],
  ["node.k8s.io/v1", "node", "RuntimeClass"],
  ["rbac.authorization.k8s.io/v1", "rbac", "ClusterRole ClusterRoleBinding Role RoleBinding"],
  ["resource.k8s.io/v1", "resource", "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice"],
  ["scheduling.k8s.io/v1", "scheduling", "PriorityClass"],
  ["storage.k8s.io/v1", "storage", "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment"],
  ["storage.k8s.io/v1", "storage", "VolumeAttributesClass"],
  ["storagemigration.k8s.io/v1beta1", "storagemigration", "StorageVersionMigration"],
];

/** The message of a kind, by `apiVersion/Kind`. */
const KINDS: ReadonlyMap<string, string> = new Map(
  VERSIONS.flatMap(([apiVersion, messages, kinds]) =>
    kinds.split(" ").map((kind) => [`${apiVersion}/${kind}`, `${messages}.${kind}`] as const),
  ),
);

/** The message of a kind as `group.Message`; undefined without a protobuf form. */
export const messageOf = (apiVersion: string, kind: string): string | undefined => KINDS.get(`${apiVersion}/${kind}`);

/** The full name of a message that a field of `holder` names. */
export const qualified = (name: string, holder: string): string =>
  name.includes(".") ? name : `${holder.slice(0, holder.indexOf("."))}.${name}`;

/** The field numbers of a message by its full name. */
export function numbersOf(message: string): Numbers {
  const dot = message.indexOf(".");
  const numbers = GROUPS[message.slice(0, dot)]?.[message.slice(dot + 1)];
  if (!numbers) throw new Error(`Expected field numbers of the message ${message}, found none`);
  return numbers;
}
