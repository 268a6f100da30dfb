/**
 * Addresses and networks of the Internet (CEL-21, CEL-22).
 *
 * @module
 */
import { Failure, Opaque, type Value } from "../values.ts";
import { ONE, WALK, walk } from "./costs.ts";
import { type Cost, type Overload, fn } from "./contract.ts";
import { type Range, add, exactly, times } from "../range.ts";

/** An address: 4 bytes or 16. */
export class Address extends Opaque {
  readonly typeName = "net.IP";
  readonly bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
  }

  get size(): number {
    return Math.ceil(this.bytes.length);
  }

  equals(other: Opaque): boolean {
    return other instanceof Address && this.text === other.text;
  }

  get text(): string {
    return this.bytes.length === 4 ? this.bytes.join(".") : text6(this.bytes);
  }
}

/** A network: an address and how many bits of it count. */
export class Network extends Opaque {
  readonly typeName = "net.CIDR";
  readonly address: Address;
  readonly bits: number;

  constructor(address: Address, bits: number) {
    super();
    this.address = address;
    this.bits = bits;
  }

  get size(): number {
    return Math.ceil(this.bits / 8);
  }

  equals(other: Opaque): boolean {
    return other instanceof Network && this.bits === other.bits && this.address.equals(other.address);
  }

  get text(): string {
    return `${this.address.text}/${this.bits}`;
  }

  get masked(): Network {
    return new Network(new Address(maskedBytes(this.address.bytes, this.bits)), this.bits);
  }

  holds(address: Address): boolean {
    if (address.bytes.length !== this.address.bytes.length) return false;
    const [own, other] = [maskedBytes(this.address.bytes, this.bits), maskedBytes(address.bytes, this.bits)];
    return own.every((byte, i) => byte === other[i]);
  }
}

const maskedBytes = (bytes: readonly number[], bits: number): number[] =>
  bytes.map((byte, i) => byte & ((0xff << Math.max(0, Math.min(8, 8 - (bits - i * 8)))) & 0xff));

/** RFC 5952: the longest run of zeros is left out. */
function text6(bytes: readonly number[]): string {
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

const OCTET = /^(?:0|[1-9]\d{0,2})$/;

function bytes4(text: string): number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => OCTET.test(part) && Number(part) < 256)) return undefined;
  return parts.map(Number);
}

function bytes6(text: string): number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1)!;
  const four = last.at(-1)?.includes(".") ? bytes4(last.pop()!) : undefined;
  if (/\./.test(groups.flat().join(":"))) return undefined;
  if (!groups.flat().every((group) => /^[\da-fA-F]{1,4}$/.test(group))) return undefined;
  const wide = groups.map((half) =>
    half.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]),
  );
  const tail = [...wide.at(-1)!, ...(four ?? [])];
  if (text.includes(".") && !four) return undefined;
  if (halves.length === 1) return tail.length === 16 ? tail : undefined;
  const missing = 16 - wide[0]!.length - tail.length;
  return missing < 2 ? undefined : [...wide[0]!, ...Array.from({ length: missing }, () => 0), ...tail];
}

/** An address, or why a text is none. */
export function addressIn(text: string): Address | Failure {
  const shown = JSON.stringify(text);
  const plain = text.replace(/%.*$/s, "");
  const bytes = plain.includes(":") ? bytes6(plain) : bytes4(plain);
  if (!bytes || (text !== plain && bytes.length === 4)) {
    return new Failure(
      `IP Address ${shown} parse error during conversion from string: ParseAddr(${shown}): ${whyNone(text)}`,
    );
  }
  if (text !== plain) return new Failure(`IP address ${shown} with zone value is not allowed`);
  if (isMapped(bytes)) return new Failure(`IPv4-mapped IPv6 address ${shown} is not allowed`);
  return new Address(bytes);
}

const isMapped = (bytes: readonly number[]): boolean =>
  bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;

/** What is wrong with the form of an address. */
function whyNone(text: string): string {
  if (text.includes(":")) return "unexpected character";
  if (!text.includes(".")) return "unable to parse IP";
  const parts = text.split(".");
  if (parts.some((part) => /^0\d/.test(part))) return "IPv4 field has octet with leading zero";
  if (parts.some((part) => /^\d+$/.test(part) && Number(part) > 255)) return "IPv4 field has value >255";
  if (parts.length < 4) return "IPv4 address too short";
  return parts.length > 4 ? "IPv4 address too long" : "unexpected character";
}

