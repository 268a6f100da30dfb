/**
 * YAML documents as they are typed: what is wrong with them and where, where a field stands, and changes that keep comments.
 * It runs in a worker, so that a large text does not block the page.
 *
 * @module
 */
import {
  type Alias,
  type Document,
  type Node,
  type Pair,
  LineCounter,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  visit,
} from "yaml";
import { repeatedKeys } from "../api/yaml-keys.ts";
import { suggestion } from "../../../src/util/nearest.ts";
import { type FieldStep, parseFieldName } from "./field-name.ts";
import {
  type KindSchema,
  type OpenApiSchema,
  isIntOrString,
  isOpen,
  isQuantity,
  memberOf,
  resolved,
  rootOf,
  typeText,
} from "./schema.ts";

/** Something that is wrong with a text, between two offsets. */
export interface Problem {
  readonly from: number;
  readonly to: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** What a document says that it is. */
export interface DocumentHead {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** Offsets of the document in the text. */
  readonly from: number;
  readonly to: number;
}

/** The most problems that are told. */
export const MAX_PROBLEMS = 200;
/** The most values of a document that are compared with a schema; aliases may stand for many more than the text has. */
const MAX_VALUES = 500_000;
/** The deepest value that is compared with a schema; an alias may stand for what it is in. */
const MAX_DEPTH = 200;

type Documents = readonly Document.Parsed[];

/** Parses a text as the server does: YAML 1.1, where `yes` is true. */
export function parseDocuments(text: string): Documents {
  const documents = parseAllDocuments(text, {
    version: "1.1",
    prettyErrors: false,
    logLevel: "silent",
    lineCounter: new LineCounter(),
    // Values are read for their types only; a large integer must stay one.
    intAsBigInt: true,
    // `problemsOf` finds them in linear time.
    uniqueKeys: false,
  });
  return Array.isArray(documents) ? (documents as Document.Parsed[]) : [];
}

/** What the documents say that they are; empty ones are left out. */
export function headsOf(documents: Documents): DocumentHead[] {
  return documents.flatMap((document) => {
    const { contents, range } = document;
    if (!isMap(contents)) return [];
    const member = (...path: string[]): string => {
      const value: unknown = document.getIn(path);
      return typeof value === "string" ? value : "";
    };
    const [from, , to] = range;
    return [
      {
        apiVersion: member("apiVersion"),
        kind: member("kind"),
        name: member("metadata", "name"),
        namespace: member("metadata", "namespace"),
        from,
        to,
      },
    ];
  });
}

/** What is wrong with documents: of YAML, and of their schemas; a document whose schema is not known is only read. */
export function problemsOf(
  documents: Documents,
  schemaFor: (apiVersion: string, kind: string) => KindSchema | undefined,
): Problem[] {
  const problems: Problem[] = [];
  for (const document of documents) {
    for (const { pos, message } of document.errors)
      problems.push({ from: pos[0], to: Math.max(pos[0] + 1, pos[1]), severity: "error", message: sentence(message) });
    if (document.errors.length > 0 || !isMap(document.contents)) continue;
    for (const key of repeatedKeys(document).slice(0, MAX_PROBLEMS)) {
      const [from, to] = rangeOf(key, [0, 1]);
      problems.push({ from, to, severity: "error", message: `Map keys must be unique: ${short(key.value)}` });
    }
    const [apiVersion, kind] = [document.get("apiVersion"), document.get("kind")];
    if (typeof apiVersion !== "string" || typeof kind !== "string") {
      const [from, to] = rangeOf(document.contents.items[0]?.key as Node | undefined, [0, 1]);
      const missing = typeof apiVersion === "string" ? "kind" : "apiVersion";
      problems.push({ from, to, severity: "error", message: `expected the member ${missing} with a text` });
      continue;
    }
    const schema = schemaFor(apiVersion, kind);
    if (schema) new Checker(document, schema, problems).check();
  }
  return problems.slice(0, MAX_PROBLEMS);
}

const sentence = (message: string): string => message.replace(/ at line \d+, column \d+:?[\s\S]*$/, "");

const rangeOf = (node: Node | undefined | null, usual: readonly [number, number]): readonly [number, number] => {
  const range = node?.range;
  return range ? [range[0], Math.max(range[0] + 1, range[1])] : usual;
};

/** Where a value begins that has no name: of a map its first name, as its range has several lines. */
const placeOf = (node: Node | undefined | null, usual: readonly [number, number]): readonly [number, number] =>
  isMap(node) && node.items.length > 0 ? rangeOf(node.items[0]!.key as Node, usual) : rangeOf(node, usual);

/** Compares one document with its schema. */
class Checker {
  readonly #document: Document.Parsed;
  readonly #schema: KindSchema;
  readonly #problems: Problem[];
  #aliases: ReadonlyMap<Alias, Node> | undefined;
  #left = MAX_VALUES;
  #depth = 0;

  constructor(document: Document.Parsed, schema: KindSchema, problems: Problem[]) {
    this.#document = document;
    this.#schema = schema;
    this.#problems = problems;
  }

  check(): void {
    this.#value(this.#document.contents, rootOf(this.#schema), [0, 1]);
  }

  #add(at: readonly [number, number], message: string, severity: Problem["severity"] = "error"): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ from: at[0], to: at[1], severity, message });
  }

  #value(given: Node | null, schema: OpenApiSchema, around: readonly [number, number]): void {
    if (this.#problems.length >= MAX_PROBLEMS || this.#depth >= MAX_DEPTH || this.#left-- <= 0) return;
    this.#depth++;
    this.#compare(given, schema, around);
    this.#depth--;
  }

