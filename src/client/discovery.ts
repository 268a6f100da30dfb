/** The kinds of a server, from its aggregated discovery documents. */
import type { Client } from "./client.ts";
import type { Scope, ServedKind } from "./kind.ts";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

interface AggregatedDocument {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly AggregatedResource[];
    }[];
  }[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: Scope;
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly { readonly subresource: string; readonly verbs: readonly string[] }[];
}

interface KnownDocument {
  readonly etag: string;
  readonly kinds: readonly ServedKind[];
}

const NOTHING: KnownDocument = { etag: "", kinds: [] };

/** The kinds of the last read. */
export class Discovery {
  readonly #client: Client;
  readonly #listeners = new Set<(kinds: readonly ServedKind[]) => void>();
  #core = NOTHING;
  #named = NOTHING;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Reads every kind in every version: the core group first, the preferred version of a group before others. Unchanged
   * documents are not sent again.
   */
  async read({ signal }: { readonly signal?: AbortSignal } = {}): Promise<readonly ServedKind[]> {
    const [core, named] = await Promise.all([
      this.#fetch("/api", this.#core, signal),
      this.#fetch("/apis", this.#named, signal),
    ]);
    const hasChanged = core !== this.#core || named !== this.#named;
    [this.#core, this.#named] = [core, named];
    const { kinds } = this;
    if (hasChanged) for (const listener of this.#listeners) listener(kinds);
    return kinds;
  }

  /** The kinds of the last read. */
  get kinds(): readonly ServedKind[] {
    return [...this.#core.kinds, ...this.#named.kinds];
  }

  /** Calls `listener` after each read with changes, also the first. */
  on(listener: (kinds: readonly ServedKind[]) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async #fetch(path: string, before: KnownDocument, signal: AbortSignal | undefined): Promise<KnownDocument> {
    const asked = { etag: before.etag, signal };
    const document = await this.#client.document<AggregatedDocument>(path, AGGREGATED, asked);
    return document ? { etag: document.etag, kinds: kindsIn(document.value) } : before;
  }
}

/** Returns each kind once, in its preferred version. */
export function preferredKinds(kinds: readonly ServedKind[]): readonly ServedKind[] {
  const seen = new Map<string, ServedKind>();
  for (const served of kinds) {
    const name = `${served.plural}.${served.group}`;
    if (!seen.has(name)) seen.set(name, served);
  }
  return [...seen.values()];
}

const kindsIn = ({ items }: AggregatedDocument): readonly ServedKind[] =>
  items.flatMap(({ metadata: { name: group = "" }, versions }) =>
    versions.flatMap(({ version, resources = [] }) => resources.map((found) => asKind(group, version, found))),
  );

const asKind = (group: string, version: string, found: AggregatedResource): ServedKind => ({
  group,
  version,
  kind: found.responseKind.kind,
  plural: found.resource,
  scope: found.scope,
  singular: found.singularResource ?? "",
  shortNames: found.shortNames ?? [],
  categories: found.categories ?? [],
  verbs: found.verbs,
  subresources: new Map((found.subresources ?? []).map(({ subresource, verbs }) => [subresource, verbs])),
});
