/**
 * The allocations of a Service: an address of each family, ports on the nodes (KIND-Service-3..9).
 *
 * @module
 */
import { type IpFamily, addressBytes, addressText } from "../../../../meta/addresses.ts";
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { Allocator, Allocation, Allocations } from "../../../../schema/definition.ts";
import { familyOfText, fillFamilies, isSettled, sameAddresses } from "./families.ts";
import {
  type Service,
  type ServiceSpec,
  hasNodePorts,
  isBalanced,
  isHeadless,
  needsAddress,
  needsHealthPort,
} from "./schema.ts";
import type { ServicePools } from "./pools.ts";

/** The allocations of Services from pools. */
export function serviceAllocations(pools: ServicePools): Allocations<Service> {
  return {
    pools: [...pools.addresses.values(), pools.nodePorts],
    of: (object) => [...addressesOf(object.spec, pools), ...portsOf(object.spec, pools)],
    async allocate(object, before, allocator, errors) {
      const { spec } = object;
      const old = before?.spec;
      if (old) keepGiven(spec, old);
      matchAddresses(spec, old);
      fillFamilies(spec, old, [...pools.addresses.keys()], errors);
      if (errors.any) return;
      await allocateAddresses(spec, old, pools, allocator, errors);
      if (!errors.any) await allocatePorts(spec, old, pools, allocator, errors);
    },
  };
}

const canonical = (address: string): string => addressText(addressBytes(address) ?? []);

function addressesOf(spec: ServiceSpec, { addresses }: ServicePools): Allocation[] {
  if (!needsAddress(spec) || isHeadless(spec)) return [];
  return (spec.clusterIPs ?? []).flatMap((text) => {
    const pool = addressBytes(text) && addresses.get(familyOfText(text));
    return pool ? [{ pool: pool.id, name: canonical(text) }] : [];
  });
}

function portsOf(spec: ServiceSpec, { nodePorts }: ServicePools): Allocation[] {
  return [...usedPorts(spec)].map((port) => ({ pool: nodePorts.id, name: String(port) }));
}

/** The ports on the nodes that a Service has. */
function usedPorts(spec: ServiceSpec): Set<number> {
  const ports = hasNodePorts(spec) ? (spec.ports ?? []).map(({ nodePort = 0 }) => nodePort) : [];
  if (needsHealthPort(spec)) ports.push(spec.healthCheckNodePort ?? 0);
  return new Set(ports.filter((port) => port !== 0));
}

/** Whether each port gets one on the nodes. */
const wantsPorts = (spec: ServiceSpec): boolean =>
  spec.type === "NodePort" || (isBalanced(spec) && spec.allocateLoadBalancerNodePorts !== false);

/** A client that omits an allocated value keeps it (KIND-Service-7). */
function keepGiven(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsAddress(old) && needsAddress(spec)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (!spec.clusterIPs?.length && old.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
  }
  if (wantsPorts(old) && wantsPorts(spec)) keepPorts(spec, old);
  if (needsHealthPort(old) && needsHealthPort(spec) && old.healthCheckNodePort) {
    spec.healthCheckNodePort ||= old.healthCheckNodePort;
  }
}

