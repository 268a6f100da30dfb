import { setOf } from "./index.ts";
import type { FieldSet } from "./index.ts";

const META = "f:metadata";

/** The members of `metadata` that have no owner. */
export const NEVER_OWNED_METADATA: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
]);

/** Members that identify an object or that the server sets: they have no owner (DEC-14). Labels and the like have owners. */
export const NEVER_OWNED: FieldSet = setOf(
  ["f:apiVersion"],
  ["f:kind"],
  [META],
  ...[...NEVER_OWNED_METADATA].map((name) => [META, "f:" + name]),
);
