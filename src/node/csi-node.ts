/**
 * The CSINode of a node: it exists while its Node does, and is owned by it (CSIN-29). Drivers are added as they register.
 *
 * @module
 */
import { type Client, type Kind, attempt, retryOnConflict } from "../client/index.ts";
import type { CSINode, Node } from "../client/kinds/index.ts";

/** The CSINode of a Node, created where it does not exist; other owners than Nodes stay. */
export function ensureCsiNode(
  client: Client,
  kind: Kind<CSINode, "Cluster">,
  { metadata: { name, uid } }: Node,
): Promise<CSINode> {
  const owner = { apiVersion: "v1", kind: "Node", name, uid };
  const csiNodes = client.resource(kind);
  return retryOnConflict(async () => {
    const known = await csiNodes.find({ name });
    if (!known) {
      const created = { metadata: { name, ownerReferences: [owner] }, spec: { drivers: [] } };
      const done = await attempt(csiNodes.create(created), "AlreadyExists");
      return done.ok ? done.value : csiNodes.get({ name });
    }
    const { ownerReferences = [] } = known.metadata;
    const others = ownerReferences.filter((one) => one.kind !== "Node");
    const isOwned = ownerReferences.some((one) => one.kind === "Node" && one.uid === uid);
    if (isOwned && others.length + 1 === ownerReferences.length) return known;
    return csiNodes.update({ ...known, metadata: { ...known.metadata, ownerReferences: [...others, owner] } });
  });
}