  #compare(given: Node | null, schema: OpenApiSchema, around: readonly [number, number]): void {
    const node = isAlias(given) ? ((this.#aliases ??= aliasesOf(this.#document)).get(given) ?? null) : given;
    const at = rangeOf(given, around);
    if (node === null || (isScalar(node) && node.value === null)) return;
    if (isMap(node)) return this.#map(node.items as readonly Pair<Node, Node | null>[], schema, at, around);
    if (isSeq(node)) {
      if (schema.type !== undefined && schema.type !== "array") return this.#wrong(around, schema, "a list");
      const items = schema.items ? resolved(this.#schema, schema.items) : {};
      for (const item of node.items) this.#value(item as Node | null, items, placeOf(item as Node | null, at));
      return;
    }
    if (isScalar(node)) this.#scalar(node.value, schema, at);
  }

  #map(
    pairs: readonly Pair<Node, Node | null>[],
    schema: OpenApiSchema,
    at: readonly [number, number],
    around: readonly [number, number],
  ): void {
    if (schema.type !== undefined && schema.type !== "object") return this.#wrong(around, schema, "a map");
    const seen = new Set<string>();
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? String(key.value) : "";
      if (name === "<<") return;
      seen.add(name);
      const member = memberOf(schema, name);
      const place = rangeOf(key, at);
      if (member) this.#value(value, resolved(this.#schema, member), place);
      else if (!isOpen(schema))
        this.#add(place, `unknown field ${name}${suggestion(name, Object.keys(schema.properties ?? {}))}`, "warning");
    }
    for (const name of schema.required ?? [])
      if (!seen.has(name)) this.#add(around, `expected the member ${name}, which is required`);
  }

  #scalar(value: unknown, schema: OpenApiSchema, at: readonly [number, number]): void {
    const { type, enum: values } = schema;
    const found = typeof value === "bigint" ? "integer" : typeof value;
    if (isIntOrString(schema)) {
      if (found !== "integer" && found !== "string") this.#wrong(at, schema, nameOf(value));
      return;
    }
    if (isQuantity(schema) && (found === "integer" || found === "number" || found === "string")) return;
    const fits =
      type === undefined ||
      type === found ||
      (type === "number" && found === "integer") ||
      (type === "string" && found === "object"); // a time, which YAML 1.1 has and JSON has not
    if (!fits) {
      this.#wrong(at, schema, nameOf(value));
      return;
    }
    if (values && !values.some((one) => String(one) === String(value)))
      this.#add(at, `expected one of ${values.map(String).join(", ")}, found ${short(value)}`);
  }

  #wrong(at: readonly [number, number], schema: OpenApiSchema, found: string): void {
    const isText = schema.type === "string" && !/^a (?:list|map)$/.test(found);
    this.#add(at, `expected ${typeText(this.#schema, schema)}, found ${found}${isText ? "; put it in quotes" : ""}`);
  }
}

/** What the aliases of a document stand for, in one walk: `Alias.resolve` walks through the document for each of them. */
function aliasesOf(document: Document.Parsed): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const found = new Map<Alias, Node>();
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target) found.set(node, target);
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return found;
}

const short = (value: unknown): string => {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
};

function nameOf(value: unknown): string {
  switch (typeof value) {
    case "bigint":
      return `the integer ${value}`;
    case "number":
      return `the number ${value}`;
    case "boolean":
      return `${value}`;
    default:
      return `the text ${short(value)}`;
  }
}

/**
 * Where a field stands, as offsets: of its value, or of the name of the nearest member around it that is there. `document` is a
 * position among those with content.
 */
export function locateField(documents: Documents, field: string, document = 0): readonly [number, number] | undefined {
  const found = documents.filter(({ contents }) => isMap(contents))[document];
  if (!found) return undefined;
  let node: Node | null = found.contents;
  let at: readonly [number, number] = rangeOf(isMap(node) ? (node.items[0]?.key as Node) : node, [0, 1]);
  const steps = parseFieldName(field);
  for (let index = 0; index < steps.length;) {
    const below = step(node, steps, index);
    if (!below) return at;
    at = below.name ? rangeOf(below.name, at) : placeOf(below.node, at);
    node = below.node;
    index = below.next;
  }
  return isScalar(node) ? rangeOf(node, at) : at;
}

interface Below {
  readonly name: Node | undefined;
  readonly node: Node | null;
  readonly next: number;
}

/** Takes one step, or several that are one name with dots. */
function step(node: Node | null, steps: readonly FieldStep[], index: number): Below | undefined {
  const taken = steps[index];
  if (isSeq(node)) {
    const item =
      typeof taken === "number"
        ? node.items[taken]
        : typeof taken === "object"
          ? node.items.find((one) => isMap(one) && matches(one, taken.keys))
          : undefined;
    return item === undefined ? undefined : { name: undefined, node: item as Node | null, next: index + 1 };
  }
  if (!isMap(node)) return undefined;
  // The longest name wins: `data.a.b` is the member `a.b` where there is one.
  let name = "";
  let best: Below | undefined;
  for (let next = index; next < Math.min(steps.length, index + 16); next++) {
    const part = steps[next];
    if (typeof part === "object") break;
    name = next === index ? String(part) : `${name}.${String(part)}`;
    const wanted = name;
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === wanted);
    if (pair) best = { name: pair.key as Node, node: pair.value as Node | null, next: next + 1 };
  }
  return best;
}

const matches = (map: { get(key: string): unknown }, keys: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(keys).every(([key, value]) => String(map.get(key)) === String(value));
