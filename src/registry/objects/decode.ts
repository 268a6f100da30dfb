/**
 * Decodes a body to an object in wire form: checks the kind and the types, and reports or refuses unknown members.
 *
 * @module
 */
import { addWarnings } from "../../schema/warnings.ts";
import type { JsonType, Mismatch } from "../../schema/decode-report.ts";
import type { ApiObject, WriteContext } from "../../schema/definition.ts";
import { type CompiledKind, complete, walk } from "../../schema/write/decode.ts";
import { otherDialectHint } from "../../meta/dialect.ts";
import { badRequest, invalid, unrecognised } from "../../meta/status.ts";
import { membersInOrder } from "../../value/json-exact.ts";
import { type Value, isObject } from "../../value/value.ts";
import type { Body, PatchOptions, WriteOptions } from "../contract.ts";

/**
 * Decodes the body of a POST or PUT: wrong apiVersion, kind or JSON types are 400, unknown and duplicate members are handled by
 * `fieldValidation` (DEC-18, DEC-24). The body's value is changed in place and becomes the object.
 */
export function decodeBody(kind: CompiledKind, body: Body, options: WriteOptions, ctx: WriteContext): ApiObject {
  const value = body.value ?? {};
  if (!isObject(value)) {
    throw unrecognised(kind.definition.kind, `expected a JSON object, got ${nameOf(value)}`);
  }
  if (kind.definition.untyped) demandKind(kind, value);
  checkKind(kind, value, ctx);
  const walked = walk(kind, value);
  const { unknown, mismatch } = walked;
  if (mismatch !== undefined) throw badRequest(unfit(kind, misfit(kind, mismatch)));
  const refused = checkFields(kind, unknown, body, options, ctx);
  if (refused) throw badRequest(unfit(kind, refused));
  return complete(kind, walked, ctx);
}

/**
 * Decodes the result of a patch: a result of a wrong type is 422 with one cause at `patch` (DEC-18).
 *
 * @param unknownInPatch unknown members of the operations of the patch
 */
export function decodePatched(
  kind: CompiledKind,
  value: Value,
  body: Body,
  unknownInPatch: readonly string[],
  options: PatchOptions,
  ctx: WriteContext,
): ApiObject {
  if (ctx.dialect.rules.readOldManagedFields) readOldEntries(value);
  if (!isObject(value)) throw patchInvalid(`expected the patched object to be an object, got ${nameOf(value)}`);
  const walked = walk(kind, value);
  const { unknown, mismatch } = walked;
  if (mismatch !== undefined) {
    throw patchInvalid(options.type === "strategic" ? unrestored(mismatch) : misfit(kind, mismatch));
  }
  const refused = checkFields(undefined, [...unknownInPatch, ...unknown], body, options, ctx);
  if (refused) throw patchInvalid(refused);
  return complete(kind, walked, ctx);
}

/** Decodes the result of an apply: it was checked against the schema before, so only times, quantities and bytes can be wrong. */
export function decodeApplied(kind: CompiledKind, value: Value, ctx: WriteContext): ApiObject {
  const walked = walk(kind, value, true);
  if (walked.mismatch) throw badRequest(`the intent does not fit the schema: ${misfit(kind, walked.mismatch)}`);
  return complete(kind, walked, ctx);
}

const unfit = ({ definition }: CompiledKind, why: string): string =>
  `${definition.kind} in version "${definition.version}" cannot be handled as a ${definition.kind}: ${why}`;

/** Decodes an object that another server returned (an admission webhook): drops unknown members; 400 for wrong types. */
export function decodeReturned(kind: CompiledKind, value: Value, ctx: WriteContext): ApiObject {
  if (isObject(value)) checkKind(kind, value, ctx);
  const walked = walk(kind, value);
  if (walked.mismatch) throw badRequest(unfit(kind, misfit(kind, walked.mismatch)));
  return complete(kind, walked, ctx);
}

/** 422 for a patch whose result does not fit the type: empty kind and name, one cause at `patch`. */
export const patchInvalid = (why: string): Error =>
  invalid({ kind: "" }, "", [{ reason: "FieldValueInvalid", message: `Invalid value: ${why}`, field: "patch" }]);

const NAMED = { apiVersion: "API version", kind: "kind" } as const;

/** apiVersion and kind, where they are sent, must be those of the path. */
function checkKind(kind: CompiledKind, value: { [key: string]: Value }, { dialect }: WriteContext): void {
  for (const [member, expected] of [
    ["apiVersion", kind.apiVersion],
    ["kind", kind.definition.kind],
  ] as const) {
    const got = value[member];
    if (got === undefined || got === null || got === "") continue;
    // A version of the core group may be written with its empty group, "/v1".
    if (got !== expected && got !== `/${expected}`) {
      const group = member === "apiVersion" && typeof got === "string" ? got.replace(/\/.*/s, "") : "";
      throw badRequest(
        `the ${NAMED[member]} in the data (${JSON.stringify(got)}) does not match the expected ${NAMED[member]} (${expected})${otherDialectHint(group, dialect)}`,
      );
    }
  }
}

