/**
 * The body of an apply: of an object that was edited only what the manager owns already, and what was changed. The rest is left
 * out, so that the manager does not come to own what others own.
 *
 * @module
 */
import {
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  visit,
} from "yaml";
import type { BlameReport } from "../../../src/meta/ownership-reports.ts";
import { escapeToken } from "../../../src/value/pointer.ts";
import { type Value, asJsonNumber, isObject } from "../../../src/value/value.ts";
import { type KindSchema, type OpenApiSchema, memberOf, resolved, rootOf } from "./schema.ts";
import { parseDocuments } from "./documents.ts";

/** The object before it was edited, and who applies. */
export interface IntentBase {
  readonly leaves: BlameReport["leaves"];
  readonly manager: string;
  readonly schema: KindSchema | undefined;
}

/** The body of an apply. */
export interface Intent {
  readonly text: string;
  /** Fields that were taken out of the text, but that others own: an apply cannot remove them. */
  readonly kept: readonly string[];
}

/** Makes the body of an apply of an edited text. @throws {Error} if the text is no object */
export function intentOf(text: string, { leaves, manager, schema }: IntentBase): Intent {
  const [document, ...more] = parseDocuments(text);
  if (!document || more.length > 0 || document.errors.length > 0 || !isMap(document.contents))
    throw new Error("expected one object in YAML without mistakes");
  resolveAliases(document);
  const base = treeOf(leaves, manager);
  const kept: string[] = [];
  const root = new Intender(schema, kept);
  root.map(document.contents, base, schema ? rootOf(schema) : {}, "");
  return { text: document.toString({ lineWidth: 0 }), kept };
}

/** The most values that all aliases of a text that is applied stand for. */
const MAX_ALIAS_VALUES = 100_000;

/** Puts what aliases stand for in their places: the anchor may be in a part that is left out. */
function resolveAliases(document: Document.Parsed): void {
  const anchors = new Map<string, Node>();
  let left = MAX_ALIAS_VALUES;
  visit(document, {
    Node(_key, node, path) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return undefined;
      }
      const target = anchors.get(node.source);
      if (!target || path.includes(target)) throw new Error(`the alias ${node.source} is of no anchor before it`);
      visit(target, {
        Node: () => {
          if (left-- === 0) throw new Error(`expected aliases for at most ${MAX_ALIAS_VALUES} values, found more`);
        },
      });
      // Its aliases are resolved, as it stands before this one.
      const copy = target.clone() as Node;
      visit(copy, { Node: (_at, inner) => removeAnchor(inner) });
      return copy;
    },
  });
  visit(document, { Node: (_key, node) => removeAnchor(node) });
}

const removeAnchor = (node: Node): void => void (isAlias(node) || delete (node as { anchor?: string }).anchor);

/** A value of the object before it was edited. */
interface Base {
  readonly pointer: string;
  readonly owned: boolean;
  /** Whether the manager owns it or something in it. */
  ownsInside: boolean;
  /** Undefined for a container whose members have owners of their own. */
  readonly value: unknown;
  readonly children: Map<string, Base>;
}

function treeOf(leaves: BlameReport["leaves"], manager: string): Base {
  const root = baseOf("", false, undefined);
  for (const { pointer, value, managers } of leaves) {
    const owned = managers.some((one) => one.manager === manager && one.operation === "Apply" && !one.subresource);
    const tokens = pointer.split("/").slice(1);
    let at = root;
    for (const token of tokens.slice(0, -1)) {
      at.ownsInside ||= owned;
      at = childOf(at, token, () => baseOf(`${at.pointer}/${token}`, false, undefined));
    }
    at.ownsInside ||= owned;
    const last = tokens.at(-1) ?? "";
    at.children.set(last, leafOf(pointer, owned, value));
  }
  return root;
}

const baseOf = (pointer: string, owned: boolean, value: unknown): Base => ({
  pointer,
  owned,
  ownsInside: owned,
  value,
  children: new Map(),
});

function childOf(parent: Base, token: string, make: () => Base): Base {
  const found = parent.children.get(token) ?? make();
  parent.children.set(token, found);
  return found;
}

/** A leaf; that of an atomic list or map has all that is in it. */
function leafOf(pointer: string, owned: boolean, value: Value): Base {
  const leaf = baseOf(pointer, owned, value);
  const members: readonly (readonly [string | number, Value])[] = Array.isArray(value)
    ? [...value.entries()]
    : isObject(value)
      ? Object.entries(value)
      : [];
  for (const [key, member] of members) {
    const token = escapeToken(String(key));
    leaf.children.set(token, leafOf(`${pointer}/${token}`, owned, member));
  }
  return leaf;
}

/** What every body needs, and what the server sets. */
const ALWAYS: ReadonlySet<string> = new Set(["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace"]);
const NEVER: ReadonlySet<string> = new Set([
  "/status",
  "/metadata/uid",
  "/metadata/resourceVersion",
  "/metadata/creationTimestamp",
  "/metadata/generation",
  "/metadata/managedFields",
  "/metadata/selfLink",
  "/metadata/deletionTimestamp",
  "/metadata/deletionGracePeriodSeconds",
]);

class Intender {
  readonly #schema: KindSchema | undefined;
  readonly #kept: string[];

  constructor(schema: KindSchema | undefined, kept: string[]) {
    this.#schema = schema;
    this.#kept = kept;
  }

