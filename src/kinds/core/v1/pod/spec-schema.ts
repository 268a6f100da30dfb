/**
 * The schema of a Pod's spec (SUP-5).
 *
 * @module
 */
import {
  type Of,
  type Static,
  atomicList,
  bool,
  int32,
  int64,
  keyedList,
  map,
  optional,
  pointer,
  quantity,
  required,
  struct,
  text,
} from "../../../../meta/types.ts";
import { LocalObjectReference } from "../../../rules/references.ts";
import { type Source, sourceMembers } from "../volumes/sources.ts";
import { Container, EphemeralContainer, PodResourceRequirements } from "./container-schema.ts";
import { Affinity, Toleration, TopologySpreadConstraint } from "./scheduling-schema.ts";
import { PodSecurityContext } from "./security-schema.ts";

const HostAlias = struct("A line of the hosts file.", {
  ip: required(text("The address.")),
  hostnames: optional(atomicList(text(), "Its names.")),
});

const PodDNSConfig = struct("Parameters of name resolution.", {
  nameservers: optional(atomicList(text(), "Addresses of servers.")),
  searches: optional(atomicList(text(), "Search domains.")),
  options: optional(
    atomicList(
      struct("An option of the resolver.", { name: optional(text("Its name.")), value: pointer(text("Its value.")) }),
      "Options of the resolver.",
    ),
  ),
});

const PodResourceClaim = struct("A resource claim by the name that containers know it by.", {
  name: required(text("The name that containers use.")),
  resourceClaimName: pointer(text("A ResourceClaim.")),
  resourceClaimTemplateName: pointer(text("A ResourceClaimTemplate.")),
});

const WorkloadReference = struct("The group of pods that the Pod is scheduled with.", {
  name: required(text("The Workload.")),
  podGroup: required(text("The group in the Workload.")),
  podGroupReplicaKey: optional(text("Which of the replicas of the group.")),
});

const members = {
  initContainers: optional(keyedList(Container, ["name"], "Containers that run one after another before the others.")),
  containers: required(keyedList(Container, ["name"], "The containers.")),
  ephemeralContainers: optional(keyedList(EphemeralContainer, ["name"], "Containers put into the running Pod.")),
  restartPolicy: optional(text("`Always`, `OnFailure` or `Never`.")),
  terminationGracePeriodSeconds: pointer(int64("Seconds that the Pod is given to end.")),
  activeDeadlineSeconds: pointer(int64("Seconds that the Pod may be active.")),
  dnsPolicy: optional(text("`ClusterFirst`, `ClusterFirstWithHostNet`, `Default` or `None`.")),
  nodeSelector: optional(map(text(), "Labels that the node must have.", { atomic: true })),
  serviceAccountName: optional(text("The service account.")),
  serviceAccount: optional(text("The older name of serviceAccountName.")),
  automountServiceAccountToken: pointer(bool("Whether a token of the service account is mounted.")),
  nodeName: optional(text("The node that the Pod runs on.")),
  hostNetwork: optional(bool("Whether the network is that of the node.")),
  hostPID: optional(bool("Whether processes are those of the node.")),
  hostIPC: optional(bool("Whether IPC is that of the node.")),
  shareProcessNamespace: pointer(bool("Whether containers see the processes of one another.")),
  securityContext: pointer(PodSecurityContext),
  imagePullSecrets: optional(keyedList(LocalObjectReference, ["name"], "Secrets for pulling images.")),
  hostname: optional(text("The host name.")),
  subdomain: optional(text("The domain below that of the namespace.")),
  affinity: pointer(Affinity),
  schedulerName: optional(text("The scheduler.")),
  tolerations: optional(atomicList(Toleration, "Taints that do not keep the Pod away.")),
  hostAliases: optional(keyedList(HostAlias, ["ip"], "Lines of the hosts file.")),
  priorityClassName: optional(text("The priority class.")),
  priority: pointer(int32("The priority; from the class.")),
  dnsConfig: pointer(PodDNSConfig),
  readinessGates: optional(
    atomicList(
      struct("A condition.", { conditionType: required(text("Its type.")) }),
      "Conditions that must hold for the Pod to be ready.",
    ),
  ),
  runtimeClassName: pointer(text("The runtime class.")),
  enableServiceLinks: pointer(bool("Whether services become environment variables.")),
  preemptionPolicy: pointer(text("`PreemptLowerPriority` or `Never`.")),
  overhead: optional(map(quantity(), "What the runtime itself needs.")),
  topologySpreadConstraints: optional(
    keyedList(TopologySpreadConstraint, ["topologyKey", "whenUnsatisfiable"], "How pods are spread."),
  ),
  setHostnameAsFQDN: pointer(bool("Whether the host name is fully qualified.")),
  os: pointer(struct("The operating system.", { name: required(text("`linux` or `windows`.")) })),
  hostUsers: pointer(bool("Whether user ids are those of the node.")),
  schedulingGates: optional(
    keyedList(
      struct("A gate.", { name: required(text("Its name.")) }),
      ["name"],
      "What keeps the Pod from being scheduled.",
    ),
  ),
  resourceClaims: optional(
    keyedList(PodResourceClaim, ["name"], "The resource claims.", {
      "x-kubernetes-patch-strategy": "merge,retainKeys",
    }),
  ),
  resources: pointer(PodResourceRequirements),
  hostnameOverride: pointer(text("The host name, whatever else is set.")),
  workloadRef: pointer(WorkloadReference),
};

/** The schema of a Pod's spec; which sources volumes have, the dialect decides. */
export const podSpecSchema = (sources: readonly Source[]) =>
  struct("What runs, with what, and where.", {
    volumes: optional(
      keyedList(
        struct("A volume of the Pod: a name and one source.", {
          name: required(text("Name of the volume, a DNS label, unique in the Pod.")),
          ...sourceMembers(sources),
        }) as Of<PodVolume>,
        ["name"],
        "The volumes that containers can mount.",
        { "x-kubernetes-patch-strategy": "merge,retainKeys" },
      ),
    ),
    ...members,
  });

/** A volume in wire form. */
export interface PodVolume {
  name: string;
  /** The source; which names there are, the dialect decides. */
  [source: string]: unknown;
}

/** A Pod's spec in wire form. */
export type PodSpec = Static<ReturnType<typeof podSpecSchema>>;
