/**
 * The reasons of Events by which an actor reports a failure or a success.
 *
 * docs/guides/why.md has the same table; a test compares both.
 */
import type { EventReasons } from "./events.ts";

/** An actor and the reasons of its Events. */
export interface Actor extends EventReasons {
  /** Its name in the table of the guide. */
  readonly name: string;
  /** The kind of the objects. */
  readonly about: string;
}

const actor = (name: string, about: string, failed: readonly string[], succeeded: readonly string[] = []): Actor => ({
  name,
  about,
  failed,
  succeeded,
});

/** Every actor whose Events are read. */
export const ACTORS = {
  provisioner: actor("provisioner", "PersistentVolumeClaim", ["ProvisioningFailed"], ["ProvisioningSucceeded"]),
  cleanup: actor("provisioner, of a claim that is deleted", "PersistentVolumeClaim", ["ProvisioningCleanupFailed"]),
  deleter: actor("provisioner, of a volume that is deleted", "PersistentVolume", ["VolumeFailedDelete"]),
  resizer: actor(
    "resizer, and the agent of the node",
    "PersistentVolumeClaim",
    ["VolumeResizeFailed", "FileSystemResizeFailed"],
    ["VolumeResizeSuccessful", "FileSystemResizeSuccessful", "FileSystemResizeRequired"],
  ),
  scheduler: actor("a scheduler of another name", "Pod", ["FailedScheduling"], ["Scheduled"]),
  mounts: actor(
    "agent of the node, of volumes",
    "Pod",
    ["FailedMount", "FailedMapVolume", "FailedAttachVolume"],
    ["Started", "SuccessfulMountVolume", "SuccessfulAttachVolume"],
  ),
  unmounts: actor("agent of the node, of a Pod that is deleted", "Pod", [
    "FailedUnmount",
    "FailedUnMount",
    "FailedUnmapDevice",
    "FailedKillPod",
    "FailedPreStopHook",
  ]),
  containers: actor(
    "agent of the node, of containers",
    "Pod",
    ["Failed", "BackOff", "FailedCreatePodSandBox", "FailedCreatePodContainer", "FailedSync", "InspectFailed"],
    ["Started"],
  ),
  snapshots: actor(
    "snapshot controller",
    "VolumeSnapshot",
    [
      "SnapshotContentCreationFailed",
      "SnapshotContentMissing",
      "SnapshotContentMismatch",
      "SetDefaultSnapshotClassFailed",
    ],
    ["SnapshotReady"],
  ),
  snapshotter: actor(
    "snapshotter",
    "VolumeSnapshotContent",
    ["SnapshotCreationFailed", "SnapshotContentCheckandUpdateFailed", "SnapshotDeleteError"],
    [],
  ),
} as const satisfies Readonly<Record<string, Actor>>;

/** Components that are no populators, but record Events of claims. */
export const NO_POPULATORS: ReadonlySet<string> = new Set([
  "persistentvolume-controller",
  "external-provisioner",
  "external-resizer",
  "kubelet",
]);
