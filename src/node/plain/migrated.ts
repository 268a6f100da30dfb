/**
 * Translates volumes of migrated plugins into volumes of their CSI drivers (NODE-61, CTL-PROV-8).
 *
 * @module
 */
import { migrationOf } from "../../claims/plugin-migration.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { NeededVolume, PluginMaker, VolumePlugin } from "../contract.ts";

type Csi = NonNullable<PersistentVolume["spec"]["csi"]>;
type Source = Readonly<Record<string, unknown>>;

/**
 * A volume of a migrated plugin as one of its driver; any other volume as it is.
 *
 * An inline volume becomes a PersistentVolume and a claim that are not stored.
 */
export function migratedToDriver(needed: NeededVolume, dialect: Dialect): NeededVolume {
  const { persistent, volume, pod } = needed;
  const object = persistent?.volume ?? { metadata: {}, spec: volume };
  const migrated = migrationOf(dialect).ofSource(object as never);
  if (!migrated) return needed;
  const plugin = dialect.migratedPlugins.find(({ member }) => Object.hasOwn(object.spec, member))!;
  const source = (object.spec as Source)[plugin.member] as Source;
  const namespace = pod.metadata.namespace ?? "";
  const csi: Csi = {
    driver: migrated.driver,
    volumeHandle: migrated.handle,
    // The defaults of the plugin: writable, and its file system (PVS-24, PVS-46, PVS-48).
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

/** The file system of a volume; ext4 was the default of plugins for disks, and a file share has none. */
function fileSystem(member: string, source: Source): Pick<Csi, "fsType"> {
  if (member === "azureFile") return {};
  return { fsType: typeof source["fsType"] === "string" && source["fsType"] !== "" ? source["fsType"] : "ext4" };
}

/** Members that are attributes of drivers, with their names there. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  awsElasticBlockStore: { partition: "partition" },
  gcePersistentDisk: { partition: "partition" },
  azureDisk: { cachingMode: "cachingMode", kind: "kind" },
  azureFile: { shareName: "shareName" },
  vsphereVolume: { storagePolicyName: "storagepolicyname" },
};

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** The attributes that are set; partition 0 is the whole disk (VOL-18). */
const attributes = (member: string, source: Source): Record<string, string> =>
  Object.fromEntries(
    Object.entries(ATTRIBUTES[member] ?? {}).flatMap(([from, to]) =>
      source[from] ? [[to, textOf(source[from])]] : [],
    ),
  );

/** The Secret with the account of a share; its namespace is the Pod's by default (PVS-25). */
function secret(member: string, source: Source, namespace: string): Pick<Csi, "nodeStageSecretRef"> {
  if (member !== "azureFile") return {};
  return {
    nodeStageSecretRef: {
      name: textOf(source["secretName"]),
      namespace: textOf(source["secretNamespace"]) || namespace,
    },
  };
}

/** The methods of a plugin whose first argument is a volume. */
const METHODS: ReadonlySet<PropertyKey> = new Set<keyof VolumePlugin>([
  "makes",
  "kindOf",
  "setUp",
  "attached",
  "usage",
  "maxBytes",
  "notAttached",
]);

/** A factory whose plugin gets volumes of migrated plugins as volumes of their drivers. */
export const withMigratedVolumes =
  (maker: PluginMaker): PluginMaker =>
  async (context) =>
    new Proxy(await maker(context), {
      get(plugin, name): unknown {
        const member: unknown = Reflect.get(plugin, name);
        if (typeof member !== "function") return member;
        return (first: unknown, ...more: unknown[]): unknown => {
          const argument = METHODS.has(name) ? migratedToDriver(first as NeededVolume, context.dialect) : first;
          return member.call(plugin, argument, ...more) as unknown;
        };
      },
    });
