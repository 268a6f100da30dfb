/**
 * Documents of a text in YAML 1.1 or JSON, as the server reads them; a worker calls it, since a large text takes long.
 *
 * @module
 */
import { parseAllDocuments } from "yaml";
import { JsonNumber, setMember, type Value, type ValueObject } from "../../../src/value/value.ts";
import { repeatedKeys } from "./yaml-keys.ts";
import { MAX_LENGTH, ParseFailure } from "./yaml-limits.ts";

/** The most documents, those in lists included: as many as a plan takes. */
export const MAX_DOCUMENTS = 4096;
/** The most values that aliases of one document may stand for. */
const MAX_ALIASES = 100;

/** A document and its place: `document 2`, `web.yaml, document 2, item 3`. */
export interface FoundDocument {
  /** Integers that no double holds keep their digits. */
  readonly value: Value;
  readonly from: string;
}

/**
 * Returns the documents of a text; empty ones are left out, and lists (`kind: List`) are their items.
 *
 * @param file its name for messages; empty for a text that was pasted
 * @throws ParseFailure that names the document
 */
export function documentsOf(text: string, file = ""): readonly FoundDocument[] {
  if (text.length > MAX_LENGTH) {
    throw new ParseFailure(`expected at most ${MAX_LENGTH} characters, found ${text.length}${file && ` in ${file}`}`);
  }
  const parsed = parseAllDocuments(text, {
    version: "1.1",
    merge: true,
    intAsBigInt: true,
    prettyErrors: true,
    strict: true,
    uniqueKeys: false,
    customTags: [],
    logLevel: "silent",
  });
  const found: FoundDocument[] = [];
  // Without a document the parser returns an empty list with members of its own.
  const documents = Array.isArray(parsed) ? [...parsed] : [];
  for (const [i, document] of documents.entries()) {
    const from = [file, documents.length > 1 ? `document ${i + 1}` : ""].filter(Boolean).join(", ") || "the text";
    const [error] = document.errors;
    if (error) throw new ParseFailure(`${from}: ${error.message.split("\n", 1)[0]?.replace(/:$/, "")}`);
    const [repeated] = repeatedKeys(document);
    if (repeated)
      throw new ParseFailure(
        `${from}: Map keys must be unique: ${cutName(repeated.value)}${lineOf(text, repeated.range?.[0])}`,
      );
    add(found, valueOf(document, from), from);
  }
  return found;
}

const cutName = (name: unknown): string => JSON.stringify(String(name).slice(0, 100));

const lineOf = (text: string, offset = -1): string =>
  offset < 0 ? "" : ` at line ${text.slice(0, offset).split("\n").length}`;

function valueOf(document: { toJS(options: { maxAliasCount: number }): unknown }, from: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw new ParseFailure(`${from}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function add(found: FoundDocument[], value: unknown, from: string): void {
  if (value === null || value === undefined) return;
  const { kind, apiVersion, items } = isRecord(value) ? value : {};
  if (typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)) {
    // Items of a typed list have the kind of its name.
    const type =
      kind === "List"
        ? {}
        : { ...(apiVersion === undefined ? {} : { apiVersion }), kind: kind.slice(0, -"List".length) };
    for (const [i, item] of items.entries())
      add(found, isRecord(item) ? { ...type, ...item } : item, `${from}, item ${i + 1}`);
    return;
  }
  if (found.length >= MAX_DOCUMENTS) throw new ParseFailure(`expected at most ${MAX_DOCUMENTS} documents, found more`);
  found.push({ value: plain(value), from });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value as JSON has it: integers that a double holds become numbers again, others keep their digits. */
function plain(value: unknown): Value {
  if (typeof value === "bigint")
    return Number.isSafeInteger(Number(value)) ? Number(value) : (new JsonNumber(String(value)) as unknown as Value);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return value.toISOString();
  if (!isRecord(value)) return value as Value;
  const copy: ValueObject = {};
  for (const [name, member] of Object.entries(value)) setMember(copy, name, plain(member));
  return copy;
}
