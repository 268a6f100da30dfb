/**
 * What the agent of a node may write: its own Node, Lease, CSINode and slices, and the Pods on it; the plugin
 * NodeRestriction, beside the node authorizer.
 *
 * An agent is a user `system:node:NAME` of the group `system:nodes`. Everybody else passes.
 *
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
 *
 * @module
 */
import type { Authorizer } from "../auth/contract.ts";
import { groupOfRules, nodeOf } from "../auth/node/node-name.ts";
import { type ObjectRef, notFound } from "../meta/status.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import { equal } from "../value/value.ts";
import { type AdmissionRequest, type AdmissionStep, refusal } from "./contract.ts";
import { type Form, formOf, listOf, refusedAudience, specOf } from "./node-audiences.ts";

/** A write of an agent. */
interface Write {
  readonly authorizer: Authorizer;
  readonly node: string;
  readonly request: AdmissionRequest;
}

/** Why a write is refused; undefined where it is not. */
type Refusal = string | undefined | Promise<string | undefined>;

/** Judges a write. Throws 404 for what is not there. */
type Validate = (write: Write) => Refusal;

const VALIDATORS: ReadonlyMap<string, Validate> = new Map(
  Object.entries({
    pods: validatePod,
    nodes: validateNode,
    persistentvolumeclaims: validateClaim,
    serviceaccounts: validateToken,
    "leases.coordination.k8s.io": validateLease,
    "csinodes.storage.k8s.io": validateOwnName,
    "resourceslices.resource.k8s.io": validateSlice,
    "podcertificaterequests.certificates.k8s.io": validatePodCertificate,
  }),
);

/** See the head of this file. */
export const nodeRestriction = (authorizer: Authorizer): AdmissionStep => ({
  name: "NodeRestriction",
  // Before others change what the agent has sent.
  mutate: (request) => validate(authorizer, request),
});

function validate(authorizer: Authorizer, request: AdmissionRequest): void | Promise<void> {
  const { ref, identity } = request;
  const node = nodeOf(identity);
  if (node === undefined) return;
  const group = groupOfRules(ref.group);
  const resource = group === "" ? ref.plural : `${ref.plural}.${group}`;
  const why =
    node === ""
      ? `expected a node in the user ${JSON.stringify(identity.user)}`
      : VALIDATORS.get(resource)?.({ authorizer, node, request });
  const refuse = (reason: string | undefined): void => {
    if (reason !== undefined) throw refusal(request, reason);
  };
  return why instanceof Promise ? why.then(refuse) : refuse(why);
}

const statusOf = (object: ApiObject | undefined): Form => formOf(object?.["status"]);
const same = (a: unknown, b: unknown): boolean => equal(a ?? null, b ?? null);

const PODS: ObjectRef = { group: "", plural: "pods", kind: "Pod" };
const NODES: ObjectRef = { group: "", plural: "nodes", kind: "Node" };

/** An object that has to be there. */
function there(lookup: Lookup, ref: ObjectRef, namespace: string, name: string): ApiObject {
  const found = lookup.get(ref.plural, namespace, name);
  if (!found) throw notFound(ref, name);
  return found;
}

function validatePod(write: Write): string | undefined {
  const { node, request } = write;
  const { operation, subresource, namespace, name } = request;
  const onNode = (pod: ApiObject | undefined): string | undefined =>
    specOf(pod)["nodeName"] === node ? undefined : `the Pod is not on the node ${node}`;
  switch (`${operation} ${subresource}`) {
    case "CREATE ":
      return validateMirror(write);
    case "DELETE ":
    case "CREATE eviction":
      return onNode(there(request.lookup, PODS, namespace, name));
    case "UPDATE status":
      return onNode(request.old) ?? validatePodStatus(request);
    default:
      return "a node creates mirrors of its Pods, writes their status, evicts and deletes them, and nothing else";
  }
}

const MIRROR = "kubernetes.io/config.mirror";

