/**
 * `kubectl explain`: a kind and its fields, from the OpenAPI documents of the server.
 *
 * @module
 */
import { type Command } from "./context.ts";
import { Failure, titleOf } from "./api.ts";
import { type Schema, type Schemas, readKindSchema, resolved } from "./openapi.ts";

const WIDTH = 76;
/** How deep `--recursive` goes. */
const MAX_DEPTH = 12;

/** Runs `kubectl explain`. */
export async function explain(command: Command): Promise<number> {
  const { flags, streams, api } = command;
  const [word] = flags.words;
  if (word === undefined)
    throw new Failure(
      'error: You must specify the type of resource to explain. Use "kubectl api-resources" for a complete list of supported resources.',
    );
  const [type = "", ...path] = word.split(".");
  const kind = await api.findKind(type);
  const { root, schemas } = await readKindSchema(api, kind);
  if (!root) throw new Failure(`error: couldn't find resource for "${titleOf(kind)}"`);
  const head = [
    ...(kind.group === "" ? [] : [`GROUP:      ${kind.group}`]),
    `KIND:       ${kind.kind}`,
    `VERSION:    ${kind.version}`,
    "",
  ];
  let schema = root;
  let field: { readonly name: string; readonly schema: Schema } | undefined;
  for (const name of path) {
    const within = objectOf(schema, schemas);
    const next = within.properties?.[name];
    if (!next) {
      streams.out(`${head.join("\n")}\n`);
      throw new Failure(`error: field "${name}" does not exist`);
    }
    field = { name, schema: next };
    schema = next;
  }
  const lines = [...head, ...(field ? [`FIELD: ${field.name} <${typeOf(field.schema, schemas)}>`, "", ""] : [])];
  const described = schema.description ?? objectOf(schema, schemas).description ?? "<empty>";
  lines.push("DESCRIPTION:", ...wrapped(described, 4), "    ");
  const { properties } = objectOf(schema, schemas);
  if (properties) {
    lines.push(
      "FIELDS:",
      ...fieldLines(objectOf(schema, schemas), schemas, { depth: 0, isRecursive: flags.on("recursive") }),
    );
  }
  streams.out(`${lines.join("\n")}\n\n`);
  return 0;
}

/** The object of a field: itself, or that of its items or values. */
function objectOf(schema: Schema, schemas: Schemas): Schema {
  const found = resolved(schema, schemas);
  if (found.items) return objectOf(found.items, schemas);
  if (typeof found.additionalProperties === "object" && !found.properties)
    return objectOf(found.additionalProperties, schemas);
  return found;
}

function typeOf(schema: Schema, schemas: Schemas): string {
  if (schema["x-kubernetes-int-or-string"] || schema.format === "int-or-string") return "IntOrString";
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref !== undefined) {
    const found = resolved(schema, schemas);
    return found.type === "object" || found.properties
      ? ref.slice(ref.lastIndexOf(".") + 1)
      : typeOf({ ...found, ...("type" in found ? {} : { type: "Object" }) }, {});
  }
  if (schema.items) return `[]${typeOf(schema.items, schemas)}`;
  if (typeof schema.additionalProperties === "object")
    return `map[string]${typeOf(schema.additionalProperties, schemas)}`;
  return schema.type === undefined || schema.type === "object" ? "Object" : schema.type;
}

function fieldLines(
  { properties = {}, required = [] }: Schema,
  schemas: Schemas,
  { depth, isRecursive }: { readonly depth: number; readonly isRecursive: boolean },
): string[] {
  const space = "  ".repeat(depth + 1);
  return Object.keys(properties)
    .toSorted()
    .flatMap((name) => {
      const schema = properties[name]!;
      const head = `${space}${name}\t<${typeOf(schema, schemas)}>${required.includes(name) ? " -required-" : ""}`;
      if (isRecursive) {
        const inner = objectOf(schema, schemas);
        const more =
          inner.properties && depth < MAX_DEPTH ? fieldLines(inner, schemas, { depth: depth + 1, isRecursive }) : [];
        return [head, ...more];
      }
      const values = schema.enum ? [`${space}enum: ${schema.enum.join(", ")}`] : [];
      const description = schema.description ?? resolved(schema, schemas).description ?? "<no description>";
      return [head, ...values, ...wrapped(description, 4), ""];
    });
}

function wrapped(text: string, indent: number): string[] {
  const space = " ".repeat(indent);
  return text.split("\n").flatMap((paragraph) => {
    const lines = [""];
    for (const word of paragraph.split(" ").filter(Boolean)) {
      const line = lines.at(-1)!;
      if (line !== "" && line.length + 1 + word.length > WIDTH) lines.push(word);
      else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
    }
    return lines.map((line) => `${space}${line}`);
  });
}
