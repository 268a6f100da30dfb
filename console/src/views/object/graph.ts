/**
 * What owns an object, and what it owns: the graph of ownerReferences around it.
 *
 * @module
 */
import type { Kind } from "../../api/discovery.ts";
import type { KubeObject, OwnerReference } from "../../api/kube.ts";

/** An object in the graph. */
export interface GraphNode {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** The object that is shown, one that it belongs to, or one that belongs to it. */
  readonly is: "self" | "owner" | "owned";
  /** What is known of it: it is there, it is being deleted, it does not exist, or it may not be read. */
  readonly state: "there" | "deleting" | "gone" | "unknown";
}

/** That one object owns another. */
export interface GraphEdge {
  readonly owner: string;
  readonly owned: string;
  /** Whether the owner manages it. */
  readonly controller: boolean;
}

/** The graph of an object. */
export interface OwnerGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Whether there is more than is shown. */
  readonly truncated: boolean;
  /** Kinds that could not be read, so that what is owned of them is not known. */
  readonly unread: readonly string[];
}

/** An object with its kind, as lists have it. */
export interface Listed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: KubeObject;
}

/** The size of a node in the picture. */
export const NODE = { width: 190, height: 44 } as const;

/** The most objects of a graph. */
export const MAX_NODES = 300;
/** The most steps upwards. */
const MAX_OWNERS = 10;

/** Objects that may belong to others; or that a kind could not be read, or not all of it. */
export type GraphPage =
  | { readonly objects: readonly Listed[] }
  | { readonly unread: string }
  | { readonly truncated: true };

/** Reads objects for a graph. */
export interface GraphReader {
  /** Reads an owner: the object, `gone` if there is none of this uid, or `unknown` if it cannot be read. */
  owner(reference: OwnerReference, namespace: string | undefined): Promise<Listed | "gone" | "unknown">;
  /** Reads what could belong to objects: pages of each kind, in any order. */
  candidates(): AsyncIterable<GraphPage>;
}

/** Makes the graph of an object. */
export async function ownerGraph(self: Listed, reader: GraphReader): Promise<OwnerGraph> {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  let truncated = false;
  const unread: string[] = [];
  const connect = (owner: string, owned: string, controller: boolean): void => {
    edges.set(`${owner} ${owned}`, { owner, owned, controller });
  };
  nodes.set(self.object.metadata.uid ?? "", nodeOf(self, "self"));

  // Upwards: each owner, and its owners.
  let open: Listed[] = [self];
  for (let step = 0; step < MAX_OWNERS && open.length > 0; step++) {
    const next: Listed[] = [];
    for (const { object } of open) {
      const { namespace, uid = "", ownerReferences = [] } = object.metadata;
      for (const reference of ownerReferences.slice(0, 50)) {
        connect(reference.uid, uid, reference.controller ?? false);
        if (nodes.has(reference.uid)) continue;
        const found = await reader.owner(reference, namespace);
        if (typeof found === "object") {
          nodes.set(reference.uid, nodeOf(found, "owner"));
          next.push(found);
        } else {
          const { apiVersion, kind, name } = reference;
          nodes.set(reference.uid, {
            uid: reference.uid,
            apiVersion,
            kind,
            name,
            namespace,
            is: "owner",
            state: found,
          });
        }
      }
    }
    open = next;
  }
  if (open.length > 0) truncated = true;

  // Downwards: what names the object as its owner, and what names those.
  const byOwner = new Map<string, Listed[]>();
  for await (const page of reader.candidates()) {
    if ("unread" in page) unread.push(page.unread);
    else if ("truncated" in page) truncated = true;
    else
      for (const listed of page.objects)
        for (const { uid } of listed.object.metadata.ownerReferences ?? []) {
          const owned = byOwner.get(uid) ?? [];
          owned.push(listed);
          byOwner.set(uid, owned);
        }
  }
  const shown: Listed[] = [];
  let owners = [self.object.metadata.uid ?? ""];
  while (owners.length > 0) {
    const next: string[] = [];
    for (const owner of owners)
      for (const listed of byOwner.get(owner) ?? []) {
        const { uid = "" } = listed.object.metadata;
        if (nodes.has(uid)) continue;
        if (nodes.size >= MAX_NODES) {
          truncated = true;
          continue;
        }
        nodes.set(uid, nodeOf(listed, "owned"));
        shown.push(listed);
        next.push(uid);
      }
    owners = next;
  }
  for (const { object } of shown)
    for (const { uid, controller = false } of object.metadata.ownerReferences ?? [])
      if (nodes.has(uid)) connect(uid, object.metadata.uid ?? "", controller);
  return { nodes: [...nodes.values()], edges: [...edges.values()], truncated, unread: [...new Set(unread)] };
}

const nodeOf = ({ apiVersion, kind, object: { metadata } }: Listed, is: GraphNode["is"]): GraphNode => ({
  uid: metadata.uid ?? "",
  apiVersion,
  kind,
  name: metadata.name,
  namespace: metadata.namespace || undefined,
  is,
  state: metadata.deletionTimestamp === undefined ? "there" : "deleting",
});

/** Kinds whose objects may belong to an object: each once, without those that never have owners and change all the time. */
export function ownedKinds(kinds: readonly Kind[], namespaced: boolean): Kind[] {
  const seen = new Set<string>();
  return kinds.filter(({ group, resource, verbs, namespaced: inside }) => {
    const key = resource === "events" ? "events" : `${group}/${resource}`;
    if (!verbs.includes("list") || resource === "events" || (namespaced && !inside) || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A node of the nested list, with what it owns; one that was listed before is only named. */
export interface TreeNode {
  readonly node: GraphNode;
  readonly again: boolean;
  readonly owned: readonly TreeNode[];
}

/** The graph as a nested list, from the topmost owners down. */
export function treeOf({ nodes, edges }: OwnerGraph): TreeNode[] {
  const byUid = new Map(nodes.map((node) => [node.uid, node]));
  const below = new Map<string, string[]>();
  const hasOwner = new Set<string>();
  for (const { owner, owned } of edges) {
    if (!byUid.has(owner) || !byUid.has(owned)) continue;
    below.set(owner, [...(below.get(owner) ?? []), owned]);
    hasOwner.add(owned);
  }
  const listed = new Set<string>();
  const list = (uid: string): TreeNode => {
    const node = byUid.get(uid)!;
    const again = listed.has(uid);
    listed.add(uid);
    return { node, again, owned: again ? [] : (below.get(uid) ?? []).map(list) };
  };
  const roots = nodes.filter(({ uid }) => !hasOwner.has(uid)).map(({ uid }) => list(uid));
  // Objects that own each other have no topmost one.
  const rest = nodes.flatMap(({ uid }) => (listed.has(uid) ? [] : [list(uid)]));
  return [...roots, ...rest];
}
