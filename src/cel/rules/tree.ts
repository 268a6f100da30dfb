/**
 * The rules of a schema and of all below it, compiled once for each schema object.
 *
 * @module
 */
import type { Steps } from "../../util/steps.ts";
import { escapeName } from "../names.ts";
import { type Declaration, type Schema, declare } from "../schema/declaration.ts";
import { type Rule, compileRules } from "./rule.ts";

/** A place in a schema with its rules; places at which nothing has rules, here or below, are not there. */
export interface Place {
  readonly schema: Schema;
  readonly declaration: Declaration;
  readonly rules: readonly Rule[];
  /** Whether any rule here compares with the value before. */
  readonly compares: boolean;
  readonly items?: Place;
  readonly values?: Place;
  readonly properties?: ReadonlyMap<string, Place>;
}

const roots = new WeakMap<Schema, Map<boolean, Place | undefined>>();

/**
 * The places of a schema that have rules; undefined where nothing has. They are compiled in steps by whoever asks first.
 *
 * @param isObject whether values have what every object has: apiVersion, kind and metadata
 */
export function* placesOf(schema: Schema, isObject: boolean): Steps<Place | undefined> {
  let made = roots.get(schema);
  if (!made) roots.set(schema, (made = new Map()));
  if (!made.has(isObject)) {
    const declaration = hasRules(schema) ? declare(schema, isObject) : undefined;
    yield;
    made.set(isObject, declaration && (yield* placeOf(schema, declaration)));
  }
  return made.get(isObject);
}

const marked = new WeakMap<Schema, boolean>();

/** Whether there are rules at a place or below. */
export function hasRules(schema: Schema): boolean {
  let has = marked.get(schema);
  if (has === undefined) {
    const values = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
    has =
      (schema["x-kubernetes-validations"]?.length ?? 0) > 0 ||
      [...Object.values(schema.properties ?? {}), schema.items, values].some(
        (one) => one !== undefined && hasRules(one),
      );
    marked.set(schema, has);
  }
  return has;
}

function* placeOf(schema: Schema, declaration: Declaration): Steps<Place | undefined> {
  if (!hasRules(schema)) return undefined;
  const { items: itemSchema, additionalProperties } = schema;
  const { item } = declaration;
  const items = itemSchema && item ? yield* placeOf(itemSchema, item) : undefined;
  const values =
    typeof additionalProperties === "object" && item ? yield* placeOf(additionalProperties, item) : undefined;
  const properties = new Map<string, Place>();
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (!hasRules(member)) continue;
    const known = declarationOf(declaration, name, member);
    const place = known && (yield* placeOf(member, known));
    if (place) properties.set(name, place);
  }
  const rules = yield* compileRules(schema, declaration);
  return {
    schema,
    declaration,
    rules,
    compares: rules.some(({ usesOldSelf }) => usesOldSelf),
    ...(items ? { items } : {}),
    ...(values ? { values } : {}),
    ...(properties.size > 0 ? { properties } : {}),
  };
}

/** What is known of a member; one that rules above cannot name has its own rules all the same (CEL-35). */
function declarationOf({ fields }: Declaration, name: string, member: Schema): Declaration | undefined {
  const seen = escapeName(name);
  if (seen !== undefined) return fields?.get(seen)?.declaration;
  return declare(member, member["x-kubernetes-embedded-resource"] === true);
}
