/**
 * The definition of things, whatever their spec is.
 *
 * @module
 */

/** Where definitions are. */
export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A definition of things whose spec has such a schema; `more` are further members of their version. */
export const definitionOf = (group: string, spec: object, more: object = {}): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: "Cluster",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        ...more,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      },
    ],
  },
});
