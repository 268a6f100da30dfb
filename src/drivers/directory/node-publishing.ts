/**
 * Publishes volumes at the paths of Pods.
 *
 * @module
 */
import type { Implementation } from "../../csi/calls.ts";
import { DriverError } from "../../csi/driver-error.ts";
import type { Node, NodePublishVolumeRequest } from "../../csi/generated/csi_pb.js";
import { ACCESS_MODE } from "../../csi/terms.ts";
import { checkOnNode } from "./check-node.ts";
import { type DriverContext, volumeOf } from "./driver-context.ts";
import { inlineVolume } from "./inline.ts";
import { applyGroup, isPublishedAt, publishAt, sourceOf, unmountSource, unpublishAt } from "./node-paths.ts";
import type { Published } from "./node-state.ts";
import { podContextOf } from "./pod-context.ts";
import { writePodFiles } from "./pod-files.ts";
import type { VolumeRecord } from "./records.ts";
import { type Access, accessOf, isReader, required } from "./requests.ts";

/** NodePublishVolume and NodeUnpublishVolume. */
export function nodePublishing(context: DriverContext): Implementation<typeof Node> {
  const { settings, backing, volumes, lock, staged, published } = context;
  const isStaged = settings.features.has("stage");

  /** The staging path. Throws where the volume has to be staged, and is not. */
  async function stagingOf(request: NodePublishVolumeRequest, volume: VolumeRecord): Promise<string | undefined> {
    if (!isStaged || volume.ephemeral) return undefined;
    const { stagingTargetPath: path } = request;
    if ((await staged.get(volume.id))?.path === path && path !== "") return path;
    throw new DriverError("FailedPrecondition", `the volume is not staged at ${path || "staging_target_path"}`);
  }

  /** Throws where the volume is published in another way, or where it may be published only once. */
  async function checkPublished(desired: Published): Promise<Published | undefined> {
    const found = await published.getSame(desired.path, desired);
    const others = (await published.of(desired.volumeId)).filter(({ path }) => path !== desired.path);
    const isExclusive = [desired, ...others].some(({ mode }) => mode === ACCESS_MODE.SINGLE_NODE_SINGLE_WRITER);
    if (isExclusive && others.length > 0) {
      throw new DriverError("FailedPrecondition", `the volume may be at one path only, and is at ${others[0]!.path}`);
    }
    return found;
  }

  async function publish(request: NodePublishVolumeRequest, access: Access): Promise<void> {
    const { volumeId, targetPath: path, volumeContext, secrets } = request;
    const pod = podContextOf(volumeContext, secrets);
    const volume = await (pod.ephemeral ? inlineVolume(context, volumeId, volumeContext) : volumeOf(context, volumeId));
    checkOnNode(context, volume, access, request.publishContext);
    const staging = await stagingOf(request, volume);
    const desired = { volumeId, path, mode: access.mode, readOnly: request.readonly || isReader(access.mode) };
    const found = await checkPublished(desired);
    const source = await sourceOf(context, volume, staging, access);
    if (!volume.block) {
      await applyGroup(source, access.group);
      await writePodFiles(volumeContext["show"], source, pod);
    }
    if (!found || !(await isPublishedAt(context, path))) {
      await publishAt(context, source, path, access.block, flagsFor(access, desired.readOnly));
    }
    if (!found) await published.put(path, desired);
  }

  /** Unmounts a volume that is neither published nor staged; deletes an ephemeral one. */
  async function dropUnused(volumeId: string): Promise<void> {
    const volume = await volumes.get(volumeId);
    if (!volume || (await published.of(volumeId)).length > 0) return;
    if (!isStaged || volume.ephemeral) await unmountSource(context, volume);
    if (volume.ephemeral) await volumes.remove(volumeId);
  }

  /** The flags of the bind mount. A file system has the flags of the request on its own mount. */
  const flagsFor = ({ flags }: Access, readOnly: boolean): readonly string[] => [
    ...(backing.files("") === undefined ? [] : flags),
    ...(readOnly ? ["ro"] : []),
  ];

  return {
    nodePublishVolume: (request) =>
      lock.run(required(request.volumeId, "volume_id"), async () => {
        required(request.targetPath, "target_path");
        const access = accessOf(request.volumeCapability, backing, settings);
        try {
          await publish(request, access);
        } catch (error) {
          await dropUnused(request.volumeId);
          throw error;
        }
        return {};
      }),
    nodeUnpublishVolume: ({ volumeId, targetPath: path }) =>
      lock.run(required(volumeId, "volume_id"), async () => {
        required(path, "target_path");
        await unpublishAt(context, path);
        await published.remove(path);
        await dropUnused(volumeId);
        return {};
      }),
  };
}
