/**
 * The normal form of an object: its members by path, without those that differ between equal runs.
 *
 * Dropped are uid, resourceVersion, generation, managedFields, creationTimestamp and selfLink, the name, which is the identity of the
 * object, and the resourceVersion of references. Finalizers, owners, and lists whose items have a key of their own have no order. An observedGeneration is `current` or
 * says how far it is behind.
 *
 * @module
 */
import type { StoredObject } from "../contract/state.ts";
import { allocatedAddress, type RunNames } from "./names.ts";

/** A text in place of the address that the cluster gave to an object. */
const OWN_ADDRESS = "its own address";

/** The value of a member without members of its own; {@link NO_MEMBERS} and {@link NO_ITEMS} for empty ones. */
export type Leaf = string | number | boolean | null | symbol;
/** The leaves of an object by path: `.spec.containers[name=app].image`. */
export type Flat = ReadonlyMap<string, Leaf>;

const NO_MEMBERS: symbol = Symbol("{}");
const NO_ITEMS: symbol = Symbol("[]");

/** A leaf as a text of a report. */
export const leafText = (leaf: Leaf | undefined): string =>
  leaf === undefined
    ? "nothing"
    : typeof leaf === "symbol"
      ? leaf.description!
      : typeof leaf === "string"
        ? JSON.stringify(leaf)
        : String(leaf);

/** A member as a text of a report: its leaf, or all leaves below it; undefined where there is none. */
export function memberValue(flat: Flat, path: string): string | undefined {
  const leaf = flat.get(path);
  if (leaf !== undefined) return leafText(leaf);
  const below = [...flat].filter(([at]) => at.startsWith(`${path}[`) || at.startsWith(`${path}.`));
  if (below.length === 0) return undefined;
  const isItem = (rest: string): boolean => rest.indexOf("]") === rest.length - 1;
  const texts = below.map(([at, value]) => {
    const rest = at.slice(path.length);
    return rest.startsWith("[") && isItem(rest) ? leafText(value) : `${rest}: ${leafText(value)}`;
  });
  return `[${texts.join(", ")}]`;
}

/** The members that identify an item of a list, in the order in which they are tried: one member, or two together. */
const ITEM_KEYS: readonly (readonly string[])[] = [
  ["name"],
  ["type"],
  ["uid"],
  ["key"],
  ["mountPath"],
  ["containerPort"],
  ["port"],
  ["ip"],
  ["id"],
  ["key", "effect"],
  ["containerPort", "protocol"],
  ["port", "protocol"],
  ["topologyKey", "whenUnsatisfiable"],
];
const DROPPED = new Set([
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "managedFields",
  "creationTimestamp",
  "selfLink",
]);

/** How an object is flattened. */
export interface FlatOptions {
  readonly names: RunNames;
  /** Whether the object of a uid is stored at this moment. */
  readonly isStored: (uid: string) => boolean;
  /** The paths of lists whose order has no meaning. */
  readonly unordered?: ReadonlySet<string>;
}

/** Returns the leaves of an object. */
export function flatten(object: StoredObject, options: FlatOptions): Flat {
  const walk = new Walk(object, options);
  for (const [key, value] of Object.entries(object)) if (key !== "metadata") walk.member("", key, value);
  for (const [key, value] of Object.entries(object.metadata)) if (!DROPPED.has(key)) walk.metadata(key, value);
  return walk.leaves;
}

const SIMPLE = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const memberPath = (path: string, key: string): string =>
  SIMPLE.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether it names another object, as an ObjectReference does. Its resourceVersion only shows when it was written. */
const isReference = ({ name, kind, uid }: Readonly<Record<string, unknown>>): boolean =>
  typeof name === "string" && (typeof kind === "string" || typeof uid === "string");

class Walk {
  readonly leaves = new Map<string, Leaf>();
  readonly #options: FlatOptions;
  readonly #object: StoredObject;
  /** An address is allocated again after its owner is deleted: a different owner is no difference. */
  readonly #address: string | undefined;

  constructor(object: StoredObject, options: FlatOptions) {
    this.#options = options;
    this.#object = object;
    this.#address = allocatedAddress(object);
  }

