import { setOf } from "./fieldpath/index.ts";
import type { FieldSet } from "./fieldpath/index.ts";

const META = "f:metadata";

/** Members that identify an object or that the server fills: nobody owns them (DEC-14). Labels and the like are owned. */
export const NEVER_OWNED: FieldSet = setOf(
  ["f:apiVersion"],
  ["f:kind"],
  [META],
  ...["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation"].map((name) => [
    META,
    "f:" + name,
  ]),
  [META, "f:managedFields"],
  [META, "f:resourceVersion"],
);
