/**
 * The schema of a Pod's status: written by the node agent (SUP-5).
 *
 * @module
 */
import {
  type Static,
  always,
  atomicList,
  bool,
  int32,
  int64,
  keyedList,
  replacedList,
  map,
  nullable,
  optional,
  pointer,
  quantity,
  required,
  struct,
  text,
  time,
} from "../../../../meta/types.ts";
import { ResourceRequirements } from "./container-schema.ts";

const Condition = struct("One side of the state of the Pod.", {
  type: required(text("What the condition is about, such as `Ready`.")),
  observedGeneration: optional(int64("The generation that it is about.")),
  status: required(text("`True`, `False` or `Unknown`.")),
  lastProbeTime: nullable(time("When it was probed.")),
  lastTransitionTime: nullable(time("When it changed.")),
  reason: optional(text("Why it changed, for machines.")),
  message: optional(text("Why it changed, for people.")),
});

const ContainerState = struct("What the container does; at most one member is set.", {
  waiting: pointer(
    struct("It has not started.", {
      reason: optional(text("Why, for machines.")),
      message: optional(text("Why, for people.")),
    }),
  ),
  running: pointer(struct("It runs.", { startedAt: nullable(time("Since when.")) })),
  terminated: pointer(
    struct("It has ended.", {
      exitCode: required(int32("The exit code.")),
      signal: optional(int32("The signal that ended it.")),
      reason: optional(text("Why, for machines.")),
      message: optional(text("Why, for people.")),
      startedAt: nullable(time("When it had started.")),
      finishedAt: nullable(time("When it ended.")),
      containerID: optional(text("Its identifier at the runtime.")),
    }),
  ),
});

const ContainerStatus = struct("How far a container is.", {
  name: required(text("Name of the container.")),
  state: always(ContainerState),
  lastState: always(ContainerState),
  ready: required(bool("Whether it is ready.")),
  restartCount: required(int32("How often it was restarted.")),
  image: required(text("The image.")),
  imageID: required(text("The identifier of the image.")),
  containerID: optional(text("Its identifier at the runtime.")),
  started: pointer(bool("Whether it has started.")),
  allocatedResources: optional(map(quantity(), "What the node gave it.")),
  resources: pointer(ResourceRequirements),
  volumeMounts: optional(
    keyedList(
      struct("A mount.", {
        name: required(text("Name of the volume.")),
        mountPath: required(text("Where it is mounted.")),
        readOnly: optional(bool("Whether it is read-only.")),
        recursiveReadOnly: pointer(text("`Disabled` or `Enabled`.")),
      }),
      ["mountPath"],
      "The mounts.",
    ),
  ),
  user: pointer(
    struct("Who the processes are.", {
      linux: pointer(
        struct("Ids of the first process.", {
          uid: required(int64("User id.")),
          gid: required(int64("Group id.")),
          supplementalGroups: optional(atomicList(int64(), "More group ids.")),
        }),
      ),
    }),
  ),
  allocatedResourcesStatus: optional(
    keyedList(
      struct("The health of a resource.", {
        name: required(text("Name of the resource.")),
        resources: optional(
          replacedList(
            struct("One device.", {
              resourceID: required(text("Its identifier.")),
              health: optional(text("`Healthy`, `Unhealthy` or `Unknown`.")),
            }),
            ["resourceID"],
            "The devices.",
          ),
        ),
      }),
      ["name"],
      "The health of the resources.",
    ),
  ),
  stopSignal: pointer(text("The signal that ends the container.")),
});

const ExtendedClaimStatus = struct("The claim behind resources that are asked for by name.", {
  requestMappings: required(
    atomicList(
      struct("A resource of a container and the request that it became.", {
        containerName: required(text("The container.")),
        resourceName: required(text("The resource.")),
        requestName: required(text("The request in the claim.")),
      }),
      "What became of what is asked for.",
    ),
  ),
  resourceClaimName: required(text("The ResourceClaim.")),
});

const ip = struct("An address.", { ip: required(text("The address.")) });

/** The schema of a Pod's status. */
export const PodStatusSchema = struct("How far the Pod is.", {
  observedGeneration: optional(int64("The generation that the status is about.")),
  phase: optional(text("`Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`.")),
  conditions: optional(keyedList(Condition, ["type"], "The sides of the Pod's state.")),
  message: optional(text("Why the Pod is in this state, for people.")),
  reason: optional(text("Why the Pod is in this state, for machines.")),
  nominatedNodeName: optional(text("The node that is being made free for the Pod.")),
  hostIP: optional(text("Address of the node.")),
  hostIPs: optional(
    Object.assign(atomicList(ip, "Addresses of the node."), {
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "ip",
    }),
  ),
  podIP: optional(text("Address of the Pod.")),
  podIPs: optional(keyedList(ip, ["ip"], "Addresses of the Pod.")),
  startTime: pointer(time("When the node agent took the Pod.")),
  initContainerStatuses: optional(atomicList(ContainerStatus, "How far the init containers are.")),
  containerStatuses: optional(atomicList(ContainerStatus, "How far the containers are.")),
  qosClass: optional(text("`Guaranteed`, `Burstable` or `BestEffort`.")),
  ephemeralContainerStatuses: optional(atomicList(ContainerStatus, "How far the ephemeral containers are.")),
  resize: optional(text("How far a change of resources is.")),
  resourceClaimStatuses: optional(
    keyedList(
      struct("The claim behind a name.", {
        name: required(text("The name in spec.resourceClaims.")),
        resourceClaimName: pointer(text("The ResourceClaim.")),
      }),
      ["name"],
      "The resource claims.",
      { "x-kubernetes-patch-strategy": "merge,retainKeys" },
    ),
  ),
  extendedResourceClaimStatus: pointer(ExtendedClaimStatus),
  allocatedResources: optional(map(quantity(), "What the node gave the Pod.")),
  resources: pointer(ResourceRequirements),
});

/** A Pod's status in wire form. */
export type PodStatus = Static<typeof PodStatusSchema>;
