/**
 * Decodes a YAML document in a thread: bytes in, JSON text out. See `large-yaml.ts`.
 *
 * @module
 */
import { DecodeError, type Decoded } from "../../value/decode-error.ts";
import { type YamlOptions, decodeYaml } from "../../value/yaml.ts";

/** A document to decode. */
export interface YamlTask {
  readonly bytes: Uint8Array;
  readonly options: YamlOptions;
}

/** The JSON text of its value, or why there is none. */
export type YamlReply =
  | { readonly json: Uint8Array; readonly rest: Omit<Decoded, "value"> }
  | { readonly code: DecodeError["code"]; readonly message: string };

/** Decodes a document. */
export function run({ bytes, options }: YamlTask): YamlReply {
  try {
    const { value, ...rest } = decodeYaml(bytes, options);
    return { json: new TextEncoder().encode(JSON.stringify(value)), rest };
  } catch (error) {
    if (error instanceof DecodeError) return { code: error.code, message: error.message };
    return { code: "malformed", message: "Expected a YAML document, got one that cannot be read" };
  }
}
