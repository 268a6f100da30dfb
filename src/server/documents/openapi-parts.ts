/**
 * The part of the documents of OpenAPI that comes from one resource: made once for its definition, and independent of others.
 *
 * @module
 */
import { isObject } from "../../value/value.ts";
import { createHash } from "node:crypto";
import type { ResourceDefinition } from "../../schema/definition.ts";
import { type Steps, atOnce } from "../../util/steps.ts";
import { gnosticDefinition, gnosticPath } from "./gnostic.ts";
import { resourcePaths } from "./openapi-paths.ts";
import { type Json, kindComponents, sharedComponents } from "./openapi-schemas.ts";
import { pathItemV2, schemaV2 } from "./openapi-v2.ts";
import { isTemplated, membersText, namesOf, templateOf } from "./path-template.ts";

/** The forms of parts: JSON of OpenAPI v3, JSON of v2, and v2 as protobuf. */
export type PartForm = "v3" | "v2" | "gnostic";

/**
 * A part in a form: members of objects of JSON, each behind a comma, or fields of protobuf.
 */
export interface Part {
  /** All paths in one piece; those of custom kinds are made each time. */
  readonly paths: () => Buffer;
  readonly schemas: ReadonlyMap<string, Buffer>;
  /** Changes when anything in the part changes. */
  readonly digest: Buffer;
}

/** Parts of definitions in one form, each kept as long as its definition. */
export class PartsOfForm {
  readonly #form: PartForm;
  readonly #made = new WeakMap<ResourceDefinition, Part>();
  #shared: Part | undefined;

  constructor(form: PartForm) {
    this.#form = form;
  }

  /** The content of every document besides its resources. */
  get shared(): Part {
    if (this.#shared) return this.#shared;
    const schemas = new Map<string, Buffer>();
    atOnce(putMembers(schemas, sharedComponents(), this.#form));
    return (this.#shared = partOf(NO_PATHS, "", schemas));
  }

  /** The part of a definition, in steps: schemas of custom kinds may have megabytes. */
  *get(definition: ResourceDefinition): Steps<Part> {
    const known = this.#made.get(definition);
    if (known) return known;
    const part = yield* madePart(definition, this.#form);
    this.#made.set(definition, part);
    return part;
  }
}

const NO_PATHS = (): Buffer => NOTHING;
const NOTHING = Buffer.alloc(0);

function* madePart(definition: ResourceDefinition, form: PartForm): Steps<Part> {
  const components = [kindComponents(definition, form === "v3" ? "v3" : "v2")];
  for (const { takes } of Object.values(definition.subresources ?? {})) {
    if (takes) components.push(kindComponents(takes));
  }
  yield;
  const schemas = new Map<string, Buffer>();
  for (const some of components) yield* putMembers(schemas, some, form);
  if (isTemplated(definition)) {
    const template = templateOf(definition);
    const names = namesOf(definition);
    const paths = (): Buffer => (form === "gnostic" ? template.gnostic(names) : Buffer.from(template[form](names)));
    return partOf(paths, template.digest + JSON.stringify(names), schemas);
  }
  const paths = pathsIn(Object.entries(resourcePaths(definition)), form);
  return partOf(() => paths, paths, schemas);
}

/** @param said the content of the paths */
function partOf(paths: Part["paths"], said: string | Buffer, schemas: ReadonlyMap<string, Buffer>): Part {
  const digest = createHash("sha512").update(said);
  for (const bytes of schemas.values()) digest.update(bytes);
  return { paths, schemas, digest: digest.digest() };
}

function pathsIn(paths: readonly (readonly [string, Json])[], form: PartForm): Buffer {
  if (form === "gnostic") return Buffer.concat(paths.map(([path, item]) => gnosticPath(path, pathItemV2(item))));
  return Buffer.from(membersText(form === "v3" ? paths : paths.map(([path, item]) => [path, pathItemV2(item)])));
}

/** Adds components in a form, in steps: one of a custom kind may have tens of thousands of properties. */
function* putMembers(schemas: Map<string, Buffer>, components: Json, form: PartForm): Steps<void> {
  for (const [name, schema] of Object.entries(components)) {
    if (!isObject(schema)) continue;
    const said = form === "v3" ? schema : schemaV2(schema);
    yield;
    schemas.set(name, form === "gnostic" ? gnosticDefinition(name, said) : Buffer.from(membersText([[name, said]])));
    yield;
  }
}
