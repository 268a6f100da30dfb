import { type Document, type Scalar, isMap, isScalar, isSeq, parseAllDocuments, visit } from "yaml";
import { parsePointer } from "../../value/pointer.ts";
import { asJsonNumber } from "../../value/value.ts";
import { ObjectError } from "./object-error.ts";

/** One operation of the JSON patch that resolves a conflict. */
export interface Change {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/** A step of a path in a document; keys may be numbers. */
type Key = string | number | bigint;

/** Parses the objects of a YAML or JSON text; empty documents are left out. @throws ObjectError with file and line */
export function readManifests(text: string, file: string): Manifest[] {
  // Unchanged values are written as they were read: an integer beyond 2^53 keeps all its digits.
  const documents = parseAllDocuments(text, { intAsBigInt: true });
  const manifests = (Array.isArray(documents) ? documents : []).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new ObjectError(`expected ${file} to be YAML or JSON: ${error.message}`);
    return document.contents === null || isEmptyScalar(document) ? [] : [new Manifest(document, file)];
  });
  if (manifests.length === 0) throw new ObjectError(`expected at least one object in ${file}`);
  return manifests;
}

const isEmptyScalar = ({ contents }: Document): boolean => isScalar(contents) && contents.value === null;

/** Returns the text of a file with these objects. */
export const joinManifests = (manifests: readonly Manifest[]): string =>
  manifests.map((manifest) => manifest.text().replace(/^---\n/, "")).join("---\n");

/** One object of a file, which is changed in path: comments and the order of members are kept. */
export class Manifest {
  readonly #document: Document;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Whether the object has changed since it was read. */
  changed = false;

  constructor(document: Document, file: string) {
    this.#document = document;
    const member = (...path: string[]): string => {
      const value = document.getIn(path);
      if (typeof value === "string" && value !== "") return value;
      throw new ObjectError(
        `expected ${path.join(".")} of an object in ${file} to be a text, got ${JSON.stringify(value)}`,
      );
    };
    if (!isMap(document.contents)) throw new ObjectError(`expected an object in ${file}`);
    this.apiVersion = member("apiVersion");
    this.kind = member("kind");
    this.name = member("metadata", "name");
    const namespace = document.getIn(["metadata", "namespace"]);
    this.namespace = typeof namespace === "string" && namespace !== "" ? namespace : undefined;
  }

  /** Returns the object in YAML, with `resourceVersion` if given. */
  text(resourceVersion?: string): string {
    const document = this.#document;
    if (resourceVersion === undefined || document.hasIn(["metadata", "resourceVersion"])) return write(document);
    const bound = document.clone();
    bound.setIn(["metadata", "resourceVersion"], resourceVersion);
    return write(bound);
  }

  /**
   * Applies operations; indices of lists are those before the first operation. Containers that become empty are removed as well:
   * applying an empty container would own it.
   */
  change(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const removals: Key[][] = [];
    for (const { op, path: pointer, value } of changes) {
      const path = this.#locate(pointer);
      if (op === "remove") removals.push(path);
      else this.#replace(path, value);
    }
    for (const path of removals.sort(lastFirst)) this.#remove(path);
    this.changed = true;
  }

  #replace(path: readonly Key[], value: unknown): void {
    const old = this.#document.getIn(path, true);
    const node = this.#document.createNode(withBigInts(value));
    if (isScalar(old) && isScalar(node)) {
      node.comment = old.comment ?? null;
      node.spaceBefore = old.spaceBefore ?? false;
    }
    visit(node, { Scalar: (_key, scalar) => quote(scalar) });
    this.#document.setIn(path, node);
  }

  #remove(removed: readonly Key[]): void {
    for (let path = removed; path.length > 0; path = path.slice(0, -1)) {
      this.#document.deleteIn(path);
      const parent = this.#document.getIn(path.slice(0, -1));
      if (!(isMap(parent) || isSeq(parent)) || parent.items.length > 0) return;
    }
  }

  /** Resolves a pointer to a path in the document, whose keys may be numbers. */
  #locate(pointer: string): Key[] {
    const path: Key[] = [];
    for (const token of parsePointer(pointer)) {
      const at = path.length === 0 ? this.#document.contents : this.#document.getIn(path);
      const key = isSeq(at) ? Number(token) : isMap(at) ? keyOf(at, token) : undefined;
      if (key === undefined || !this.#document.hasIn([...path, key])) {
        throw new ObjectError(
          `${pointer} of ${this.kind} ${this.name} is an alias or written in another form; change the file`,
        );
      }
      path.push(key);
    }
    return path;
  }
}

/** A value with bigints in place of the integers that no double holds. */
function withBigInts(value: unknown): unknown {
  const number = asJsonNumber(value);
  if (number) return number.integer ?? number.value;
  if (Array.isArray(value)) return value.map(withBigInts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withBigInts(member)]));
}

/** Quotes a text that a YAML parser could read as another type: `yes`, `0x1`, `1:30`, `~`. */
function quote(scalar: Scalar): void {
  if (typeof scalar.value !== "string" || scalar.value.includes("\n")) return;
  const word = /^[A-Za-z_/][\w ./-]*$/.test(scalar.value);
  if (!word || /^(y|n|yes|no|on|off|true|false|null)$/i.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
}

const write = (document: Document): string => document.toString({ lineWidth: 0 });

function keyOf(map: { readonly items: readonly { readonly key: unknown }[] }, token: string): Key | undefined {
  for (const { key } of map.items) {
    const value = isScalar(key) ? key.value : key;
    if (
      (typeof value === "string" || typeof value === "number" || typeof value === "bigint") &&
      String(value) === token
    )
      return value;
  }
  return undefined;
}

/** Orders later paths first, so that removals do not move earlier ones. */
function lastFirst(a: readonly Key[], b: readonly Key[]): number {
  for (const [i, x] of a.entries()) {
    const y = b[i];
    if (y === undefined) break;
    if (x === y) continue;
    if (typeof x === "number" && typeof y === "number") return y - x;
    return String(x) < String(y) ? 1 : -1;
  }
  return b.length - a.length;
}
