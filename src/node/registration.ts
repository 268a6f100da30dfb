/**
 * Makes what the agent is in the API, and keeps it: its Node, its CSINode and its Lease (NODE-1, CSIN-29).
 *
 * A Node that is deleted is made again, and what belonged to it is given to the new one.
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

/** What registration is given. */
export interface Registration {
  readonly memory: AgentMemory;
  readonly client: Client;
  readonly clock: Pick<Clock, "now">;
  readonly facts: NodeFacts;
  readonly leases: Kind<Lease, "Namespaced">;
  readonly csiNodes: Kind<CSINode, "Cluster">;
  /** What the disk says is in use, read while nobody makes volumes yet. */
  readonly onDisk: () => Promise<readonly string[]>;
  /** When the status was written last; the agent's own, in ms since the epoch. */
  readonly beat: { at: number };
}

/** How often the status of the Node is written although nothing has changed. */
const BEAT_MS = 300_000;
const RENEW_MS = 10_000;
const LEASE_SECONDS = 40;
const LEASES = "kube-node-lease";

/** Looks at one of `node`, `csinode` and `lease`; milliseconds after which it is to be looked at again. */
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
    const status = nodeStatusOf(facts, undefined, await standing(work, true));
    await attempt(nodes.create({ metadata: { name, ...marks }, status }), "AlreadyExists");
    return RENEW_MS;
  }
  if (!isLike(marks, known.metadata)) await nodes.patch({ name }, { metadata: marks });
  const isBeat = work.clock.now() - work.beat.at >= BEAT_MS;
  const status = nodeStatusOf(facts, known, await standing(work, isBeat));
  if (!isBeat && isSaid(known, status)) return BEAT_MS - (work.clock.now() - work.beat.at);
  await nodes.status.patch({ name }, { status }, { strategic: true });
  work.beat.at = work.clock.now();
  return BEAT_MS;
}

/**
 * What is in use: what Pods need, and what the disk says (NODE-12). Before Pods are looked after, what was in use stays; a Node that
 * is made again says from its first version what the disk says, or it would be detached.
 */
async function standing({ memory, clock, onDisk }: Registration, isBeat: boolean) {
  const known = memory.own?.status.volumesInUse ?? [];
  const asked = memory.opened?.map(async (plugin) => (await plugin.inUse?.()) ?? []);
  const used = asked ? [...memory.inUse, ...(await Promise.all(asked)).flat()] : [...known, ...(await onDisk())];
  return { volumesInUse: [...new Set(used)].toSorted(), isBeat, now: clock.now() };
}

/** Conditions are merged by their types, so their order says nothing. */
function isSaid({ status: known }: Node, { conditions, volumesInUse, ...rest }: WrittenNodeStatus): boolean {
  return (
    isLike(rest, known) &&
    isLike(volumesInUse, known.volumesInUse ?? []) &&
    conditions!.every((one) => known.conditions?.some((other) => isLike(one, other)))
  );
}

async function syncCsiNode({ client, csiNodes, memory }: Registration): Promise<number> {
  if (!memory.own) return RENEW_MS;
  await ensureCsiNode(client, csiNodes, memory.own);
  memory.tellRegistered();
  return BEAT_MS;
}

const ownerOf = ({ metadata: { name, uid } }: Node) => ({ apiVersion: "v1", kind: "Node", name, uid });

/** Renews the Lease: that it grows old tells others that the node is lost. */
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
