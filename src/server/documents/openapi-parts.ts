/**
 * What one resource adds to the documents of OpenAPI: made once for its definition, whatever becomes of others.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { ResourceDefinition } from "../../schema/definition.ts";
import { resourcePaths } from "./openapi-paths.ts";
import { type Json, kindComponents, sharedComponents } from "./openapi-schemas.ts";
import { type PartV2, gnosticPart, partV2 } from "./openapi-v2.ts";

/** Members of a document, each as the text of JSON with its name behind a comma, and a hash of them all. */
export interface Part {
  /** All paths in one piece. */
  readonly paths: Buffer;
  readonly schemas: ReadonlyMap<string, Buffer>;
  readonly digest: Buffer;
}

/** Paths and components by their names. */
interface Members {
  readonly paths: Json;
  readonly schemas: Json;
}

function membersOf(definition: ResourceDefinition, form: "v3" | "v2"): Members {
  const schemas = kindComponents(definition, form);
  for (const { takes } of Object.values(definition.subresources ?? {})) {
    if (takes) Object.assign(schemas, kindComponents(takes));
  }
  return { paths: resourcePaths(definition), schemas };
}

function textsOf({ paths, schemas }: Members): Part {
  const text = ([name, value]: [string, unknown]): string => `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
  const written = Object.entries(schemas).map((entry): [string, Buffer] => [entry[0], Buffer.from(text(entry))]);
  const part = { paths: Buffer.from(Object.entries(paths).map(text).join("")), schemas: new Map(written) };
  const hash = createHash("sha512").update(part.paths);
  for (const piece of part.schemas.values()) hash.update(piece);
  return { ...part, digest: hash.digest() };
}

/** A value for each definition that is asked for, kept as long as that one. */
export class ByDefinition<T> {
  readonly #make: (definition: ResourceDefinition) => T;
  readonly #made = new WeakMap<ResourceDefinition, T>();

  constructor(make: (definition: ResourceDefinition) => T) {
    this.#make = make;
  }

  get(definition: ResourceDefinition): T {
    const known = this.#made.get(definition);
    if (known !== undefined) return known;
    const made = this.#make(definition);
    this.#made.set(definition, made);
    return made;
  }
}

/** For documents of OpenAPI v3. */
export const partsV3: ByDefinition<Part> = new ByDefinition((definition) => textsOf(membersOf(definition, "v3")));
/** For the document of OpenAPI v2 as JSON. */
export const partsV2: ByDefinition<PartV2> = new ByDefinition((definition) => partV2(membersOf(definition, "v2")));
/** For the same as protobuf. */
export const gnosticParts: ByDefinition<PartV2<Buffer>> = new ByDefinition((definition) =>
  gnosticPart(partsV2.get(definition)),
);

const SHARED: () => Members = () => ({ paths: {}, schemas: sharedComponents() });

/** What every document has beside its resources, in each form. */
export const sharedV3 = (): Part => textsOf(SHARED());
export const sharedV2 = (): PartV2 => partV2(SHARED());
export const sharedGnostic = (): PartV2<Buffer> => gnosticPart(sharedV2());
