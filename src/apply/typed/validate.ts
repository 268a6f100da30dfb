/**
 * Checks that an intent fits its type well enough to be merged (APPLY-12, DEC-22, MARK-3, MARK-4).
 *
 * It checks the structure: declared members, types of scalars, lists that can be merged by entry. The decoder of the
 * kind checks the rest, such as whether a number is an integer or a text a time.
 *
 * @module
 */
import { isContainer, isObject, asJsonNumber } from "../../value/value.ts";
import type { Value } from "../../value/value.ts";
import { elementToString, fieldElement, indexElement, pathToString } from "../fieldpath/index.ts";
import type { PathElement } from "../fieldpath/index.ts";
import type { ListType, MapType, ScalarType, StructType, Type } from "../schema/schema.ts";
import { describe, listElement } from "./items.ts";

/** What is wrong with a field. */
export interface TypeFault {
  /** The field, as in `.spec.drivers[name="d1"].nodeID`; empty for the root. */
  readonly path: string;
  /** What was expected and what was found. */
  readonly message: string;
  readonly reason: "unknownField" | "wrongType" | "duplicate" | "noKey";
}

/** How strict {@link validate} is. */
export interface ValidateOptions {
  /** Accept duplicates in sets and keyed lists, as stored objects may have them (AMB-42). Default false. */
  readonly allowDuplicates?: boolean;
}

/**
 * Every fault of a value against its type, in the order of the value; none when it can be merged. Null fits any type, and
 * a struct without declared members may have any member.
 */
export function validate(type: Type, value: Value, options: ValidateOptions = {}): TypeFault[] {
  const walker = new ValidateWalker(options.allowDuplicates ?? false);
  walker.walk(type, value);
  return walker.faults;
}

class ValidateWalker {
  readonly faults: TypeFault[] = [];
  readonly #path: PathElement[] = [];
  readonly #allowDuplicates: boolean;

  constructor(allowDuplicates: boolean) {
    this.#allowDuplicates = allowDuplicates;
  }

  walk(type: Type, value: Value): void {
    if (value === null) return;
    switch (type.kind) {
      case "scalar":
        if (!fits(type, value)) this.#fault("wrongType", `expected ${NAMES[type.scalar]}, got ${describe(value)}`);
        return;
      case "struct":
      case "map":
        return this.#members(type, value);
      case "list":
        return this.#list(type, value);
      case "any":
        return;
    }
  }

  #fault(reason: TypeFault["reason"], message: string, path: readonly PathElement[] = this.#path): void {
    this.faults.push({ path: pathToString(path), message, reason });
  }

  #below(element: PathElement, type: Type, value: Value): void {
    this.#path.push(element);
    this.walk(type, value);
    this.#path.pop();
  }

  #members(type: StructType | MapType, value: Value): void {
    if (!isObject(value)) {
      return this.#fault("wrongType", `expected an object, got ${describe(value)}`);
    }
    for (const key in value) {
      const item = value[key]!;
      const expected = type.kind === "map" ? type.item : type.fields.get(key)?.type;
      if (expected !== undefined) {
        if (!isFittingScalar(expected, item)) this.#below(fieldElement(key), expected, item);
      } else if (type.kind === "struct" && !type.open && type.fields.size > 0) {
        this.#fault("unknownField", "field not declared in schema", [...this.#path, fieldElement(key)]);
      }
    }
  }

  #list(type: ListType, value: Value): void {
    if (!Array.isArray(value)) return this.#fault("wrongType", `expected a list, got ${describe(value)}`);
    if (type.merge === "atomic") {
      value.forEach((item, i) => {
        if (!isFittingScalar(type.item, item)) this.#below(indexElement(i), type.item, item);
      });
      return;
    }
    const seen = new Set<PathElement>();
    value.forEach((item, i) => {
      const element = listElement(type, item);
      if (typeof element !== "string") {
        return this.#fault("noKey", element.problem, [...this.#path, indexElement(i)]);
      }
      if (seen.has(element) && !this.#allowDuplicates) {
        this.#fault("duplicate", `duplicate entries for key ${elementToString(element)}`);
      }
      seen.add(element);
      this.#below(element, type.item, item);
    });
  }
}

/** The common case, which needs no path. */
const isFittingScalar = (type: Type, value: Value): boolean =>
  type.kind === "scalar" && value !== null && fits(type, value);

const NAMES: Readonly<Record<ScalarType["scalar"], string>> = {
  string: "a string",
  integer: "a number",
  number: "a number",
  boolean: "true or false",
  intOrString: "a number or a string",
  json: "any value",
};

/** Strings with a format may be any scalar here: a quantity may be a number. The decoder validates them. */
function fits(type: ScalarType, value: Value): boolean {
  if (type.scalar === "json") return true;
  if (isContainer(value)) return false;
  switch (type.scalar) {
    case "string":
      return typeof value === "string" || (type.format !== undefined && type.format !== "byte");
    case "integer":
    case "number":
      return typeof value === "number" || asJsonNumber(value) !== undefined;
    case "boolean":
      return typeof value === "boolean";
    case "intOrString":
      return true;
  }
}
