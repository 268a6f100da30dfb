/**
 * The libraries of IP addresses and CIDR networks (CEL-21, CEL-22).
 *
 * @module
 */
import { parseGoAddress, parseGoPrefix } from "../../util/go-address.ts";
import { goQuoted } from "../../util/go-quote.ts";
import { Failure, Opaque, type Value } from "../values.ts";
import { ONE, WALK, walk } from "./costs.ts";
import { type Cost, type Overload, fn } from "./contract.ts";
import { NO_OVERLOAD } from "./standard.ts";
import { type Range, add, exactly, times } from "../range.ts";

/** An IP address of 4 or 16 bytes. */
export class Address extends Opaque {
  readonly typeName = "net.IP";
  readonly bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
  }

  get size(): number {
    return this.bytes.length;
  }

  equals(other: Opaque): boolean {
    return other instanceof Address && this.text === other.text;
  }

  get text(): string {
    return this.bytes.length === 4 ? this.bytes.join(".") : text6(this.bytes);
  }
}

/** A CIDR network: an address and the length of its prefix. */
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

  contains(address: Address): boolean {
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

/** Parses an address. */
export function addressIn(text: string): Address | Failure {
  const found = parseGoAddress(text);
  if (typeof found === "string") {
    return new Failure(`IP Address ${goQuoted(text)} parse error during conversion from string: ${found}`);
  }
  if (found.zone !== "") return new Failure(`IP address ${goQuoted(text)} with zone value is not allowed`);
  return isMapped(found.bytes) ? mapped(text) : new Address(found.bytes);
}

const isMapped = (bytes: readonly number[]): boolean =>
  bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;

const mapped = (text: string): Failure => new Failure(`IPv4-mapped IPv6 address ${goQuoted(text)} is not allowed`);

const PARSE_ERROR = "network address parse error during conversion from string: ";

/** Parses a network. */
export function networkIn(text: string): Network | Failure {
  const found = parseGoPrefix(text);
  if (typeof found === "string") return new Failure(`${PARSE_ERROR}${PARSE_ERROR}${found}`);
  if (isMapped(found.bytes)) return new Failure(`${PARSE_ERROR}${mapped(text).message}`);
  return new Network(new Address(found.bytes), found.bits);
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

const containsNetwork = (network: Network, other: Network): boolean =>
  network.bits <= other.bits && network.contains(other.address);

const ADDRESS: Range = { min: 4n, max: 16n };
const sizeOfOpaque = (value: Value): number => (value instanceof Address || value instanceof Network ? value.size : 1);

/** The cost of comparing the bytes of a network with those of an address or a network, which a text is parsed to. */
const containing = (isNetwork: boolean, isText: boolean): Cost => ({
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
export const ADDRESS_FUNCTIONS: readonly Overload[] = [
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
    (network: Network, text: string) => {
      const address = addressIn(text);
      return address instanceof Failure ? NO_OVERLOAD : network.contains(address);
    },
    containing(false, true),
  ),
  fn(
    "CIDR.containsIP(IP): bool",
    (network: Network, address: Address) => network.contains(address),
    containing(false, false),
  ),
  fn(
    "CIDR.containsCIDR(string): bool",
    (network: Network, text: string) => {
      const other = networkIn(text);
      return other instanceof Failure ? other : containsNetwork(network, other);
    },
    containing(true, true),
  ),
  fn("CIDR.containsCIDR(CIDR): bool", containsNetwork, containing(true, false)),
  fn("CIDR.ip(): IP", (network: Network) => network.address, ONE),
  fn("CIDR.masked(): CIDR", (network: Network) => network.masked, ONE),
  fn("CIDR.prefixLength(): int", (network: Network) => BigInt(network.bits), ONE),
];
