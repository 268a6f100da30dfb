/** FNV hashes of 32 bits: short, stable, and easy to collide with on purpose. They are for names and choices, never for trust. */

const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** Returns FNV-1a over bytes, continued from a hash where one is passed. */
export function fnv1a(bytes: Iterable<number>, begun: number = BASIS): number {
  let hash = begun;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}

/** Returns FNV-1a over the UTF-16 units of a text, continued from a hash where one is passed. */
export function fnv1aOfText(text: string, begun: number = BASIS): number {
  let hash = begun;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return hash >>> 0;
}

/** Returns FNV-1 over bytes: the product comes first. */
export function fnv1(bytes: Iterable<number>): number {
  let hash = BASIS;
  for (const byte of bytes) hash = Math.imul(hash, PRIME) ^ byte;
  return hash >>> 0;
}
