/**
 * Volumes of plugins that drivers took over are the drivers' volumes (NODE-61, CTL-PROV-8).
 *
 * @module
 */
import { migrationOf } from "../../claims/plugin-migration.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { NeededVolume, PluginMaker, VolumePlugin } from "../contract.ts";

type Csi = NonNullable<PersistentVolume["spec"]["csi"]>;
type Described = Readonly<Record<string, unknown>>;

/**
 * A volume as the driver has it that took its plugin over; any other volume as it is.
 *
 * An inline volume becomes the PersistentVolume that it would be, which only this Pod uses, with a claim that is stored nowhere.
 */
export function movedToDriver(needed: NeededVolume, dialect: Dialect): NeededVolume {
  const { persistent, volume, pod } = needed;
  const given = persistent?.volume ?? { metadata: {}, spec: volume };
  const moved = migrationOf(dialect).ofSource(given as never);
  if (!moved) return needed;
  const plugin = dialect.migratedPlugins.find(({ member }) => Object.hasOwn(given.spec, member))!;
  const source = (given.spec as Described)[plugin.member] as Described;
  const namespace = pod.metadata.namespace ?? "";
  const csi: Csi = {
    driver: moved.driver,
    volumeHandle: moved.handle,
    // What is left out is for writing, and of the file system that the plugin made (PVS-24, PVS-46, PVS-48).
    readOnly: source["readOnly"] === true,
    ...fileSystem(plugin.member, source),
    volumeAttributes: attributes(plugin.member, source),
    ...secret(plugin.member, source, namespace),
  };
  const readOnly = needed.readOnly || csi.readOnly === true;
  if (persistent) {
    const { [plugin.member as "csi"]: _, ...spec } = persistent.volume.spec;
    return {
      ...needed,
      readOnly,
      persistent: { ...persistent, volume: { ...persistent.volume, spec: { ...spec, csi } } },
    };
  }
  return { ...needed, readOnly, persistent: ownVolume(needed, csi) };
}

function ownVolume({ volume, pod }: NeededVolume, csi: Csi): NonNullable<NeededVolume["persistent"]> {
  const metadata = { name: volume.name, uid: `${pod.metadata.uid}-${volume.name}` };
  const accessModes = [csi.readOnly ? "ReadOnlyMany" : "ReadWriteOnce"];
  const claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadata, namespace: pod.metadata.namespace },
    spec: { accessModes, volumeName: volume.name },
    status: { phase: "Bound" },
  };
  const persistentVolume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata,
    spec: { accessModes, csi },
    status: { phase: "Bound" },
  };
  return {
    claim: claim as unknown as PersistentVolumeClaim,
    volume: persistentVolume as unknown as PersistentVolume,
  };
}

/** A share of files has no file system of its own; what a plugin for disks made was ext4. */
function fileSystem(member: string, source: Described): Pick<Csi, "fsType"> {
  if (member === "azureFile") return {};
  return { fsType: typeof source["fsType"] === "string" && source["fsType"] !== "" ? source["fsType"] : "ext4" };
}

/** Members that drivers know as attributes, under the same or another name. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  awsElasticBlockStore: { partition: "partition" },
  gcePersistentDisk: { partition: "partition" },
  azureDisk: { cachingMode: "cachingMode", kind: "kind" },
  azureFile: { shareName: "shareName" },
  vsphereVolume: { storagePolicyName: "storagepolicyname" },
};

/** What is set; partition 0 is the whole disk (VOL-18). */
const attributes = (member: string, source: Described): Record<string, string> =>
  Object.fromEntries(
    Object.entries(ATTRIBUTES[member] ?? {}).flatMap(([from, to]) =>
      source[from] ? [[to, String(source[from] as string | number)]] : [],
    ),
  );

/** The account of a share lies in a Secret, in the Pod's namespace where none is given (PVS-25). */
function secret(member: string, source: Described, namespace: string): Pick<Csi, "nodeStageSecretRef"> {
  if (member !== "azureFile") return {};
  return {
    nodeStageSecretRef: {
      name: source["secretName"] as string,
      namespace: (source["secretNamespace"] as string | null | undefined) || namespace,
    },
  };
}

/** What a plugin is asked of a volume that is needed, as the first thing that it is told. */
const OF_NEEDED: ReadonlySet<PropertyKey> = new Set<keyof VolumePlugin>([
  "makes",
  "kindOf",
  "setUp",
  "attached",
  "usage",
  "mostBytes",
  "notAttached",
]);

/** A maker whose plugin is shown volumes of moved plugins as volumes of their drivers. */
export const withMovedVolumes =
  (maker: PluginMaker): PluginMaker =>
  async (ground) =>
    new Proxy(await maker(ground), {
      get(plugin, name): unknown {
        const member: unknown = Reflect.get(plugin, name);
        if (typeof member !== "function") return member;
        return (first: unknown, ...more: unknown[]): unknown => {
          const shown = OF_NEEDED.has(name) ? movedToDriver(first as NeededVolume, ground.dialect) : first;
          return member.call(plugin, shown, ...more) as unknown;
        };
      },
    });
