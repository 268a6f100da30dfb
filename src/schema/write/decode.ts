/**
 * Decodes a value to an object of a kind: its members in wire form, its type, its defaults.
 *
 * @module
 */
import { tooLarge } from "../../meta/status.ts";
import type { Value } from "../../value/value.ts";
import { DecodeReport, MAX_MEMBERS, type Mismatch } from "../decode-report.ts";
import type { ApiObject, ResourceDefinition, WriteContext } from "../definition.ts";
import type { Walker } from "../walker.ts";
import { addWarnings } from "../warnings.ts";

/** A compiled kind, which decodes and validates its objects. */
export interface CompiledKind {
  readonly definition: ResourceDefinition;
  /** `group/version`, or the version of the core group. */
  readonly apiVersion: string;
  readonly walker: Walker;
}

/** The result of decoding. */
export interface Walked {
  readonly object: ApiObject;
  /** Paths of unknown members. */
  readonly unknown: string[];
  /** The first value of a wrong type; undefined when all fit. */
  readonly mismatch: Mismatch | undefined;
  /** Paths of lists and maps that were sent empty and are left out. */
  readonly empty: readonly string[];
  /** Warnings about integers that exceed 64 bits. */
  readonly rounded: readonly string[];
}

/** Decodes a value by the schema of a kind. It is changed in place and becomes the object. */
export function walk({ walker, definition }: CompiledKind, value: Value, isMerged = false): Walked {
  const report = new DecodeReport(definition.secret);
  const object = walker.decode(value, report, isMerged) as ApiObject;
  if (report.excess !== undefined) {
    throw tooLarge(`expected ${report.excess} to have at most ${MAX_MEMBERS} members, found more`);
  }
  return {
    object,
    unknown: report.unknown,
    mismatch: report.mismatches[0],
    empty: report.empty,
    rounded: report.rounded,
  };
}

/** Completes a decoded object: conversions and defaults. Changes `object` and returns it. */
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
