/**
 * The thread that decodes large YAML documents: bytes in, JSON text out. See `yaml-worker.ts`.
 *
 * @module
 */
import { parentPort } from "node:worker_threads";
import { DecodeError } from "../../value/decode-error.ts";
import { type YamlOptions, decodeYaml } from "../../value/yaml.ts";

/** A document to decode. */
export interface YamlTask {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly options: YamlOptions;
}

/** What became of it: the JSON text of its value, or why there is none. */
export type YamlReply =
  | { readonly id: number; readonly json: Uint8Array; readonly duplicates: readonly string[] }
  | { readonly id: number; readonly code: DecodeError["code"]; readonly message: string };

parentPort?.on("message", ({ id, bytes, options }: YamlTask) => {
  parentPort!.postMessage(decode(id, bytes, options));
});

function decode(id: number, bytes: Uint8Array, options: YamlOptions): YamlReply {
  try {
    const { value, duplicates } = decodeYaml(bytes, options);
    return { id, json: new TextEncoder().encode(JSON.stringify(value)), duplicates };
  } catch (error) {
    if (error instanceof DecodeError) return { id, code: error.code, message: error.message };
    return { id, code: "malformed", message: "Expected a YAML document, got one that cannot be read" };
  }
}
