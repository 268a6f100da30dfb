/**
 * Volume plugins that were built in once, and the drivers that took them over (CTL-PROV-8, 9).
 *
 * @module
 */
import type { PersistentVolume } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";

/** What a dialect knows of migrated plugins. */
export interface Migration {
  /** The annotation that names the driver. */
  readonly mark: string;
  /** The driver of a provisioner that was built in. */
  driverOf(provisioner: string | undefined): string | undefined;
  /** The driver of a volume whose source is of a migrated plugin, and the name of the plugin. */
  ofSource(spec: PersistentVolume["spec"]): { readonly plugin: string; readonly driver: string } | undefined;
}

/** The migrated plugins of a dialect. */
export const migrationOf = ({ migratedPlugins, labelDomain }: Dialect): Migration => ({
  mark: `pv.${labelDomain}/migrated-to`,
  driverOf: (provisioner) => migratedPlugins.find(({ plugin }) => provisioner === `${labelDomain}/${plugin}`)?.driver,
  ofSource(spec) {
    const found = migratedPlugins.find(({ member }) => Object.hasOwn(spec, member));
    return found && { plugin: `${labelDomain}/${found.plugin}`, driver: found.driver };
  },
});