  #text(text: string): string {
    return text === this.#address ? OWN_ADDRESS : this.#options.names.text(text, this.#options.isStored);
  }

  metadata(key: string, value: unknown): void {
    const path = `.metadata.${key}`;
    if (key === "deletionTimestamp") this.leaves.set(path, "present");
    else if (key === "finalizers" && Array.isArray(value))
      for (const finalizer of value) this.leaves.set(`${path}[=${String(finalizer)}]`, true);
    else if (key === "ownerReferences" && Array.isArray(value)) this.#owners(path, value);
    else if ((key === "labels" || key === "annotations") && isObject(value) && Object.keys(value).length === 0) return;
    else this.member(".metadata", key, value);
  }

  #owners(path: string, owners: readonly unknown[]): void {
    for (const owner of owners.filter(isObject)) {
      const item = `${path}[of=${String(owner["kind"])} ${this.#text(String(owner["name"]))}]`;
      let unique = item;
      for (let i = 2; this.leaves.has(`${unique}.uid`); i++) unique = `${item}#${i}`;
      for (const [key, value] of Object.entries(owner)) this.member(unique, key, value);
    }
  }

  member(path: string, key: string, value: unknown): void {
    if (key === "observedGeneration" && typeof value === "number")
      this.leaves.set(`${path}.${key}`, observed(value, this.#object));
    else this.value(memberPath(path, this.#text(key)), value);
  }

  value(path: string, value: unknown): void {
    if (typeof value === "string") this.leaves.set(path, this.#text(value));
    else if (Array.isArray(value)) this.#list(path, value);
    else if (isObject(value)) {
      const entries = Object.entries(value);
      if (entries.length === 0) this.leaves.set(path, NO_MEMBERS);
      for (const [key, member] of entries)
        if (key !== "resourceVersion" || !isReference(value)) this.member(path, key, member);
    } else this.leaves.set(path, (value ?? null) as Leaf);
  }

  #list(path: string, items: readonly unknown[]): void {
    if (items.length === 0) {
      this.leaves.set(path, NO_ITEMS);
      return;
    }
    const keys = items.every(isObject) ? ITEM_KEYS.find((it) => this.#identifies(items, it)) : undefined;
    if (keys)
      for (const item of items as readonly Readonly<Record<string, unknown>>[])
        this.value(`${path}[${keys.map((key) => `${key}=${this.#text(String(item[key]))}`).join(",")}]`, item);
    else if (this.#options.unordered?.has(path))
      for (const [i, item] of this.#sorted(items).entries())
        for (const [rest, leaf] of item) this.leaves.set(`${path}[${i}]${rest}`, leaf);
    else for (const [i, item] of items.entries()) this.value(`${path}[${i}]`, item);
  }

  #identifies(items: readonly Readonly<Record<string, unknown>>[], keys: readonly string[]): boolean {
    const seen = new Set<string>();
    for (const item of items) {
      const values = keys.map((key) => item[key]);
      if (!values.every((value) => typeof value === "string" || typeof value === "number")) return false;
      seen.add(JSON.stringify(values.map((value) => this.#text(String(value)))));
    }
    return seen.size === items.length;
  }

  #sorted(items: readonly unknown[]): readonly Flat[] {
    const flats = items.map((item) => {
      const walk = new Walk(this.#object, this.#options);
      walk.value("", item);
      return { flat: walk.leaves, text: flatText(walk.leaves) };
    });
    return flats.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)).map(({ flat }) => flat);
  }
}

/** One text of all leaves, in the order of their paths: equal for equal forms. */
export const flatText = (flat: Flat, isJudged: (path: string) => boolean = () => true): string =>
  [...flat.keys()]
    .filter(isJudged)
    .sort()
    .map((path) => `${path}=${leafText(flat.get(path))}`)
    .join("\n");

/** An observedGeneration relative to the generation of its object. */
function observed(generation: number, { metadata }: StoredObject): string {
  const behind = (metadata.generation ?? generation) - generation;
  return behind === 0 ? "current" : behind > 0 ? `behind by ${behind}` : `ahead by ${-behind}`;
}
