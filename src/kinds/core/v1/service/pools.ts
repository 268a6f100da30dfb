/**
 * The pools of Services: addresses of the ranges of the server, and ports of all nodes (KIND-Service-3..5).
 *
 * @module
 */
import {
  type IpFamily,
  type Network,
  addressBytes,
  addressText,
  familyOf,
  networkAddress,
  networkOf,
  networkText,
} from "../../../../meta/addresses.ts";
import { SERVICE_RANGES } from "../../../../meta/service-ranges.ts";
import type { ApiContext, ApiObject, Placeholders, Pool } from "../../../../schema/definition.ts";
import type { Random } from "../../../../util/clock.ts";

/** The pools of a server for its Services. */
export interface ServicePools {
  /** By family; the first is the one that a Service gets unless it requests another. */
  readonly addresses: ReadonlyMap<IpFamily, Pool>;
  readonly nodePorts: Pool;
}

/** Makes the pools of a server. */
export function servicePools(ctx: ApiContext): ServicePools {
  const { networks, nodePorts } = ctx.serviceRanges ?? SERVICE_RANGES;
  const pools = networks.map((text) => addressPool(networkOf(text)!, ctx));
  return { addresses: new Map(pools), nodePorts: portPool(...nodePorts) };
}

function addressPool(network: Network, { dialect }: ApiContext): [IpFamily, Pool] {
  const first = networkAddress(network);
  const family = familyOf(first);
  const size = 2 ** (first.length * 8 - network.bits);
  // The first address is never allocated, and the last one of IPv4 is the broadcast address.
  const count = family === "IPv4" ? size - 2 : size - 1;
  const at = (i: number): string => addressText(plus(first, 1 + i));
  const labels = {
    [`ipaddress.${dialect.labelDomain}/ip-family`]: family,
    [`ipaddress.${dialect.labelDomain}/managed-by`]: `ipallocator.${dialect.domain}`,
  };
  const isOurs = ({ metadata }: ApiObject): boolean =>
    Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
  const pool: Pool = {
    id: `addresses-${family}`,
    refuses(name) {
      const place = placeIn(first, addressBytes(name) ?? [], network.bits);
      if (place === undefined) return `expected an address in ${networkText(network)}`;
      return place > 0 && place <= count
        ? undefined
        : `expected neither the first nor the last of ${networkText(network)}`;
    },
    *names(random) {
      const low = lowAddresses(size);
      for (const i of turnedBetween(low, count, random)) yield at(i);
      for (const i of turnedBetween(0, Math.min(low, count), random)) yield at(i);
    },
    placeholders: () => ({ asked() {}, next: () => addressText(first) }),
    shown: {
      resource: "ipaddresses.networking.k8s.io",
      object: (name, owner) => ({
        kind: "IPAddress",
        metadata: { name, labels },
        spec: { parentRef: { group: "", resource: "services", namespace: owner.namespace, name: owner.name } },
      }),
      owner(object) {
        if (!isOurs(object)) return undefined;
        const { parentRef } = object["spec"] as { parentRef?: { namespace?: string; name?: string } };
        return { namespace: parentRef?.namespace ?? "", name: parentRef?.name ?? "" };
      },
    },
  };
  return [family, pool];
}

/** The number of addresses that are allocated last: people choose addresses among them. */
const lowAddresses = (size: number): number => (size <= 16 ? 0 : Math.min(256, Math.max(16, Math.floor(size / 16))));

/** The first port in the result of a dry run, whatever the range; then the numbers after the last shown or requested one. */
const FIRST_STAND_IN = 32_769;

function portPlaceholders(): Placeholders {
  let greatest: number | undefined;
  const see = (port: number): void => {
    greatest = Math.max(greatest ?? port, port);
  };
  return {
    asked: (name) => see(Number(name)),
    next() {
      see(greatest === undefined ? FIRST_STAND_IN : greatest + 1);
      return String(greatest);
    },
  };
}

function portPool(first: number, last: number): Pool {
  const count = last - first + 1;
  const low = count <= 16 ? 0 : Math.min(128, Math.max(16, Math.floor(count / 32)));
  return {
    id: "nodeports",
    refuses(name) {
      const port = Number(name);
      return port >= first && port <= last ? undefined : `expected a port from ${first} to ${last}`;
    },
    *names(random) {
      for (const i of turnedBetween(low, count, random)) yield String(first + i);
      for (const i of turnedBetween(0, low, random)) yield String(first + i);
    },
    placeholders: portPlaceholders,
  };
}

/** The numbers of the interval [`from`, `to`), starting at one of them and wrapping around. */
function* turnedBetween(from: number, to: number, random: Random): Generator<number> {
  const count = to - from;
  if (count <= 0) return;
  const start = Math.floor(random.next() * count);
  for (let i = 0; i < count; i++) yield from + ((start + i) % count);
}

/** An address at an offset from another. */
function plus(bytes: readonly number[], more: number): number[] {
  const sum = [...bytes];
  for (let i = sum.length - 1, rest = more; rest > 0 && i >= 0; i--) {
    const value = sum[i]! + (rest % 256);
    sum[i] = value % 256;
    rest = Math.floor(rest / 256) + Math.floor(value / 256);
  }
  return sum;
}

/** The offset of an address from the first of a network; undefined for one outside of it. */
function placeIn(first: readonly number[], bytes: readonly number[], bits: number): number | undefined {
  if (bytes.length !== first.length) return undefined;
  if (addressText(networkAddress({ bytes, bits })) !== addressText(first)) return undefined;
  return bytes.reduce((place, byte, i) => place * 256 + byte - first[i]!, 0);
}
