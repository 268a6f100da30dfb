/** In-tree volume plugins, and the CSI drivers that replaced them (CTL-PROV-8, 9). */
import type { Dialect } from "../meta/dialect.ts";

/** Returns the migrated plugins of a dialect. */
export interface Migration {
  /** The name of the annotation whose value is the driver. */
  readonly annotation: string;
  /** The driver of an in-tree provisioner. */
  driverOf(provisioner: string | undefined): string | undefined;
  /** The driver and handle of a volume of a migrated plugin; undefined for other volumes. */
  ofSource(volume: Sourced): MigratedSource | undefined;
}

/** An object with a volume source: a PersistentVolume, or a volume of a Pod in its form. */
interface Sourced {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: object;
}

/** The plugin, driver and handle of a volume of a migrated plugin. */
export interface MigratedSource {
  readonly plugin: string;
  readonly driver: string;
  /** The volume handle of the driver. */
  readonly handle: string;
}

/** Returns the migrated plugins of a dialect. */
export const migrationOf = ({ migratedPlugins, labelDomain }: Dialect): Migration => ({
  annotation: `pv.${labelDomain}/migrated-to`,
  driverOf: (provisioner) => migratedPlugins.find(({ plugin }) => provisioner === `${labelDomain}/${plugin}`)?.driver,
  ofSource(volume) {
    const sources = volume.spec as Readonly<Record<string, Source>>;
    const found = migratedPlugins.find(({ member }) => Object.hasOwn(sources, member));
    if (!found) return undefined;
    const { plugin, member, driver } = found;
    return { plugin: `${labelDomain}/${plugin}`, driver, handle: handleOf(sources[member]!, volume, labelDomain) };
  },
});

type Source = Readonly<Record<string, unknown>>;

/** The fields that contain the volume handle, in one plugin or another. */
const HANDLE_FIELDS = ["volumeID", "diskURI", "volumePath", "shareName"];

/** The volume handle: for most plugins the ID that the plugin used. */
function handleOf(source: Source, { metadata }: Sourced, labelDomain: string): string {
  const { pdName } = source;
  if (typeof pdName === "string") return diskHandle(pdName, metadata.labels?.[`topology.${labelDomain}/zone`]);
  const name = HANDLE_FIELDS.map((member) => source[member]).find((value) => typeof value === "string") ?? "";
  // The disk is the last part of a location such as aws://zone/vol-1.
  return name.startsWith("aws://") ? name.slice(name.lastIndexOf("/") + 1) : name;
}

/** Several zones are joined by "__"; such a disk is regional. */
function diskHandle(name: string, zones: string | undefined): string {
  const [first = "UNSPECIFIED", second] = zones?.split("__") ?? [];
  const place = second === undefined ? `zones/${first}` : `regions/${first.replace(/-[^-]*$/, "")}`;
  return `projects/UNSPECIFIED/${place}/disks/${name}`;
}
