/**
 * Ephemeral volumes that a Pod describes: NodePublishVolume creates them, NodeUnpublishVolume deletes them.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";
import type { DriverContext } from "./driver-context.ts";
import { isReserved } from "./pod-context.ts";
import { ID, type VolumeRecord } from "./records.ts";
import { parseBytes, sizeIn } from "./sizes.ts";

/** The volume of a Pod, created when it does not exist. Its size is the attribute `size`, such as `64Mi`. */
export async function inlineVolume(
  context: DriverContext,
  id: string,
  attributes: Readonly<Record<string, string>>,
): Promise<VolumeRecord> {
  const { volumes, backing, sequence } = context;
  if (!ID.test(id)) throw new DriverError("InvalidArgument", `expected an ID that is a file name, got ${id}`);
  const found = await volumes.get(id);
  if (found?.ephemeral) return found;
  if (found) throw new DriverError("InvalidArgument", `volume ${id} is not an ephemeral volume`);
  const parameters = Object.fromEntries(Object.entries(attributes).filter(([key]) => !isReserved(key)));
  const size = parseBytes(parameters["size"] ?? "64Mi");
  if (size === undefined) throw new DriverError("InvalidArgument", `expected size to be a quantity such as 64Mi`);
  const bytes = sizeIn({ requiredBytes: size, limitBytes: 0n }, context);

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
