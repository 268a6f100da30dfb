import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Status } from "../../../../src/meta/status.ts";
import { type Kind, kindOfObject, kinds } from "../../api/discovery.ts";
import { ApiFailure, request } from "../../api/http.ts";
import {
  type KubeList,
  type KubeObject,
  type OwnerReference,
  apiVersionOf,
  collectionPath,
  itemsOf,
  objectPath,
} from "../../api/kube.ts";
import { client, servedKind, statusOf } from "../../editor/client.ts";
import { href, objectRoute } from "../../state/route.ts";
import { Button, EmptyState, ErrorBox, Loading, Text } from "../../ui/basics.tsx";
import { visible } from "../../ui/visible.ts";
import {
  NODE,
  type GraphNode,
  type GraphPage,
  type GraphReader,
  type Listed,
  type OwnerGraph,
  type TreeNode,
  ownedKinds,
  ownerGraph,
  treeOf,
} from "./graph.ts";
import type { Picture } from "./layout.ts";
import type { ObjectKey } from "./model.ts";

const META = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json";
const META_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json";
const PAGE = 500;
/** Objects of one kind that are read, and requests at a time. */
const MAX_OF_KIND = 2000;
const SIDE_BY_SIDE = 4;

/** Reads what a graph needs, of the kinds that the user may list. */
function readerFor({ kind, namespace, at }: ObjectKey, signal: AbortSignal): GraphReader {
  const exact = at === undefined ? {} : { resourceVersion: at, resourceVersionMatch: "Exact" };
  return {
    async owner(reference, inside) {
      const { apiVersion, kind: name, name: owner, uid } = reference;
      const served = kindOfObject(apiVersion, name);
      if (!served) return "unknown";
      const inNamespace = served.namespaced ? inside : undefined;
      try {
        if (at !== undefined) return await ownerAt(served, inNamespace, reference, at);
        const object = await request<KubeObject>(objectPath(served, inNamespace, owner), { accept: META, signal });
        return object.metadata.uid === uid ? { apiVersion, kind: name, object } : "gone";
      } catch (error) {
        if (signal.aborted) throw error;
        const { code } = statusOf(error);
        if (code === 404) return "gone";
        if (code !== 0) return "unknown";
        throw error;
      }
    },
    async *candidates() {
      const open = ownedKinds(kinds.value, kind.namespaced);
      while (open.length > 0) {
        const some = open.splice(0, SIDE_BY_SIDE);
        for (const pages of await Promise.all(some.map((one) => readKind(one, namespace, exact, signal)))) yield* pages;
      }
    },
  };
}

/** Reads an owner as it was at a moment. */
async function ownerAt(
  kind: Kind,
  namespace: string | undefined,
  { apiVersion, kind: kindName, name, uid }: OwnerReference,
  at: string,
): Promise<Listed | "gone" | "unknown"> {
  const key = namespace === undefined ? { name } : { name, namespace };
  const { versions } = await client.resource(servedKind(kind)).history(key, { at, objects: true });
  const [version] = versions;
  if (!version || version.event === "deleted") return "gone";
  const object = version.object as unknown as KubeObject | undefined;
  if (!object) return "unknown";
  return object.metadata.uid === uid ? { apiVersion, kind: kindName, object } : "gone";
}