/** A custom object must contain its apiVersion and kind (400); a wrong kind is an error of the object (422). */
function demandKind({ definition }: CompiledKind, value: { [key: string]: Value }): void {
  for (const member of ["apiVersion", "kind"] as const) {
    if (typeof value[member] !== "string" || value[member] === "") {
      throw badRequest(`expected ${member} in the body, ${definition.kind} is a custom kind`);
    }
  }
  const { kind, metadata } = value;
  if (kind === definition.kind) return;
  const name = isObject(metadata) ? metadata["name"] : undefined;
  throw invalid(
    { group: definition.group, kind: typeof kind === "string" ? kind : "" },
    typeof name === "string" ? name : "",
    [{ reason: "FieldValueInvalid", message: `Invalid value: expected ${definition.kind}`, field: "kind" }],
  );
}

/** Entries in the older shape say `fields` for `fieldsV1` (MF-10). Changes the value. */
function readOldEntries(value: Value): void {
  const metadata = isObject(value) ? value["metadata"] : undefined;
  const entries = isObject(metadata) ? metadata["managedFields"] : undefined;
  if (!Array.isArray(entries)) return;
  for (const entry of entries) {
    const fields = isObject(entry) ? entry["fields"] : undefined;
    if (!isObject(entry) || fields === undefined || entry["fieldsV1"] !== undefined) continue;
    entry["fieldsV1"] = fields;
    entry["fieldsType"] ??= "FieldsV1";
    delete entry["fields"];
  }
}

/** The expected and the found value, after the words by which clients recognise a decoding error. */
function misfit({ definition }: CompiledKind, { path, expected, got, type }: Mismatch): string {
  const place = path ? `${definition.kind}.${path}` : definition.kind;
  return `json: cannot unmarshal ${type} into Go struct field ${place}: expected ${path || "the body"} to be ${expected}, got ${got}`;
}

/** {@link misfit} of a strategic merge patch, whose result is not read from JSON. */
function unrestored({ path, expected, got, type }: Mismatch): string {
  const target = RESTORED[expected];
  const words = target ? `cannot restore ${target} ${FOUND[type]}` : `cannot convert ${FOUND[type]} to another type`;
  return `${words}: expected ${path || "the object"} to be ${expected}, got ${got}`;
}

const RESTORED: Readonly<Record<string, string>> = {
  "a map": "map from",
  "a list": "slice from",
  "an object": "struct from:",
};

const FOUND: Readonly<Record<JsonType, string>> = {
  null: "nil",
  array: "slice",
  number: "int64",
  string: "string",
  bool: "bool",
  object: "map",
};

/** Adds warnings, or returns the message of the refusal under Strict. */
function checkFields(
  kind: CompiledKind | undefined,
  unknown: readonly string[],
  body: Body,
  options: WriteOptions,
  ctx: WriteContext,
): string | undefined {
  if (options.fieldValidation === "Ignore" || (unknown.length === 0 && body.duplicates.length === 0)) return undefined;
  const texts = fieldFaults(kind, unknown, body);
  if (options.fieldValidation === "Strict") return `strict decoding error: ${texts.join(", ")}`;
  addWarnings(ctx, texts);
  return undefined;
}

/**
 * The unknown and duplicate fields in the order of kube-apiserver's decoders. JSON: in the order of the text; for custom kinds and
 * patches first the duplicates. YAML: first the duplicates, then the unknown fields by name.
 */
function fieldFaults(kind: CompiledKind | undefined, unknown: readonly string[], body: Body): readonly string[] {
  const unknownField = (path: string): string => `unknown field "${path}"`;
  const duplicateField = (path: string): string => `duplicate field "${path}"`;
  if (body.isYaml) {
    const duplicates = body.unmarshalErrors === undefined ? [] : [body.unmarshalErrors];
    return [...duplicates, ...unknown.toSorted(comparePaths).map(unknownField)];
  }
  const duplicates = body.duplicates.filter((path) => !unknown.some((u) => path.startsWith(`${u}.`)));
  const isFound = unknown.length > 0 && duplicates.length > 0 && kind && !kind.definition.untyped;
  if (!isFound || body.json === undefined) return [...duplicates.map(duplicateField), ...unknown.map(unknownField)];
  const seen = new Set<string>();
  const [unknownPaths, duplicatePaths] = [new Set(unknown), new Set(duplicates)];
  const texts = new Set<string>();
  for (const path of membersInOrder(body.json, new Set([...unknown, ...duplicates]))) {
    if (unknownPaths.has(path)) texts.add(unknownField(path));
    else if (duplicatePaths.has(path) && seen.has(path)) texts.add(duplicateField(path));
    seen.add(path);
  }
  return [...texts];
}

/** Orders paths of fields: members by name, elements of lists by number. */
function comparePaths(a: string, b: string): number {
  const [x, y] = [a.split(/[.[]/), b.split(/[.[]/)];
  for (let i = 0; i < x.length && i < y.length; i++) {
    const [m, n] = [x[i]!, y[i]!];
    if (m === n) continue;
    return m.endsWith("]") && n.endsWith("]") ? Number.parseInt(m, 10) - Number.parseInt(n, 10) : m < n ? -1 : 1;
  }
  return x.length - y.length;
}

const nameOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
