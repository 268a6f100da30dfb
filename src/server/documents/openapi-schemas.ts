/**
 * Schemas as OpenAPI v3 components: those of kinds, taken from their definitions, and those that every group shares.
 *
 * Kinds refer to the shared ObjectMeta; everything below is written out in place, which is all that `kubectl explain`
 * and validation need. Marks of ours (`x-keelson-*`) stay inside.
 *
 * @module
 */
import { isObject } from "../../value/value.ts";
import type { ResourceDefinition } from "../../schema/definition.ts";
import { ObjectMetaSchema } from "../../meta/object-meta.ts";
import { DELETE_OPTIONS, type ProtobufKind, STATUS } from "../../wire/protobuf/index.ts";

/** A JSON object of the document. */
export type Json = Record<string, unknown>;

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** The names of the shared components. */
export const SHARED = {
  objectMeta: `${META}.ObjectMeta`,
  listMeta: `${META}.ListMeta`,
  status: `${META}.Status`,
  deleteOptions: `${META}.DeleteOptions`,
  patch: `${META}.Patch`,
  watchEvent: `${META}.WatchEvent`,
  quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  intOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
} as const;

const text = (description: string): Json => ({ type: "string", description });

/** A reference to a component. */
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** The name of the component of a kind: the group backwards, the version, the kind. */
export function componentName(group: string, version: string, kind: string): string {
  const home = group === "" ? "io.k8s.api.core" : group.split(".").toReversed().join(".");
  return `${home}.${version}.${kind}`;
}

/** The components of a kind: the object and its list. */
export function kindComponents(definition: ResourceDefinition, form: "v3" | "v2" = "v3"): Json {
  const { group, version, kind } = definition;
  const listKind = definition.listKind ?? `${kind}List`;
  const name = componentName(group, version, kind);
  const shared: Json = {};
  const object = objectSchema(definition, form, shared);
  const marks = selectableFields(definition);
  return {
    ...shared,
    [name]: { ...object, ...gvk([{ group, version, kind }]), ...marks },
    [componentName(group, version, listKind)]: {
      description: `A list of ${kind} objects.`,
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: text("Group and version of the list."),
        kind: text("The kind of the list."),
        metadata: referenceTo(definition, "The version of the list, and how to continue.", SHARED.listMeta),
        items: { type: "array", description: "The objects.", items: itemRef(definition, name) },
      },
      ...gvk([{ group, version, kind: listKind }]),
      ...marks,
    },
  };
}

/** The schema of an object, with what every object has. */
function objectSchema(definition: ResourceDefinition, form: "v3" | "v2", shared: Json): Json {
  const { published } = definition;
  const object = published ? published[form]() : publish(definition.schema, shared);
  // Clients take the members of a schema for a complete list.
  if (!object) return { type: "object" };
  const properties = { ...propertiesOf(object), ...(published ? HEAD : {}) };
  if (properties["metadata"]) {
    properties["metadata"] = referenceTo(definition, "What every object has.", SHARED.objectMeta);
  }
  return { ...object, ...described(definition), properties };
}

/** What typed clients leave out as empty has a default, which a reference cannot say alone; custom kinds have none. */
const itemRef = ({ untyped }: ResourceDefinition, name: string): Json =>
  untyped ? ref(name) : { default: {}, allOf: [ref(name)] };

const referenceTo = ({ untyped }: ResourceDefinition, description: string, name: string): Json => ({
  description,
  ...(untyped ? {} : { default: {} }),
  allOf: [ref(name)],
});

/** The fields of a custom kind that selectors may name. */
function selectableFields({ untyped, selectableFields: fields = {} }: ResourceDefinition): Json {
  const paths = Object.keys(fields);
  if (!untyped || paths.length === 0) return {};
  return { "x-kubernetes-selectable-fields": paths.map((fieldPath) => ({ fieldPath })) };
}

/** What every object of a kind has whose schema is not ours. */
const HEAD: Json = {
  apiVersion: text("Group and version of this form of the object."),
  kind: text("The kind of the object."),
  metadata: {},
};

