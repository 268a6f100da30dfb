/**
 * The documents of OpenAPI, assembled from parts whenever they are sent: of a part that is kept there is one copy, and of the rest one
 * piece at a time.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { type HashedDocument, hashText } from "./document.ts";
import { gnosticAround } from "./gnostic.ts";
import type { Part } from "./openapi-parts.ts";
import type { Json } from "./openapi-schemas.ts";
import { SECURITY_V2, headV2 } from "./openapi-v2.ts";

/** The texts before, between and after the paths and the schemas of a document. */
type Around = readonly [before: string, between: string, behind: string];

const SECURITY_V3: Json = {
  components: {
    schemas: {},
    securitySchemes: { BearerToken: { type: "http", scheme: "bearer", description: "A bearer token." } },
  },
  security: [{ BearerToken: [] }],
};

function aroundV3(version: string): Around {
  const head = { openapi: "3.0.0", info: { title: "Keelson", version }, paths: {} };
  return around(JSON.stringify({ ...head, ...SECURITY_V3 }), `},"components":{"schemas":{`);
}

function aroundV2(version: string): Around {
  return around(
    JSON.stringify({ ...headV2(version), paths: {}, definitions: {}, ...SECURITY_V2 }),
    `},"definitions":{`,
  );
}

/** Splits a document whose objects of paths and schemas are empty. */
function around(empty: string, between: string): Around {
  const at = empty.indexOf(between);
  return [empty.slice(0, at), between, empty.slice(at + between.length)];
}

/** A document as JSON. */
class JsonDocument implements HashedDocument {
  readonly hash: string;
  readonly #around: Around;
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[], around_: Around) {
    this.#around = around_;
    this.#parts = parts;
    this.hash = hashOf(parts, around_);
  }

  *pieces(): Generator<Buffer> {
    const [before, between, behind] = this.#around;
    yield Buffer.from(before);
    yield* withoutFirstComma(pathsOf(this.#parts));
    yield Buffer.from(between);
    yield* withoutFirstComma(schemasOf(this.#parts));
    yield Buffer.from(behind);
  }
}

/** The document of OpenAPI v2 as protobuf. */
class GnosticDocument implements HashedDocument {
  readonly hash: string;
  readonly #version: string;
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[], version: string) {
    this.#version = version;
    this.#parts = parts;
    this.hash = hashOf(parts, ["protobuf", version]);
  }

  *pieces(): Generator<Buffer> {
    // The length of the fields comes first, so all parts are visited twice.
    let [paths, schemas] = [0, 0];
    for (const { length } of pathsOf(this.#parts)) {
      paths += length;
      yield NOTHING;
    }
    for (const { length } of schemasOf(this.#parts)) schemas += length;
    const [before, between, behind] = gnosticAround({ ...headV2(this.#version), ...SECURITY_V2 }, paths, schemas);
    yield before;
    yield* pathsOf(this.#parts);
    yield between;
    yield* schemasOf(this.#parts);
    yield behind;
  }
}

const NOTHING = Buffer.alloc(0);

/** A document of OpenAPI v3. */
export const documentV3 = (parts: readonly Part[], version: string): HashedDocument =>
  new JsonDocument(parts, aroundV3(version));

/** The document of OpenAPI v2 as JSON. */
export const documentV2 = (parts: readonly Part[], version: string): HashedDocument =>
  new JsonDocument(parts, aroundV2(version));

/** The same as protobuf. */
export const documentGnostic = (parts: readonly Part[], version: string): HashedDocument =>
  new GnosticDocument(parts, version);

function hashOf(parts: readonly Part[], around_: readonly string[]): string {
  const hash = createHash("sha512").update(around_.join());
  for (const { digest } of parts) hash.update(digest);
  return hashText(hash);
}

function* pathsOf(parts: readonly Part[]): Generator<Buffer> {
  for (const { paths } of parts) yield paths();
}

/** Of schemas with one name the first is used. */
function* schemasOf(parts: readonly Part[]): Generator<Buffer> {
  const seen = new Set<string>();
  for (const { schemas } of parts) {
    for (const [name, bytes] of schemas) {
      if (seen.has(name)) continue;
      seen.add(name);
      yield bytes;
    }
  }
}

function* withoutFirstComma(pieces: Iterable<Buffer>): Generator<Buffer> {
  let isFirst = true;
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    yield isFirst ? piece.subarray(1) : piece;
    isFirst = false;
  }
}
