/**
 * The documents of a text and the objects of a document, for files of manifests.
 *
 * @module
 */
import { DecodeError } from "./decode-error.ts";
import { trimSpace } from "../util/scan.ts";
import { type Value, isObject } from "./value.ts";
import { decodeYaml } from "./yaml.ts";

/** A value and its source for messages: `fixtures/web.yaml, document 2`. */
export interface FoundValue {
  readonly value: Value;
  readonly from: string;
}

/** The beginning of a separator line. */
const SEPARATOR = /^---/m;

/**
 * Returns the documents of a YAML or JSON text; an empty one is null. A line that begins with three dashes separates two; only
 * a comment may follow the dashes, as in kubectl.
 *
 * @throws DecodeError that names the document
 */
export function documentsOf(text: string, file: string): readonly FoundValue[] {
  const parts = text.split(SEPARATOR);
  return parts.map((part, at) => {
    const from = parts.length === 1 ? file : `${file}, document ${at + 1}`;
    return { value: valueOf(at === 0 ? part : afterSeparator(part, from), from), from };
  });
}

/** The text after a separator line. */
function afterSeparator(text: string, from: string): string {
  const end = text.indexOf("\n");
  const rest = trimSpace(end < 0 ? text : text.slice(0, end));
  if (rest !== "" && !rest.startsWith("#"))
    throw new DecodeError("malformed", `expected a line break or a comment after the --- of ${from}, found ${rest}`);
  return end < 0 ? "" : text.slice(end);
}

function valueOf(document: string, from: string): Value {
  const { value, duplicates } = decoded(document, from);
  if (duplicates.length === 0) return value;
  throw new DecodeError("malformed", `expected each field of ${from} once, got ${duplicates.join(", ")} again`);
}

function decoded(document: string, from: string): ReturnType<typeof decodeYaml> {
  try {
    // A text that begins as JSON may have all escapes of JSON.
    return decodeYaml(document, { jsonEscapes: trimSpace(document).startsWith("{") });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(error.code, `expected ${from} to be YAML or JSON: ${error.message}`, { cause: error });
  }
}

/** Returns the objects of a document: itself, the items of a list, or none where it is empty. */
export function objectsOf(value: Value, from: string): readonly FoundValue[] {
  if (value === null) return [];
  const { kind, items, apiVersion } = isObject(value) ? value : {};
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [{ value, from }];
  // Items of a typed list, as in a response of a server, have the kind of its name.
  const type = kind === "List" ? {} : { ...(apiVersion && { apiVersion }), kind: kind.slice(0, -"List".length) };
  return items.flatMap((item, at) =>
    objectsOf(isObject(item) ? { ...type, ...item } : item, `${from}, item ${at + 1}`),
  );
}
