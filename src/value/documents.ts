/**
 * The documents of a text, and the objects of a document: what files of manifests have in common, whoever reads them.
 *
 * @module
 */
import { DecodeError } from "./decode-error.ts";
import { trimSpace } from "../util/scan.ts";
import { type Value, isObject } from "./value.ts";
import { decodeYaml } from "./yaml.ts";

/** A value and where it stood, for messages: `fixtures/web.yaml, document 2`. */
export interface FoundValue {
  readonly value: Value;
  readonly from: string;
}

/** A line that begins a document. */
const SEPARATOR = /^---/m;

/**
 * The documents of a YAML or JSON text, which are null where they are empty. A line that begins with three dashes separates
 * two; behind the dashes only a comment may stand, as kubectl has it.
 *
 * @throws DecodeError that names the document
 */
export function documentsOf(text: string, file: string): readonly FoundValue[] {
  const parts = text.split(SEPARATOR);
  return parts.map((part, at) => {
    const from = parts.length === 1 ? file : `${file}, document ${at + 1}`;
    return { value: valueOf(at === 0 ? part : behindSeparator(part, from), from), from };
  });
}

/** What follows the line of a separator. */
function behindSeparator(text: string, from: string): string {
  const end = text.indexOf("\n");
  const rest = trimSpace(end < 0 ? text : text.slice(0, end));
  if (rest !== "" && !rest.startsWith("#"))
    throw new DecodeError("malformed", `expected a line break or a comment behind the --- of ${from}, found ${rest}`);
  return end < 0 ? "" : text.slice(end);
}

function valueOf(document: string, from: string): Value {
  const { value, duplicates } = decoded(document, from);
  if (duplicates.length === 0) return value;
  throw new DecodeError("malformed", `expected each field of ${from} once, got ${duplicates.join(", ")} again`);
}

function decoded(document: string, from: string): ReturnType<typeof decodeYaml> {
  try {
    // What begins as JSON does is read as JSON, with all its escapes.
    return decodeYaml(document, { jsonEscapes: trimSpace(document).startsWith("{") });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(error.code, `expected ${from} to be YAML or JSON: ${error.message}`, { cause: error });
  }
}

/** What is in a document: itself, the items of a list, nothing where it is empty. */
export function objectsOf(value: Value, from: string): readonly FoundValue[] {
  if (value === null) return [];
  const { kind, items, ...list } = isObject(value) ? value : {};
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [{ value, from }];
  // The items of a typed list, as a server answers it, are of the kind that its name says.
  const said = kind === "List" ? {} : { apiVersion: list["apiVersion"]!, kind: kind.slice(0, -"List".length) };
  return items.flatMap((item, at) =>
    objectsOf(isObject(item) ? { ...said, ...item } : item, `${from}, item ${at + 1}`),
  );
}
