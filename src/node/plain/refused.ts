/**
 * Refuses volumes of kinds that this agent does not support, with the reason and what to do (NODE-61, NODE-64).
 *
 * @module
 */
import { assert } from "../../util/assert.ts";
import type { MigratedPlugin } from "../../meta/dialect.ts";
import { type NeededVolume, VolumeError, type VolumePlugin } from "../contract.ts";
import { type PlainContext, ownSource, sourceOf } from "./plain-context.ts";

type Member = Parameters<typeof sourceOf>[1];

const GONE = "its client is not part of any agent any more; move the data to a volume of a CSI driver";

/** The reason for each kind. */
const REFUSALS: Partial<Record<Member, (needed: NeededVolume) => string>> = {
  gitRepo: () =>
    "anybody who may create Pods could run git as the agent; clone into an emptyDir with an init container instead",
  flexVolume: (needed) =>
    `vendor scripts on nodes are not run, so ${ownSource(needed, "flexVolume").driver} is missing; use the vendor's CSI driver`,
  rbd: () => "it needs the program rbd, which this agent does not use; use the CSI driver rbd.csi.ceph.com",
  quobyte: () => GONE,
  flocker: () => GONE,
  storageos: () => GONE,
  scaleIO: () => GONE,
  photonPersistentDisk: () => GONE,
};

/** Migrated plugins: refused where the dialect has no driver for them, or no plugin translates their volumes. */
const MIGRATED: readonly Member[] = [
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cinder",
  "gcePersistentDisk",
  "portworxVolume",
  "vsphereVolume",
];

/** Refuses volumes; nothing of them is on disk. */
export function refusedPlugin({ dialect }: PlainContext): VolumePlugin {
  const members = [...(Object.keys(REFUSALS) as Member[]), ...MIGRATED];
  const memberOf = (needed: NeededVolume): Member | undefined =>
    members.find((member) => sourceOf(needed, member) !== undefined);
  return {
    kind: "kubernetes.io~refused",
    makes: (needed) => memberOf(needed) !== undefined,
    setUp(needed) {
      const member = memberOf(needed);
      assert(member, "a plugin gets volumes that it makes");
      const why = REFUSALS[member]?.(needed) ?? migrationReason(dialect.migratedPlugins, member);
      return Promise.reject(new VolumeError(`this agent does not support ${member} volumes: ${why}`));
    },
    tearDown: () => Promise.resolve(),
  };
}

function migrationReason(plugins: readonly MigratedPlugin[], member: Member): string {
  const driver = plugins.find((plugin) => plugin.member === member)?.driver;
  return driver
    ? `they are volumes of the CSI driver ${driver}, which has to be on this machine`
    : "no CSI driver is known for them; describe the disk as a volume of its CSI driver";
}
