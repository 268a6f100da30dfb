/**
 * JSON patch (RFC 6902), in the dialect of the real server: `replace` of a missing member adds it, `copy` from a missing
 * member gives null, `test` of a missing member against null passes, indices may be negative (`-1`) or padded (`01`), and
 * the first segment of a path is not looked at, so that `data/m` without a slash writes `m` at the root.
 *
 * @module
 */

import { isObject, type Value, type ValueObject } from "../value/value.ts";
import { JsonPatchDocument } from "./json-patch-document.ts";
import { PatchError } from "./patch-error.ts";

/** How many operations a patch may have. */
export const MAX_OPERATIONS = 10_000;

/** How deep the values of the result may be nested: what bodies may, and their place in the object. */
const MAX_DEPTH = 1100;

/** One operation as the client wrote it; `path` is empty, which leads nowhere, when there was none. */
export interface JsonPatchOperation {
  readonly op: string | undefined;
  readonly path: string;
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

/**
 * Reads a JSON patch; null is a patch without operations.
 *
 * @throws PatchError `malformed` unless it is a list of objects whose `op`, `path` and `from` are strings;
 *   `tooManyOperations` beyond {@link MAX_OPERATIONS}
 */
export function parseJsonPatch(patch: Value): JsonPatch {
  if (patch === null) return { operations: [], unknown: [] };
  if (!Array.isArray(patch))
    throw new PatchError("malformed", `Expected a JSON patch to be a list of operations, got ${typeof patch}`);
  if (patch.length > MAX_OPERATIONS) {
    throw new PatchError(
      "tooManyOperations",
      `Expected at most ${MAX_OPERATIONS} operations in a JSON patch, got ${patch.length}`,
    );
  }
  const unknown: string[] = [];
  const operations = patch.map((item, i): JsonPatchOperation => {
    if (!isObject(item))
      throw new PatchError("malformed", `Expected operation [${i}] of the JSON patch to be an object`);
    for (const key of Object.keys(item)) if (!MEMBERS.has(key)) unknown.push(`[${i}].${key}`);
    const text = (name: string): string | undefined => textMember(item, name, i);
    const value = Object.hasOwn(item, "value") ? item["value"] : undefined;
    return { op: text("op"), path: text("path") ?? "", from: text("from"), value };
  });
  return { operations, unknown };
}

function textMember(item: ValueObject, name: string, index: number): string | undefined {
  const value = Object.hasOwn(item, name) ? item[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw new PatchError(
    "malformed",
    `Expected [${index}].${name} of the JSON patch to be a string, got ${JSON.stringify(value)}`,
  );
}

/**
 * Applies a JSON patch, as it was sent or as {@link parseJsonPatch} gives it; all of it or nothing. Neither argument is modified; the result shares what did not change with
 * the document and what is new with the patch.
 *
 * @throws PatchError `malformed` for what is no patch, `invalid` for what does not fit the document, and
 *   `tooManyOperations` for patches that copy or move too much
 */
export function applyJsonPatch(document: Value, patch: Value | readonly JsonPatchOperation[]): Value {
  const { operations } = parseJsonPatch(patch as Value);
  if (operations.length === 0) return document;
  const target = new JsonPatchDocument(document);
  try {
    operations.forEach((operation, i) => apply(target, operation, i));
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
  const { op, path, value = null } = operation;
  const from = (): string => {
    if (operation.from !== undefined) return operation.from;
    throw new PatchError(
      "invalid",
      `Expected operation [${index}] (${op}) of the JSON patch to have a from, found none`,
    );
  };
  switch (op) {
    case "add":
      return target.add(path, value);
    case "replace":
      return target.replace(path, value);
    case "remove":
      return void target.remove(path);
    case "move":
      return target.move(from(), path);
    case "copy":
      return target.copy(from(), path);
    case "test":
      return target.test(path, operation.value);
    default:
      throw new PatchError(
        "invalid",
        `Expected the op of operation [${index}] of the JSON patch to be add, remove, replace, move, copy or test, got ${JSON.stringify(op)}`,
      );
  }
}
