/**
 * The request of a write, and its context.
 *
 * @module
 */
import { ApiError } from "../../meta/status.ts";
import type { WriteContext } from "../../schema/definition.ts";
import type { Slice } from "../../util/loop.ts";
import type { Caller, Target, WriteOptions } from "../contract.ts";
import type { Kind } from "./kind.ts";

/** The request of one write. */
export interface Write {
  readonly kind: Kind;
  readonly target: Target;
  readonly options: WriteOptions;
  readonly caller: Caller;
  readonly ctx: WriteContext;
  /** Bounds how long the write holds the event loop. */
  readonly limit: Slice;
}

/** A context for one write, with an empty list of warnings. */
export const newContext = ({ shared }: Kind, writer?: Caller): WriteContext => ({
  ...shared.api,
  ...(writer ? { writer } : {}),
  warnings: [],
  namespaceLabels: shared.namespaceLabels,
});

/** Carries out a write; an error has the warnings that were added before it. */
export async function withWarnings<T>(ctx: WriteContext, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) error.warnings = ctx.warnings;
    throw error;
  }
}
