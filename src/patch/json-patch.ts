/**
 * JSON patch (RFC 6902), as kube-apiserver applies it: `replace` of a missing member adds it, `copy` of a missing member
 * adds null, `test` of a missing member passes against null or no value, only `replace` and `test` accept the whole document
 * (path ""), indices may be negative (`-1`) or padded (`01`), and the first segment of a path is ignored, so that `data/m`
 * without a slash writes `m` at the root.
 *
 * An invalid operation fails when it is applied; a patch that is no list of operations fails before. {@link ReadOptions}
 * decides when wrong types of `op`, `path` and `from` fail.
 *
 * @module
 */

import type { Steps } from "../util/steps.ts";
import { isObject, type Value, type ValueObject } from "../value/value.ts";
import { JsonPatchDocument } from "./json-patch-document.ts";
import { PatchError } from "./patch-error.ts";

/** The number of operations that a patch may have. */
export const MAX_OPERATIONS = 10_000;

/** How deep the values of a result may be nested: a body, and its path in the object. */
const MAX_DEPTH = 1100;

/** One operation of the client; missing members and members of a wrong type are undefined. */
export interface JsonPatchOperation {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: Value | undefined;
}

/** A JSON patch as {@link parseJsonPatch} reads it. */
export interface JsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** Unknown members of operations, as `[0].extra`, for warnings (DEC-24). */
  readonly unknown: string[];
}

const MEMBERS: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

/** How a patch is read. */
export interface ReadOptions {
  /** Refuse members of a wrong type, as strict decoding does; otherwise they count as missing. */
  readonly typed: boolean;
}

const NOTHING: ValueObject = {};

/**
 * Reads a JSON patch; null is a patch without operations, and an operation of null one without members.
 *
 * @throws PatchError `malformed` unless it is a list of objects with valid types; `tooManyOperations` above
 *   {@link MAX_OPERATIONS}
 */
export function parseJsonPatch(patch: Value, { typed }: ReadOptions = { typed: true }): JsonPatch {
  if (patch === null) return { operations: [], unknown: [] };
  if (!Array.isArray(patch))
    throw new PatchError("malformed", `Expected a JSON patch to be a list of operations, got ${typeof patch}`);
  const unknown: string[] = [];
  const operations = patch.map((sent, i): JsonPatchOperation => {
    const item = sent ?? NOTHING;
    if (!isObject(item)) {
      const got = Array.isArray(item) ? "a list" : typeof item;
      throw new PatchError("malformed", `Expected operation [${i}] of the JSON patch to be an object, got ${got}`);
    }
    for (const key in item) if (!MEMBERS.has(key)) unknown.push(`[${i}].${key}`);
    const op = textMember(item, "op", i, typed);
    const path = textMember(item, "path", i, typed);
    const from = textMember(item, "from", i, typed);
    return { op, path, from, value: Object.hasOwn(item, "value") ? item["value"] : undefined };
  });
  if (operations.length <= MAX_OPERATIONS) return { operations, unknown };
  throw new PatchError(
    "tooManyOperations",
    `Expected at most ${MAX_OPERATIONS} operations in a JSON patch, got ${operations.length}`,
  );
}

function textMember(item: ValueObject, name: string, index: number, typed: boolean): string | undefined {
  const value = Object.hasOwn(item, name) ? item[name] : undefined;
  if (typeof value === "string") return value;
  if (value === undefined || value === null || !typed) return undefined;
  throw new PatchError(
    "malformed",
    `Expected [${index}].${name} of the JSON patch to be a string, got ${Array.isArray(value) ? "a list" : typeof value}`,
  );
}

/**
 * Applies all operations in order, one step each, or none. Changes neither argument; the result shares unchanged parts with
 * the document and new parts with the patch.
 *
 * @throws PatchError `invalid` for the first operation that does not fit, `tooManyOperations` for too much work
 */
export function* followJsonPatch(document: Value, operations: readonly JsonPatchOperation[]): Steps<Value> {
  if (operations.length === 0) return document;
  const target = new JsonPatchDocument(document);
  try {
    for (const [i, operation] of operations.entries()) {
      apply(target, operation, i);
      yield;
    }
    if (isWithinDepth(target.root, MAX_DEPTH)) return target.root;
  } catch (error) {
    // Operations can nest values deeper than a body may be; recursion then exceeds the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  throw new PatchError("tooManyOperations", `Expected a JSON patch to nest values at most ${MAX_DEPTH} deep, got more`);
}

function isWithinDepth(value: Value, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  return Object.values(value).every((part: Value) => isWithinDepth(part, depth - 1));
}

function apply(target: JsonPatchDocument, operation: JsonPatchOperation, index: number): void {
  const { op, value = null } = operation;
  const pointer = (name: "path" | "from"): string => {
    const text = operation[name];
    if (text !== undefined) return text;
    throw new PatchError(
      "invalid",
      `Expected operation [${index}] (${op}) of the JSON patch to have a ${name} that is a text, found none`,
    );
  };
  switch (op) {
    case "add":
      return target.add(pointer("path"), value);
    case "replace":
      return target.replace(pointer("path"), value);
    case "remove":
      return void target.remove(pointer("path"));
    case "move":
      return target.move(pointer("from"), pointer("path"));
    case "copy":
      return target.copy(pointer("from"), pointer("path"));
    case "test":
      return target.test(pointer("path"), operation.value);
    default:
      throw new PatchError(
        "invalid",
        `Expected the op of operation [${index}] of the JSON patch to be add, remove, replace, move, copy or test, got ${JSON.stringify(op)}`,
      );
  }
}
