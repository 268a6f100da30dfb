import type { Dialect } from "../../meta/dialect.ts";
import { attachNames } from "../../claims/attachment.ts";
import { type Migration, migrationOf } from "../../claims/plugin-migration.ts";
import { type BinderNames, binderNames } from "../../claims/annotations.ts";

/** The names that the scheduler uses, by dialect. */
export interface SchedulerNames {
  readonly binder: BinderNames;
  readonly migration: Migration;
  /** The taint of nodes with `spec.unschedulable`. */
  readonly unschedulable: string;
  /** The provisioner of classes without dynamic provisioning. */
  readonly noProvisioner: string;
  /** On a CSINode: the in-tree plugins that drivers have taken over there. */
  readonly migratedPlugins: string;
  /** The field of a volume that is a disk of an elastic block store. */
  readonly elasticDisk: string;
}

/** Returns the names in a dialect. */
export const schedulerNames = (dialect: Dialect): SchedulerNames => ({
  binder: binderNames(dialect),
  migration: migrationOf(dialect),
  unschedulable: `node.${dialect.labelDomain}/unschedulable`,
  noProvisioner: `${dialect.labelDomain}/no-provisioner`,
  migratedPlugins: attachNames(dialect).migratedPlugins,
  elasticDisk: dialect.vendor("cloudAElasticBlockStore"),
});

/** The name of the controller, which differs from the name in `--controllers`. */
export const SCHEDULER_CONTROLLER = "keelson-scheduler";

/** The scheduler of Pods that name none. */
export const SCHEDULER = "default-scheduler";

const TOPOLOGY = "topology.kubernetes.io";
const OLD_TOPOLOGY = "failure-domain.beta.kubernetes.io";

/** The labels of zones and regions, each with its current name (SCHED-20). */
export const ZONE_LABELS: ReadonlyMap<string, string> = new Map(
  ["zone", "region"].flatMap((place) => [
    [`${TOPOLOGY}/${place}`, `${TOPOLOGY}/${place}`],
    [`${OLD_TOPOLOGY}/${place}`, `${TOPOLOGY}/${place}`],
  ]),
);
