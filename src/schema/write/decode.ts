/**
 * From a value that was read to an object of a kind: its members in wire form, its own names, its defaults.
 *
 * @module
 */
import { tooLarge } from "../../meta/status.ts";
import type { Value } from "../../value/value.ts";
import { DecodeReport, MOST_SIDE_BY_SIDE, type Mismatch } from "../decode-report.ts";
import type { ApiObject, ResourceDefinition, WriteContext } from "../definition.ts";
import type { Walker } from "../walker.ts";
import { addWarnings } from "../warnings.ts";

/** A kind, compiled: what is needed of it to read and to judge its objects, stored or not. */
export interface CompiledKind {
  readonly definition: ResourceDefinition;
  /** `group/version`, or the version of the core group. */
  readonly apiVersion: string;
  readonly walker: Walker;
}

/** What a value came to. */
export interface Walked {
  readonly object: ApiObject;
  /** Members that nobody knows, as paths. */
  readonly unknown: string[];
  /** The first value of a wrong type; undefined when all fit. */
  readonly mismatch: Mismatch | undefined;
  /** Lists and maps that were sent empty and are left out, as paths. */
  readonly empty: readonly string[];
  /** What became of integers that no 64 bits hold, for warnings. */
  readonly rounded: readonly string[];
}

/** Reads a value by the schema of a kind. It is changed in place and becomes the object. */
export function walk({ walker, definition }: CompiledKind, value: Value, isMerged = false): Walked {
  const report = new DecodeReport(definition.secret);
  const object = walker.decode(value, report, isMerged) as ApiObject;
  if (report.excess !== undefined) {
    throw tooLarge(`expected ${report.excess} to have at most ${MOST_SIDE_BY_SIDE} members, found more`);
  }
  return {
    object,
    unknown: report.unknown,
    mismatch: report.mismatches[0],
    empty: report.empty,
    rounded: report.rounded,
  };
}

/** Makes what fits an object of the kind: conversions and defaults. Changes `object` and returns it. */
export function complete(
  { definition, apiVersion, walker }: CompiledKind,
  { object, empty, rounded }: Walked,
  ctx: WriteContext,
): ApiObject {
  ctx.sentEmpty = empty;
  if (rounded.length > 0) addWarnings(ctx, rounded);
  object.apiVersion = apiVersion;
  object.kind = definition.kind;
  object.metadata ??= {};
  definition.convert?.(object, ctx);
  walker.applyDefaults(object);
  definition.defaults?.(object, ctx);
  return object;
}
