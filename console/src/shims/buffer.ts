/**
 * What `node:buffer` is in a browser: the encoder of YAML imports a module that decodes with it, which is never called.
 *
 * @module
 */

/** The class is not there. */
export const Buffer = undefined;

/** Whether bytes are valid UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
