/**
 * Registers the node: creates and updates its Node, its CSINode and its Lease (NODE-1, CSIN-29).
 *
 * A deleted Node is created again, and becomes the owner of the other two.
 *
 * @module
 */
import { type Client, type Kind, attempt } from "../client/index.ts";
import { type CSINode, type Lease, Node } from "../client/kinds/index.ts";
import { formatMicroTime } from "../meta/time.ts";
import type { Clock } from "../util/clock.ts";
import { isLike } from "./alike.ts";
import { ensureCsiNode } from "./csi-node.ts";
import type { AgentMemory } from "./memory.ts";
import { type NodeFacts, type WrittenNodeStatus, marksOf, nodeStatusOf } from "./node-object.ts";

/** The context of the registration. */
export interface Registration {
  readonly memory: AgentMemory;
  readonly client: Client;
  readonly clock: Pick<Clock, "now">;
  readonly facts: NodeFacts;
  readonly leases: Kind<Lease, "Namespaced">;
  readonly csiNodes: Kind<CSINode, "Cluster">;
  /** The entries on disk, for the time before plugins are opened. */
  readonly onDisk: () => Promise<readonly string[]>;
  /** When the agent has written the status last, in ms since the epoch. */
  readonly beat: { at: number };
}

/** How often the status of the Node is written without a change. */
const HEARTBEAT_MS = 300_000;
const RENEW_MS = 10_000;
const LEASE_SECONDS = 40;
const LEASES = "kube-node-lease";

/** Reconciles `node`, `csinode` or `lease`; returns milliseconds until it is due again. */
export function syncOwn(work: Registration, key: string): Promise<number> {
  if (key === "lease") return renew(work);
  return key === "csinode" ? syncCsiNode(work) : syncNode(work);
}

async function syncNode(work: Registration): Promise<number> {
  const { client, facts, memory } = work;
  const nodes = client.resource(Node);
  const { name } = facts;
  const marks = marksOf(facts);
  const known = memory.own ?? (await nodes.find({ name }));
  if (!known) {
    const status = nodeStatusOf(facts, undefined, await inUse(work, true));
    await attempt(nodes.create({ metadata: { name, ...marks }, status }), "AlreadyExists");
    return RENEW_MS;
  }
  if (!isLike(marks, known.metadata)) await nodes.patch({ name }, { metadata: marks });
  const isBeat = work.clock.now() - work.beat.at >= HEARTBEAT_MS;
  const status = nodeStatusOf(facts, known, await inUse(work, isBeat));
  if (!isBeat && isWritten(known, status)) return HEARTBEAT_MS - (work.clock.now() - work.beat.at);
  await nodes.status.patch({ name }, { status }, { strategic: true });
  work.beat.at = work.clock.now();
  return HEARTBEAT_MS;
}

/**
 * The volumes in use: those that Pods need, and those on disk (NODE-12). Before plugins are opened, stored entries stay. A
 * new Node has the entries on disk from its first version, so that they are not detached.
 */
async function inUse({ memory, clock, onDisk }: Registration, isBeat: boolean) {
  const known = memory.own?.status.volumesInUse ?? [];
  const found = memory.opened?.map(async (plugin) => (await plugin.inUse?.()) ?? []);
  const used = found ? [...memory.inUse, ...(await Promise.all(found)).flat()] : [...known, ...(await onDisk())];
  return { volumesInUse: [...new Set(used)].toSorted(), isBeat, now: clock.now() };
}

/** Whether the Node has this status. Conditions are merged by their types, so their order does not count. */
function isWritten({ status: known }: Node, { conditions, volumesInUse, ...rest }: WrittenNodeStatus): boolean {
  return (
    isLike(rest, known) &&
    isLike(volumesInUse, known.volumesInUse ?? []) &&
    (conditions ?? []).every((one) => known.conditions?.some((other) => isLike(one, other)))
  );
}

async function syncCsiNode({ client, csiNodes, memory }: Registration): Promise<number> {
  if (!memory.own) return RENEW_MS;
  await ensureCsiNode(client, csiNodes, memory.own);
  memory.setRegistered();
  return HEARTBEAT_MS;
}

const ownerOf = ({ metadata: { name, uid } }: Node) => ({ apiVersion: "v1", kind: "Node", name, uid });

/** Renews the Lease. Without renewals the node counts as lost. */
async function renew({ client, leases, memory, clock }: Registration): Promise<number> {
  const node = memory.own;
  if (!node) return RENEW_MS;
  const { name } = node.metadata;
  const key = { namespace: LEASES, name };
  const metadata = { ...key, ownerReferences: [ownerOf(node)] };
  const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: formatMicroTime(clock.now()) };
  const all = client.resource(leases);
  const done = await attempt(all.patch(key, { metadata, spec }), "NotFound");
  if (!done.ok) await attempt(all.create({ metadata, spec }), "AlreadyExists");
  return RENEW_MS;
}
