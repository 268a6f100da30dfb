import type { CustomResourceDefinition as Written } from "../kinds/apiextensions/v1/definition.ts";
import type { ApiObject } from "../schema/definition.ts";

/** What the server says of a definition; of a new one, not everything yet. */
export type DefinitionStatus = Partial<Written["status"]>;

/** A CustomResourceDefinition, as the extension reads it: it was checked when it was written. */
export type CustomResourceDefinition = ApiObject & { spec: Written["spec"]; status?: DefinitionStatus };

/** The resource in which definitions are stored. */
export const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
} as const;