/** Matched by the names of the ports, unless another port requests the same. */
function keepPorts(spec: ServiceSpec, old: ServiceSpec): void {
  const numbers = (ports: ServiceSpec["ports"] = []) => new Set(ports.map(({ nodePort = 0 }) => nodePort));
  const used = numbers(old.ports).intersection(numbers(spec.ports));
  const given = new Map(old.ports?.map(({ name = "", nodePort = 0 }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    const had = given.get(port.name ?? "");
    if (!port.nodePort && had && !used.has(had)) port.nodePort = had;
  }
}

/** The one address of old clients and the list of new ones must be equal. */
function matchAddresses(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  const { clusterIP = "" } = spec;
  if (!old) {
    if (clusterIP !== "" && !spec.clusterIPs?.length) spec.clusterIPs = [clusterIP];
    return;
  }
  if (clusterIP === (old.clusterIP ?? "")) {
    if (!spec.clusterIPs?.length && old.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
    return;
  }
  if (!sameAddresses({ ...spec, clusterIP: old.clusterIP ?? "" }, old)) return;
  if (clusterIP === "") delete spec.clusterIPs;
  else spec.clusterIPs = [clusterIP];
}

async function allocateAddresses(
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  { addresses }: ServicePools,
  allocator: Allocator,
  errors: FieldErrors,
): Promise<void> {
  if (!needsAddress(spec) || isHeadless(spec) || isSettled(spec, old)) return;
  const had = old && needsAddress(old) ? old : undefined;
  // A headless Service stays headless, and one with addresses gets at most a second one.
  if (had && (isHeadless(had) || had.ipFamilies?.length === spec.ipFamilies?.length)) return;
  const given = [...(spec.clusterIPs ?? [])];
  for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
    if (had && i < (had.clusterIPs?.length ?? 0)) continue;
    const pool = addresses.get(family as IpFamily)!;
    const asked = given[i] || undefined;
    const refused = asked === undefined ? undefined : await allocator.allocate(pool, canonical(asked));
    const got = asked ?? (await allocator.allocateAny(pool));
    if (refused !== undefined) return errors.invalid("spec.clusterIPs", spec.clusterIPs, `${asked}: ${refused}`);
    if (got === undefined) return errors.invalid("spec.clusterIPs", given, `no address of ${family} is left`);
    given[i] = got;
  }
  if (given.length === 0) return;
  spec.clusterIPs = given;
  spec.clusterIP = given[0]!;
}

async function allocatePorts(
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  { nodePorts }: ServicePools,
  allocator: Allocator,
  errors: FieldErrors,
): Promise<void> {
  const has = old ? usedPorts(old) : new Set<number>();
  const allocatePort: AllocatePort = async (asked, field) => {
    if (has.has(asked)) return asked;
    const got = asked === 0 ? Number((await allocator.allocateAny(nodePorts)) ?? 0) : asked;
    const refused = asked === 0 ? undefined : await allocator.allocate(nodePorts, String(asked));
    if (got === 0 || refused !== undefined) {
      errors.invalid(field, asked, refused ?? "no port is left");
      return 0;
    }
    if (old) has.add(got);
    return got;
  };
  if (hasNodePorts(spec)) await (old ? allocateChangedPorts(spec, allocatePort) : allocateNewPorts(spec, allocatePort));
  if (errors.any || !needsHealthPort(spec) || (old && needsHealthPort(old))) return;
  spec.healthCheckNodePort = await allocatePort(spec.healthCheckNodePort ?? 0, "spec.healthCheckNodePort");
}

/** Allocates a requested port, or any for 0; resolves to 0 and adds an error where that is not possible. */
type AllocatePort = (asked: number, field: string) => Promise<number>;

/** Ports of a new Service that have the same number, for several protocols, share one on the nodes (KIND-Service-5). */
async function allocateNewPorts(spec: ServiceSpec, allocatePort: AllocatePort): Promise<void> {
  const ports = spec.ports ?? [];
  const shared = new Map<number, number>();
  const asked = new Map<number, number>();
  for (const { port, nodePort } of ports) if (nodePort && !asked.has(port)) asked.set(port, nodePort);
  for (const [i, port] of ports.entries()) {
    if (!port.nodePort && !wantsPorts(spec)) continue;
    const known = shared.get(port.port);
    if (known !== undefined && (port.nodePort || known) === known) {
      port.nodePort = known;
      continue;
    }
    port.nodePort = await allocatePort(port.nodePort || (asked.get(port.port) ?? 0), `spec.ports[${i}].nodePort`);
    if (port.nodePort === 0) return;
    shared.set(port.port, known ?? port.nodePort);
  }
}

async function allocateChangedPorts(spec: ServiceSpec, allocatePort: AllocatePort): Promise<void> {
  for (const [i, port] of (spec.ports ?? []).entries()) {
    if (!port.nodePort && !wantsPorts(spec)) continue;
    port.nodePort = await allocatePort(port.nodePort ?? 0, `spec.ports[${i}].nodePort`);
    if (port.nodePort === 0) return;
  }
}
