/**
 * OpenAPI v2 (Swagger 2.0) out of v3: one document of all groups, rewritten form by form. It is derived from v3 alone, as far as the older
 * form can express it.
 *
 * kubectl up to 1.28 validates by it, and Terraform plans by it.
 *
 * @module
 */
import { isObject } from "../../value/value.ts";
import type { Json } from "./openapi-schemas.ts";

/** What the document says of itself. */
export const headV2 = (version: string): Json => ({ swagger: "2.0", info: { title: "Keelson", version } });

/** How clients authenticate. */
export const SECURITY_V2: Json = {
  securityDefinitions: {
    BearerToken: { description: "A bearer token.", type: "apiKey", name: "authorization", in: "header" },
  },
  security: [{ BearerToken: [] }],
};

const jsonOf = (value: unknown): Json => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(jsonOf) : []);

/** What is at a path, in the older form. */
export function pathItemV2(item: Json): Json {
  const out: Json = {};
  for (const [key, value] of Object.entries(item)) {
    out[key] = key === "parameters" ? listOf(value).map(parameterV2) : operationV2(jsonOf(value));
  }
  return out;
}

/** The type of a parameter is a member beside its name, not in a schema. */
function parameterV2({ schema, ...rest }: Json): Json {
  return { ...rest, ...jsonOf(schema) };
}

interface Body {
  readonly required?: boolean;
  readonly content: Readonly<Record<string, { readonly schema: Json }>>;
}

type Responses = Readonly<Record<string, { readonly description: string; readonly content?: Body["content"] }>>;

/** Media types are listed once for an operation, and a body is one of its parameters. */
function operationV2({ parameters, requestBody, responses, ...rest }: Json): Json {
  const body = requestBody as Body | undefined;
  const byCode = Object.entries(responses as Responses);
  const produced = byCode.flatMap(([, { content }]) => Object.keys(content ?? {}));
  const taken = [...(body ? [bodyParameter(body)] : []), ...listOf(parameters).map(parameterV2)];
  return {
    ...rest,
    consumes: body ? Object.keys(body.content) : ["*/*"],
    produces: [...new Set(produced)],
    schemes: ["https"],
    ...(taken.length > 0 ? { parameters: taken } : {}),
    responses: Object.fromEntries(
      byCode.map(([code, { description, content }]) => {
        const schema = Object.values(content ?? {})[0]?.schema;
        return [code, { description, ...(schema ? { schema: schemaV2(schema) } : {}) }];
      }),
    ),
  };
}

function bodyParameter({ required, content }: Body): Json {
  const [form] = Object.values(content);
  return { name: "body", in: "body", ...(required ? { required } : {}), schema: schemaV2(form?.schema ?? {}) };
}

/** Keywords that mean the same in both; the extensions `x-...` are kept too. */
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
    else if (key === "items") out[key] = schemaV2(jsonOf(value));
    else if (key === "additionalProperties") out[key] = typeof value === "boolean" ? value : schemaV2(jsonOf(value));
    else if (key === "allOf") out[key] = listOf(value).map(schemaV2);
    else if (key === "properties") {
      out[key] = Object.fromEntries(Object.entries(jsonOf(value)).map(([k, v]) => [k, schemaV2(jsonOf(v))]));
    }
  }
  // There is no choice of types: a text stands for a number or a text.
  if (Array.isArray(schema["oneOf"])) out["type"] = "string";
  return out;
}

/** The component that a schema is nothing but a reference to, in place or wrapped to carry a description. */
function onlyReference(schema: Json): string | undefined {
  const [first, second] = listOf(schema["allOf"]);
  const target = schema["$ref"] ?? (second ? undefined : first?.["$ref"]);
  return typeof target === "string" && target.startsWith(V3_COMPONENTS)
    ? target.slice(V3_COMPONENTS.length)
    : undefined;
}

/** Keywords that may stand beside a reference. A default may not: readers of this form take it for a part of the type. */
const described = (schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key === "description" || key.startsWith("x-")));
