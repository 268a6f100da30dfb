/**
 * The kinds of a test server: ConfigMaps, Namespaces, Widgets (of a deprecated version, with a status), a kind that is only created,
 * and one behind whose objects there are programs.
 *
 * @module
 */
import { map, optional, text } from "../../meta/types.ts";
import { unavailable } from "../../meta/status.ts";
import type { Column, Connector, ResourceDefinition } from "../../schema/definition.ts";
import { objectSchema } from "../../schema/object-schema.ts";

const definitionOf = (over: Partial<ResourceDefinition> & { plural: string; kind: string }): ResourceDefinition => ({
  group: "",
  version: "v1",
  singular: over.kind.toLowerCase(),
  scope: "Namespaced",
  description: `A ${over.kind} for tests.`,
  schema: objectSchema("An object for tests.", { data: optional(map(text(), "Texts.")) }),
  deleteReturns: "status",
  ...over,
});

const dataColumn: Column = {
  name: "Data",
  type: "integer",
  description: "How many texts there are.",
  cell: (object) => Object.keys((object["data"] as object | undefined) ?? {}).length,
};

const status = { status: { verbs: ["get", "patch", "update"] } } as const;

const exec: Connector = {
  kind: "Shell",
  verbs: ["create", "get"],
  reach(object, { ask }) {
    const result = ask?.(object);
    if (result) return result;
    throw unavailable("there is no program");
  },
};

/** What a test server serves. */
export const KINDS: readonly ResourceDefinition[] = [
  definitionOf({ plural: "configmaps", kind: "ConfigMap", shortNames: ["cm"], columns: [dataColumn] }),
  definitionOf({ plural: "namespaces", kind: "Namespace", scope: "Cluster", subresources: status }),
  definitionOf({
    group: "example.com",
    plural: "widgets",
    kind: "Widget",
    scope: "Cluster",
    deleteReturns: "object",
    deprecated: "example.com/v1 Widget is deprecated",
    subresources: status,
  }),
  definitionOf({ group: "example.com", plural: "reviews", kind: "Review", scope: "Cluster", verbs: ["create"] }),
  definitionOf({ group: "example.com", plural: "shells", kind: "Shell", connectors: { exec } }),
];
