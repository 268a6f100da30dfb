/**
 * fc: a unit of a Fibre Channel target (NODE-61).
 *
 * @module
 */
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "../../util/clock.ts";
import { type MadeVolume, VolumeError, type VolumePlugin } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";
import { mountDevice } from "./block-device.ts";
import { directoryStats } from "./directory-stats.ts";
import {
  Groups,
  type PlainContext,
  requireFileSystem,
  requireMounts,
  makeDirectory,
  mountOptionsOf,
  removeMount,
  ownSource,
  sourceOf,
} from "./plain-context.ts";

type Unit = NonNullable<ReturnType<typeof sourceOf<"fc">>>;

/** See the head of this file. */
export function fibreChannelPlugin(context: PlainContext): VolumePlugin {
  const { mounter } = context;
  const groups = new Groups(context);
  return {
    kind: "kubernetes.io~fc",
    makes: (needed) => sourceOf(needed, "fc") !== undefined,

    async setUp(needed, signal): Promise<MadeVolume> {
      const { path } = needed;
      const unit = ownSource(needed, "fc");
      const { fsType } = unit;
      const readOnly = needed.readOnly || unit.readOnly === true;
      requireFileSystem(needed, "fc");
      if (!(await mounter.isMountPoint(path))) {
        requireMounts(context, "fc");
        const device = await deviceOf(context, unit, signal);
        await makeDirectory(path);
        const options = mountOptionsOf(needed);
        await mountDevice(context, { kind: "fc", device, path, fsType, readOnly, options }, signal);
      }
      await groups.apply({ ...needed, readOnly }, signal);
      return { source: path };
    },

    async tearDown({ path }) {
      groups.forget(path);
      await removeMount(context, path);
    },
    usage: (needed) => directoryStats(needed),
  };
}

const SCAN_MS = 1000;

/** The device of a unit; adapters scan for a missing one. */
async function deviceOf(context: PlainContext, unit: Unit, signal: AbortSignal): Promise<string> {
  const known = await find(context, unit);
  if (known !== undefined) return known;
  const adapters = await list(join(context.system, "class/fc_host"));
  if (adapters.length === 0) {
    throw new VolumeError("fc volumes need a Fibre Channel host adapter, and this machine has none");
  }
  for (const adapter of adapters) await writeFile(join(context.system, "class/scsi_host", adapter, "scan"), "- - -");
  await sleep(context.clock, SCAN_MS, signal, { owner: "fc", holds: true });
  const found = await find(context, unit);
  if (found !== undefined) return found;
  throw new VolumeError(`fc volume: ${nameOf(unit)} is not seen by ${adapters.join(", ")}: check its zones and masks`);
}

/** The link of a unit, by its identifier, or by target and number. */
async function find(
  { devices }: PlainContext,
  { wwids = [], targetWWNs = [], lun }: Unit,
): Promise<string | undefined> {
  const [byId, byPath] = [join(devices, "disk/by-id"), join(devices, "disk/by-path")];
  const id = (await list(byId)).find((name) => wwids.some((wwid) => name === `scsi-${wwid.replaceAll(" ", "_")}`));
  if (id !== undefined) return join(byId, id);
  const ends = targetWWNs.map((wwn) => `-fc-0x${wwn.toLowerCase().replace(/^0x/, "")}-lun-${lun}`);
  const link = (await list(byPath)).find((name) => ends.some((end) => name.endsWith(end)));
  return link === undefined ? undefined : join(byPath, link);
}

const nameOf = ({ wwids = [], targetWWNs = [], lun }: Unit): string =>
  wwids.length > 0 ? `the unit ${wwids.join(", ")}` : `unit ${lun} of ${targetWWNs.join(", ")}`;

const list = async (path: string): Promise<string[]> => (await readdir(path).catch(ignoreMissing)) ?? [];
