/**
 * OpenAPI v3: an index with a hash of every document, and one document for each group and version, made from the
 * definitions. A document with its hash in the URL never changes, so clients keep it for good.
 * OpenAPI v2: the same in one document of the older form. Everything is made for the first request.
 *
 * @module
 */
import { apiVersionOf } from "../../meta/versions.ts";
import type { Registry, VersionResources } from "../../registry/contract.ts";
import { inSlices } from "../../util/steps.ts";
import type { Loop, Slice } from "../../util/loop.ts";
import { ByVersion } from "./by-version.ts";
import { type HashedDocument, hashed } from "./document.ts";
import { documentGnostic, documentV2, documentV3 } from "./openapi-documents.ts";
import { type Part, PartsOfForm } from "./openapi-parts.ts";
import type { Json } from "./openapi-schemas.ts";

/** Where the index is; the documents are below it. */
export const ROOT = "/openapi/v3";

/** The forms of the document of OpenAPI v2. */
export type V2Form = "json" | "protobuf";

/** Parts are kept as long as their definition, for all registries. */
const PARTS = { v3: new PartsOfForm("v3"), json: new PartsOfForm("v2"), protobuf: new PartsOfForm("gnostic") };

/** The documents of a registry. A document is made in slices; concurrent requests wait for the same one. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #loop: Loop;
  readonly #version: string;
  readonly #documents: ByVersion<Promise<HashedDocument>>;
  readonly #v2 = new Map<V2Form, Promise<HashedDocument>>();
  #index: Promise<HashedDocument> | undefined;
  #generation: number | undefined;

  constructor(registry: Registry, loop: Loop, version: string) {
    this.#loop = loop;
    this.#registry = registry;
    this.#version = version;
    this.#documents = new ByVersion((_group, one) => this.#make(one, this.#loop.slice()));
  }

  /** The index, with a hash of every document. */
  index(): Promise<HashedDocument> {
    this.#refresh();
    return (this.#index ??= this.#makeIndex());
  }

  /** The document of a group and version by its name in the index (`apis/storage.svc.io/v1`); undefined for others. */
  document(name: string): Promise<HashedDocument> | undefined {
    const [version = "", group = ""] = name.split("/", 4).slice(1).toReversed();
    const one = this.#registry.version(group, version);
    return one && nameOf(group, one) === name ? this.#documents.get(group, one) : undefined;
  }

  /** The document of OpenAPI v2 in a form. */
  v2(form: V2Form): Promise<HashedDocument> {
    this.#refresh();
    let made = this.#v2.get(form);
    if (!made) this.#v2.set(form, (made = this.#makeV2(form)));
    return made;
  }

  async #makeIndex(): Promise<HashedDocument> {
    const limit = this.#loop.slice();
    const paths: Record<string, Json> = {};
    for (const { group, versions } of this.#registry.groups()) {
      for (const one of versions) {
        const { hash } = await this.#documents.get(group, one, () => this.#make(one, limit));
        const name = nameOf(group, one);
        paths[name] = { serverRelativeURL: `${ROOT}/${name}?hash=${hash}` };
        if (limit.isOver) await limit.pause();
      }
    }
    return hashed(Buffer.from(JSON.stringify({ paths })));
  }

  async #makeV2(form: V2Form): Promise<HashedDocument> {
    const all = this.#registry.groups().flatMap(({ versions }) => versions);
    const parts = await partsOf(all, PARTS[form], this.#loop.slice());
    return form === "json" ? documentV2(parts, this.#version) : documentGnostic(parts, this.#version);
  }

  async #make(one: VersionResources, limit: Slice): Promise<HashedDocument> {
    return documentV3(await partsOf([one], PARTS.v3, limit), this.#version);
  }

  #refresh(): void {
    if (this.#generation === this.#registry.generation) return;
    this.#generation = this.#registry.generation;
    this.#v2.clear();
    this.#index = undefined;
  }
}

/** The parts of all resources. Missing ones are made one at a time. */
async function partsOf(versions: readonly VersionResources[], made: PartsOfForm, limit: Slice): Promise<Part[]> {
  const all: Part[] = [made.shared];
  for (const { resources } of versions) {
    for (const { definition } of resources) {
      const part = inSlices(made.get(definition), limit);
      all.push(part instanceof Promise ? await part : part);
    }
  }
  return all;
}

/** The name of a group and version in the index. */
const nameOf = (group: string, { version }: VersionResources): string =>
  `${group === "" ? "api" : "apis"}/${apiVersionOf(group, version)}`;
