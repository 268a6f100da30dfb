/**
 * What a node reports about its drivers: an annotation and labels on its Node, and its CSINode (CSIN-26 to CSIN-30).
 *
 * Writes use the rights of a node, one after the other.
 *
 * @module
 */
import { type Client, type Kind, attempt, inDomain, isStatus, retryOnConflict } from "../../../client/index.ts";
import { CSINode, Node } from "../../../client/kinds/index.ts";
import type { Dialect } from "../../../meta/dialect.ts";
import { ensureCsiNode } from "../../csi-node.ts";
import { csiNames } from "../names.ts";

/** What a driver reports about a node. */
export interface NodeFacts {
  readonly nodeId: string;
  readonly topology: Readonly<Record<string, string>>;
  /** The maximum number of volumes; undefined for no limit. */
  readonly count: number | undefined;
}

type Entry = CSINode["spec"]["drivers"][number];

/** See the head of this file. */
export class NodeObjects {
  readonly #client: Client;
  readonly #node: string;
  readonly #mark: string;
  readonly #kind: Kind<CSINode, "Cluster">;
  #last: Promise<unknown> = Promise.resolve();

  constructor({
    client,
    node,
    dialect,
  }: {
    readonly client: Client;
    readonly node: string;
    readonly dialect: Dialect;
  }) {
    this.#client = client;
    this.#node = node;
    this.#mark = csiNames(dialect).nodeIds;
    this.#kind = inDomain(CSINode, dialect.domain);
  }

  /** Creates the CSINode, or makes the Node its owner (CSIN-29). @throws StatusError where there is no Node yet */
  ensure(): Promise<void> {
    return this.#inOrder(() => this.#ensured());
  }

  /**
   * Adds a driver: annotation and labels first, then the entry of the CSINode.
   *
   * @throws Error where the Node has a label with another value (CSIN-27)
   */
  add(driver: string, facts: NodeFacts): Promise<void> {
    return this.#inOrder(async () => {
      await this.#markNode(driver, facts);
      await this.#ensured();
      const entry: Entry = {
        name: driver,
        nodeID: facts.nodeId,
        topologyKeys: Object.keys(facts.topology).toSorted(),
        ...(facts.count === undefined ? {} : { allocatable: { count: facts.count } }),
      };
      await this.#putEntry(entry);
    });
  }

  /** Removes a driver; labels stay (CSIN-30). */
  remove(driver: string): Promise<void> {
    return this.#inOrder(async () => {
      await this.#changeEntries((entries) => entries.filter(({ name }) => name !== driver));
      await this.#changeMark((ids) => Object.fromEntries(Object.entries(ids).filter(([name]) => name !== driver)));
    });
  }

  /** Writes how many volumes a driver takes, where that has changed (CSIN-32). */
  count(driver: string, count: number | undefined): Promise<void> {
    return this.#inOrder(() =>
      this.#changeEntries((entries) =>
        entries.map((entry) => {
          if (entry.name !== driver || entry.allocatable?.count === count) return entry;
          const { allocatable: _, ...rest } = entry;
          return count === undefined ? rest : { ...rest, allocatable: { count } };
        }),
      ),
    );
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  #getNode(): Promise<Node> {
    return this.#client.resource(Node).get({ name: this.#node });
  }

  /** Writes annotation and labels at once, in the version of the Node that it has read. */
  #markNode(driver: string, { nodeId, topology }: NodeFacts): Promise<unknown> {
    return retryOnConflict(async () => {
      const node = await this.#getNode();
      const { labels = {}, annotations = {}, resourceVersion } = node.metadata;
      const wrong = Object.entries(topology).filter(([key, value]) => (labels[key] ?? value) !== value);
      if (wrong.length > 0) throw new Error(wrong.map((one) => otherLabel(one, labels)).join("; "));
      const ids = { ...idsOf(annotations[this.#mark]), [driver]: nodeId };
      const added = Object.entries(topology).filter(([key]) => labels[key] === undefined);
      const text = JSON.stringify(ids);
      if (added.length === 0 && annotations[this.#mark] === text) return;
      const metadata = { resourceVersion, annotations: { [this.#mark]: text }, labels: Object.fromEntries(added) };
      await this.#client.resource(Node).patch({ name: this.#node }, { metadata });
    });
  }

  async #changeMark(change: (ids: Ids) => Ids): Promise<void> {
    await retryOnConflict(async () => {
      const found = await attempt(this.#getNode(), "NotFound");
      const text = found.ok ? found.value.metadata.annotations?.[this.#mark] : undefined;
      if (!found.ok || text === undefined) return;
      const next = change(idsOf(text));
      // The annotation is removed with the last driver.
      const value = Object.keys(next).length === 0 ? null : JSON.stringify(next);
      const { resourceVersion } = found.value.metadata;
      await this.#client
        .resource(Node)
        .patch({ name: this.#node }, { metadata: { resourceVersion, annotations: { [this.#mark]: value } } });
    });
  }

  async #ensured(): Promise<void> {
    await ensureCsiNode(this.#client, this.#kind, await this.#getNode());
  }

  /** Replaces an entry (CSIN-28). Where the server permits no change of an entry, it is removed first. */
  async #putEntry(entry: Entry): Promise<void> {
    const { name } = entry;
    const put = (entries: readonly Entry[]): readonly Entry[] => [...entries.filter((one) => one.name !== name), entry];
    try {
      await this.#changeEntries(put);
    } catch (error) {
      if (!isStatus(error, "Invalid")) throw error;
      await this.#changeEntries((entries) => entries.filter((one) => one.name !== name));
      await this.#changeEntries(put);
    }
  }

  async #changeEntries(change: (entries: readonly Entry[]) => readonly Entry[]): Promise<void> {
    const changed = this.#client.resource(this.#kind).modify({ name: this.#node }, (object) => {
      // The server may return null for an empty list.
      const before = object.spec.drivers ?? [];
      const drivers = change(before);
      return isSame(drivers, before) ? undefined : { ...object, spec: { ...object.spec, drivers } };
    });
    await attempt(changed, "NotFound");
  }
}

type Ids = Readonly<Record<string, string>>;

/** The IDs in an annotation; none where it cannot be read. */
function idsOf(text: string | undefined): Ids {
  try {
    const ids: unknown = JSON.parse(text ?? "{}");
    return typeof ids === "object" && ids !== null && !Array.isArray(ids)
      ? Object.fromEntries(Object.entries(ids).map(([driver, id]) => [driver, String(id)]))
      : {};
  } catch {
    return {};
  }
}

const otherLabel = ([key, value]: readonly [string, string], labels: Ids): string =>
  `expected the label ${key} of the Node to be ${JSON.stringify(value)}, as the driver reports, got ${JSON.stringify(labels[key])}`;

/** Whether two lists have the same entries in any order. */
function isSame(some: readonly Entry[], others: readonly Entry[]): boolean {
  const texts = new Set(some.map(textOf));
  return some.length === others.length && others.every((entry) => texts.has(textOf(entry)));
}

const textOf = ({ name, nodeID, topologyKeys, allocatable }: Entry): string =>
  JSON.stringify([name, nodeID, topologyKeys ?? [], allocatable?.count]);
