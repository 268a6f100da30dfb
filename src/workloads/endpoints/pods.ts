/** The Pods of Services: which count, and their addresses and ports (WL-EP-2, WL-EP-4). */
import { isFinished } from "../../claims/usage.ts";
import type { Pod, Service } from "../../client/kinds/index.ts";
import { addressBytes, addressText, familyOf } from "../../meta/addresses.ts";
import { isReady, isTerminating } from "../common/pods.ts";
import { sameMap } from "../common/string-maps.ts";

/** A port of the Pods of a Service. */
export interface FoundPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** The families of the addresses of a Service; Endpoints have the first one. */
export function familiesOf({ spec: { ipFamilies = [], clusterIP = "" } }: Service): readonly string[] {
  if (ipFamilies.length > 0) return ipFamilies;
  if (!isHeadless(clusterIP)) return [clusterIP.includes(":") ? "IPv6" : "IPv4"];
  return ["IPv4", "IPv6"];
}

/** Whether a Service is headless. */
export const isHeadlessService = ({ spec: { clusterIP = "" } }: Service): boolean => isHeadless(clusterIP);

const isHeadless = (clusterIP: string): boolean => clusterIP === "" || clusterIP === "None";

/** Whether a Service has a selector; an empty one does not count. */
export const hasSelector = ({ spec: { selector } }: Service): boolean =>
  selector !== undefined && Object.keys(selector).length > 0;

/** Whether controllers find the Pods of a Service: it has a selector and is not an ExternalName. */
export const hasPods = (service: Service): boolean => service.spec.type !== "ExternalName" && hasSelector(service);

/** Whether a Pod has an address and has not finished; a terminating one counts only where requested. */
export function isReachable(pod: Pod, withTerminating: boolean): boolean {
  const { podIP = "", podIPs = [] } = pod.status;
  if (isFinished(pod) || (podIP === "" && podIPs.length === 0)) return false;
  return withTerminating || !isTerminating(pod);
}

type PodIPs = NonNullable<Pod["status"]["podIPs"]>;

/** The addresses of immutable Pods by family, cached: a Service with many Pods needs them at each change. */
const known = new WeakMap<PodIPs, Readonly<Record<string, readonly string[]>>>();

/** The addresses of a Pod in a family, in their canonical form. */
export function addressesOf({ status: { podIPs } }: Pod, family: string): readonly string[] {
  if (!podIPs) return [];
  let byFamily = known.get(podIPs);
  if (!byFamily)
    known.set(podIPs, (byFamily = { IPv4: addressesIn(podIPs, "IPv4"), IPv6: addressesIn(podIPs, "IPv6") }));
  return byFamily[family] ?? [];
}

function addressesIn(podIPs: PodIPs, family: string): readonly string[] {
  const addresses: string[] = [];
  for (const { ip = "" } of podIPs) {
    const bytes = addressBytes(ip);
    if (bytes && familyOf(bytes) === family) addresses.push(addressText(bytes));
  }
  return addresses;
}

/** The name of a Pod in its headless Service; undefined where it has none. */
export const hostnameOf = ({ metadata, spec }: Pod, service: Service): string | undefined =>
  spec.hostname && spec.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace
    ? spec.hostname
    : undefined;

/** The ports of a Service on a Pod. */
interface PortsAtPod {
  /** Ports whose name the Pod does not have are left out. */
  readonly ports: readonly FoundPort[];
  /** See {@link portsKey}. */
  readonly key: string;
}

/** Finds the ports of a Service on its Pods; computed once for Pods with the same named ports. */
export function portsFinder({ spec: { ports = [] } }: Service): (pod: Pod) => PortsAtPod {
  const names = new Set(ports.map(({ targetPort }) => targetPort).filter((port) => typeof port === "string"));
  const byNumbers = new Map<string, PortsAtPod>();
  return (pod) => {
    const numbers = namedPorts(pod, names);
    const id = JSON.stringify([...numbers]);
    let found = byNumbers.get(id);
    if (!found) {
      const own = foundPorts(ports, numbers);
      byNumbers.set(id, (found = { ports: own, key: portsKey(own) }));
    }
    return found;
  };
}

function foundPorts(
  ports: NonNullable<Service["spec"]["ports"]>,
  numbers: ReadonlyMap<string, number>,
): readonly FoundPort[] {
  const found: FoundPort[] = [];
  for (const { name = "", protocol, appProtocol, port, targetPort = port } of ports) {
    const number = typeof targetPort === "number" ? targetPort : numbers.get(`${protocol} ${targetPort}`);
    if (number === undefined) continue;
    found.push({ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) });
  }
  return found;
}

/** The numbers of the named ports of a Pod by protocol and name: of its containers, then of its sidecars. */
function namedPorts({ spec }: Pod, names: ReadonlySet<string>): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  if (names.size === 0) return numbers;
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const { ports = [] } of [...spec.containers, ...sidecars]) {
    for (const { name, protocol = "TCP", containerPort } of ports) {
      if (name === undefined || !names.has(name)) continue;
      const key = `${protocol} ${name}`;
      if (!numbers.has(key)) numbers.set(key, containerPort);
    }
  }
  return numbers;
}

/**
 * Whether a change of a Pod can change the addresses of a Service: its labels, host name, addresses, readiness, deletion. The
 * phase alone does not count (WL-EP-6).
 */
export function changesAddresses(before: Pod, after: Pod): boolean {
  return (
    isTerminating(before) ||
    isTerminating(after) ||
    isReady(before) !== isReady(after) ||
    before.spec.hostname !== after.spec.hostname ||
    before.spec.subdomain !== after.spec.subdomain ||
    !sameMap(before.metadata.labels, after.metadata.labels) ||
    !sameAddresses(before, after)
  );
}

function sameAddresses({ status: { podIPs: a = [] } }: Pod, { status: { podIPs: b = [] } }: Pod): boolean {
  return a.length === b.length && a.every(({ ip }, i) => ip === b[i]!.ip);
}

/** A key of ports that is equal for the same ports in any order. */
export function portsKey(
  ports: readonly {
    readonly name?: string;
    readonly port?: number;
    readonly protocol?: string;
    readonly appProtocol?: string;
  }[],
): string {
  return ports
    .map(({ name = "", port, protocol = "", appProtocol = "" }) => JSON.stringify([name, port, protocol, appProtocol]))
    .toSorted()
    .join();
}