async function readKind(
  kind: Kind,
  namespace: string | undefined,
  exact: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<GraphPage[]> {
  const pages: GraphPage[] = [];
  const path = collectionPath(kind, kind.namespaced ? namespace : undefined);
  let more: string | undefined;
  let read = 0;
  try {
    do {
      const list = await request<KubeList>(path, {
        accept: META_LIST,
        query: { limit: PAGE, continue: more, ...(more === undefined ? exact : {}) },
        signal,
      });
      const apiVersion = apiVersionOf(kind);
      const items = itemsOf(list);
      const owned = items.filter(({ metadata }) => (metadata.ownerReferences?.length ?? 0) > 0);
      pages.push({ objects: owned.map((object) => ({ apiVersion, kind: kind.kind, object })) });
      read += items.length;
      more = list.metadata.continue;
    } while (more && read < MAX_OF_KIND);
    if (more) pages.push({ truncated: true });
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    pages.push({ unread: kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}` });
  }
  return pages;
}

/** What owns an object and what it owns, as a picture and as a nested list. */
export function GraphTab({
  of,
  object,
}: {
  readonly of: ObjectKey;
  readonly object: KubeObject | undefined;
}): JSX.Element {
  const graph = useSignal<OwnerGraph | undefined>(undefined);
  const picture = useSignal<Picture | undefined>(undefined);
  const failure = useSignal<Pick<Status, "message" | "reason" | "details"> | undefined>(undefined);
  const turn = useSignal(0);
  const uid = object?.metadata.uid;
  const owners = JSON.stringify(object?.metadata.ownerReferences ?? []);
  useEffect(() => {
    if (!object || !uid) return undefined;
    const abort = new AbortController();
    const self = { apiVersion: apiVersionOf(of.kind), kind: of.kind.kind, object };
    const read = async (): Promise<void> => {
      try {
        const [found, { pictureOf }] = await Promise.all([
          ownerGraph(self, readerFor(of, abort.signal)),
          import("./layout.ts"),
        ]);
        if (abort.signal.aborted) return;
        picture.value = pictureOf(found);
        graph.value = found;
        failure.value = undefined;
      } catch (error) {
        if (!abort.signal.aborted) failure.value = statusOf(error);
      }
    };
    void read();
    return () => abort.abort();
  }, [uid, owners, of.at, turn.value]);
  if (!object) return <EmptyState title="The object does not exist, so it has no owners and no dependents." />;
  if (failure.value) return <ErrorBox title="Its owners cannot be read." status={failure.value} />;
  if (!graph.value || !picture.value) return <Loading what="owners and what is owned" />;
  const { truncated, unread } = graph.value;
  return (
    <div class="graph">
      <p class="row">
        <Button
          onClick={() => {
            turn.value++;
          }}
        >
          Read again
        </Button>
        {graph.value.nodes.length === 1 ? <span>This object has no owners and no dependents.</span> : undefined}
        {truncated ? <span class="warning-line">There are more objects than are shown.</span> : undefined}
        {unread.length > 0 ? (
          <span class="soft">
            Not read, so it may own of these too: {unread.slice(0, 8).join(", ")}
            {unread.length > 8 ? ", …" : ""}
          </span>
        ) : undefined}
      </p>
      <PictureView picture={picture.value} />
      <section aria-label="The same as a list">
        <Tree of={treeOf(graph.value)} />
      </section>
    </div>
  );
}

const STATES = { there: "", deleting: " (being deleted)", gone: " (gone)", unknown: " (not readable)" } as const;

function linkOf({ apiVersion, kind, name, namespace, state }: GraphNode): string | undefined {
  const served = state === "gone" ? undefined : kindOfObject(apiVersion, kind);
  if (!served) return undefined;
  return href({ ...objectRoute(served, served.namespaced ? namespace : undefined, name), tab: "graph" });
}

function PictureView({ picture }: { readonly picture: Picture }): JSX.Element {
  const { width, height, nodes, edges } = picture;
  return (
    <div class="graph-picture">
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label="Owners at the left, dependents at the right"
      >
        <defs>
          <marker id="graph-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L10 5L0 10z" class="graph-arrow" />
          </marker>
        </defs>
        {edges.map(({ edge, points }) => (
          <polyline
            key={`${edge.owner} ${edge.owned}`}
            class={edge.controller ? "graph-edge" : "graph-edge graph-edge-weak"}
            points={points.map(({ x, y }) => `${x},${y}`).join(" ")}
            marker-end="url(#graph-arrow)"
          />
        ))}
        {nodes.map(({ node, x, y }) => (
          <PlacedNode key={node.uid} node={node} x={x} y={y} />
        ))}
      </svg>
    </div>
  );
}

const MAX_LETTERS = 24;
const cut = (text: string): string => {
  const shown = visible(text);
  return shown.length > MAX_LETTERS ? `${shown.slice(0, MAX_LETTERS - 1)}…` : shown;
};

function PlacedNode({ node, x, y }: { readonly node: GraphNode; readonly x: number; readonly y: number }): JSX.Element {
  const link = node.is === "self" ? undefined : linkOf(node);
  const content = (
    <g transform={`translate(${x} ${y})`} class={`graph-node graph-${node.is} graph-is-${node.state}`}>
      <title>{`${node.kind} ${visible(node.name)}${STATES[node.state]}`}</title>
      <rect {...NODE} rx={6} />
      <text x={10} y={18} class="graph-kind">
        {node.kind}
        {STATES[node.state]}
      </text>
      <text x={10} y={35} unicode-bidi="isolate">
        {cut(node.name)}
      </text>
    </g>
  );
  return link ? (
    <a href={link} aria-label={`${node.kind} ${visible(node.name)}`}>
      {content}
    </a>
  ) : (
    content
  );
}

function Tree({ of }: { readonly of: readonly TreeNode[] }): JSX.Element {
  return (
    <ul class="graph-tree">
      {of.map(({ node, again, owned }, index) => {
        const link = node.is === "self" ? undefined : linkOf(node);
        const text = <Text value={node.name} />;
        return (
          <li key={index}>
            {node.kind} {link ? <a href={link}>{text}</a> : node.is === "self" ? <strong>{text}</strong> : text}
            {STATES[node.state]}
            {again ? " (see above)" : ""}
            {owned.length > 0 ? <Tree of={owned} /> : undefined}
          </li>
        );
      })}
    </ul>
  );
}
