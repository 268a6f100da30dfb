/**
 * Volumes that are described in a Pod: made when they are published, removed when they are taken from there.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";
import { isReserved } from "./context.ts";
import type { VolumeRecord } from "./records.ts";
import type { Shop } from "./shop.ts";
import { parseBytes, sizeIn } from "./sizes.ts";

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The volume of a Pod; made when it is not there. Its size is the attribute `size`, such as `64Mi`. */
export async function inlineVolume(
  { volumes, backing, settings, sequence }: Shop,
  id: string,
  context: Readonly<Record<string, string>>,
): Promise<VolumeRecord> {
  if (!ID.test(id)) throw new DriverError("InvalidArgument", `expected an ID that is a name of a file, got ${id}`);
  const found = await volumes.get(id);
  if (found?.ephemeral) return found;
  if (found) throw new DriverError("InvalidArgument", `volume ${id} is not one of a Pod alone`);
  const parameters = Object.fromEntries(Object.entries(context).filter(([key]) => !isReserved(key)));
  const size = parseBytes(parameters["size"] ?? "64Mi");
  if (size === undefined) throw new DriverError("InvalidArgument", `expected size to be such as 64Mi`);
  const bytes = sizeIn({ requiredBytes: size, limitBytes: 0n }, { least: backing.least, most: settings.maxVolumeSize });
  await backing.create(await volumes.begin(id), bytes);
  const record: VolumeRecord = {
    id,
    name: id,
    sequence: await sequence.next(),
    bytes: String(bytes),
    block: false,
    parameters,
    mutable: {},
    attached: {},
    ephemeral: true,
  };
  await volumes.put(record);
  return record;
}
