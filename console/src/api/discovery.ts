/**
 * The kinds that the server serves, from aggregated discovery.
 *
 * @module
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { ApiFailure, request } from "./http.ts";

/** A kind that is served. */
export interface Kind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in paths: `configmaps`. */
  readonly resource: string;
  /** `ConfigMap`. */
  readonly kind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
}

/** A subresource of a kind: `status`, `scale`, `log`. */
export interface Subresource {
  readonly name: string;
  readonly verbs: readonly string[];
}

/** `APIGroupDiscoveryList` of `apidiscovery.k8s.io/v2`, as far as it is read. */
export interface DiscoveryList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind?: string };
        readonly scope?: string;
        readonly singularResource?: string;
        readonly shortNames?: readonly string[];
        readonly categories?: readonly string[];
        readonly verbs?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string; readonly verbs?: readonly string[] }[];
      }[];
    }[];
  }[];
}

const ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** The kinds of a document, the preferred version of each resource only, unless all are wanted. */
export function kindsOf(list: DiscoveryList, all = false): Kind[] {
  const kinds: Kind[] = [];
  for (const { metadata, versions = [] } of list.items ?? []) {
    const group = metadata?.name ?? "";
    const seen = new Set<string>();
    // The preferred version stands first.
    for (const { version, resources = [] } of versions)
      for (const resource of resources) {
        if (seen.has(resource.resource) && !all) continue;
        seen.add(resource.resource);
        kinds.push({
          group,
          version,
          resource: resource.resource,
          kind: resource.responseKind?.kind ?? resource.resource,
          singular: resource.singularResource ?? "",
          shortNames: resource.shortNames ?? [],
          categories: resource.categories ?? [],
          namespaced: resource.scope === "Namespaced",
          verbs: resource.verbs ?? [],
          subresources: (resource.subresources ?? []).map(({ subresource, verbs = [] }) => ({
            name: subresource,
            verbs,
          })),
        });
      }
  }
  return kinds;
}

/** What is known of the kinds: none yet, or with the failure of the last attempt. */
export interface Discovery {
  readonly loaded: boolean;
  /** Every version of every kind. */
  readonly all: readonly Kind[];
  readonly failure?: ApiFailure;
}

const state = signal<Discovery>({ loaded: false, all: [] });

/** What is known of the kinds. */
export const discovery: ReadonlySignal<Discovery> = state;

/** The kinds that are served, each in its preferred version. */
export const kinds: ReadonlySignal<readonly Kind[]> = computed(() => {
  const seen = new Set<string>();
  return state.value.all.filter(({ group, resource }) => {
    const key = `${resource}.${group}`;
    return !seen.has(key) && seen.add(key);
  });
});

/** Reads the kinds again; the last ones stay until the response is there. */
export async function loadKinds(): Promise<void> {
  try {
    const [core, groups] = await Promise.all(
      ["/api", "/apis"].map((path) => request<DiscoveryList>(path, { accept: ACCEPT, revalidate: true })),
    );
    state.value = { loaded: true, all: [...kindsOf(core ?? {}, true), ...kindsOf(groups ?? {}, true)] };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    state.value = { ...state.value, failure: error };
  }
}

/** The kind of these path members; undefined if it is not served, or not known yet. */
export function findKind(group: string, version: string, resource: string): Kind | undefined {
  return state.value.all.find((kind) => kind.resource === resource && kind.group === group && kind.version === version);
}

/** The kind of an object, by its `apiVersion` and `kind`; undefined if it is not served, or not known yet. */
export function kindOfObject(apiVersion: string, kind: string): Kind | undefined {
  const slash = apiVersion.indexOf("/");
  const [group, version] = slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  return state.value.all.find((one) => one.kind === kind && one.group === group && one.version === version);
}
