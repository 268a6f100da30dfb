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
  const bytes = rawBytes(text);
  return bytes && isMapped(bytes) ? bytes.slice(12) : bytes;
}

/** The network of a text as it was always read; undefined for what is none. */
export function networkOf(text: string): Network | undefined {
  const slash = text.lastIndexOf("/");
  const bits = slash < 0 ? undefined : shortNumber(text, slash + 1);
  const raw = bits === undefined ? undefined : rawBytes(text.slice(0, slash));
  if (bits === undefined || !raw || bits > raw.length * 8) return undefined;
  return isMapped(raw) && bits >= 96 ? { bytes: raw.slice(12), bits: bits - 96 } : { bytes: raw, bits };
}

/** The family of an address that was read. */
export const familyOf = (bytes: readonly number[]): IpFamily => (bytes.length === 4 ? "IPv4" : "IPv6");

/** The one right way to write an address (RFC 5952). */
export function addressText(bytes: readonly number[]): string {
  if (bytes.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  const groups = groupsOf(bytes);
  const [start, end] = longestZeros(groups);
  let text = "";
  for (let i = 0; i < GROUPS; i++) {
    if (i === start) text += "::";
    if (i >= start && i < end) continue;
    text += (i === 0 || i === end ? "" : ":") + groups[i]!.toString(16);
  }
  return text;
}

const GROUPS = 8;

const groupsOf = (bytes: readonly number[]): readonly number[] =>
  Array.from({ length: GROUPS }, (_, i) => (bytes[2 * i]! << 8) | bytes[2 * i + 1]!);

/** Where the first of the longest runs of at least two zeros begins and ends; both -1 without one. */
function longestZeros(groups: readonly number[]): [start: number, end: number] {
  let [start, length] = [-1, 1];
  for (let i = 0; i < GROUPS; i++) {
    const from = i;
    while (i < GROUPS && groups[i] === 0) i++;
    if (i - from > length) [start, length] = [from, i - from];
  }
  return start < 0 ? [-1, -1] : [start, start + length];
}

/** The first address of a network: the bits of the host are zero. */
export const firstOf = ({ bytes, bits }: Network): readonly number[] =>
  bytes.map((byte, i) => byte & ((0xff << Math.max(0, Math.min(8, 8 - (bits - i * 8)))) & 0xff));

/** The one right way to write a network: without bits of the host. */
export const networkText = (network: Network): string => `${addressText(firstOf(network))}/${network.bits}`;

/** Whether a network is a part of another one, and not all of it. */
export const isPartOf = (part: Network, whole: Network): boolean =>
  part.bytes.length === whole.bytes.length &&
  part.bits > whole.bits &&
  firstOf({ bytes: part.bytes, bits: whole.bits }).every((byte, i) => byte === firstOf(whole)[i]);

/** What is wrong with an address that must be in its standard form; undefined when nothing is. */
export function wrongAddress(text: string): string | undefined {
  const bytes = addressBytes(text);
  if (!bytes) return "expected an IP address (such as 10.9.8.7 or 2001:db8::ffff)";
  const right = addressText(bytes);
  return right === text ? undefined : (formOfOld(text) ?? `expected it to be written as ${right}`);
}

/** What is wrong with an address where the forms of old are taken; undefined when nothing is. */
export const wrongOldAddress = (text: string): string | undefined =>
  addressBytes(text) ? undefined : "expected an IP address (such as 10.9.8.7 or 2001:db8::ffff)";

/** What is wrong with a network that must be in its standard form; undefined when nothing is. */
export function wrongNetwork(text: string): string | undefined {
  const network = networkOf(text);
  if (!network) return "expected a network (such as 10.9.8.0/24 or 2001:db8::/64)";
  const right = networkText(network);
  if (right === text) return undefined;
  if (hasHostBits(network)) return "expected no bits set beyond the prefix";
  return networkFormOfOld(text) ?? `expected it to be written as ${right}`;
}

/** What is wrong with a network where the forms of old are taken; undefined when nothing is. */
export const wrongOldNetwork = (text: string): string | undefined =>
  networkOf(text) ? undefined : "expected a network (such as 10.9.8.0/24 or 2001:db8::/64)";

/** Warnings about an address that is taken though it is not in its standard form. */
export function* oddAddress(field: string, text: string): Generator<string> {
  const bytes = addressBytes(text);
  if (!bytes) return;
  const right = addressText(bytes);
  if (right === text) return;
  if (formOfOld(text)) yield `${field}: the form of the address "${text}" is deprecated, use "${right}"`;
  else yield `${field}: the address "${text}" should be written as "${right}" (RFC 5952)`;
}

/** The same about a network. */
export function* oddNetwork(field: string, text: string): Generator<string> {
  const network = networkOf(text);
  if (!network) return;
  const right = networkText(network);
  if (right === text) return;
  const [isAmbiguous, isOfOld] = [hasHostBits(network), networkFormOfOld(text) !== undefined];
  if (isAmbiguous) {
    const host = `${addressText(network.bytes)}/${network.bytes.length * 8}`;
    yield `${field}: "${text}" may mean the network "${right}" or the address "${host}", write which`;
  }
  if (isOfOld) yield `${field}: the form of the network "${text}" is deprecated, use "${right}"`;
  if (!isAmbiguous && !isOfOld) {
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

const rawBytes = (text: string): readonly number[] | undefined => (text.includes(":") ? bytes6(text) : bytes4(text));

/** The value of a character as a digit, -1 for one that is none. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

/** The number that the last one to three decimal digits of a text are. */
function shortNumber(text: string, from: number): number | undefined {
  if (from === text.length || text.length - from > 3) return undefined;
  let value = 0;
  for (let i = from; i < text.length; i++) {
    const digit = digitAt(text, i);
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

function bytes4(text: string, from = 0): readonly number[] | undefined {
  const bytes: number[] = [];
  let value = -1;
  for (let i = from; i <= text.length; i++) {
    const digit = digitAt(text, i);
    if (digit >= 0) {
      value = Math.max(value, 0) * 10 + digit;
      if (digit > 9 || value > 255) return undefined;
      continue;
    }
    if (value < 0 || bytes.length === 4 || (i < text.length && text[i] !== ".")) return undefined;
    bytes.push(value);
    value = -1;
  }
  return bytes.length === 4 ? bytes : undefined;
}

function bytes6(text: string): readonly number[] | undefined {
  const bytes: number[] = [];
  let gap = text.startsWith("::") ? 0 : -1;
  for (let i = gap === 0 ? 2 : 0; i < text.length;) {
    const from = i;
    let value = 0;
    for (let digit = digitAt(text, i); digit >= 0 && i - from <= 4; digit = digitAt(text, ++i)) {
      value = value * 16 + digit;
    }
    if (text[i] === ".") {
      const four = bytes4(text, from);
      if (!four) return undefined;
      bytes.push(...four);
      break;
    }
    if (i === from || i - from > 4 || bytes.length === 16) return undefined;
    bytes.push(value >> 8, value & 0xff);
    if (i === text.length) break;
    if (text[i++] !== ":") return undefined;
    if (i === text.length) return undefined;
    if (text[i] !== ":") continue;
    if (gap >= 0) return undefined;
    gap = bytes.length;
    i++;
  }
  if (gap < 0) return bytes.length === 16 ? bytes : undefined;
  if (bytes.length > 14) return undefined;
  return [...bytes.slice(0, gap), ...Array<number>(16 - bytes.length).fill(0), ...bytes.slice(gap)];
}
