/**
 * OpenAPI v3: an index with a hash of every document, and one document for each group and version, made from the
 * definitions. A document that is asked for by its hash never changes, so clients keep it for good.
 * OpenAPI v2: the same in one document of the older form. Everything is made when it is first asked for.
 *
 * @module
 */
import { apiVersionOf } from "../../meta/versions.ts";
import type { Registry, VersionResources } from "../../registry/contract.ts";
import { turn } from "../../util/clock.ts";
import { ByVersion } from "./by-version.ts";
import { type HashedDocument, hashed } from "./hashed-document.ts";
import { resourcePaths } from "./openapi-paths.ts";
import { type Json, kindComponents, sharedComponents } from "./openapi-schemas.ts";
import { type PartV2, gnosticPart, gnosticV2, openApiV2, partV2 } from "./openapi-v2.ts";

/** Where the index is; the documents are below it. */
export const ROOT = "/openapi/v3";

/** The forms of the document of OpenAPI v2. */
export type V2Form = "json" | "protobuf";

/** The documents of a registry. What is made of a group and version is kept until that one changes. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #version: string;
  readonly #documents: ByVersion<HashedDocument>;
  readonly #parts: ByVersion<PartV2>;
  readonly #gnosticParts: ByVersion<PartV2<Buffer>>;
  readonly #v2 = new Map<V2Form, Promise<HashedDocument>>();
  #index: HashedDocument | undefined;
  #generation: number | undefined;

  constructor(registry: Registry, version: string) {
    this.#registry = registry;
    this.#version = version;
    this.#documents = new ByVersion((_group, one) => hashed(Buffer.from(JSON.stringify(this.#make(one)))));
    this.#parts = new ByVersion((_group, one) => partV2(this.#make(one, "v2")));
    this.#gnosticParts = new ByVersion((group, one) => gnosticPart(this.#parts.get(group, one)));
  }

  /** The index. Documents that are not there are made one at a time, so that others get their turn between them. */
  async index(): Promise<HashedDocument> {
    this.#refresh();
    if (this.#index) return this.#index;
    const generation = this.#generation;
    const paths: Record<string, Json> = {};
    for (const [name, group, one] of this.#named()) {
      if (!this.#documents.has(one)) await turn();
      const { hash } = this.#documents.get(group, one);
      paths[name] = { serverRelativeURL: `${ROOT}/${name}?hash=${hash}` };
    }
    const index = hashed(Buffer.from(JSON.stringify({ paths })));
    if (this.#generation === generation) this.#index = index;
    return index;
  }

  /** The document of a group and version by its name in the index (`apis/storage.svc.io/v1`); undefined for others. */
  document(name: string): HashedDocument | undefined {
    const [version = "", group = ""] = name.split("/").slice(1).toReversed();
    const one = this.#registry.group(group)?.versions.find((candidate) => candidate.version === version);
    return one && nameOf(group, one) === name ? this.#documents.get(group, one) : undefined;
  }

  /** The document of OpenAPI v2 in a form; those who ask while it is made wait for the same one. */
  v2(form: V2Form): Promise<HashedDocument> {
    this.#refresh();
    let made = this.#v2.get(form);
    if (!made) this.#v2.set(form, (made = this.#makeV2(form)));
    return made;
  }

  async #makeV2(form: V2Form): Promise<HashedDocument> {
    const document =
      form === "json"
        ? openApiV2(await this.#all(this.#parts), this.#version)
        : gnosticV2(await this.#all(this.#gnosticParts), this.#version);
    await turn();
    return hashed(Buffer.from(document));
  }

  /** The parts of all groups and versions. Those that are not there are made one at a time. */
  async #all<T>(parts: ByVersion<T>): Promise<T[]> {
    const all: T[] = [];
    for (const [, group, one] of this.#named()) {
      if (!parts.has(one)) await turn();
      all.push(parts.get(group, one));
    }
    await turn();
    return all;
  }

  #make({ resources }: VersionResources, form: "v3" | "v2" = "v3"): Json {
    const paths: Json = {};
    const schemas: Json = sharedComponents();
    for (const { definition } of resources) {
      Object.assign(paths, resourcePaths(definition));
      Object.assign(schemas, kindComponents(definition, form));
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

  /** Every group and version, with its name in the index. */
  #named(): [name: string, group: string, one: VersionResources][] {
    return this.#registry
      .groups()
      .flatMap(({ group, versions }) =>
        versions.map((one): [string, string, VersionResources] => [nameOf(group, one), group, one]),
      );
  }

  #refresh(): void {
    if (this.#generation === this.#registry.generation) return;
    this.#generation = this.#registry.generation;
    this.#v2.clear();
    this.#index = undefined;
  }
}

/** The name of a group and version in the index. */
const nameOf = (group: string, { version }: VersionResources): string =>
  `${group === "" ? "api" : "apis"}/${apiVersionOf(group, version)}`;
