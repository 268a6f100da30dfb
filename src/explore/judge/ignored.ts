/**
 * The objects and members that a scenario excludes from the judge.
 *
 * @module
 */
import type { ObjectRef } from "../contract/trace.ts";
import type { Flat } from "./flat.ts";

/** A kind, or a member of it: `.status.lastSeen`. */
export interface IgnoredPart {
  readonly kind: { readonly group: string; readonly kind: string };
  readonly path?: string;
}

/** Whether a path is a member, or below it. */
export const isBelow = (path: string, member: string): boolean =>
  path.startsWith(member) &&
  (path.length === member.length || path[member.length] === "." || path[member.length] === "[");

/** The parts that are not judged, by kind. */
export class Ignored {
  readonly #parts: ReadonlyMap<string, readonly IgnoredPart[]>;

  constructor(parts: readonly IgnoredPart[]) {
    this.#parts = Map.groupBy(parts, ({ kind }) => `${kind.group}|${kind.kind}`);
  }

  #of({ group, kind }: ObjectRef): readonly IgnoredPart[] {
    return this.#parts.get(`${group}|${kind}`) ?? [];
  }

  /** Whether an object is not judged at all. */
  isObject(ref: ObjectRef): boolean {
    return this.#of(ref).some(({ path }) => path === undefined);
  }

  withoutMembers(ref: ObjectRef, flat: Flat): Flat {
    const parts = this.#of(ref);
    if (parts.length === 0) return flat;
    return new Map([...flat].filter(([path]) => !parts.some((part) => isBelow(path, part.path!))));
  }
}
