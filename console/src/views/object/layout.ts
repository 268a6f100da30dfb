/**
 * Where the objects of a graph stand in its picture. It is loaded with the first graph.
 *
 * @module
 */
import { Graph, layout } from "@dagrejs/dagre";
import { NODE, type GraphEdge, type GraphNode, type OwnerGraph } from "./graph.ts";

/** A node with its place. */
export interface PlacedNode {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
}

/** An edge with the points of its line. */
export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** A picture: everything in it has places from 0 to its size. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** Places a graph from the left to the right: owners before what they own. */
export function pictureOf({ nodes, edges }: OwnerGraph): Picture {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 46, marginx: 4, marginy: 4 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { uid } of nodes) graph.setNode(uid, { ...NODE });
  for (const { owner, owned } of edges) if (graph.hasNode(owner) && graph.hasNode(owned)) graph.setEdge(owner, owned);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: nodes.map((node) => {
      const { x = 0, y = 0 } = graph.node(node.uid) as { readonly x?: number; readonly y?: number };
      return { node, x: x - NODE.width / 2, y: y - NODE.height / 2 };
    }),
    edges: edges.flatMap((edge) => {
      if (!graph.hasEdge(edge.owner, edge.owned)) return [];
      const { points = [] } = graph.edge(edge.owner, edge.owned) as { readonly points?: PlacedEdge["points"] };
      const [from, to] = [graph.node(edge.owner), graph.node(edge.owned)] as {
        readonly x: number;
        readonly y: number;
      }[];
      if (!from || !to || from.x >= to.x) return [{ edge, points }];
      // From side to side: a line from the edge of a node at an angle may touch the node beside it.
      const [start, end] = [
        { x: from.x + NODE.width / 2, y: from.y },
        { x: to.x - NODE.width / 2, y: to.y },
      ];
      return [{ edge, points: [start, ...points.slice(1, -1), end] }];
    }),
  };
}