/** A Pod that the node has begun by itself: it says so, belongs to its Node, and refers to nothing that it could read by that. */
function validateMirror({ node, request: { object, lookup } }: Write): string | undefined {
  const { annotations, ownerReferences = [] } = object?.metadata ?? {};
  if (annotations?.[MIRROR] === undefined) return `a node creates only Pods with the annotation ${MIRROR}`;
  if (specOf(object)["nodeName"] !== node) return `a node creates Pods on itself only, expected spec.nodeName ${node}`;
  const [owner] = ownerReferences;
  if (
    !owner ||
    ownerReferences.length > 1 ||
    owner.apiVersion !== "v1" ||
    owner.kind !== "Node" ||
    owner.name !== node
  ) {
    return `a node creates only Pods whose one owner is the Node ${node}`;
  }
  if (!owner.controller || owner.blockOwnerDeletion)
    return "expected an owner with controller and without blockOwnerDeletion";
  if (there(lookup, NODES, "", node).metadata.uid !== owner.uid) return `the Node ${node} has another UID`;
  const member = referenceIn(specOf(object));
  return member === undefined ? undefined : `a node creates no Pods that refer to other objects, found ${member}`;
}

/** Members of a Pod, of its containers and of its volumes that name other objects. */
const OF_POD = ["serviceAccountName", "resourceClaims", "imagePullSecrets"];
const OF_VOLUME = [
  "azureFile",
  "cephfs",
  "cinder",
  "configMap",
  "csi",
  "ephemeral",
  "flexVolume",
  "glusterfs",
  "iscsi",
  "persistentVolumeClaim",
  "projected",
  "rbd",
  "scaleIO",
  "secret",
  "storageos",
];

/** A member of a Pod by which it refers to another object; undefined where it refers to none. */
function referenceIn(spec: Form): string | undefined {
  const own = OF_POD.find((member) => isSaid(spec[member]));
  if (own !== undefined) return `spec.${own}`;
  const containers = ["containers", "initContainers", "ephemeralContainers"].flatMap((member) => listOf(spec[member]));
  if (containers.some(readsOthers)) return "the environment of a container";
  return listOf(spec["volumes"]).some((volume) => OF_VOLUME.some((member) => volume[member] !== undefined))
    ? "spec.volumes"
    : undefined;
}

const readsOthers = ({ env, envFrom }: Form): boolean =>
  isSaid(envFrom) ||
  listOf(env).some((variable) => {
    const from = formOf(variable["valueFrom"]);
    return from["secretKeyRef"] !== undefined || from["configMapKeyRef"] !== undefined;
  });

const isSaid = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** Claims that are allocated to a Pod decide what the node may read: only the allocator writes them. */
function validatePodStatus({ object, old }: AdmissionRequest): string | undefined {
  if (!same(object?.metadata.labels ?? {}, old?.metadata.labels ?? {})) return "a node does not change labels of Pods";
  const changed = ["resourceClaimStatuses", "extendedResourceClaimStatus"].find(
    (member) => !same(statusOf(object)[member], statusOf(old)[member]),
  );
  return changed === undefined ? undefined : `a node does not change status.${changed} of Pods`;
}

function validateNode({ node, request }: Write): string | undefined {
  const { operation, object, old, name } = request;
  if (name !== node) return `the node ${node} writes its own Node only`;
  if (!object || operation === "DELETE") return undefined;
  const [{ labels, ownerReferences }, before] = [object.metadata, old?.metadata];
  const wrong = changedLabels(labels ?? {}, before?.labels ?? {}).filter(isKept);
  if (wrong.length > 0) return `a node does not set or change the labels ${wrong.join(", ")}`;
  if (
    specOf(object)["configSource"] !== undefined &&
    !same(specOf(object)["configSource"], specOf(old)["configSource"])
  ) {
    return "a node does not change its spec.configSource";
  }
  if (!old) return undefined;
  if (!same(specOf(object)["taints"], specOf(old)["taints"])) return "a node does not change its taints";
  return same(ownerReferences, before?.ownerReferences) ? undefined : "a node does not change its ownerReferences";
}

type Labels = Readonly<Record<string, string>>;

