/**
 * The schema of a kind from the OpenAPI v3 document of its group and version: what a member is, and which there are.
 *
 * @module
 */

/** A schema of OpenAPI v3, as far as it is read. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly anyOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
}

/** A kind with its group and version. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Schemas by name. */
export type Definitions = Readonly<Record<string, OpenApiSchema>>;

/** A document, as far as it is read. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Definitions };
}

/** The schema of a kind, with those that it refers to: plain data that may be sent to a worker. */
export interface KindSchema {
  readonly root: string;
  readonly definitions: Definitions;
}

const PREFIX = "#/components/schemas/";

/** Finds a kind in a document; undefined if it says nothing of it. */
export function schemaOfKind(
  document: OpenApiDocument,
  { group, version, kind }: GroupVersionKind,
): KindSchema | undefined {
  const all = document.components?.schemas ?? {};
  const found = Object.entries(all).find(([, schema]) =>
    schema["x-kubernetes-group-version-kind"]?.some(
      (one) => one.kind === kind && one.version === version && (one.group ?? "") === group,
    ),
  );
  if (!found) return undefined;
  const [root] = found;
  const definitions: Record<string, OpenApiSchema> = {};
  const open = [root];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const schema = all[name];
    if (!schema || Object.hasOwn(definitions, name)) continue;
    definitions[name] = schema;
    for (const [, ref = ""] of JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
      open.push(ref);
  }
  return { root, definitions };
}

/** The most references that are followed to one schema. */
const MAX_REFERENCES = 32;

/** A schema without references: members of the one that refers win. */
export function resolved({ definitions }: KindSchema, schema: OpenApiSchema): OpenApiSchema {
  let found = schema;
  for (let left = MAX_REFERENCES; left > 0; left--) {
    const { $ref, allOf, ...own } = found;
    const [only, ...others] = allOf ?? [];
    if ($ref?.startsWith(PREFIX)) found = { ...definitions[$ref.slice(PREFIX.length)], ...own };
    else if (only && others.length === 0) found = { ...only, ...own };
    else return found;
  }
  return {};
}

/** The schema of the object itself. */
export const rootOf = (kind: KindSchema): OpenApiSchema => resolved(kind, kind.definitions[kind.root] ?? {});

/** The schema at a path; undefined if there can be nothing, or nothing is known of it. */
export function schemaAt(kind: KindSchema, path: readonly (string | number)[]): OpenApiSchema | undefined {
  let at: OpenApiSchema | undefined = rootOf(kind);
  for (const step of path) {
    if (!at) return undefined;
    const below: OpenApiSchema | undefined = typeof step === "number" ? at.items : memberOf(at, step);
    at = below && resolved(kind, below);
  }
  return at;
}

/** The schema of a member; undefined if there can be none, or nothing is known of it. */
export function memberOf(
  { properties = {}, additionalProperties }: OpenApiSchema,
  name: string,
): OpenApiSchema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** Whether a map may have members that its schema does not name. */
export const isOpen = (schema: OpenApiSchema): boolean =>
  schema["x-kubernetes-preserve-unknown-fields"] === true ||
  (schema.additionalProperties !== undefined && schema.additionalProperties !== false) ||
  schema.properties === undefined;

/** Whether a value is a whole number or a text. */
export const isIntOrString = (schema: OpenApiSchema): boolean =>
  schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string";

/** Whether a value is a quantity, which may be written as a number. */
export const isQuantity = (schema: OpenApiSchema): boolean =>
  schema.format === "quantity" ||
  [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].some(({ type }) => type === "number" || type === "integer");

/** How many lists and maps in each other a type names; a schema may contain itself. */
const MAX_NAMED = 8;

/** What a value is, in words: `list of objects`, `map to string`. */
export function typeText(kind: KindSchema, schema: OpenApiSchema, left = MAX_NAMED): string {
  if (isIntOrString(schema)) return "integer or string";
  const { type, format, items, additionalProperties } = schema;
  const inner = (of: OpenApiSchema | undefined): string =>
    of && left > 0 ? typeText(kind, resolved(kind, of), left - 1) : "values";
  if (type === "array") return `list of ${inner(items)}`;
  if (typeof additionalProperties === "object") return `map to ${inner(additionalProperties)}`;
  if (type === undefined) return schema.properties ? "object" : isQuantity(schema) ? "quantity" : "any value";
  return format ? `${type} (${format})` : type;
}

/** What is told of a member. */
export interface Explanation {
  readonly field: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  /** The values that it may have. */
  readonly values: readonly string[];
  /** In JSON. */
  readonly default?: string;
  /** Names of members, where it has some. */
  readonly members: readonly string[];
}

/** Tells what stands at a path; undefined if nothing is known of it. */
export function explain(kind: KindSchema, path: readonly (string | number)[]): Explanation | undefined {
  const schema = schemaAt(kind, path);
  if (!schema) return undefined;
  const name = path.at(-1);
  const parent = schemaAt(kind, path.slice(0, -1));
  return {
    field: path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("") || ".",
    type: typeText(kind, schema),
    required: typeof name === "string" && (parent?.required?.includes(name) ?? false),
    description: schema.description ?? "",
    values: (schema.enum ?? []).map(String),
    ...(schema.default === undefined ? {} : { default: JSON.stringify(schema.default) }),
    members: Object.keys((schema.items ? resolved(kind, schema.items) : schema).properties ?? {}),
  };
}

/** Something that can be typed. */
export interface Proposal {
  readonly label: string;
  /** The type of a member. */
  readonly detail: string;
  readonly info: string;
  readonly required: boolean;
  /** What is inserted for it: a name with its colon, and what its value begins with. */
  readonly insert: string;
}

