/**
 * Addresses and networks of the Internet, as objects write them: read as they always were (zeros in front, an IPv4 address in
 * IPv6 form, bits of the host), and judged by what they should look like today (KIND-All-22).
 *
 * @module
 */

/** The two families, as objects name them. */
export type IpFamily = "IPv4" | "IPv6";

/** A network: where it begins, and how many bits of its addresses are those of its first. */
export interface Network {
  /** The address that was written: 4 bytes or 16, with bits of the host where there are any. */
  readonly bytes: readonly number[];
  readonly bits: number;
}

/** The bytes of an address as it was always read: 4, also of one in IPv6 form, or 16. Undefined for what is none. */
export function addressBytes(text: string): readonly number[] | undefined {
  const bytes = text.includes(":") ? bytes6(text) : bytes4(text);
  return bytes && isMapped(bytes) ? bytes.slice(12) : bytes;
}

/** The network of a text as it was always read; undefined for what is none. */
export function networkOf(text: string): Network | undefined {
  const [, address, digits] = /^(.*)\/(\d{1,3})$/s.exec(text) ?? [];
  const raw = address === undefined ? undefined : address.includes(":") ? bytes6(address) : bytes4(address);
  const bits = Number(digits);
  if (!raw || bits > raw.length * 8) return undefined;
  return isMapped(raw) && bits >= 96 ? { bytes: raw.slice(12), bits: bits - 96 } : { bytes: raw, bits };
}

/** The family of an address that was read. */
export const familyOf = (bytes: readonly number[]): IpFamily => (bytes.length === 4 ? "IPv4" : "IPv6");

/** The one right way to write an address (RFC 5952). */
export function addressText(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[2 * i]! << 8) | bytes[2 * i + 1]!);
  let [start, length] = [-1, 1];
  for (let i = 0; i < 8; i++) {
    let run = 0;
    while (i + run < 8 && groups[i + run] === 0) run++;
    if (run > length) [start, length] = [i, run];
  }
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(":");
  return start < 0 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

/** The first address of a network: the bits of the host are zero. */
export const firstOf = ({ bytes, bits }: Network): readonly number[] =>
  bytes.map((byte, i) => byte & ((0xff << Math.max(0, Math.min(8, 8 - (bits - i * 8)))) & 0xff));

/** The one right way to write a network: without bits of the host. */
export const networkText = (network: Network): string => `${addressText(firstOf(network))}/${network.bits}`;

/** What is wrong with an address that must be in its standard form; undefined when nothing is. */
export function wrongAddress(text: string): string | undefined {
  const bytes = addressBytes(text);
  if (!bytes) return "expected an IP address (such as 10.9.8.7 or 2001:db8::ffff)";
  const right = addressText(bytes);
  return formOfOld(text) ?? (right === text ? undefined : `expected it to be written as ${right}`);
}

/** What is wrong with an address where the forms of old are taken; undefined when nothing is. */
export const wrongOldAddress = (text: string): string | undefined =>
  addressBytes(text) ? undefined : "expected an IP address (such as 10.9.8.7 or 2001:db8::ffff)";

/** What is wrong with a network that must be in its standard form; undefined when nothing is. */
export function wrongNetwork(text: string): string | undefined {
  const network = networkOf(text);
  if (!network) return "expected a network (such as 10.9.8.0/24 or 2001:db8::/64)";
  if (hasHostBits(network)) return "expected no bits set beyond the prefix";
  const right = networkText(network);
  return networkFormOfOld(text) ?? (right === text ? undefined : `expected it to be written as ${right}`);
}

/** What is wrong with a network where the forms of old are taken; undefined when nothing is. */
export const wrongOldNetwork = (text: string): string | undefined =>
  networkOf(text) ? undefined : "expected a network (such as 10.9.8.0/24 or 2001:db8::/64)";

/** Warnings about an address that is taken though it is not in its standard form. */
export function* oddAddress(field: string, text: string): Generator<string> {
  const bytes = addressBytes(text);
  if (!bytes) return;
  const right = addressText(bytes);
  if (formOfOld(text)) yield `${field}: the form of the address "${text}" is deprecated, use "${right}"`;
  else if (right !== text) yield `${field}: the address "${text}" should be written as "${right}" (RFC 5952)`;
}

/** The same about a network. */
export function* oddNetwork(field: string, text: string): Generator<string> {
  const network = networkOf(text);
  if (!network) return;
  const right = networkText(network);
  const [isAmbiguous, isOfOld] = [hasHostBits(network), networkFormOfOld(text) !== undefined];
  if (isAmbiguous) {
    const host = `${addressText(network.bytes)}/${network.bytes.length * 8}`;
    yield `${field}: "${text}" may mean the network "${right}" or the address "${host}", write which`;
  }
  if (isOfOld) yield `${field}: the form of the network "${text}" is deprecated, use "${right}"`;
  if (!isAmbiguous && !isOfOld && right !== text) {
    yield `${field}: the network "${text}" should be written as "${right}" (RFC 5952)`;
  }
}

/** What is old about the form of an address; undefined where everybody reads it in the same way. */
function formOfOld(text: string): string | undefined {
  if (text.includes(":") && isMapped(bytes6(text) ?? [])) return "expected no IPv4 address in IPv6 form";
  return hasZerosInFront(text) ? "expected no zeros in front" : undefined;
}

const networkFormOfOld = (text: string): string | undefined =>
  /\/0\d/.test(text)
    ? "expected no zeros in front of the number of bits"
    : formOfOld(text.slice(0, text.lastIndexOf("/")));

const hasHostBits = (network: Network): boolean => firstOf(network).some((byte, i) => byte !== network.bytes[i]);

/** What makes an address unfit as one that others reach (loopback and the like); undefined when nothing does. */
export function unreachable(bytes: readonly number[]): string | undefined {
  const isSix = bytes.length === 16;
  const allZero = (part: readonly number[]): boolean => part.every((byte) => byte === 0);
  if (allZero(bytes)) return "expected an address that is not unspecified";
  if (isSix ? allZero(bytes.slice(0, 15)) && bytes[15] === 1 : bytes[0] === 127) {
    return "expected an address outside of the loopback range";
  }
  if (isSix ? bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80 : bytes[0] === 169 && bytes[1] === 254) {
    return "expected an address outside of the link-local range";
  }
  const isLocalGroup = isSix
    ? bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2
    : bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return isLocalGroup ? "expected an address outside of the link-local multicast range" : undefined;
}

const isMapped = (bytes: readonly number[]): boolean =>
  bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;

/** Whether a part of four in a dotted address has a zero before its number. */
const hasZerosInFront = (text: string): boolean => /(?:^|[.:])0\d+\.|\.0\d+$/.test(text);

function bytes4(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d+$/.test(part) && part.length < 20)) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function bytes6(text: string): readonly number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2 || text.length > 64) return undefined;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1)!;
  const four = last.at(-1)?.includes(".") ? bytes4(last.pop()!) : undefined;
  if (text.includes(".") && !four) return undefined;
  if (!groups.flat().every((group) => /^[\da-fA-F]{1,4}$/.test(group))) return undefined;
  const wide = groups.map((half) =>
    half.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]),
  );
  const tail = [...wide.at(-1)!, ...(four ?? [])];
  if (halves.length === 1) return tail.length === 16 ? tail : undefined;
  const missing = 16 - wide[0]!.length - tail.length;
  return missing < 2 ? undefined : [...wide[0]!, ...Array<number>(missing).fill(0), ...tail];
}
