/**
 * Responses as bytes: compact or indented JSON, YAML, protobuf.
 *
 * @module
 */
import { PROTOBUF, STATUS, encodeResponse } from "../../wire/protobuf/index.ts";
import { htmlSafe } from "../../value/html-safe.ts";
import type { Value } from "../../value/value.ts";
import { decodeOwnJson } from "../../value/json.ts";
import { utf8Text } from "../../value/utf8.ts";
import { yamlLines } from "../../value/yaml-encode.ts";
import { type Steps, inSlices } from "../../util/steps.ts";
import type { ResponseParts } from "../request/response.ts";
import { indentPieces } from "./indent-json.ts";
import type { Format } from "./negotiate.ts";

/** The Content-Type of a response in a form. */
export const contentType = (format: Format): string => CONTENT_TYPES[format.media];

const CONTENT_TYPES = { json: "application/json", yaml: "application/yaml", protobuf: PROTOBUF } as const;

/** From here on parsing alone takes some milliseconds. */
const LARGE = 131_072;
/** The end of every JSON response. */
export const LINE_END: Uint8Array = Buffer.from("\n");

/** Whether a format is JSON as it is stored. */
export const isJson = ({ media, pretty }: Format): boolean => media === "json" && !pretty;

/** The body of a response in pieces that are made one by one; they never change. */
export type BodyPieces = Iterable<Uint8Array>;

/**
 * Bytes of JSON, without a newline at the end, in the form of a response; other forms may take several slices. Large ones are made one
 * after the other, each in a slice of its own: of many that got seats at once, only one has its values in memory.
 */
export function jsonInForm(
  { clock: { loop }, conversions }: Pick<ResponseParts, "clock" | "conversions">,
  bytes: Uint8Array,
  format: Format,
): BodyPieces | Promise<BodyPieces> {
  if (format.media !== "json") {
    const convert = () => inSlices(parsedInForm(bytes, format), loop.slice());
    return bytes.length > LARGE ? conversions.run("", () => loop.yield().then(convert)) : convert();
  }
  return format.pretty ? indentPieces([utf8Text(bytes)]) : [bytes, LINE_END];
}

function* parsedInForm(bytes: Uint8Array, format: Format): Steps<BodyPieces> {
  const value = decodeOwnJson(bytes);
  yield;
  return yield* valueInForm(value, format);
}

/** A value in the form of a response, in steps. */
export function* valueInForm(value: unknown, format: Format): Steps<BodyPieces> {
  if (format.media === "yaml") return bytesOf((yield* yamlLines(value as Value)).pieces());
  if (format.media === "protobuf") return [encodeResponse(value as object, format.kind ?? STATUS)];
  const text = JSON.stringify(value);
  if (text.length > LARGE) return yield* largeText(text, format);
  const safe = htmlSafe(text);
  return format.pretty ? indentPieces([safe]) : [Buffer.from(`${safe}\n`)];
}

/** A text of megabytes: a step for each piece. */
function* largeText(text: string, { pretty }: Format): Steps<BodyPieces> {
  yield;
  const safe: string[] = [];
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + LARGE, text.length);
    // The two halves of a surrogate pair stay together.
    if (isHighSurrogate(text.charCodeAt(to - 1))) to++;
    safe.push(htmlSafe(text.slice(from, to)));
    yield;
  }
  return pretty ? indentPieces([safe.join("")]) : bytesOf([...safe, "\n"]);
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** The bytes of texts. */
export function* bytesOf(texts: Iterable<string>): Generator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
