/**
 * The discovery documents: made once for each generation of the registry.
 *
 * @module
 */
import type { Registry } from "../../registry/contract.ts";
import { type Group, groupsOf } from "./discovery-documents.ts";
import { type HashedDocument, hashed } from "./hashed-document.ts";

/** The discovery documents of a registry. */
export class Discovery {
  readonly #registry: Registry;
  readonly #documents = new Map<string, HashedDocument>();
  #groups: readonly Group[] = [];
  #generation: number | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The groups that are served now. */
  get groups(): readonly Group[] {
    if (this.#generation !== this.#registry.generation) {
      this.#generation = this.#registry.generation;
      this.#groups = groupsOf(this.#registry.resources.map(({ definition }) => definition));
      this.#documents.clear();
    }
    return this.#groups;
  }

  /** A document, kept until the registry changes. */
  document(id: string, make: (groups: readonly Group[]) => Buffer): HashedDocument {
    const { groups } = this;
    let document = this.#documents.get(id);
    if (!document) this.#documents.set(id, (document = hashed(make(groups))));
    return document;
  }
}
