/**
 * StorageVersionMigration in `v1alpha1`, the version of the documents and the form in which all migrations are stored.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import type { ApiContext, ApiObject, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { migrationRules } from "../rules.ts";

const Condition = t.struct("The last observed state of one aspect of the migration.", {
  type: t.required(t.text("The aspect: `Running`, `Succeeded` or `Failed`.")),
  status: t.required(t.text("`True`, `False` or `Unknown`.")),
  lastUpdateTime: t.optional(t.time("When the condition was last updated.")),
  reason: t.optional(t.text("Why the condition last changed, in one word.")),
  message: t.optional(t.text("Details of the last change, for people.")),
  // Only clients of v1beta1 write it; the stored form keeps it.
  observedGeneration: t.optional(t.int64("The generation of the object that the condition was seen for.")),
});

const Spec = t.struct("The resource to migrate; it is immutable.", {
  resource: t.required(
    t.struct("The resource that is migrated, by the endpoint that serves it.", {
      group: t.optional(t.text("The API group, empty for the core group.")),
      version: t.optional(t.text("The version of the endpoint.")),
      resource: t.optional(t.text("The plural name of the resource.")),
    }),
  ),
  continueToken: t.optional(
    t.text("The token for the next batch of objects; while the migration runs it shows the progress."),
  ),
});

const MigrationStatus = t.struct("How far the migration is; written by its controller.", {
  conditions: t.optional(
    t.keyedList(Condition, ["type"], "The latest observations; at most one of Succeeded and Failed is true, for good."),
  ),
  resourceVersion: t.optional(
    t.text(
      "The version of the resource when the migration was first seen; the garbage collector must know it to go on.",
    ),
  ),
});

/** A StorageVersionMigration in its stored form. */
export type StorageVersionMigration = ApiObject & {
  spec: t.Static<typeof Spec>;
  status: t.Static<typeof MigrationStatus>;
};

/** The definition of StorageVersionMigration in v1alpha1. */
export function storageVersionMigrationV1alpha1(ctx: ApiContext): ResourceDefinition {
  const common = migrationRules(ctx, { versioned: true, time: "lastUpdateTime" });
  return {
    ...common,
    version: "v1alpha1",
    schema: objectSchema("A migration of stored objects to the latest storage version.", {
      spec: t.always(Spec),
      status: t.always(MigrationStatus),
    }),
  };
}
