import type { CustomResourceDefinition as Written } from "../kinds/apiextensions/v1/definition.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";

/** The status of a definition; in a new one fields are missing. */
export type DefinitionStatus = Partial<Written["status"]>;

/** A stored CustomResourceDefinition; it was validated by the write. */
export type CustomResourceDefinition = ApiObject & { spec: Written["spec"]; status?: DefinitionStatus };

/** Whether an object is a CustomResourceDefinition. */
export const isDefinition = guardOf<CustomResourceDefinition>("CustomResourceDefinition");

/** The resource of definitions. */
export const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
} as const;
