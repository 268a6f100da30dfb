/** Node objects without machines, as a kubelet would register them. */
import type { NewObject } from "../../client/index.ts";
import type { Node } from "../../client/kinds/index.ts";
import { formatTime } from "../../meta/time.ts";
import { fnv1a, fnv1aOfText } from "../../util/fnv.ts";
import { TTL_ANNOTATION, nextTtlStep, ttlSecondsOf } from "../../workloads/node-health/ttl.ts";
import { type NodeOptions, NODE_ANNOTATION } from "../contract.ts";

/** The default resources of a node. */
const CAPACITY: Readonly<Record<string, string>> = {
  cpu: "8",
  memory: "32Gi",
  pods: "110",
  "ephemeral-storage": "100Gi",
};

const VERSION = "v1.35.3";

/** The range of addresses of the Pods of the node with a number from 0: /24 each, from 10.244.0.0 on. */
export const rangeOf = (index: number): string => `10.${(244 + (index >> 8)) & 255}.${index & 255}.0/24`;

/** The number of a node from its range; undefined for other ranges. */
export function indexOfRange(cidr: string | undefined): number | undefined {
  const parts = cidr?.split("/")[0]?.split(".").map(Number) ?? [];
  if (parts[0] !== 10 || parts.length !== 4 || parts.some((part) => Number.isNaN(part))) return undefined;
  return (((parts[1]! - 244) & 255) << 8) | parts[2]!;
}

/** The address of the node with a number, from 172.18.0.2 on: the first two are those of a network and its gateway. */
export function addressOf(index: number): string {
  const host = index + 2;
  return `172.${18 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`;
}

/** The address that a node reports, or the one that means the machine itself. */
export const hostAddressOf = ({ status }: Node): string =>
  status.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "127.0.0.1";

/** The labels of every node. */
export const labelsOf = (name: string): Readonly<Record<string, string>> => ({
  "beta.kubernetes.io/arch": "amd64",
  "beta.kubernetes.io/os": "linux",
  "kubernetes.io/arch": "amd64",
  "kubernetes.io/hostname": name,
  "kubernetes.io/os": "linux",
});

type Condition = NonNullable<Node["status"]["conditions"]>[number];

const CONDITIONS: readonly Pick<Condition, "type" | "status" | "reason" | "message">[] = [
  {
    type: "MemoryPressure",
    status: "False",
    reason: "KubeletHasSufficientMemory",
    message: "kubelet has sufficient memory available",
  },
  {
    type: "DiskPressure",
    status: "False",
    reason: "KubeletHasNoDiskPressure",
    message: "kubelet has no disk pressure",
  },
  {
    type: "PIDPressure",
    status: "False",
    reason: "KubeletHasSufficientPID",
    message: "kubelet has sufficient PID available",
  },
  { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
];

const FULL = { status: "True", reason: "KubeletHasDiskPressure", message: "kubelet has disk pressure" } as const;

/** The conditions that a node reports; times change with the status only, heartbeats where something changes. */
export function conditionsOfNode(known: Node | undefined, isFull: boolean, now: number): readonly Condition[] {
  const time = formatTime(now);
  const before = new Map((known?.status.conditions ?? []).map((one) => [one.type, one]));
  const own = CONDITIONS.map((usual): Condition => {
    const condition = usual.type === "DiskPressure" && isFull ? { ...usual, ...FULL } : usual;
    const was = before.get(condition.type);
    const isSame = was?.status === condition.status;
    return {
      ...condition,
      lastHeartbeatTime: time,
      lastTransitionTime: isSame ? (was.lastTransitionTime ?? time) : time,
    };
  });
  const others = [...before.values()].filter(({ type }) => !CONDITIONS.some((one) => one.type === type));
  return [...own, ...others];
}

/** Whether the status of a node is complete. */
export const areReported = ({ status }: Node, isFull: boolean): boolean =>
  CONDITIONS.every(({ type, status: usual }) => {
    const wanted = type === "DiskPressure" && isFull ? "True" : usual;
    return status.conditions?.some((one) => one.type === type && one.status === wanted) === true;
  });

/** The status of a node besides its conditions; existing values are kept. */
export function reportOf(
  node: Pick<Node, "metadata"> & Partial<Pick<Node, "status">>,
  index: number,
): Partial<Node["status"]> {
  const { name } = node.metadata;
  const { status } = node;
  const capacity = { ...CAPACITY, ...status?.capacity };
  const machine = hexOf(name);
  return {
    capacity,
    allocatable: { ...capacity, ...status?.allocatable },
    addresses:
      (status?.addresses ?? []).length > 0
        ? status!.addresses!
        : [
            { type: "InternalIP", address: addressOf(index) },
            { type: "Hostname", address: name },
          ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      machineID: machine,
      systemUUID: machine,
      bootID: machine,
      kernelVersion: "6.1.0-simulated",
      osImage: "Keelson simulated node",
      containerRuntimeVersion: "keelson://1.0.0",
      kubeletVersion: VERSION,
      kubeProxyVersion: VERSION,
      operatingSystem: "linux",
      architecture: "amd64",
    } as Node["status"]["nodeInfo"],
  };
}

/**
 * A new node with the number `index`, ready.
 *
 * @param count the number of nodes that will exist: the node has the values that follow from it, so that no client has to write them into
 * each node
 */
export function newNode(
  name: string,
  index: number,
  zone: string | undefined,
  options: NodeOptions,
  { now, count }: { readonly now: number; readonly count: number },
): NewObject<Node> {
  const { region, labels, taints, capacity } = options;
  const metadata = {
    name,
    labels: {
      ...labelsOf(name),
      ...(zone === undefined ? {} : { "topology.kubernetes.io/zone": zone }),
      ...(region === undefined ? {} : { "topology.kubernetes.io/region": region }),
      ...labels,
    },
    annotations: { [NODE_ANNOTATION]: "true", [TTL_ANNOTATION]: ttlSecondsOf(nextTtlStep(0, count)).toString() },
  };
  const range = rangeOf(index);
  const seed = { metadata, status: { capacity } } as unknown as Node;
  return {
    metadata,
    spec: { podCIDR: range, podCIDRs: [range], ...(taints ? { taints } : {}) },
    status: { ...reportOf(seed, index), conditions: conditionsOfNode(undefined, false, now) },
  } as unknown as NewObject<Node>;
}

/** 32 hexadecimal digits that follow from a name. */
function hexOf(name: string): string {
  let hash: number | undefined;
  let hex = "";
  for (let round = 0; hex.length < 32; round++) {
    hash = fnv1a([round], fnv1aOfText(name, hash));
    hex += hash.toString(16).padStart(8, "0");
  }
  return hex.slice(0, 32);
}