/** A network, or why a text is none. */
export function networkIn(text: string): Network | Failure {
  const shown = JSON.stringify(text);
  const fail = (why: string): Failure =>
    new Failure(
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${shown}): ${why}`,
    );
  const slash = text.lastIndexOf("/");
  if (slash < 0) return fail("no '/'");
  const [part, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  const plain = part.replace(/%.*$/s, "");
  const bytes = plain.includes(":") ? bytes6(plain) : bytes4(plain);
  if (!bytes) return fail(`ParseAddr(${JSON.stringify(part)}): ${whyNone(part)}`);
  if (plain !== part) return fail("IPv6 zones cannot be present in a prefix");
  if (!/^(?:0|[1-9]\d*)$/.test(bits)) return fail(`bad bits after slash: ${JSON.stringify(bits)}`);
  if (Number(bits) > bytes.length * 8) return fail("prefix length out of range");
  if (isMapped(bytes)) return new Failure(`IPv4-mapped IPv6 address ${JSON.stringify(part)} is not allowed`);
  return new Network(new Address(bytes), Number(bits));
}

const starts = (bytes: readonly number[], ...with_: number[]): boolean => with_.every((byte, i) => bytes[i] === byte);

const isUnspecified = ({ bytes }: Address): boolean => bytes.every((byte) => byte === 0);
const isLoopback = ({ bytes }: Address): boolean =>
  bytes.length === 4 ? bytes[0] === 127 : bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
const isLinkLocalMulticast = ({ bytes }: Address): boolean =>
  bytes.length === 4 ? starts(bytes, 224, 0, 0) : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2;
const isLinkLocalUnicast = ({ bytes }: Address): boolean =>
  bytes.length === 4 ? starts(bytes, 169, 254) : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
const isMulticast = ({ bytes }: Address): boolean =>
  bytes.length === 4 ? (bytes[0]! & 0xf0) === 224 : bytes[0] === 0xff;

function isGlobalUnicast(address: Address): boolean {
  const isBroadcast = address.bytes.length === 4 && address.bytes.every((byte) => byte === 255);
  return (
    !isBroadcast &&
    !isUnspecified(address) &&
    !isLoopback(address) &&
    !isMulticast(address) &&
    !isLinkLocalUnicast(address)
  );
}

const onText = (text: string, run: (address: Address) => Value): Value => {
  const address = addressIn(text);
  return address instanceof Failure ? address : run(address);
};

const holdsNetwork = (network: Network, other: Network): boolean =>
  network.bits <= other.bits && network.holds(other.address);

const ADDRESS: Range = { min: 4n, max: 16n };
const sizeOfOpaque = (value: Value): number => (value instanceof Address || value instanceof Network ? value.size : 1);

/** Comparing the bytes of a network with those of an address, or of another network; a text has to be read before. */
const holding = (isNetwork: boolean, isText: boolean): Cost => ({
  byName: true,
  estimate: (at, _target, args) => {
    let cost = times(add(ADDRESS, ADDRESS), WALK);
    if (isNetwork) cost = add(add(cost, times(ADDRESS, WALK)), exactly(1));
    if (isText) cost = add(cost, times(at.size(args[0]!), WALK));
    return { cost };
  },
  spend: ([network, other]) => {
    const size = sizeOfOpaque(network!);
    let cost = Math.ceil(2 * size * WALK);
    if (isNetwork) cost += Math.ceil(size * WALK) + 1;
    if (isText) cost += Math.ceil((typeof other === "string" ? Array.from(other).length : 1) * WALK);
    return cost;
  },
});

const WALKED = walk(WALK);

/** Functions on addresses and networks. */
export const ADDRESSES: readonly Overload[] = [
  fn("isIP(string): bool", (text: string) => addressIn(text) instanceof Address, WALKED),
  fn("ip(string): IP", addressIn, WALKED),
  fn(
    "|ip.isCanonical(string): bool",
    (text: string) => onText(text, (address) => address.text === text),
    walk(2 * WALK),
  ),
  fn("string(IP): string", (address: Address) => address.text),
  fn("IP.family(): int", (address: Address) => (address.bytes.length === 4 ? 4n : 6n), ONE),
  fn("IP.isUnspecified(): bool", isUnspecified, ONE),
  fn("IP.isLoopback(): bool", isLoopback, ONE),
  fn("IP.isLinkLocalMulticast(): bool", isLinkLocalMulticast, ONE),
  fn("IP.isLinkLocalUnicast(): bool", isLinkLocalUnicast, ONE),
  fn("IP.isGlobalUnicast(): bool", isGlobalUnicast, ONE),
  fn("isCIDR(string): bool", (text: string) => networkIn(text) instanceof Network, WALKED),
  fn("cidr(string): CIDR", networkIn, WALKED),
  fn("string(CIDR): string", (network: Network) => network.text),
  fn(
    "CIDR.containsIP(string): bool",
    (network: Network, text: string) => onText(text, (one) => network.holds(one)),
    holding(false, true),
  ),
  fn(
    "CIDR.containsIP(IP): bool",
    (network: Network, address: Address) => network.holds(address),
    holding(false, false),
  ),
  fn(
    "CIDR.containsCIDR(string): bool",
    (network: Network, text: string) => {
      const other = networkIn(text);
      return other instanceof Failure ? other : holdsNetwork(network, other);
    },
    holding(true, true),
  ),
  fn("CIDR.containsCIDR(CIDR): bool", holdsNetwork, holding(true, false)),
  fn("CIDR.ip(): IP", (network: Network) => network.address, ONE),
  fn("CIDR.masked(): CIDR", (network: Network) => network.masked, ONE),
  fn("CIDR.prefixLength(): int", (network: Network) => BigInt(network.bits), ONE),
];
