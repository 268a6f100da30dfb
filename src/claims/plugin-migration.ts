/**
 * Volume plugins that were built in once, and the drivers that took them over (CTL-PROV-8, 9).
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";

/** What a dialect knows of migrated plugins. */
export interface Migration {
  /** The annotation that names the driver. */
  readonly annotation: string;
  /** The driver of a provisioner that was built in. */
  driverOf(provisioner: string | undefined): string | undefined;
  /** What a volume is to the driver that took its plugin over; undefined for sources of other plugins. */
  ofSource(volume: Sourced): MigratedSource | undefined;
}

/** What has a source: a PersistentVolume, or a volume of a Pod as the spec of one without labels. */
interface Sourced {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: object;
}

/** A volume of a migrated plugin. */
export interface MigratedSource {
  readonly plugin: string;
  readonly driver: string;
  /** By what the driver knows it. */
  readonly handle: string;
}

/** The migrated plugins of a dialect. */
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

/** The members that name a disk, each for the plugins that have it. */
const HANDLE_FIELDS = ["volumeID", "diskURI", "volumePath", "shareName"];

/** What the driver of a plugin knows a volume by: mostly what the plugin did. */
function handleOf(source: Source, { metadata }: Sourced, labelDomain: string): string {
  const { pdName } = source;
  if (typeof pdName === "string") return diskHandle(pdName, metadata.labels?.[`topology.${labelDomain}/zone`]);
  const name = HANDLE_FIELDS.map((member) => source[member]).find((value) => typeof value === "string") ?? "";
  // The last part of a location with a zone, such as aws://zone/vol-1, is the disk.
  return name.startsWith("aws://") ? name.slice(name.lastIndexOf("/") + 1) : name;
}

/** Disks of several zones, which are written with "__" between them, are those of their region. */
function diskHandle(name: string, zones: string | undefined): string {
  const [first = "UNSPECIFIED", second] = zones?.split("__") ?? [];
  const place = second === undefined ? `zones/${first}` : `regions/${first.replace(/-[^-]*$/, "")}`;
  return `projects/UNSPECIFIED/${place}/disks/${name}`;
}
