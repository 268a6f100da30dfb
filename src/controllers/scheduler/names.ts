/**
 * The names that a scheduler goes by, in those of a dialect.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import { attachNames } from "../../claims/attachment.ts";
import { type Migration, migrationOf } from "../../claims/plugin-migration.ts";
import { type BinderNames, binderNames } from "../../claims/annotations.ts";

/** See the head of this file. */
export interface SchedulerNames {
  readonly binder: BinderNames;
  readonly migration: Migration;
  /** The taint that stands for `spec.unschedulable` of a node. */
  readonly unschedulable: string;
  /** The provisioner of classes whose volumes nobody makes. */
  readonly noProvisioner: string;
  /** On a CSINode: the plugins that drivers took over there. */
  readonly migratedPlugins: string;
  /** The member of a volume that is a disk of an elastic block store. */
  readonly elasticDisk: string;
}

/** The names in a dialect. */
export const schedulerNames = (dialect: Dialect): SchedulerNames => ({
  binder: binderNames(dialect),
  migration: migrationOf(dialect),
  unschedulable: `node.${dialect.labelDomain}/unschedulable`,
  noProvisioner: `${dialect.labelDomain}/no-provisioner`,
  migratedPlugins: attachNames(dialect).migratedPlugins,
  elasticDisk: dialect.vendor("cloudAElasticBlockStore"),
});

/** The name of the controller, which is not the one that `--controllers` knows. */
export const SCHEDULER_CONTROLLER = "keelson-scheduler";

/** Who places Pods that do not say who is to. */
export const SCHEDULER = "default-scheduler";

const TOPOLOGY = "topology.kubernetes.io";
const OLD_TOPOLOGY = "failure-domain.beta.kubernetes.io";

/** The labels of zones and regions, each with the label that means the same today (SCHED-20). */
export const ZONE_LABELS: ReadonlyMap<string, string> = new Map(
  ["zone", "region"].flatMap((place) => [
    [`${TOPOLOGY}/${place}`, `${TOPOLOGY}/${place}`],
    [`${OLD_TOPOLOGY}/${place}`, `${TOPOLOGY}/${place}`],
  ]),
);
