/**
 * IP addresses and networks in objects: parsed in all forms that Kubernetes ever accepted (leading zeros, an IPv4 address in
 * IPv6 form, bits of the host), and validated against the canonical form (KIND-All-22).
 *
 * @module
 */

/** The two address families, as in objects. */
export type IpFamily = "IPv4" | "IPv6";

/** A network: an address and the length of its prefix. */
export interface Network {
  /** The address of the text: 4 bytes or 16, with bits of the host where there are any. */
  readonly bytes: readonly number[];
  readonly bits: number;
}

/** The bytes of an address in any accepted form: 4, also of one in IPv6 form, or 16. Undefined for other texts. */
export function addressBytes(text: string): readonly number[] | undefined {
  const bytes = rawBytes(text);
  return bytes && isMapped(bytes) ? bytes.slice(12) : bytes;
}

/** The network of a text in any accepted form; undefined for other texts. */
export function networkOf(text: string): Network | undefined {
  const slash = text.lastIndexOf("/");
  const bits = slash < 0 ? undefined : shortNumber(text, slash + 1);
  const raw = bits === undefined ? undefined : rawBytes(text.slice(0, slash));
  if (bits === undefined || !raw || bits > raw.length * 8) return undefined;
  return isMapped(raw) && bits >= 96 ? { bytes: raw.slice(12), bits: bits - 96 } : { bytes: raw, bits };
}

/** The family of an address. */
export const familyOf = (bytes: readonly number[]): IpFamily => (bytes.length === 4 ? "IPv4" : "IPv6");

/** The canonical text of an address (RFC 5952). */
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

/** The start and end of the first longest run of at least two zeros; both -1 without one. */
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
export const networkAddress = ({ bytes, bits }: Network): readonly number[] =>
  bytes.map((byte, i) => byte & ((0xff << Math.max(0, Math.min(8, 8 - (bits - i * 8)))) & 0xff));

/** The canonical text of a network: without bits of the host. */
export const networkText = (network: Network): string => `${addressText(networkAddress(network))}/${network.bits}`;

/** Whether a network is a real part of another one. */
export const isSubnetOf = (part: Network, whole: Network): boolean =>
  part.bytes.length === whole.bytes.length &&
  part.bits > whole.bits &&
  networkAddress({ bytes: part.bytes, bits: whole.bits }).every((byte, i) => byte === networkAddress(whole)[i]);

/** What is wrong with an address that must be in its canonical form; undefined when nothing is. */
export function addressFault(text: string): string | undefined {
  const bytes = addressBytes(text);
  if (!bytes) return NO_ADDRESS;
  const canonical = addressText(bytes);
  return canonical === text ? undefined : (legacyForm(text) ?? `must be in canonical form ("${canonical}")`);
}

const NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const NO_NETWORK = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** What is wrong with an address that may have a legacy form; undefined when nothing is. */
export const legacyAddressFault = (text: string): string | undefined => (addressBytes(text) ? undefined : NO_ADDRESS);

/** What is wrong with a network that must be in its canonical form; undefined when nothing is. */
export function networkFault(text: string): string | undefined {
  const network = networkOf(text);
  if (!network) return NO_NETWORK;
  const canonical = networkText(network);
  if (canonical === text) return undefined;
  const legacy = legacyNetworkForm(text);
  if (legacy !== undefined) return legacy;
  if (hasHostBits(network)) return "must not have bits set beyond the prefix length";
  return `must be in canonical form ("${canonical}")`;
}

/** What is wrong with a network that may have a legacy form; undefined when nothing is. */
export const legacyNetworkFault = (text: string): string | undefined => (networkOf(text) ? undefined : NO_NETWORK);

/** Warnings about an accepted address that is not in its canonical form. */
export function* addressWarnings(field: string, text: string): Generator<string> {
  const bytes = addressBytes(text);
  if (!bytes) return;
  const canonical = addressText(bytes);
  if (canonical === text) return;
  yield legacyForm(text)
    ? `${field}: non-standard IP address "${text}" will be considered invalid in a future Kubernetes release: use "${canonical}"`
    : `${field}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${canonical}")`;
}

/** Warnings about an accepted network that is not in its canonical form. */
export function* networkWarnings(field: string, text: string): Generator<string> {
  const network = networkOf(text);
  if (!network) return;
  const canonical = networkText(network);
  if (canonical === text) return;
  const [isAmbiguous, isLegacy] = [hasHostBits(network), legacyNetworkForm(text) !== undefined];
  if (isAmbiguous) {
    const host = `${addressText(network.bytes)}/${network.bytes.length * 8}`;
    yield `${field}: CIDR value "${text}" is ambiguous in this context (should be "${canonical}" or "${host}"?)`;
  }
  if (isLegacy) {
    yield `${field}: non-standard CIDR value "${text}" will be considered invalid in a future Kubernetes release: use "${canonical}"`;
  }
  if (!isAmbiguous && !isLegacy) {
    yield `${field}: IPv6 CIDR value "${text}" should be in RFC 5952 canonical format ("${canonical}")`;
  }
}

/** What is wrong with the legacy form of an address, which other programs may read differently; undefined for other forms. */
function legacyForm(text: string): string | undefined {
  if (text.includes(":") && isMapped(bytes6(text) ?? [])) return "must not be an IPv4-mapped IPv6 address";
  return hasLeadingZeros(text) ? "must not have leading 0s" : undefined;
}

function legacyNetworkForm(text: string): string | undefined {
  const address = text.slice(0, text.lastIndexOf("/"));
  if (/\/0\d/.test(text) || hasLeadingZeros(address)) return "must not have leading 0s in IP or prefix length";
  return legacyForm(address) === undefined ? undefined : "must not have an IPv4-mapped IPv6 address";
}

const hasHostBits = (network: Network): boolean => networkAddress(network).some((byte, i) => byte !== network.bytes[i]);

/** Why an address cannot be that of an endpoint (loopback and the like); undefined when it can. */
export function specialAddressFault(bytes: readonly number[]): string | undefined {
  const isSix = bytes.length === 16;
  const allZero = (part: readonly number[]): boolean => part.every((byte) => byte === 0);
  if (allZero(bytes)) return "may not be unspecified (0.0.0.0 or ::)";
  if (isSix ? allZero(bytes.slice(0, 15)) && bytes[15] === 1 : bytes[0] === 127) {
    return "may not be in the loopback range (127.0.0.0/8, ::1/128)";
  }
  if (isSix ? bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80 : bytes[0] === 169 && bytes[1] === 254) {
    return "may not be in the link-local range (169.254.0.0/16, fe80::/10)";
  }
  const isLocalGroup = isSix
    ? bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2
    : bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return isLocalGroup ? "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)" : undefined;
}

const isMapped = (bytes: readonly number[]): boolean =>
  bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;

/** Whether a number of a dotted address has a leading zero. */
const hasLeadingZeros = (text: string): boolean => /(?:^|[.:])0\d+\.|\.0\d+$/.test(text);

const rawBytes = (text: string): readonly number[] | undefined => (text.includes(":") ? bytes6(text) : bytes4(text));

/** The value of a hexadecimal digit, -1 for other characters. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

/** The number of one to three decimal digits at the end of a text. */
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
