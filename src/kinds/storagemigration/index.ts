import type { DefinitionFactory } from "../../schema/definition.ts";
import { storageVersionMigrationV1alpha1 } from "./v1alpha1/storageversionmigration.ts";
import { storageVersionMigrationV1beta1 } from "./v1beta1/storageversionmigration.ts";

/** The storage migration group: one kind in two versions, of which v1alpha1 is stored. */
export const storageMigrationGroup: DefinitionFactory = (ctx) => [
  storageVersionMigrationV1alpha1(ctx),
  storageVersionMigrationV1beta1(ctx),
];
