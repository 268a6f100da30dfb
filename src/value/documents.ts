/**
 * The documents of a text, and the objects of a document: what files of manifests have in common, whoever reads them.
 *
 * @module
 */
import { DecodeError } from "./decode-error.ts";
import { type Value, isObject } from "./value.ts";
import { decodeYaml } from "./yaml.ts";

/** A value and where it stood, for messages: `fixtures/web.yaml, document 2`. */
export interface FoundValue {
  readonly value: Value;
  readonly from: string;
}

/** A line that separates two documents, with whatever stands behind the dashes. */
const SEPARATOR = /^---(?:[ \t].*)?$/m;

/** The documents of a YAML or JSON text, which are null where they are empty. @throws DecodeError that names the document */
export function documentsOf(text: string, file: string): readonly FoundValue[] {
  return text.split(SEPARATOR).map((document, at, { length }) => {
    const from = length === 1 ? file : `${file}, document ${at + 1}`;
    return { value: valueOf(document, from), from };
  });
}

function valueOf(document: string, from: string): Value {
  const { value, duplicates } = decoded(document, from);
  if (duplicates.length === 0) return value;
  throw new DecodeError("malformed", `expected each field of ${from} once, got ${duplicates.join(", ")} again`);
}

function decoded(document: string, from: string): ReturnType<typeof decodeYaml> {
  try {
    return decodeYaml(document);
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
