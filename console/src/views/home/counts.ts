/**
 * How many objects of each kind there are.
 *
 * @module
 */
import type { Kind } from "../../api/discovery.ts";
import { ApiFailure, request } from "../../api/http.ts";
import { collectionPath, itemsOf, type KubeList } from "../../api/kube.ts";
import { readableNamespaces, type Readable } from "../../api/readable.ts";

/** A kind with the number of its objects. */
export interface KindCount {
  readonly kind: Kind;
  readonly count: number;
  /** The namespaces that were counted, for a kind that the user may not list in all of them. */
  readonly namespaces?: readonly string[];
}

/** Kinds that people begin with, in the order in which they are shown. */
const FIRST = (
  "deployments statefulsets daemonsets jobs cronjobs pods services ingresses configmaps secrets persistentvolumeclaims " +
  "persistentvolumes namespaces nodes storageclasses customresourcedefinitions"
).split(" ");

/** Kinds whose objects are created by controllers and the server, or that show little of the work of users; the last ones show least. */
const KEPT = (
  "replicasets events endpointslices endpoints controllerrevisions serviceaccounts roles rolebindings clusterroles " +
  "clusterrolebindings priorityclasses flowschemas prioritylevelconfigurations leases csidrivers csinodes " +
  "csistoragecapacities volumeattachments servicecidrs ipaddresses apiservices nodemetrics podmetrics nodes.metrics.k8s.io " +
  "pods.metrics.k8s.io componentstatuses"
).split(" ");

/** Whether a group is one of Kubernetes, or of the server. */
const isOwn = (group: string): boolean => !group.includes(".") || group.endsWith(".k8s.io");

/**
 * The counts in the order in which they are shown: what people made, the usual kinds first, then their own kinds, then others; and
 * what the cluster keeps itself. Events, which two groups serve, are counted once.
 */
export function countsInOrder(counts: readonly KindCount[]): readonly [made: KindCount[], kept: KindCount[]] {
  const made: { readonly rank: number; readonly count: KindCount }[] = [];
  const kept: typeof made = [];
  for (const count of counts) {
    const { group, resource } = count.kind;
    if (group === "events.k8s.io" && counts.some(({ kind }) => kind.group === "" && kind.resource === resource))
      continue;
    const own = isOwn(group);
    const last = own ? Math.max(KEPT.indexOf(resource), KEPT.indexOf(`${resource}.${group}`)) : -1;
    const first = own ? FIRST.indexOf(resource) : -1;
    if (last >= 0) kept.push({ rank: last, count });
    else made.push({ rank: first >= 0 ? first : FIRST.length + (own ? 1 : 0), count });
  }
  const inOrder = (ranked: typeof made): KindCount[] =>
    ranked
      .toSorted((a, b) => a.rank - b.rank || (a.count.kind.kind < b.count.kind.kind ? -1 : 1))
      .map(({ count }) => count);
  return [inOrder(made), inOrder(kept)];
}

/** Requests that run at once. */
const AT_ONCE = 6;

/** The number of all objects of a list of which the first page was read. */
export function countOf(list: KubeList): number {
  return itemsOf(list).length + (list.metadata.remainingItemCount ?? 0);
}

/** The most namespaces in which a kind is counted. */
const MOST_NAMESPACES = 20;

/** What the counting of kinds needs. */
export interface CountOptions {
  readonly signal: AbortSignal;
  readonly at?: string | undefined;
  /** Kinds that were refused for all namespaces, which are not asked for again; it is added to. */
  readonly refused: Set<string>;
  readonly readable?: (kind: Kind) => Promise<Pick<Readable, "namespaces">>;
}

/**
 * Counts the objects of every kind that can be listed, by a page of one object each. A kind that is refused is counted in the namespaces in
 * which the user may list it, and left out if there are none. `onCount` gets every count.
 */
export async function countKinds(
  kinds: readonly Kind[],
  onCount: (count: KindCount) => void,
  { signal, at, refused, readable = readableNamespaces }: CountOptions,
): Promise<void> {
  const waiting = kinds.filter(({ verbs }) => verbs.includes("list"));
  const countIn = async (kind: Kind, namespace?: string): Promise<number> => {
    const list = await request<KubeList>(collectionPath(kind, namespace), {
      query: {
        limit: 1,
        ...(at === undefined ? {} : { resourceVersion: at, resourceVersionMatch: "Exact" }),
      },
      accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.5",
      signal,
    });
    return countOf(list);
  };
  const countAll = async (kind: Kind): Promise<number | undefined> => {
    const name = `${kind.resource}.${kind.group}`;
    if (refused.has(name)) return undefined;
    try {
      return await countIn(kind);
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 403) refused.add(name);
      throw error;
    }
  };
  const countParts = async (kind: Kind): Promise<void> => {
    if (!kind.namespaced) return;
    const { namespaces } = await readable(kind);
    const counted = namespaces.slice(0, MOST_NAMESPACES);
    if (counted.length === 0) return;
    let count = 0;
    // oxlint-disable-next-line no-await-in-loop -- some kinds are counted at once
    for (const namespace of counted) count += await countIn(kind, namespace);
    onCount({ kind, count, namespaces: counted });
  };
  const worker = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind && !signal.aborted; kind = waiting.shift())
      try {
        const count = await countAll(kind).catch((error: unknown) => {
          if (error instanceof ApiFailure && error.code === 403) return undefined;
          throw error;
        });
        if (count === undefined) await countParts(kind);
        else onCount({ kind, count });
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.code === 401) return;
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** The namespaces that counts are of; undefined where all are of the whole cluster. */
export function countedNamespaces(counts: readonly KindCount[]): readonly string[] | undefined {
  const names = counts.flatMap(({ namespaces }) => namespaces ?? []);
  return names.length === 0 ? undefined : [...new Set(names)].toSorted();
}

/** If there is one of these, users have made something. */
const BEGUN = new Set(["pods", "deployments", "statefulsets", "jobs", "customresourcedefinitions"]);

/** Whether users have made something, by what they begin with; every namespace has a ConfigMap of its own, with the CA of the server. */
export function isInUse(counts: readonly KindCount[]): boolean {
  const of = (resource: string): number =>
    counts.find(({ kind }) => kind.group === "" && kind.resource === resource)?.count ?? 0;
  return of("configmaps") > of("namespaces") || counts.some(({ kind, count }) => count > 0 && BEGUN.has(kind.resource));
}
