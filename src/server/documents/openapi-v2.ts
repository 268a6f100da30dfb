/**
 * OpenAPI v2 (Swagger 2.0) out of v3: one document of all groups, rewritten form by form. It says what v3 says, as far
 * as the older form has words for it; there is no second source.
 *
 * kubectl up to 1.28 validates by it, and Terraform plans by it.
 *
 * @module
 */
import { gnosticDefinition, gnosticDocument, gnosticPath } from "./gnostic.ts";
import type { Json } from "./openapi-schemas.ts";

/** What a resource adds to the document: its paths and definitions by name, as texts of JSON or as protobuf. */
export interface PartV2<T extends string | Buffer = string> {
  readonly paths: ReadonlyMap<string, T>;
  readonly definitions: ReadonlyMap<string, T>;
}

/** The part of some members of a document of OpenAPI v3. */
export const partV2 = ({ paths, schemas }: { readonly paths: Json; readonly schemas: Json }): PartV2 => ({
  paths: texts(paths as Record<string, Json>, pathItemV2),
  definitions: texts(schemas as Record<string, Json>, schemaV2),
});

const texts = (members: Record<string, Json>, convert: (member: Json) => Json): Map<string, string> =>
  new Map(Object.entries(members).map(([name, member]) => [name, JSON.stringify(convert(member))]));

/** The same part as protobuf. */
export const gnosticPart = ({ paths, definitions }: PartV2): PartV2<Buffer> => ({
  paths: written(paths, gnosticPath),
  definitions: written(definitions, gnosticDefinition),
});

const written = (named: ReadonlyMap<string, string>, write: (name: string, member: Json) => Buffer) =>
  new Map([...named].map(([name, text]) => [name, write(name, JSON.parse(text) as Json)]));

/** All parts as one; of definitions with one name the first counts. */
function together<T extends string | Buffer>(parts: readonly PartV2<T>[]): PartV2<T> {
  const paths = new Map<string, T>();
  const definitions = new Map<string, T>();
  for (const part of parts) {
    for (const [path, item] of part.paths) paths.set(path, item);
    for (const [name, schema] of part.definitions) if (!definitions.has(name)) definitions.set(name, schema);
  }
  return { paths, definitions };
}

const headOf = (version: string): Json => ({ swagger: "2.0", info: { title: "Keelson", version } });

const SECURITY: Json = {
  securityDefinitions: {
    BearerToken: { description: "A bearer token.", type: "apiKey", name: "authorization", in: "header" },
  },
  security: [{ BearerToken: [] }],
};

/** The text of the whole document. */
export function openApiV2(parts: readonly PartV2[], version: string): string {
  const { paths, definitions } = together(parts);
  const [head, security] = [JSON.stringify(headOf(version)), JSON.stringify(SECURITY)];
  return `${head.slice(0, -1)},"paths":${members(paths)},"definitions":${members(definitions)},${security.slice(1)}`;
}

/** The whole document as protobuf. */
export function gnosticV2(parts: readonly PartV2<Buffer>[], version: string): Buffer {
  const { paths, definitions } = together(parts);
  return gnosticDocument({ ...headOf(version), ...SECURITY }, [...paths.values()], [...definitions.values()]);
}

const members = (named: ReadonlyMap<string, string>): string =>
  `{${[...named].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;

function pathItemV2(item: Json): Json {
  const out: Json = {};
  for (const [key, value] of Object.entries(item)) {
    out[key] = key === "parameters" ? (value as Json[]).map(parameterV2) : operationV2(value as Json);
  }
  return out;
}

/** The type of a parameter stands beside its name, not in a schema. */
function parameterV2({ schema, ...rest }: Json): Json {
  return { ...rest, ...(schema as Json) };
}

interface Body {
  readonly required?: boolean;
  readonly content: Readonly<Record<string, { readonly schema: Json }>>;
}

type Responses = Readonly<Record<string, { readonly description: string; readonly content?: Body["content"] }>>;

/** Media types are listed once for an operation, and a body is one of its parameters. */
function operationV2({ parameters, requestBody, responses, ...rest }: Json): Json {
  const body = requestBody as Body | undefined;
  const answers = Object.entries(responses as Responses);
  const produced = answers.flatMap(([, { content }]) => Object.keys(content ?? {}));
  const taken = [...(body ? [bodyParameter(body)] : []), ...((parameters ?? []) as Json[]).map(parameterV2)];
  return {
    ...rest,
    consumes: body ? Object.keys(body.content) : ["*/*"],
    produces: [...new Set(produced)],
    schemes: ["https"],
    ...(taken.length > 0 ? { parameters: taken } : {}),
    responses: Object.fromEntries(
      answers.map(([code, { description, content }]) => {
        const schema = Object.values(content ?? {})[0]?.schema;
        return [code, { description, ...(schema ? { schema: schemaV2(schema) } : {}) }];
      }),
    ),
  };
}

function bodyParameter({ required, content }: Body): Json {
  const [form] = Object.values(content);
  return { name: "body", in: "body", ...(required ? { required } : {}), schema: schemaV2(form!.schema) };
}

/** Words that mean the same in both; the marks `x-...` are kept too. */
const KEPT = new Set([
  "type",
  "format",
  "title",
  "description",
  "default",
  "required",
  "enum",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "readOnly",
]);

const V3_COMPONENTS = "#/components/schemas/";

/** A schema in the older form. */
export function schemaV2(schema: Json): Json {
  const only = onlyReference(schema);
  if (only !== undefined) return { ...described(schema), $ref: `#/definitions/${only}` };
  const out: Json = {};
  for (const [key, value] of Object.entries(schema)) {
    if (KEPT.has(key) || key.startsWith("x-")) out[key] = value;
    else if (key === "items") out[key] = schemaV2(value as Json);
    else if (key === "additionalProperties") out[key] = typeof value === "boolean" ? value : schemaV2(value as Json);
    else if (key === "allOf") out[key] = (value as Json[]).map(schemaV2);
    else if (key === "properties") {
      out[key] = Object.fromEntries(Object.entries(value as Record<string, Json>).map(([k, v]) => [k, schemaV2(v)]));
    }
  }
  // There is no choice of types: a text stands for a number or a text.
  if (Array.isArray(schema["oneOf"])) out["type"] = "string";
  return out;
}

/** The component that a schema is nothing but a reference to, in place or wrapped to carry a description. */
function onlyReference(schema: Json): string | undefined {
  const all = schema["allOf"] as Json[] | undefined;
  const target = schema["$ref"] ?? (all?.length === 1 ? all[0]!["$ref"] : undefined);
  return typeof target === "string" && target.startsWith(V3_COMPONENTS)
    ? target.slice(V3_COMPONENTS.length)
    : undefined;
}

/** What may stand beside a reference. A default does not: readers of this form take it for a part of the type. */
const described = (schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key === "description" || key.startsWith("x-")));
