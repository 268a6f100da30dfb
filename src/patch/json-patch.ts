/**
 * JSON patch (RFC 6902), in the dialect of the real server: `replace` of a missing member adds it, `copy` from a missing
 * member gives null, `test` of a missing member against null or nothing passes, only `replace` and `test` take the whole
 * document (path ""), indices may be negative (`-1`) or padded (`01`), and the first segment of a path is not looked at,
 * so that `data/m` without a slash writes `m` at the root.
 *
 * What is wrong with an operation is noticed when its turn comes. What is no list of operations is noticed before; whether
 * the types of `op`, `path` and `from` are, too, is for the caller to say ({@link ReadOptions}).
 *
 * @module
 */

import type { Steps } from "../util/steps.ts";
import { isObject, type Value, type ValueObject } from "../value/value.ts";
import { JsonPatchDocument } from "./json-patch-document.ts";
import { PatchError } from "./patch-error.ts";

/** How many operations a patch may have. */
export const MAX_OPERATIONS = 10_000;

/** How deep the values of the result may be nested: what bodies may, and their place in the object. */
const MAX_DEPTH = 1100;

/** One operation as the client wrote it; what is missing is undefined, and so is what is of the wrong type. */
export interface JsonPatchOperation {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: Value | undefined;
}

/** A JSON patch as {@link parseJsonPatch} reads it. */
export interface JsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** The members that no operation has, as `[0].extra`, for warnings (DEC-24). */
  readonly unknown: string[];
}

const MEMBERS: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

/** How a patch is read. */
export interface ReadOptions {
  /** Refuse members of a wrong type at once, as a reader that validates does; else they count as missing. */
  readonly typed: boolean;
}

const NOTHING: ValueObject = {};

/**
 * Reads a JSON patch; null is a patch without operations, and an operation of null one without members.
 *
 * @throws PatchError `malformed` unless it is a list of objects, whose `op`, `path` and `from` are strings where types are
 *   asked for; `tooManyOperations` beyond {@link MAX_OPERATIONS}
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
 * Carries operations out one after the other, in steps; all of them or none. Neither argument is modified; the result shares what
 * did not change with the document and what is new with the patch.
 *
 * @throws PatchError `invalid` for the first that does not fit the document, and `tooManyOperations` for those that move
 *   or visit too much
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
    // Operations can nest values deeper than any body may be; those who walk them then run out of stack.
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
    const given = operation[name];
    if (given !== undefined) return given;
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
