/**
 * The compiled rules of a schema and of all schemas below it, made once for each schema object.
 *
 * @module
 */
import type { Steps } from "../../util/steps.ts";
import { escapeName } from "../names.ts";
import { type Declaration, type Schema, declare } from "../schema/declaration.ts";
import { type Rule, compileRules } from "./rule.ts";

/** The rules at a path of a schema; there are no nodes where neither the path nor a path below has rules. */
export interface RuleNode {
  readonly schema: Schema;
  readonly declaration: Declaration;
  readonly rules: readonly Rule[];
  /** Whether any rule here uses the old value. */
  readonly compares: boolean;
  readonly items?: RuleNode;
  readonly values?: RuleNode;
  readonly properties?: ReadonlyMap<string, RuleNode>;
}

const roots = new WeakMap<Schema, Map<boolean, RuleNode | undefined>>();

/**
 * The rules of a schema; undefined where it has none. The first call compiles them, in steps.
 *
 * @param isObject whether values are whole objects with apiVersion, kind and metadata
 */
export function* ruleTreeOf(schema: Schema, isObject: boolean): Steps<RuleNode | undefined> {
  let made = roots.get(schema);
  if (!made) roots.set(schema, (made = new Map()));
  if (!made.has(isObject)) {
    const declaration = hasRules(schema) ? declare(schema, isObject) : undefined;
    yield;
    made.set(isObject, declaration && (yield* nodeOf(schema, declaration)));
  }
  return made.get(isObject);
}

const marked = new WeakMap<Schema, boolean>();

/** Whether a schema, or one below it, has rules. */
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

function* nodeOf(schema: Schema, declaration: Declaration): Steps<RuleNode | undefined> {
  if (!hasRules(schema)) return undefined;
  const { items: itemSchema, additionalProperties } = schema;
  const { item } = declaration;
  const items = itemSchema && item ? yield* nodeOf(itemSchema, item) : undefined;
  const values =
    typeof additionalProperties === "object" && item ? yield* nodeOf(additionalProperties, item) : undefined;
  const properties = new Map<string, RuleNode>();
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (!hasRules(member)) continue;
    const known = declarationOf(declaration, name, member);
    const node = known && (yield* nodeOf(member, known));
    if (node) properties.set(name, node);
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

/** The declaration of a member; a member without a name in expressions has its own rules all the same (CEL-35). */
function declarationOf({ fields }: Declaration, name: string, member: Schema): Declaration | undefined {
  const escaped = escapeName(name);
  if (escaped !== undefined) return fields?.get(escaped)?.declaration;
  return declare(member, member["x-kubernetes-embedded-resource"] === true);
}
