import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { JsonSchema } from "../../../src/apply/index.ts";
import type { StepResult, Story } from "./stories.ts";

/** Plays stories with the original library, which needs Go on the PATH. */
export function playOriginal(stories: readonly Story[]): StepResult[][] {
  const input = stories.map((story) => JSON.stringify({ ...story, schemas: story.schemas.map(allTypes) }) + "\n");
  const output = execFileSync(process.env["GO"] ?? "go", ["run", "."], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    input: input.join(""),
    maxBuffer: 2 ** 30,
    encoding: "utf8",
  });
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as StepResult[]);
}

const allTypes = (schemas: Readonly<Record<string, JsonSchema>>): object =>
  Object.fromEntries(Object.entries(schemas).map(([version, schema]) => [version, types(schema)]));

/** A schema in the words of the original. */
const types = (schema: JsonSchema): object => ({
  types: [{ name: "root", ...atom(schema) }, ...FREE_TYPES],
});

const FREE = { namedType: "__untyped_deduced_" };
const ATOMIC = { namedType: "__untyped_atomic_" };
const FREE_TYPES = [
  {
    name: "__untyped_atomic_",
    scalar: "untyped",
    list: { elementType: ATOMIC, elementRelationship: "atomic" },
    map: { elementType: ATOMIC, elementRelationship: "atomic" },
  },
  {
    name: "__untyped_deduced_",
    scalar: "untyped",
    list: { elementType: ATOMIC, elementRelationship: "atomic" },
    map: { elementType: FREE, elementRelationship: "separable" },
  },
];

const SCALARS: Readonly<Record<string, string>> = {
  string: "string",
  integer: "numeric",
  number: "numeric",
  boolean: "boolean",
};

function typeRef(schema: JsonSchema): object {
  const free = schema.type === undefined && !schema["x-kubernetes-int-or-string"];
  return free ? FREE : atom(schema);
}

function atom(schema: JsonSchema): object {
  if (schema["x-kubernetes-int-or-string"]) return { scalar: "untyped" };
  if (schema.type === "array") {
    const kind = schema["x-kubernetes-list-type"];
    const keys = schema["x-kubernetes-list-map-keys"];
    return {
      list: {
        elementType: typeRef(schema.items!),
        elementRelationship: kind === "atomic" ? "atomic" : "associative",
        ...(kind === "map" ? { keys } : {}),
      },
    };
  }
  if (schema.type !== "object") return { scalar: SCALARS[schema.type!] };
  const relationship = schema["x-kubernetes-map-type"] === "atomic" ? { elementRelationship: "atomic" } : {};
  if (schema.properties === undefined) {
    return { map: { elementType: typeRef(schema.additionalProperties as JsonSchema), ...relationship } };
  }
  const fields = Object.entries(schema.properties).map(([name, item]) => ({
    name,
    type: typeRef(item),
    ...(item.default === undefined ? {} : { default: item.default }),
  }));
  const open = schema["x-kubernetes-preserve-unknown-fields"] ? { elementType: FREE } : {};
  return { map: { fields, ...open, ...relationship } };
}
