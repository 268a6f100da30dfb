/**
 * The position of an expression in its file.
 *
 * Its node is found by its path. Inside the node it is compared with the file without blanks, quotes and backslashes, so that a position in
 * it has its line in a plain or quoted text and in a block, folded or not.
 *
 * @module
 */
import { type Document, isDocument, isMap, isScalar, isSeq, parseAllDocuments } from "yaml";

/** The line of a character of an expression, by its offset in code points. */
export type LineAt = (offset: number) => number;

const LEFT_OUT: ReadonlySet<string> = new Set([" ", "\t", "\r", "\n", '"', "'", "\\"]);

/** The code points of a text, without those that YAML may add or remove. */
const compact = (text: readonly string[]): readonly string[] => text.filter((character) => !LEFT_OUT.has(character));

/** The object of a policy in a file. */
interface Found {
  readonly document: Document;
  /** The path of the object in the document: that of an item, or none. */
  readonly path: readonly (string | number)[];
}

/** Finds the expressions of one file. */
export class Places {
  readonly #text: string;
  readonly #documents: readonly Document[];

  constructor(text: string) {
    this.#text = text;
    this.#documents = [...parseAllDocuments(text)].filter((one): one is Document.Parsed => isDocument(one));
  }

  /**
   * The lines of an expression; undefined where it is not found.
   *
   * @param path `spec.validations[0].expression`
   */
  find(kind: string, name: string, path: string): LineAt | undefined {
    const found = this.#object(kind, name);
    const node = found?.document.getIn([...found.path, ...pathOf(path)], true);
    if (!isScalar(node) || !node.range) return undefined;
    const [start, end] = node.range;
    const raw = this.#text.slice(start, end);
    const source = String(node.value);
    return (offset) => this.#lineOf(start + offsetIn(raw, source, offset));
  }

  #object(kind: string, name: string): Found | undefined {
    for (const document of this.#documents) {
      for (const path of objectPaths(document)) {
        const isKind = document.getIn([...path, "kind"]) === kind;
        if (isKind && document.getIn([...path, "metadata", "name"]) === name) return { document, path };
      }
    }
    return undefined;
  }

  #lineOf(position: number): number {
    return this.#text.slice(0, position).split("\n").length;
  }
}

/** The objects of a document: itself, or the items of a list. */
function objectPaths({ contents }: Document): readonly (readonly (string | number)[])[] {
  const items = isMap(contents) ? contents.get("items") : undefined;
  return isSeq(items) ? items.items.map((_, i) => ["items", i]) : [[]];
}

/** `spec.validations[0].expression` as its steps. */
const pathOf = (path: string): readonly (string | number)[] =>
  path
    .split(/[.[\]]/)
    .flatMap((part): readonly (string | number)[] =>
      part === "" ? [] : /^\d{1,9}$/.test(part) ? [Number(part)] : [part],
    );

/** The position in the raw text of a node for an offset in its value. */
function offsetIn(raw: string, source: string, offset: number): number {
  // A block begins with its header: `|`, `>-`.
  const header = /^[|>][^\n]{0,100}\n/.exec(raw)?.[0].length ?? 0;
  const points = Array.from(source);
  const before = compact(points.slice(0, offset)).length;
  const wanted = compact(points.slice(offset)).length === 0 ? before - 1 : before;
  let passed = 0;
  let position = header;
  for (const character of raw.slice(header)) {
    if (!LEFT_OUT.has(character) && passed++ === wanted) return position;
    position += character.length;
  }
  return header;
}
