/**
 * Reads texts in YAML or JSON in a worker, which is ended where a text takes too long.
 *
 * @module
 */
import { JsonNumber, type Value } from "../../../src/value/value.ts";
import { editorWorker } from "./in-worker.ts";
import { MAX_LENGTH, ParseFailure } from "../api/yaml-limits.ts";

export { MAX_LENGTH, ParseFailure } from "../api/yaml-limits.ts";

/** A document of a text, and where it stands. */
export interface TextDocument {
  readonly value: Value;
  readonly from: string;
}

/** The longest time that a text may take. */
const TIMEOUT_MS = 10_000;

/**
 * Returns the documents of a text.
 *
 * @param file its name for messages; empty for a text that was pasted
 * @throws ParseFailure for a text that is no YAML, is too long, or takes too long
 */
export function parseInWorker(text: string, file = ""): Promise<readonly TextDocument[]> {
  if (text.length > MAX_LENGTH) {
    const found = `expected at most ${MAX_LENGTH} characters, found ${text.length}${file && ` in ${file}`}`;
    return Promise.reject(new ParseFailure(found));
  }
  const worker = editorWorker();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ParseFailure("the text takes too long to read")), TIMEOUT_MS);
  });
  return Promise.race([worker.documents(text, file), late])
    .then(
      (documents) => documents.map(({ value, from }) => ({ value: exact(value), from })),
      // An error of the worker has only its message.
      (error: unknown) => Promise.reject(new ParseFailure(error instanceof Error ? error.message : String(error))),
    )
    .finally(() => {
      clearTimeout(timer);
      worker.close();
    });
}

/** Returns the value with its bigints as numbers that keep all digits. */
export function exact(value: unknown): Value {
  if (typeof value === "bigint") return new JsonNumber(String(value)) as unknown as Value;
  if (Array.isArray(value)) return value.map(exact);
  if (typeof value !== "object" || value === null) return value as Value;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== "bigint" && (typeof member !== "object" || member === null)) continue;
    const next = exact(member);
    // A member may be called __proto__.
    Object.defineProperty(value, name, { value: next, enumerable: true, writable: true, configurable: true });
  }
  return value as Value;
}