  /** Takes out of a map what is not intended; whether something is left of it. */
  map(node: YAMLMap, base: Base | undefined, schema: OpenApiSchema, pointer: string): boolean {
    const pairs = node.items as Pair<Node, Node | null>[];
    const seen = new Set<string>();
    const left = pairs.filter(({ key, value }) => {
      const name = isScalar(key) ? String(key.value) : "";
      const token = escapeToken(name);
      seen.add(token);
      const path = `${pointer}/${token}`;
      if (NEVER.has(path)) return false;
      return (
        ALWAYS.has(path) || this.#stays(value, base?.children.get(token), this.#below(memberOf(schema, name)), path)
      );
    });
    this.#missed(base, seen);
    if (left.length === pairs.length && left.length > 0) return true;
    (node as { items: unknown[] }).items = left;
    return left.length > 0;
  }

  #below(schema: OpenApiSchema | undefined): OpenApiSchema {
    return schema && this.#schema ? resolved(this.#schema, schema) : {};
  }

  /** Notes what was taken out of the text, but would stay. */
  #missed(base: Base | undefined, seen: ReadonlySet<string>): void {
    for (const [token, child] of base?.children ?? [])
      if (!seen.has(token) && !child.owned && !child.ownsInside && !NEVER.has(child.pointer) && this.#kept.length < 100)
        this.#kept.push(child.pointer);
  }

  #stays(node: Node | null, base: Base | undefined, schema: OpenApiSchema, path: string): boolean {
    if (!base) return true;
    const isAtomic =
      schema["x-kubernetes-map-type"] === "atomic" ||
      (schema.type === "array" && (schema["x-kubernetes-list-type"] ?? "atomic") === "atomic");
    if (isAtomic) return base.ownsInside || !isSame(node, base);
    if (isMap(node) && node.items.length > 0 && base.children.size > 0) return this.map(node, base, schema, path);
    if (isSeq(node) && node.items.length > 0 && base.children.size > 0) return this.#list(node, base, schema, path);
    return base.owned || !isSame(node, base);
  }

  #list(node: YAMLSeq, base: Base, schema: OpenApiSchema, path: string): boolean {
    const keys = schema["x-kubernetes-list-map-keys"] ?? [];
    const items = schema.items ? this.#below(schema.items) : {};
    const open = new Set(base.children.keys());
    const left = node.items.filter((item) => {
      // Items have mostly kept their order, so that the first one that is open is the one.
      const token = open.values().find((one) => {
        const child = base.children.get(one)!;
        return keys.length > 0 ? hasKeys(item, child, keys, items) : isSame(item as Node, child);
      });
      if (token === undefined) return true;
      const child = base.children.get(token)!;
      open.delete(token);
      if (keys.length === 0 || !isMap(item)) return child.owned;
      const all = [...(item.items as Pair[])];
      const stays = this.map(item, child, items, `${path}/${token}`);
      if (!stays) return false;
      // The keys identify the item, whichever manager owns them.
      const kept = new Set(item.items as Pair[]);
      (item as { items: Pair[] }).items = all.filter(
        (pair) => kept.has(pair) || (isScalar(pair.key) && keys.includes(String(pair.key.value))),
      );
      return true;
    });
    for (const token of open) {
      const child = base.children.get(token)!;
      if (!child.owned && !child.ownsInside && this.#kept.length < 100) this.#kept.push(child.pointer);
    }
    (node as { items: unknown[] }).items = left;
    return left.length > 0;
  }
}

/** Whether an item has the keys of an item before; a key that is left out has its default. */
function hasKeys(item: unknown, base: Base, keys: readonly string[], schema: OpenApiSchema): boolean {
  return (
    isMap(item) &&
    keys.every((key) => {
      const given: unknown = item.get(key) ?? schema.properties?.[key]?.default;
      const before = base.children.get(escapeToken(key))?.value ?? schema.properties?.[key]?.default;
      return given !== undefined && before !== undefined && scalarText(given) === scalarText(before);
    })
  );
}

/** A scalar as text; a container, which is no key, is the empty one. */
const scalarText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? String(value)
    : "";

/** Whether a node has the value that it had before. */
function isSame(node: Node | null, base: Base): boolean {
  if (isMap(node)) {
    const pairs = node.items as Pair<Node, Node | null>[];
    if (pairs.length === 0)
      return base.children.size === 0 && typeof base.value === "object" && !Array.isArray(base.value);
    return (
      pairs.length === base.children.size &&
      pairs.every(({ key, value }) => {
        const child = isScalar(key) ? base.children.get(escapeToken(String(key.value))) : undefined;
        return child !== undefined && isSame(value, child);
      })
    );
  }
  if (isSeq(node)) {
    if (node.items.length === 0) return base.children.size === 0 && Array.isArray(base.value);
    return (
      node.items.length === base.children.size &&
      node.items.every((item, index) => {
        const child = base.children.get(String(index));
        return child !== undefined && isSame(item as Node, child);
      })
    );
  }
  if (!isScalar(node)) return node === null && base.value === null;
  const { value } = node;
  const number = asJsonNumber(base.value);
  if (number) return String(value) === number.text;
  // A time of YAML 1.1 is a text of JSON.
  if (value instanceof Date) return base.value === node.source;
  if (typeof base.value === "string") return value === base.value;
  return base.children.size === 0 && typeof value !== "string" && String(value) === String(base.value);
}
