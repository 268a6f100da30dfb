/** The addresses of Services of the type LoadBalancer: which have one, which need one, and which addresses are free. */
import { Service as ServiceKind } from "../../client/kinds/index.ts";
import type { Service } from "../../client/kinds/index.ts";
import { type Network, addressBytes, addressText, familyOf, networkAddress, networkOf } from "../../meta/addresses.ts";
import { type Plan, tells, updatesStatus } from "../common/plan.ts";
import { familiesOf } from "./pods.ts";

/** The addresses that a Service has in its status. */
export const addressesOfService = ({ status: { loadBalancer } }: Service): readonly string[] =>
  (loadBalancer.ingress ?? []).flatMap(({ ip }) => ip ?? []);

/** Whether a Service needs an address of this load balancer: one with a class belongs to another. */
export const wantsAddress = ({ metadata, spec }: Service): boolean =>
  spec.type === "LoadBalancer" && spec.loadBalancerClass === undefined && metadata.deletionTimestamp === undefined;

/**
 * The addresses of one network for each family, and their owners; the lowest free one is allocated. The first address of a network and, for
 * IPv4, the last one are never allocated.
 */
export class AddressPool {
  readonly #ranges: readonly Range[];
  readonly #owners = new Map<string, string>();
  /** The addresses of each owner. */
  readonly #addresses = new Map<string, Set<string>>();