const changedLabels = (now: Labels, before: Labels): string[] =>
  [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((key) => now[key] !== before[key]).toSorted();

/** Labels of the system that agents set. */
const OF_AGENTS: ReadonlySet<string> = new Set([
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "kubernetes.io/arch",
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);

/** Whether a label is kept from agents: work is steered by it to nodes that can be trusted. */
function isKept(key: string): boolean {
  const slash = key.indexOf("/");
  const domain = slash < 0 ? "" : key.slice(0, slash);
  const isIn = (parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
  if (isIn("node-restriction.kubernetes.io")) return true;
  if (!isIn("kubernetes.io") && !isIn("k8s.io")) return false;
  return !OF_AGENTS.has(key) && !isIn("kubelet.kubernetes.io") && !isIn("node.kubernetes.io");
}

/** What the status of a claim may say of how far its growth is. */
const OF_GROWTH = ["capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"];

function validateClaim({ request: { operation, subresource, object, old } }: Write): string | undefined {
  if (operation !== "UPDATE" || subresource !== "status") return "a node writes nothing of a claim but its status";
  const rest = (claim: ApiObject | undefined): object => {
    const { resourceVersion: _version, managedFields: _owners, ...metadata } = claim?.metadata ?? {};
    const status = Object.entries(statusOf(claim)).filter(([member]) => !OF_GROWTH.includes(member));
    return { ...claim, metadata, status: Object.fromEntries(status) };
  };
  return same(rest(object), rest(old)) ? undefined : `a node writes only ${OF_GROWTH.join(", ")} of a claim's status`;
}

/** A token is for a Pod on the node, and for an audience of that Pod or its drivers. */
function validateToken({ node, request, authorizer }: Write): Refusal {
  const { operation, subresource, object, namespace } = request;
  if (operation !== "CREATE" || subresource !== "token") return undefined;
  const { boundObjectRef, audiences } = specOf(object);
  const { apiVersion, kind, name, uid } = formOf(boundObjectRef);
  if (apiVersion !== "v1" || kind !== "Pod" || typeof name !== "string" || name === "" || !uid)
    return "a node makes tokens for Pods only, with their UID";
  const pod = there(request.lookup, PODS, namespace, name);
  if (pod.metadata.uid !== uid) return `the Pod ${name} has another UID`;
  if (specOf(pod)["nodeName"] !== node) return `the Pod ${name} is not on the node ${node}`;
  const [audience, ...others] = Array.isArray(audiences) ? audiences.map(String) : [""];
  if (others.length > 0) return "a node makes tokens for one audience at a time";
  return refusedAudience(authorizer, request, pod, audience ?? "");
}

function validateLease(write: Write): string | undefined {
  return write.request.namespace === "kube-node-lease"
    ? validateOwnName(write)
    : "a node has its Lease in kube-node-lease only";
}

function validateOwnName({ node, request: { operation, object, name } }: Write): string | undefined {
  const named = operation === "CREATE" ? object?.metadata.name : name;
  return named === node ? undefined : `a node has objects of its own name only, ${node}`;
}

function validateSlice({ node, request: { operation, object, old } }: Write): string | undefined {
  const slice = operation === "CREATE" ? object : operation === "DELETE" ? old : undefined;
  if (!slice || specOf(slice)["nodeName"] === node) return undefined;
  return `a node writes slices of its own only, expected spec.nodeName ${node}`;
}

function validatePodCertificate({ node, request }: Write): string | undefined {
  const { operation, subresource, object, namespace } = request;
  if (operation !== "CREATE" || subresource !== "") return "a node creates requests for certificates, and nothing else";
  const { nodeName, nodeUID, podName, podUID, serviceAccountName, serviceAccountUID } = specOf(object);
  if (nodeName !== node) return `expected spec.nodeName ${node}`;
  if (there(request.lookup, NODES, "", node).metadata.uid !== nodeUID) return `the Node ${node} has another UID`;
  const pod = there(request.lookup, PODS, namespace, String(podName));
  if (pod.metadata.uid !== podUID) return `the Pod ${String(podName)} has another UID`;
  if (specOf(pod)["nodeName"] !== node) return `the Pod ${String(podName)} is not on the node ${node}`;
  if (pod.metadata.annotations?.[MIRROR] !== undefined) return "a mirror of a Pod has no certificates";
  if (specOf(pod)["serviceAccountName"] !== serviceAccountName) return "the Pod has another account";
  const account = there(request.lookup, ACCOUNTS, namespace, String(serviceAccountName));
  return account.metadata.uid === serviceAccountUID ? undefined : "the account has another UID";
}

const ACCOUNTS: ObjectRef = { group: "", plural: "serviceaccounts", kind: "ServiceAccount" };
