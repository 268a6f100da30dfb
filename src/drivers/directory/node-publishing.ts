/**
 * Volumes at the paths of Pods.
 *
 * @module
 */
import type { Implementation } from "../../csi/calls.ts";
import { DriverError } from "../../csi/driver-error.ts";
import type { Node, NodePublishVolumeRequest } from "../../csi/generated/csi_pb.js";
import { ACCESS_MODE } from "../../csi/terms.ts";
import { podContextOf } from "./context.ts";
import { checkHere } from "./here.ts";
import { inlineVolume } from "./inline.ts";
import { NodeFiles, type Published, type Staged } from "./node-state.ts";
import type { VolumeRecord } from "./records.ts";
import { type Access, accessOf, isReader, required } from "./requests.ts";
import { type Shop, volumeOf } from "./shop.ts";
import { show } from "./shown.ts";
import { appear, disappear, giveGroup, letGo, sourceOf, stands } from "./stand.ts";

/** Methods of the node for paths of Pods. */
export function nodePublishing(shop: Shop): Implementation<typeof Node> {
  const { settings, backing, volumes, lock } = shop;
  const staged = new NodeFiles<Staged>(shop.node, "staged");
  const published = new NodeFiles<Published>(shop.node, "published");
  const isStaged = settings.features.has("stage");

  /** Where the volume is staged; throws where it should be and is not. */
  async function stagingOf(request: NodePublishVolumeRequest, volume: VolumeRecord): Promise<string | undefined> {
    if (!isStaged || volume.ephemeral) return undefined;
    const { stagingTargetPath: path } = request;
    if ((await staged.get(volume.id))?.path === path && path !== "") return path;
    throw new DriverError("FailedPrecondition", `the volume is not staged at ${path || "staging_target_path"}`);
  }

  /** Throws where the path has the volume in another way, or where it may be at one path only. */
  async function checkPublished(wanted: Published): Promise<Published | undefined> {
    const found = await published.get(wanted.path);
    if (found && JSON.stringify(found) !== JSON.stringify(wanted)) {
      throw new DriverError("AlreadyExists", `${wanted.path} is published in another way`);
    }
    const others = (await published.of(wanted.volumeId)).filter(({ path }) => path !== wanted.path);
    const isAlone = [wanted, ...others].some(({ mode }) => mode === ACCESS_MODE.SINGLE_NODE_SINGLE_WRITER);
    if (isAlone && others.length > 0) {
      throw new DriverError("FailedPrecondition", `the volume may be at one path only, and is at ${others[0]!.path}`);
    }
    return found;
  }

  async function publish(request: NodePublishVolumeRequest, access: Access): Promise<void> {
    const { volumeId, targetPath: path, volumeContext, secrets } = request;
    const context = podContextOf(volumeContext, secrets);
    const volume = context.ephemeral
      ? await inlineVolume(shop, volumeId, volumeContext)
      : await volumeOf(shop, volumeId);
    checkHere(shop, volume, access, request.publishContext);
    const staging = await stagingOf(request, volume);
    const readOnly = request.readonly || isReader(access.mode);
    const found = await checkPublished({ volumeId, path, mode: access.mode, readOnly });
    const source = await sourceOf(shop, volume, staging, access);
    if (!volume.block) {
      await giveGroup(source, access.group);
      await show(volumeContext["show"], source, context);
    }
    if (!found || !(await stands(shop, path))) await appear(shop, source, path, flagsFor(access, readOnly));
    if (!found) await published.put(path, { volumeId, path, mode: access.mode, readOnly });
  }

  /** Lets go of a volume that is at no path and that nobody has staged; one of a Pod alone goes for good. */
  async function dropUnused(volume: VolumeRecord | undefined): Promise<void> {
    if (!volume || (await published.of(volume.id)).length > 0) return;
    if (!isStaged || volume.ephemeral) await letGo(shop, volume);
    if (volume.ephemeral) await volumes.remove(volume.id);
  }

  /** Flags of the file system are those of its mount; here are the ones of this path. */
  const flagsFor = ({ block, flags }: Access, readOnly: boolean): Pick<Access, "block" | "flags"> => ({
    block,
    flags: [...(backing.files("") === undefined ? [] : flags), ...(readOnly ? ["ro"] : [])],
  });

  return {
    nodePublishVolume: (request) =>
      lock.run(required(request.volumeId, "volume_id"), async () => {
        required(request.targetPath, "target_path");
        const access = accessOf(request.volumeCapability, backing, settings);
        try {
          await publish(request, access);
        } catch (error) {
          await dropUnused(await volumes.get(request.volumeId));
          throw error;
        }
        return {};
      }),
    nodeUnpublishVolume: ({ volumeId, targetPath: path }) =>
      lock.run(required(volumeId, "volume_id"), async () => {
        required(path, "target_path");
        await disappear(shop, path);
        await published.remove(path);
        await dropUnused(await volumes.get(volumeId));
        return {};
      }),
  };
}