const described = ({ description }: ResourceDefinition): Json => (description === "" ? {} : { description });

const gvk = (kinds: readonly { group: string; version: string; kind: string }[]): Json => ({
  "x-kubernetes-group-version-kind": kinds,
});

/** The components that every document has. */
export const sharedComponents = (): Json => ({
  [SHARED.objectMeta]: publish(ObjectMetaSchema),
  [SHARED.listMeta]: {
    description: "What every list has.",
    type: "object",
    properties: {
      resourceVersion: text("The version of the collection that was read."),
      continue: text("Send it back to read the next page; empty on the last one."),
      remainingItemCount: { type: "integer", format: "int64", description: "How many objects are left to read." },
      selfLink: text("No longer filled."),
    },
  },
  [SHARED.status]: componentOf(STATUS, {
    metadata: { description: "What every list has.", default: {}, allOf: [ref(SHARED.listMeta)] },
  }),
  [SHARED.deleteOptions]: componentOf(DELETE_OPTIONS),
  [SHARED.patch]: { description: "A patch, in the form that its media type says.", type: "object" },
  [SHARED.quantity]: {
    description: "A number with a unit: 500m, 1.5Gi, 3e6. It is kept as a text.",
    oneOf: [{ type: "string" }, { type: "number" }],
  },
  [SHARED.intOrString]: {
    description: "A number or a text.",
    format: "int-or-string",
    oneOf: [{ type: "integer" }, { type: "string" }],
  },
  [SHARED.watchEvent]: {
    description: "One event of a watch.",
    type: "object",
    required: ["type", "object"],
    properties: {
      type: text("ADDED, MODIFIED, DELETED, BOOKMARK or ERROR."),
      object: { type: "object", description: "The object after the change; a Status for ERROR." },
    },
  },
});

const propertiesOf = ({ properties }: Json): Json => (isObject(properties) ? properties : {});

/** A kind of the protocol as a component. */
function componentOf({ schema, group, version, kind }: ProtobufKind, members: Json = {}): Json {
  const object = publish(schema);
  const head = { apiVersion: text("Group and version of the object."), kind: text("The kind of the object.") };
  const properties = { ...head, ...propertiesOf(object), ...members };
  return { ...object, properties, ...gvk([{ group, version, kind }]) };
}

/** A schema as clients see it; schemas with a name of their own are put into `shared`, once. */
export function publish(source: object, shared?: Json): Json {
  const schema: Json = { ...source };
  const component = schema["x-keelson-component"];
  if (typeof component !== "string") return publishHere(schema, shared);
  if (shared && !Object.hasOwn(shared, component)) {
    // Noted before it is made: it may contain itself.
    shared[component] = {};
    const { "x-keelson-component": _, ...rest } = schema;
    shared[component] = publishHere(rest, shared);
  }
  return { description: schema["description"], allOf: [ref(component)] };
}

function publishHere(schema: Json, shared: Json | undefined): Json {
  const out: Json = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith("x-keelson-")) continue;
    if (key === "properties" && isObject(value)) {
      out[key] = mapValues(value, (one) => (isObject(one) ? publish(one, shared) : one));
    } else if ((key === "items" || key === "additionalProperties") && isObject(value)) {
      out[key] = publish(value, shared);
    } else if ((key === "allOf" || key === "anyOf" || key === "oneOf") && Array.isArray(value)) {
      out[key] = value.map((one: object) => publish(one, shared));
    } else {
      out[key] = value;
    }
  }
  return withWireTypes(out);
}

const mapValues = (object: Json, change: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

/** The types that JSON Schema does not have, as clients expect them: by name where `kubectl explain` shows the name. */
function withWireTypes(schema: Json): Json {
  const { type: _type, format, ...rest } = schema;
  switch (format) {
    case "int-or-string":
      return { ...rest, allOf: [ref(SHARED.intOrString)] };
    case "quantity":
      return { ...rest, allOf: [ref(SHARED.quantity)] };
    case "micro-time":
      return { ...schema, format: "date-time" };
    default:
      return schema;
  }
}
