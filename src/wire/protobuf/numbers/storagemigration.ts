import type { Messages } from "./numbers.ts";

/** `storagemigration.k8s.io/v1beta1`. */
export const storageMigration: Messages = {
  StorageVersionMigration: {
    metadata: [1, "meta.ObjectMeta"],
    spec: [2, "StorageVersionMigrationSpec"],
    status: [3, "StorageVersionMigrationStatus"],
  },
  StorageVersionMigrationSpec: { resource: [1, "meta.GroupResource"] },
  StorageVersionMigrationStatus: { conditions: [1, "meta.Condition"], resourceVersion: 2 },
};