  /** @param networks networks such as `192.0.2.0/24`, at most one of a family */
  constructor(networks: readonly string[]) {
    this.#ranges = networks.flatMap((text) => {
      const network = networkOf(text);
      return network ? new Range(network) : [];
    });
  }

  /** Whether an address is in the pool. */
  has(address: string): boolean {
    return this.#ranges.some((range) => range.indexOf(address) !== undefined);
  }

  /** The owner of each allocated address. */
  ownerOf(address: string): string | undefined {
    return this.#owners.get(address);
  }

  /** Allocates an address to an owner, unless another owner has it; returns whether the owner has it now. */
  take(address: string, owner: string): boolean {
    const before = this.#owners.get(address);
    if (before !== undefined) return before === owner;
    this.#own(address, owner);
    return true;
  }

  /** Frees an address of an owner. */
  free(address: string, owner: string): void {
    if (this.#owners.get(address) !== owner) return;
    this.#owners.delete(address);
    const others = this.#addresses.get(owner);
    others?.delete(address);
    if (others?.size === 0) this.#addresses.delete(owner);
    for (const range of this.#ranges) range.freed(address);
  }

  /** Frees all addresses of an owner. */
  freeAll(owner: string): void {
    for (const address of this.#addresses.get(owner) ?? []) this.free(address, owner);
  }

  /** The address of an owner in a family. */
  heldBy(owner: string, family: string): string | undefined {
    return [...(this.#addresses.get(owner) ?? [])].find((address) => isOf(address, family));
  }

  /** Allocates the lowest free address of a family; undefined where there is none. */
  takeNext(family: string, owner: string): string | undefined {
    const range = this.#ranges.find((one) => one.family === family);
    const address = range?.next((one) => !this.#owners.has(one));
    if (address !== undefined) this.#own(address, owner);
    return address;
  }

  #own(address: string, owner: string): void {
    this.#owners.set(address, owner);
    const others = this.#addresses.get(owner);
    if (others) others.add(address);
    else this.#addresses.set(owner, new Set([address]));
  }
}

/** The addresses of a network, by their index. */
class Range {
  readonly family: string;
  readonly #first: bigint;
  readonly #size: number;
  readonly #length: number;
  /** All addresses below this index are allocated. */
  #next = 0;

  constructor(network: Network) {
    const bytes = networkAddress(network);
    this.family = familyOf(bytes);
    this.#length = bytes.length;
    const hostBits = bytes.length * 8 - network.bits;
    const edges = hostBits < 2 ? 0 : this.family === "IPv4" ? 2 : 1;
    this.#first = numberOf(bytes) + (edges > 0 ? 1n : 0n);
    this.#size = Math.min(2 ** hostBits, 2 ** 32) - edges;
  }

  indexOf(address: string): number | undefined {
    const bytes = addressBytes(address);
    if (bytes?.length !== this.#length) return undefined;
    const index = numberOf(bytes) - this.#first;
    return index >= 0n && index < BigInt(this.#size) ? Number(index) : undefined;
  }

  freed(address: string): void {
    const index = this.indexOf(address);
    if (index !== undefined) this.#next = Math.min(this.#next, index);
  }

  next(isFree: (address: string) => boolean): string | undefined {
    for (; this.#next < this.#size; this.#next++) {
      const address = addressText(bytesOf(this.#first + BigInt(this.#next), this.#length));
      if (isFree(address)) return address;
    }
    return undefined;
  }
}

const numberOf = (bytes: readonly number[]): bigint => bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);

const bytesOf = (value: bigint, length: number): readonly number[] =>
  Array.from({ length }, (_, i) => Number((value >> BigInt(8 * (length - 1 - i))) & 0xffn));

/** How often a Service without a free address is planned again. */
const ASK_AGAIN_MS = 60_000;

/**
 * Plans the addresses of a Service: its addresses in the pool stay, missing ones are added, and a Service that needs none loses them.
 * Allocates from the pool.
 */
export function planAddresses(service: Service, owner: string, pool: AddressPool): Plan {
  const has = addressesOfService(service);
  if (!wantsAddress(service)) {
    // The informer may never have seen the write of its address.
    if (service.spec.type !== "LoadBalancer" && has.length === 0) pool.freeAll(owner);
    if (service.spec.type === "LoadBalancer" || !has.some((address) => pool.has(address))) return { stages: [] };
    return { stages: [[updatesStatus(ServiceKind, withAddresses(service, []))]] };
  }
  const missing: string[] = [];
  const wanted = familiesOf(service).flatMap((family) => {
    const address =
      has.find((one) => isOf(one, family) && pool.take(one, owner)) ?? newAddress(service, family, owner, pool);
    if (address === undefined) missing.push(family);
    return address ?? [];
  });
  const told = missing.map((family) => tells("Warning", "SyncLoadBalancerFailed", `no ${family} address is free`));
  const isSame = wanted.length === has.length && wanted.every((address, i) => address === has[i]);
  const againMillis = missing.length > 0 ? ASK_AGAIN_MS : undefined;
  if (isSame) return { stages: told.length > 0 ? [told] : [], againMillis };
  const ensured = tells("Normal", "EnsuredLoadBalancer", `the load balancer has the address ${wanted.join(", ")}`);
  const writes = [...told, updatesStatus(ServiceKind, withAddresses(service, wanted))];
  return { stages: [writes, wanted.length > 0 ? [ensured] : []], againMillis };
}

/** The allocated address that the Service does not show yet; else the requested one, where it is free; else the lowest free one. */
function newAddress(service: Service, family: string, owner: string, pool: AddressPool): string | undefined {
  const held = pool.heldBy(owner, family);
  if (held !== undefined) return held;
  const bytes = addressBytes(service.spec.loadBalancerIP ?? "");
  const asked = bytes && addressText(bytes);
  if (asked !== undefined && isOf(asked, family) && pool.has(asked) && pool.take(asked, owner)) return asked;
  return pool.takeNext(family, owner);
}

const isOf = (address: string, family: string): boolean => {
  const bytes = addressBytes(address);
  return bytes !== undefined && familyOf(bytes) === family;
};

const withAddresses = (service: Service, addresses: readonly string[]): Service => ({
  ...service,
  status: {
    ...service.status,
    loadBalancer: addresses.length > 0 ? { ingress: addresses.map((ip) => ({ ip, ipMode: "VIP" })) } : {},
  },
});
