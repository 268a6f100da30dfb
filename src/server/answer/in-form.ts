/**
 * Answers as bytes: compact or indented JSON, YAML, protobuf.
 *
 * @module
 */
import { PROTOBUF, STATUS, encodeAnswer } from "../../wire/protobuf/index.ts";
import type { Value } from "../../value/value.ts";
import { decodeOwnJson } from "../../value/json.ts";
import { encodeYaml } from "../../value/yaml-encode.ts";
import { indentJson } from "./indent-json.ts";
import type { Format } from "./negotiate.ts";

/** The Content-Type of an answer in a form. */
export const contentType = (format: Format): string => CONTENT_TYPES[format.media];

const CONTENT_TYPES = { json: "application/json", yaml: "application/yaml", protobuf: PROTOBUF } as const;

const NEWLINE = 10;
/** Up to here a copy is cheaper than a second piece. */
const COPY = 16_384;
const LINE_END: Uint8Array = Buffer.from("\n");

/** Bytes of JSON, that end without a line, in the form of an answer. */
export function jsonInForm(bytes: Uint8Array, format: Format): Uint8Array | readonly Uint8Array[] {
  if (format.media === "yaml") return Buffer.from(encodeYaml(decodeOwnJson(bytes)));
  if (format.media === "protobuf") return encodeAnswer(decodeOwnJson(bytes) as object, format.kind ?? STATUS);
  if (format.pretty) return indentJson(bytes);
  if (bytes.length > COPY) return [bytes, LINE_END];
  const line = Buffer.allocUnsafe(bytes.length + 1);
  line.set(bytes);
  line[bytes.length] = NEWLINE;
  return line;
}

/** A value in the form of an answer. */
export function valueInForm(value: unknown, format: Format): Buffer {
  if (format.media === "yaml") return Buffer.from(encodeYaml(value as Value));
  if (format.media === "protobuf") return encodeAnswer(value as object, format.kind ?? STATUS);
  return Buffer.from(format.pretty ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`);
}
