/**
 * OpenAPI v3: an index with a hash of every document, and one document for each group and version, made from the
 * definitions. A document that is asked for by its hash never changes, so clients keep it for good.
 * OpenAPI v2: the same in one document of the older form. Everything is made when it is first asked for.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { apiVersionOf } from "../../meta/versions.ts";
import type { Registry, VersionResources } from "../../registry/contract.ts";
import { TurnLimit } from "../../util/turn-limit.ts";
import { ByVersion } from "./by-version.ts";
import { type HashedDocument, hashed } from "./hashed-document.ts";
import {
  type ByDefinition,
  type Part,
  gnosticParts,
  partsV2,
  partsV3,
  sharedGnostic,
  sharedV2,
  sharedV3,
} from "./openapi-parts.ts";
import type { Json } from "./openapi-schemas.ts";
import { gnosticV2, openApiV2 } from "./openapi-v2.ts";

/** Where the index is; the documents are below it. */
export const ROOT = "/openapi/v3";

/** The forms of the document of OpenAPI v2. */
export type V2Form = "json" | "protobuf";

/** The documents of a registry. What is made of a definition is kept as long as that one; others get their turn meanwhile. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #version: string;
  readonly #documents: ByVersion<Promise<HashedDocument>>;
  readonly #v2 = new Map<V2Form, Promise<HashedDocument>>();
  #index: HashedDocument | undefined;
  #generation: number | undefined;

  constructor(registry: Registry, version: string) {
    this.#registry = registry;
    this.#version = version;
    this.#documents = new ByVersion((_group, one) => this.#make(one));
  }

  /** The index, with a hash of every document. */
  async index(): Promise<HashedDocument> {
    this.#refresh();
    if (this.#index) return this.#index;
    const generation = this.#generation;
    const paths: Record<string, Json> = {};
    for (const [name, group, one] of this.#named()) {
      const { hash } = await this.#documents.get(group, one);
      paths[name] = { serverRelativeURL: `${ROOT}/${name}?hash=${hash}` };
    }
    const index = hashed(Buffer.from(JSON.stringify({ paths })));
    if (this.#generation === generation) this.#index = index;
    return index;
  }

  /** The document of a group and version by its name in the index (`apis/storage.svc.io/v1`); undefined for others. */
  document(name: string): Promise<HashedDocument> | undefined {
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
    const all = this.#named().map(([, , one]) => one);
    const document =
      form === "json"
        ? openApiV2([sharedV2(), ...(await partsOf(all, partsV2))], this.#version)
        : gnosticV2([sharedGnostic(), ...(await partsOf(all, gnosticParts))], this.#version);
    return hashed(Buffer.from(document));
  }

  async #make(one: VersionResources): Promise<HashedDocument> {
    return new DocumentOfParts([sharedV3(), ...(await partsOf([one], partsV3))], this.#version);
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

/** The parts of all resources. Those that are not there are made one at a time. */
async function partsOf<T>(versions: readonly VersionResources[], parts: ByDefinition<T>): Promise<T[]> {
  const all: T[] = [];
  const limit = new TurnLimit();
  for (const { definition } of versions.flatMap(({ resources }) => resources)) {
    if (limit.isOver) await limit.pause();
    all.push(parts.get(definition));
  }
  if (limit.isOver) await limit.pause();
  return all;
}

const SECURITY: Json = {
  securitySchemes: { BearerToken: { type: "http", scheme: "bearer", description: "A bearer token." } },
};

/** A document of OpenAPI v3: its parts are kept with their definitions, and put together for each answer. */
class DocumentOfParts implements HashedDocument {
  readonly hash: string;
  readonly #parts: readonly Part[];
  readonly #version: string;

  constructor(parts: readonly Part[], version: string) {
    this.#parts = parts;
    this.#version = version;
    const hash = createHash("sha512").update(version);
    for (const { digest } of parts) hash.update(digest);
    this.hash = hash.digest("hex").toUpperCase();
  }

  /** The pieces that are kept: a document of many kinds has megabytes that nobody needs to copy. */
  get bytes(): readonly Buffer[] {
    const schemas = new Map(this.#parts.flatMap((part) => [...part.schemas]));
    const head = JSON.stringify({ openapi: "3.0.0", info: { title: "Keelson", version: this.#version } });
    return [
      Buffer.from(`${head.slice(0, -1)},"paths":{`),
      ...withoutFirstComma(this.#parts.map(({ paths }) => paths)),
      Buffer.from(`},"components":{"schemas":{`),
      ...withoutFirstComma([...schemas.values()]),
      Buffer.from(`},${JSON.stringify(SECURITY).slice(1)},"security":[{"BearerToken":[]}]}`),
    ];
  }
}

function withoutFirstComma(pieces: readonly Buffer[]): readonly Buffer[] {
  const [first, ...rest] = pieces.filter(({ length }) => length > 0);
  return first ? [first.subarray(1), ...rest] : [];
}

/** The name of a group and version in the index. */
const nameOf = (group: string, { version }: VersionResources): string =>
  `${group === "" ? "api" : "apis"}/${apiVersionOf(group, version)}`;
