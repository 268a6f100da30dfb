/**
 * OpenAPI v3: an index with a hash of every document, and one document for each group and version, made from the
 * definitions. A document that is asked for by its hash never changes, so clients keep it for good (clients.md 1.4).
 * OpenAPI v2: the same in one document of the older form. Everything is made when it is first asked for.
 *
 * @module
 */
import type { Registry } from "../../registry/contract.ts";
import { type GroupVersion, groupVersion, groupsOf } from "./discovery-documents.ts";
import { gnosticDocument } from "./gnostic.ts";
import { type HashedDocument, hashed } from "./hashed-document.ts";
import { resourcePaths } from "./openapi-paths.ts";
import { type Json, kindComponents, sharedComponents } from "./openapi-schemas.ts";
import { openApiV2 } from "./openapi-v2.ts";

/** Where the index is; the documents are below it. */
export const ROOT = "/openapi/v3";

/** The forms of the document of OpenAPI v2. */
export type V2Form = "json" | "protobuf";

/** The documents of a registry. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #version: string;
  readonly #documents = new Map<string, HashedDocument>();
  readonly #v2 = new Map<V2Form, Promise<HashedDocument>>();
  #index: HashedDocument | undefined;
  #generation: number | undefined;

  constructor(registry: Registry, version: string) {
    this.#registry = registry;
    this.#version = version;
  }

  /** The index. Documents are made one at a time, so that others get their turn between them. */
  async index(): Promise<HashedDocument> {
    this.#refresh();
    if (this.#index) return this.#index;
    const generation = this.#generation;
    const paths: Record<string, Json> = {};
    for (const one of this.#groupVersions()) {
      const name = nameOf(one);
      const { hash } = this.#document(name, one);
      paths[name] = { serverRelativeURL: `${ROOT}/${name}?hash=${hash}` };
      await turn();
    }
    const index = hashed(Buffer.from(JSON.stringify({ paths })));
    if (this.#generation === generation) this.#index = index;
    return index;
  }

  /** The document of a group and version by its name in the index (`apis/storage.svc.io/v1`); undefined for others. */
  document(name: string): HashedDocument | undefined {
    this.#refresh();
    const one = this.#groupVersions().find((candidate) => nameOf(candidate) === name);
    return one && this.#document(name, one);
  }

  /** The document of OpenAPI v2 in a form; those who ask while it is made wait for the same one. */
  v2(form: V2Form): Promise<HashedDocument> {
    this.#refresh();
    let made = this.#v2.get(form);
    if (!made) this.#v2.set(form, (made = this.#makeV2(form)));
    return made;
  }

  async #makeV2(form: V2Form): Promise<HashedDocument> {
    const documents: Json[] = [];
    for (const one of this.#groupVersions()) {
      documents.push(this.#make(one));
      await turn();
    }
    const document = openApiV2(documents, this.#version);
    await turn();
    return hashed(form === "json" ? Buffer.from(JSON.stringify(document)) : gnosticDocument(document));
  }

  #document(name: string, one: GroupVersion): HashedDocument {
    let document = this.#documents.get(name);
    if (!document) {
      document = hashed(Buffer.from(JSON.stringify(this.#make(one))));
      this.#documents.set(name, document);
    }
    return document;
  }

  #make({ definitions }: GroupVersion): Json {
    const paths: Json = {};
    const schemas: Json = sharedComponents();
    for (const definition of definitions) {
      Object.assign(paths, resourcePaths(definition));
      Object.assign(schemas, kindComponents(definition));
      for (const { takes } of Object.values(definition.subresources ?? {})) {
        if (takes) Object.assign(schemas, kindComponents(takes));
      }
    }
    return {
      openapi: "3.0.0",
      info: { title: "Keelson", version: this.#version },
      paths,
      components: {
        schemas,
        securitySchemes: { BearerToken: { type: "http", scheme: "bearer", description: "A bearer token." } },
      },
      security: [{ BearerToken: [] }],
    };
  }

  #groupVersions(): readonly GroupVersion[] {
    return groupsOf(this.#registry.resources.map(({ definition }) => definition)).flatMap(({ versions }) => versions);
  }

  #refresh(): void {
    if (this.#generation === this.#registry.generation) return;
    this.#generation = this.#registry.generation;
    this.#documents.clear();
    this.#v2.clear();
    this.#index = undefined;
  }
}

/** Lets others have their turn of the event loop. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const nameOf = ({ group, version }: GroupVersion): string =>
  `${group === "" ? "api" : "apis"}/${groupVersion(group, version)}`;