/** The members that can stand at a path, those that are required first. `indent` is the column of the names. */
export function memberProposals(kind: KindSchema, path: readonly (string | number)[], indent: number): Proposal[] {
  const schema = schemaAt(kind, path);
  if (!schema?.properties) return [];
  const pad = " ".repeat(indent);
  const proposals = Object.entries(schema.properties).map(([label, member]): Proposal => {
    const found = resolved(kind, member);
    const behind =
      found.type === "array"
        ? `\n${pad}- `
        : found.properties || typeof found.additionalProperties === "object"
          ? `\n${pad}  `
          : " ";
    return {
      label,
      detail: typeText(kind, found),
      info: found.description ?? "",
      required: schema.required?.includes(label) ?? false,
      insert: `${label}:${behind}`,
    };
  });
  return proposals.sort((a, b) => Number(b.required) - Number(a.required));
}

/** The values that can stand at a path: those of an enumeration, true and false, or its default. */
export function valueProposals(kind: KindSchema, path: readonly (string | number)[]): Proposal[] {
  const schema = schemaAt(kind, path);
  if (!schema) return [];
  const values = schema.enum ?? (schema.type === "boolean" ? [true, false] : []);
  const scalar = typeof schema.default === "object" ? undefined : schema.default;
  const all = scalar === undefined || values.includes(scalar) ? values : [scalar, ...values];
  return all.map((value) => ({
    label: String(value),
    detail: value === schema.default ? "default" : "",
    info: "",
    required: false,
    insert:
      typeof value === "string" &&
      (!/^[A-Za-z][\w./-]*$/.test(value) || /^(?:y|n|yes|no|on|off|true|false|null)$/i.test(value))
        ? JSON.stringify(value)
        : String(value),
  }));
}

const MAX_SKELETON_DEPTH = 12;

/** The text of a new object: what is required, with empty values, and what almost everybody sets. */
export function skeleton(kind: KindSchema, gvk: GroupVersionKind, namespace: string | undefined): string {
  const apiVersion = gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`;
  const lines = [`apiVersion: ${apiVersion}`, `kind: ${gvk.kind}`, "metadata:", '  name: ""'];
  if (namespace !== undefined) lines.push(`  namespace: ${namespace}`);
  const root = rootOf(kind);
  const usual = ["spec", "data"].filter((name) => root.properties && Object.hasOwn(root.properties, name));
  const wanted = new Set([...(root.required ?? []), ...usual]);
  for (const name of ["apiVersion", "kind", "metadata", "status"]) wanted.delete(name);
  for (const name of wanted) lines.push(...required(kind, name, root.properties?.[name] ?? {}, "", MAX_SKELETON_DEPTH));
  return `${lines.join("\n")}\n`;
}

/** The lines of a member with what is required in it. */
function required(kind: KindSchema, name: string, schema: OpenApiSchema, indent: string, left: number): string[] {
  const found = resolved(kind, schema);
  const head = `${indent}${name}:`;
  if (left === 0) return [`${head} {}`];
  if (found.type === "array") {
    const item = resolved(kind, found.items ?? {});
    const inner = membersOf(kind, item, `${indent}  `, left - 1);
    return inner.length === 0
      ? [head, `${indent}- ${item.properties ? "{}" : emptyOf(item)}`]
      : [head, `${indent}- ${inner[0]!.trimStart()}`, ...inner.slice(1)];
  }
  const inner = membersOf(kind, found, `${indent}  `, left - 1);
  if (inner.length > 0) return [head, ...inner];
  return [`${head} ${emptyOf(found)}`];
}

/** The required members of a schema, and the labels that a selector and a template share. */
function membersOf(kind: KindSchema, schema: OpenApiSchema, indent: string, left: number): string[] {
  const { properties = {}, required: needed = [] } = schema;
  // A Pod without a container, which some schemas do not require, is refused.
  const names = new Set([...needed, ...(Object.hasOwn(properties, "containers") ? ["containers"] : [])]);
  if (names.has("template") && Object.hasOwn(properties, "selector")) names.add("selector");
  const lines: string[] = [];
  for (const name of names) {
    const member = properties[name] ?? {};
    if (name === "selector" && names.has("template"))
      lines.push(`${indent}selector:`, `${indent}  matchLabels:`, `${indent}    app: ""`);
    else if (name === "template" && names.has("selector")) {
      lines.push(`${indent}template:`, `${indent}  metadata:`, `${indent}    labels:`, `${indent}      app: ""`);
      const spec = resolved(kind, member).properties?.["spec"];
      if (spec) lines.push(...required(kind, "spec", spec, `${indent}  `, left - 1));
    } else if (name !== "image") lines.push(...required(kind, name, member, indent, left));
  }
  // Containers need an image, which defaults of templates may set elsewhere.
  if (Object.hasOwn(properties, "image") && Object.hasOwn(properties, "command")) lines.push(`${indent}image: ""`);
  return lines;
}

/** An empty value in YAML. */
function emptyOf(schema: OpenApiSchema): string {
  if (schema.default !== undefined && typeof schema.default !== "object") return JSON.stringify(schema.default);
  if (schema.enum && schema.enum.length > 0) return String(schema.enum[0]);
  if (isIntOrString(schema)) return "0";
  switch (schema.type) {
    case "string":
      return '""';
    case "integer":
    case "number":
      return "0";
    case "boolean":
      return "false";
    case "array":
      return "[]";
    default:
      return schema.type === undefined && !schema.properties ? '""' : "{}";
  }
}
