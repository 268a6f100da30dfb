/**
 * Reads and checks a file of `keelson explore` in a worker, so that the page is never held by a large one.
 *
 * @module
 */
import { parseValue } from "../../editor/exact-json.ts";
import type { Value } from "../../../../src/value/value.ts";
import { MAX_LENGTH, ParseFailure } from "../../api/yaml-limits.ts";
import { documentsOf } from "../../api/yaml-parse.ts";
import { piecesOf } from "./pieces.ts";
import { openedOf } from "./read.ts";
import type { TextFile } from "../../ui/file-drop.tsx";
import type { FileResult } from "./read-file.ts";

addEventListener("message", ({ data: { text, name } }: MessageEvent<TextFile>) => {
  let result: FileResult;
  try {
    result = { pieces: piecesOf(openedOf(valueOf(text), name)) };
  } catch (error) {
    result = { error: error instanceof Error ? error.message : String(error) };
  }
  postMessage(result);
});

/** The value of a text; JSON of reports may be longer than YAML. */
function valueOf(text: string): Value {
  if (text.length > MAX_LENGTH && text.trimStart().startsWith("{")) return parseValue(text);
  const [first, ...more] = documentsOf(text);
  if (!first || more.length > 0) throw new ParseFailure(`expected one document, found ${first ? more.length + 1 : 0}`);
  return first.value;
}
