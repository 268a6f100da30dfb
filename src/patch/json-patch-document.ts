/**
 * A document to which a JSON patch is applied: one method for each operation.
 *
 * The original value is never changed. A container is copied at its first write; the copies are `#owned`, and later writes
 * change them. A value that `copy` adds is cloned: the decoder of the result changes values in place.
 * All work is charged to a budget, so that no patch blocks the process (CVE-2019-1002100).
 *
 * @module
 */

import {
  asJsonNumber,
  clone,
  equal,
  getMember,
  isObject,
  setMember,
  type Value,
  type ValueObject,
} from "../value/value.ts";
import { unescapeToken } from "../value/pointer.ts";
import { PatchError, TestFailed } from "./patch-error.ts";
import { PatchWork, membersCost } from "./patch-work.ts";

/** Bytes of JSON that the `copy` operations of a patch may add together, as in kube-apiserver. */
export const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** The cost of moving an element inside a list, as a part of a visit. */
const SHIFT_COST = 1 / 16;

/** The cost of measuring, copying and later freeing an element, besides the visit. */
const COPY_COST = 3;

type Container = Value[] | ValueObject;

const isContainer = (value: Value | undefined): value is Container => Array.isArray(value) || isObject(value);

/** See the module. All methods throw PatchError `invalid` when an operation does not fit the document. */
export class JsonPatchDocument {
  #root: Value;
  readonly #owned = new Set<Container>();
  #copiedBytes = 0;
  readonly #work = new PatchWork();

  constructor(root: Value) {
    this.#root = root;
  }

  /** The document. Call it once, after the last operation. */
  get root(): Value {
    return this.#root;
  }

  /** Sets a member, or inserts an element before the index (`-` is the end). */
  add(pointer: string, value: Value): void {
    const { container, key } = this.#own(pointer);
    if (!Array.isArray(container)) return setMember(container, key, value);
    const index = key === "-" ? container.length : indexIn(key, container.length + 1, pointer);
    this.#work.charge((container.length - index) * SHIFT_COST);
    container.splice(index, 0, value);
  }

  /** Sets a member or an existing element. With the path "" an object or a list replaces the root. */
  replace(pointer: string, value: Value): void {
    if (pointer === "") {
      if (!isContainer(value))
        throw new PatchError("invalid", "Expected what replaces the root to be an object or a list");
      this.#root = value;
      return;
    }
    const { container, key } = this.#own(pointer);
    if (Array.isArray(container)) container[indexIn(key, container.length, pointer)] = value;
    else setMember(container, key, value);
  }

  /** Removes a member or an element, and returns it. */
  remove(pointer: string): Value {
    const { container, key } = this.#own(pointer);
    if (Array.isArray(container)) {
      const index = indexIn(key, container.length, pointer);
      this.#work.charge((container.length - index) * SHIFT_COST);
      return container.splice(index, 1)[0]!;
    }
    const value = getMember(container, key);
    if (value === undefined)
      throw new PatchError("invalid", `Expected ${quote(pointer)} to exist, found nothing to remove`);
    delete container[key];
    return value;
  }

  /** Calls {@link remove}, then {@link add}. */
  move(from: string, to: string): void {
    this.add(to, this.remove(from));
  }

  /** Adds the value at another path, null for a missing member. */
  copy(from: string, to: string): void {
    const value = this.#get(from) ?? null;
    this.#copiedBytes += this.#sizeOf(value, MAX_COPIED_BYTES - this.#copiedBytes);
    if (this.#copiedBytes > MAX_COPIED_BYTES) {
      throw new PatchError("invalid", `Expected a JSON patch to copy at most ${MAX_COPIED_BYTES} bytes, got more`);
    }
    this.add(to, clone(value));
  }

  /**
   * Compares a value; a missing member equals null and no value. The message does not contain the stored value, which may
   * be secret.
   */
  test(pointer: string, value: Value | undefined): void {
    const found = (pointer === "" ? this.#root : this.#get(pointer)) ?? null;
    this.#work.charge(this.#comparison(found, value));
    if (value === undefined ? found === null : equal(found, value)) return;
    throw new TestFailed(`test failed: expected ${quote(pointer)} to have the value of the patch`);
  }

  /** The value at a pointer, undefined for a missing member. */
  #get(pointer: string): Value | undefined {
    const tokens = new Tokens(pointer);
    let container: Value | undefined = this.#root;
    for (; !tokens.isLast; tokens.next()) {
      this.#work.charge(1);
      container = child(container, tokens.token, pointer);
    }
    this.#work.charge(1);
    const key = tokens.token;
    if (Array.isArray(container)) return container[indexIn(key, container.length, pointer)];
    if (isObject(container)) return getMember(container, key);
    throw missing(pointer);
  }

