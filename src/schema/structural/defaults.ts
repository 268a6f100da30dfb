/**
 * Defaults: absent members, and null where it is as good as absent, get the default of the schema (CRD-41). A member whose
 * parent is absent gets none; what a default brings in is filled in further.
 *
 * @module
 */
import { type Value, clone, isObject, setMember } from "../../value/value.ts";
import { type StructuralSchema, defaultOf, isNullUnset, schemaOfOthers } from "./structural-schema.ts";

/** Fills in the defaults below a value, in place; says whether there were any. */
export type FillIn = (value: unknown) => boolean;

/** A member with a default of its own, or with defaults below. */
interface Member {
  readonly name: string;
  readonly default: Value | undefined;
  readonly nullIsUnset: boolean;
  readonly fillIn: FillIn | undefined;
}

/** Compiles the defaults of a schema; undefined when there are none in it. */
export function compileDefaults(schema: StructuralSchema): FillIn | undefined {
  const members = Object.entries(schema.properties ?? {})
    .map(([name, own]) => memberOf(name, own))
    .filter((member) => member.default !== undefined || member.fillIn !== undefined);
  const others = relevant(schemaOfOthers(schema));
  const items = relevant(schema.items);
  if (members.length === 0 && others === undefined && items === undefined) return undefined;
  const named = new Set(Object.keys(schema.properties ?? {}));
  return (value) => {
    if (Array.isArray(value)) return items !== undefined && fillItems(value, items);
    if (!isObject(value)) return false;
    const filled = fillMembers(value, members);
    return (others !== undefined && fillOthers(value, named, others)) || filled;
  };
}

const memberOf = (name: string, schema: StructuralSchema): Member => ({
  name,
  default: defaultOf(schema) as Value | undefined,
  nullIsUnset: isNullUnset(schema),
  fillIn: compileDefaults(schema),
});

function relevant(schema: StructuralSchema | undefined): Member | undefined {
  const member = schema && memberOf("", schema);
  return member?.default !== undefined || member?.fillIn !== undefined ? member : undefined;
}

function fillMembers(value: Record<string, Value>, members: readonly Member[]): boolean {
  let filled = false;
  for (const member of members) {
    const { name } = member;
    const isThere = Object.hasOwn(value, name);
    if (member.default !== undefined && (!isThere || (value[name] === null && member.nullIsUnset))) {
      setMember(value, name, clone(member.default));
      filled = true;
    }
    if (member.fillIn && Object.hasOwn(value, name) && member.fillIn(value[name])) filled = true;
  }
  return filled;
}

/** Members that were sent and have no name in the schema: only null gives way to the default. */
function fillOthers(value: Record<string, Value>, named: ReadonlySet<string>, others: Member): boolean {
  let filled = false;
  for (const key in value) {
    if (named.has(key)) continue;
    if (isReplaced(value[key], others)) {
      setMember(value, key, clone(others.default!));
      filled = true;
    }
    if (others.fillIn?.(value[key])) filled = true;
  }
  return filled;
}

function fillItems(list: unknown[], items: Member): boolean {
  let filled = false;
  for (let i = 0; i < list.length; i++) {
    if (isReplaced(list[i], items)) {
      list[i] = clone(items.default!);
      filled = true;
    }
    if (items.fillIn?.(list[i])) filled = true;
  }
  return filled;
}

const isReplaced = (value: unknown, member: Member): boolean =>
  value === null && member.nullIsUnset && member.default !== undefined;
