/**
 * The schema of a Pod's status: written by the node agent (SUP-5).
 *
 * @module
 */
import * as t from "../../../../meta/types.ts";
import { ResourceRequirements } from "./container-schema.ts";

const Condition = t.struct("One side of the state of the Pod.", {
  type: t.required(t.text("The type of the condition, such as `Ready`.")),
  observedGeneration: t.optional(t.int64("The generation that it is about.")),
  status: t.required(t.text("`True`, `False` or `Unknown`.")),
  lastProbeTime: t.nullable(t.time("When it was probed.")),
  lastTransitionTime: t.nullable(t.time("When it changed.")),
  reason: t.optional(t.text("Why it changed, for machines.")),
  message: t.optional(t.text("Why it changed, for people.")),
});

const ContainerState = t.struct("The state of the container; at most one member is set.", {
  waiting: t.pointer(
    t.struct("It has not started.", {
      reason: t.optional(t.text("Why, for machines.")),
      message: t.optional(t.text("Why, for people.")),
    }),
  ),
  running: t.pointer(t.struct("It runs.", { startedAt: t.nullable(t.time("Since when.")) })),
  terminated: t.pointer(
    t.struct("It has ended.", {
      exitCode: t.required(t.int32("The exit code.")),
      signal: t.optional(t.int32("The signal that ended it.")),
      reason: t.optional(t.text("Why, for machines.")),
      message: t.optional(t.text("Why, for people.")),
      startedAt: t.nullable(t.time("When it had started.")),
      finishedAt: t.nullable(t.time("When it ended.")),
      containerID: t.optional(t.text("Its identifier at the runtime.")),
    }),
  ),
});

const ContainerStatus = t.struct("How far a container is.", {
  name: t.required(t.text("Name of the container.")),
  state: t.always(ContainerState),
  lastState: t.always(ContainerState),
  ready: t.required(t.bool("Whether it is ready.")),
  restartCount: t.required(t.int32("How often it was restarted.")),
  image: t.required(t.text("The image.")),
  imageID: t.required(t.text("The identifier of the image.")),
  containerID: t.optional(t.text("Its identifier at the runtime.")),
  started: t.pointer(t.bool("Whether it has started.")),
  allocatedResources: t.optional(t.map(t.quantity(), "The resources that the node has allocated to it.")),
  resources: t.pointer(ResourceRequirements),
  volumeMounts: t.optional(
    t.keyedList(
      t.struct("A mount.", {
        name: t.required(t.text("Name of the volume.")),
        mountPath: t.required(t.text("The path of the mount.")),
        readOnly: t.optional(t.bool("Whether it is read-only.")),
        recursiveReadOnly: t.pointer(t.text("`Disabled` or `Enabled`.")),
      }),
      ["mountPath"],
      "The mounts.",
    ),
  ),
  user: t.pointer(
    t.struct("The user of the processes.", {
      linux: t.pointer(
        t.struct("Ids of the first process.", {
          uid: t.required(t.int64("User id.")),
          gid: t.required(t.int64("Group id.")),
          supplementalGroups: t.optional(t.atomicList(t.int64(), "More group ids.")),
        }),
      ),
    }),
  ),
  allocatedResourcesStatus: t.optional(
    t.keyedList(
      t.struct("The health of a resource.", {
        name: t.required(t.text("Name of the resource.")),
        resources: t.optional(
          t.replacedList(
            t.struct("One device.", {
              resourceID: t.required(t.text("Its identifier.")),
              health: t.optional(t.text("`Healthy`, `Unhealthy` or `Unknown`.")),
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
  stopSignal: t.pointer(t.text("The signal that ends the container.")),
});

const ExtendedClaimStatus = t.struct("The claim for extended resources of the Pod.", {
  requestMappings: t.required(
    t.atomicList(
      t.struct("A resource of a container and its request in the claim.", {
        containerName: t.required(t.text("The container.")),
        resourceName: t.required(t.text("The resource.")),
        requestName: t.required(t.text("The request in the claim.")),
      }),
      "The result of a requested resize.",
    ),
  ),
  resourceClaimName: t.required(t.text("The ResourceClaim.")),
});

const ip = t.struct("An address.", { ip: t.required(t.text("The address.")) });

/** The schema of a Pod's status. */
export const PodStatusSchema = t.struct("How far the Pod is.", {
  observedGeneration: t.optional(t.int64("The generation that the status is about.")),
  phase: t.optional(t.text("`Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`.")),
  conditions: t.optional(t.keyedList(Condition, ["type"], "The sides of the Pod's state.")),
  message: t.optional(t.text("Why the Pod is in this state, for people.")),
  reason: t.optional(t.text("Why the Pod is in this state, for machines.")),
  nominatedNodeName: t.optional(t.text("The node that is being made free for the Pod.")),
  hostIP: t.optional(t.text("Address of the node.")),
  hostIPs: t.optional(
    Object.assign(t.atomicList(ip, "Addresses of the node."), {
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "ip",
    }),
  ),
  podIP: t.optional(t.text("Address of the Pod.")),
  podIPs: t.optional(t.keyedList(ip, ["ip"], "Addresses of the Pod.")),
  startTime: t.pointer(t.time("When the node agent took the Pod.")),
  initContainerStatuses: t.optional(t.atomicList(ContainerStatus, "How far the init containers are.")),
  containerStatuses: t.optional(t.atomicList(ContainerStatus, "How far the containers are.")),
  qosClass: t.optional(t.text("`Guaranteed`, `Burstable` or `BestEffort`.")),
  ephemeralContainerStatuses: t.optional(t.atomicList(ContainerStatus, "How far the ephemeral containers are.")),
  resize: t.optional(t.text("How far a change of resources is.")),
  resourceClaimStatuses: t.optional(
    t.keyedList(
      t.struct("The claim behind a name.", {
        name: t.required(t.text("The name in spec.resourceClaims.")),
        resourceClaimName: t.pointer(t.text("The ResourceClaim.")),
      }),
      ["name"],
      "The resource claims.",
      { "x-kubernetes-patch-strategy": "merge,retainKeys" },
    ),
  ),
  extendedResourceClaimStatus: t.pointer(ExtendedClaimStatus),
  allocatedResources: t.optional(t.map(t.quantity(), "The resources that the node has allocated to the Pod.")),
  resources: t.pointer(ResourceRequirements),
});

/** A Pod's status in wire form. */
export type PodStatus = t.Static<typeof PodStatusSchema>;
