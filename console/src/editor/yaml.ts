/**
 * Reads texts in YAML or JSON in a worker, which is ended where a text takes too long.
 *
 * @module
 */
import { editorWorker } from "./in-worker.ts";
import { MAX_LENGTH, ParseFailure } from "../api/yaml-limits.ts";

export { MAX_LENGTH, ParseFailure } from "../api/yaml-limits.ts";

/** The longest time that a text may take. */
const TIMEOUT_MS = 10_000;

/**
 * Returns the documents of a text, each as JSON, whose integers have all their digits.
 *
 * @param file its name for messages; empty for a text that was pasted
 * @throws ParseFailure for a text that is no YAML, is too long, or takes too long
 */
export function documentsAsJson(text: string, file = ""): Promise<readonly string[]> {
  if (text.length > MAX_LENGTH) {
    const found = `expected at most ${MAX_LENGTH} characters, found ${text.length}${file && ` in ${file}`}`;
    return Promise.reject(new ParseFailure(found));
  }
  const worker = editorWorker();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ParseFailure("the text takes too long to read")), TIMEOUT_MS);
  });
  return (
    Promise.race([worker.documents(text, file), late])
      // An error of the worker has only its message.
      .catch((error: unknown) =>
        Promise.reject(new ParseFailure(error instanceof Error ? error.message : String(error))),
      )
      .finally(() => {
        clearTimeout(timer);
        worker.close();
      })
  );
}
