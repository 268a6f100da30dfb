/**
 * StorageVersionMigration in `v1alpha1`, the version of the documents and the form in which all migrations are stored.
 *
 * @module
 */
import { type Static, always, int64, keyedList, optional, required, struct, text, time } from "../../../meta/types.ts";
import type { ApiContext, ApiObject, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { migrationRules } from "../rules.ts";

const Condition = struct("What was last seen of one aspect of the migration.", {
  type: required(text("The aspect: `Running`, `Succeeded` or `Failed`.")),
  status: required(text("`True`, `False` or `Unknown`.")),
  lastUpdateTime: optional(time("When the condition was last updated.")),
  reason: optional(text("Why the condition last changed, in one word.")),
  message: optional(text("Details of the last change, for people.")),
  // Only clients of v1beta1 write it; it is here so that the stored form can hold what they wrote.
  observedGeneration: optional(int64("The generation of the object that the condition was seen for.")),
});

const Spec = struct("What to migrate; the resource cannot change.", {
  resource: required(
    struct("The resource that is migrated, by the endpoint that serves it.", {
      group: optional(text("The API group, empty for the core group.")),
      version: optional(text("The version of the endpoint.")),
      resource: optional(text("The plural name of the resource.")),
    }),
  ),
  continueToken: optional(
    text("The token for the next batch of objects; while the migration runs it shows how far it is."),
  ),
});

const MigrationStatus = struct("How far the migration is; written by its controller.", {
  conditions: optional(
    keyedList(Condition, ["type"], "The latest observations; at most one of Succeeded and Failed is true, for good."),
  ),
  resourceVersion: optional(
    text("The version of the resource when the migration was first seen; the garbage collector must know it to go on."),
  ),
});

/** A StorageVersionMigration in its stored form. */
export type StorageVersionMigration = ApiObject & {
  spec: Static<typeof Spec>;
  status: Static<typeof MigrationStatus>;
};

/** The definition of StorageVersionMigration in v1alpha1. */
export function storageVersionMigrationV1alpha1(ctx: ApiContext): ResourceDefinition {
  const common = migrationRules(ctx, { versioned: true, time: "lastUpdateTime" });
  return {
    ...common,
    version: "v1alpha1",
    schema: objectSchema("A migration of stored objects to the latest storage version.", {
      spec: always(Spec),
      status: always(MigrationStatus),
    }),
  };
}