  /** The parent container of a pointer, owned, and the key in it. */
  #own(pointer: string): { container: Container; key: string } {
    const tokens = new Tokens(pointer);
    let container = this.#ownContainer(this.#root, pointer);
    this.#root = container;
    for (; !tokens.isLast; tokens.next()) {
      this.#work.charge(1);
      const { token } = tokens;
      const inner = this.#ownContainer(child(container, token, pointer), pointer);
      if (Array.isArray(container)) container[indexIn(token, container.length, pointer)] = inner;
      else setMember(container, token, inner);
      container = inner;
    }
    this.#work.charge(1);
    return { container, key: tokens.token };
  }

  #ownContainer(value: Value | undefined, pointer: string): Container {
    if (!isContainer(value)) throw missing(pointer);
    if (this.#owned.has(value)) return value;
    const copy = Array.isArray(value) ? value.slice() : { ...value };
    this.#work.charge(Array.isArray(value) ? value.length * SHIFT_COST : membersCost(Object.keys(value).length));
    this.#owned.add(copy);
    return copy;
  }

  /** The size of a value as JSON, or more than `limit`. */
  #sizeOf(value: Value, limit: number): number {
    if (typeof value === "string") return value.length + 2;
    if (typeof value !== "object" || value === null || asJsonNumber(value)) return JSON.stringify(value).length;
    const isList = Array.isArray(value);
    const keys = isList ? [] : Object.keys(value);
    const parts = isList ? value : keys.map((key) => value[key]!);
    this.#work.charge(COPY_COST * (isList ? parts.length : membersCost(parts.length)));
    let size = 2 + Math.max(0, parts.length - 1);
    for (const key of keys) size += key.length + 3;
    for (const part of parts) {
      if (size > limit) break;
      size += this.#sizeOf(part, limit - size);
    }
    return size;
  }

  /** About how many values a comparison visits: it stops at a difference, but lists the members of both objects first. */
  #comparison(a: Value, b: Value | undefined): number {
    if (Array.isArray(a) && Array.isArray(b)) {
      return a.length === b.length ? a.reduce((sum: number, x, i) => sum + this.#comparison(x, b[i]), 1) : 1;
    }
    if (!isObject(a) || !isObject(b)) return 1;
    const names = Object.keys(a);
    this.#work.charge(membersCost(names.length));
    const others = Object.keys(b);
    if (others.length !== names.length) return 1;
    return others.reduce(
      (sum, key) => sum + this.#comparison(getMember(a, key) ?? null, b[key]),
      membersCost(names.length),
    );
  }
}

/** The tokens of a pointer, read one by one, without the text before the first slash. A path to nowhere is not read on. */
class Tokens {
  readonly #pointer: string;
  #start: number;
  /** The position of the slash after the token; -1 for the last token. */
  #end: number;

  constructor(pointer: string) {
    this.#pointer = pointer;
    this.#start = pointer.indexOf("/") + 1;
    if (this.#start === 0) throw missing(pointer);
    this.#end = pointer.indexOf("/", this.#start);
  }

  /** Whether the token is the key in the last container. */
  get isLast(): boolean {
    return this.#end < 0;
  }

  get token(): string {
    return unescapeToken(this.#pointer.slice(this.#start, this.#end < 0 ? undefined : this.#end));
  }

  next(): void {
    this.#start = this.#end + 1;
    this.#end = this.#pointer.indexOf("/", this.#start);
  }
}

function child(container: Value | undefined, token: string, pointer: string): Value | undefined {
  if (Array.isArray(container)) return container[indexIn(token, container.length, pointer)];
  if (isObject(container)) return getMember(container, token);
  throw missing(pointer);
}

/** An index below `length`; a negative one counts from `length`. */
function indexIn(token: string, length: number, pointer: string): number {
  const given = /^[-+]?\d+$/.test(token) ? Number(token) : Number.NaN;
  const index = given < 0 ? given + length : given;
  if (index >= 0 && index < length) return index;
  throw new PatchError(
    "invalid",
    `Expected ${quote(token)} in ${quote(pointer)} to be an index of a list below ${length}`,
  );
}

const missing = (pointer: string): PatchError =>
  new PatchError("invalid", `Expected ${quote(pointer)} to lead into an object or a list, found none there`);

const quote = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
