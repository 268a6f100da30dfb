/**
 * The schema of a Pod's spec (SUP-5).
 *
 * @module
 */
import * as t from "../../../../meta/types.ts";
import { LocalObjectReference } from "../../../rules/references.ts";
import { type Source, sourceMembers } from "../volumes/sources.ts";
import { Container, EphemeralContainer, PodResourceRequirements } from "./container-schema.ts";
import { Affinity, Toleration, TopologySpreadConstraint } from "./scheduling-schema.ts";
import { PodSecurityContext } from "./security-schema.ts";

const HostAlias = t.struct("A line of the hosts file.", {
  ip: t.required(t.text("The address.")),
  hostnames: t.optional(t.atomicList(t.text(), "Its names.")),
});

const PodDNSConfig = t.struct("Parameters of name resolution.", {
  nameservers: t.optional(t.atomicList(t.text(), "Addresses of servers.")),
  searches: t.optional(t.atomicList(t.text(), "Search domains.")),
  options: t.optional(
    t.atomicList(
      t.struct("An option of the resolver.", {
        name: t.optional(t.text("Its name.")),
        value: t.pointer(t.text("Its value.")),
      }),
      "Options of the resolver.",
    ),
  ),
});

const PodResourceClaim = t.struct("A resource claim by the name that containers know it by.", {
  name: t.required(t.text("The name that containers use.")),
  resourceClaimName: t.pointer(t.text("A ResourceClaim.")),
  resourceClaimTemplateName: t.pointer(t.text("A ResourceClaimTemplate.")),
});

const WorkloadReference = t.struct("The group of pods that the Pod is scheduled with.", {
  name: t.required(t.text("The Workload.")),
  podGroup: t.required(t.text("The group in the Workload.")),
  podGroupReplicaKey: t.optional(t.text("Which of the replicas of the group.")),
});

const members = {
  initContainers: t.optional(
    t.keyedList(Container, ["name"], "Containers that run one after another before the others."),
  ),
  containers: t.required(t.keyedList(Container, ["name"], "The containers.")),
  ephemeralContainers: t.optional(t.keyedList(EphemeralContainer, ["name"], "Containers put into the running Pod.")),
  restartPolicy: t.optional(t.text("`Always`, `OnFailure` or `Never`.")),
  terminationGracePeriodSeconds: t.pointer(t.int64("Seconds that the Pod is given to end.")),
  activeDeadlineSeconds: t.pointer(t.int64("Seconds that the Pod may be active.")),
  dnsPolicy: t.optional(t.text("`ClusterFirst`, `ClusterFirstWithHostNet`, `Default` or `None`.")),
  nodeSelector: t.optional(t.map(t.text(), "Labels that the node must have.", { atomic: true })),
  serviceAccountName: t.optional(t.text("The service account.")),
  serviceAccount: t.optional(t.text("The older name of serviceAccountName.")),
  automountServiceAccountToken: t.pointer(t.bool("Whether a token of the service account is mounted.")),
  nodeName: t.optional(t.text("The node that the Pod runs on.")),
  hostNetwork: t.optional(t.bool("Whether the network is that of the node.")),
  hostPID: t.optional(t.bool("Whether processes are those of the node.")),
  hostIPC: t.optional(t.bool("Whether IPC is that of the node.")),
  shareProcessNamespace: t.pointer(t.bool("Whether containers see the processes of one another.")),
  securityContext: t.pointer(PodSecurityContext),
  imagePullSecrets: t.optional(t.keyedList(LocalObjectReference, ["name"], "Secrets for pulling images.")),
  hostname: t.optional(t.text("The host name.")),
  subdomain: t.optional(t.text("The domain below that of the namespace.")),
  affinity: t.pointer(Affinity),
  schedulerName: t.optional(t.text("The scheduler.")),
  tolerations: t.optional(t.atomicList(Toleration, "Taints that do not keep the Pod away.")),
  hostAliases: t.optional(t.keyedList(HostAlias, ["ip"], "Lines of the hosts file.")),
  priorityClassName: t.optional(t.text("The priority class.")),
  priority: t.pointer(t.int32("The priority; from the class.")),
  dnsConfig: t.pointer(PodDNSConfig),
  readinessGates: t.optional(
    t.atomicList(
      t.struct("A condition.", { conditionType: t.required(t.text("Its type.")) }),
      "Conditions that must hold for the Pod to be ready.",
    ),
  ),
  runtimeClassName: t.pointer(t.text("The runtime class.")),
  enableServiceLinks: t.pointer(t.bool("Whether services become environment variables.")),
  preemptionPolicy: t.pointer(t.text("`PreemptLowerPriority` or `Never`.")),
  overhead: t.optional(t.map(t.quantity(), "The overhead of the runtime.")),
  topologySpreadConstraints: t.optional(
    t.keyedList(TopologySpreadConstraint, ["topologyKey", "whenUnsatisfiable"], "How pods are spread."),
  ),
  setHostnameAsFQDN: t.pointer(t.bool("Whether the host name is fully qualified.")),
  os: t.pointer(t.struct("The operating system.", { name: t.required(t.text("`linux` or `windows`.")) })),
  hostUsers: t.pointer(t.bool("Whether user ids are those of the node.")),
  schedulingGates: t.optional(
    t.keyedList(
      t.struct("A gate.", { name: t.required(t.text("Its name.")) }),
      ["name"],
      "Gates that keep the Pod from being scheduled.",
    ),
  ),
  resourceClaims: t.optional(
    t.keyedList(PodResourceClaim, ["name"], "The resource claims.", {
      "x-kubernetes-patch-strategy": "merge,retainKeys",
    }),
  ),
  resources: t.pointer(PodResourceRequirements),
  hostnameOverride: t.pointer(t.text("The host name, whatever else is set.")),
  workloadRef: t.pointer(WorkloadReference),
};

/** The schema of a Pod's spec; the dialect decides which sources volumes have. */
export const podSpecSchema = (sources: readonly Source[]) =>
  t.struct("The containers, volumes and placement of the Pod.", {
    volumes: t.optional(
      t.keyedList(
        t.struct("A volume of the Pod: a name and one source.", {
          name: t.required(t.text("Name of the volume, a DNS label, unique in the Pod.")),
          ...sourceMembers(sources),
        }) as t.Of<PodVolume>,
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
  /** The source; its names depend on the dialect. */
  [source: string]: unknown;
}

/** A Pod's spec in wire form. */
export type PodSpec = t.Static<ReturnType<typeof podSpecSchema>>;
