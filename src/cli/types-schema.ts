/**
 * Derives TypeScript types from structural schemas.
 *
 * An object with members becomes an interface and an enumeration a type, named by its path (`ThingSpecPart`). A member that
 * is required or has a default is not optional. Validations such as `anyOf`, `pattern` or `maximum` are not part of a type.
 *
 * @module
 */
import { OBJECT_MEMBERS, type Structural } from "../schema/structural/schema.ts";
import { alias, comment, listOf, literal, mapOf, member, memberName, pascal, union } from "./types-text.ts";

/** The unique names of a module. */
export class Names {
  readonly #taken: Set<string>;

  /** @param taken names that may not be used */
  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** Returns a name, with a number if it is taken. */
  add(wanted: string): string {
    let name = wanted;
    for (let i = 2; this.#taken.has(name); i++) name = `${wanted}${i}`;
    this.#taken.add(name);
    return name;
  }
}

/** The interface of a whole object. */
export interface ObjectInterface {
  readonly name: string;
  /** Its description. */
  readonly about: string;
  readonly apiVersion: string;
  readonly kind: string;
}

const OPEN = "{ readonly [member: string]: unknown }";
const EMPTY = "{ readonly [member: string]: never }";

const SCALARS: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "boolean",
  integer: "number",
  number: "number",
};

/** Writes the interfaces of a module, each before those that it uses. */
export class Interfaces {
  readonly #names: Names;
  readonly #texts: string[] = [];

  constructor(names: Names) {
    this.#names = names;
  }

  /** The texts of the interfaces. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Writes the interface of an object, and those of its members. */
  object(schema: Structural, { name, about, apiVersion, kind }: ObjectInterface): void {
    const head = [
      member("readonly apiVersion", literal(apiVersion), "  "),
      member("readonly kind", literal(kind), "  "),
      member("readonly metadata", "ObjectMeta", "  "),
    ];
    this.#interface(schema, { name, about, head });
  }

  #interface(
    schema: Structural,
    { name, about, head }: { readonly name: string; readonly about: string; readonly head: readonly string[] },
  ): void {
    const index = this.#texts.push("") - 1;
    const required = new Set(schema.required);
    const members = Object.entries(schema.properties ?? {})
      .filter(([key]) => head.length === 0 || !OBJECT_MEMBERS.has(key))
      .map(([key, of]) => this.#member(key, of, name, required.has(key) || of.default !== undefined));
    const open = schema["x-kubernetes-preserve-unknown-fields"] ? "  readonly [member: string]: unknown;\n" : "";
    const body = `${head.join("")}${members.join("")}${open}`;
    this.#texts[index] = `${comment(about, "")}export interface ${name} {\n${body}}\n`;
  }

  #member(key: string, schema: Structural, owner: string, isPresent: boolean): string {
    const about = hasName(schema) ? "" : comment(aboutOf(schema), "  ");
    const type = this.#type(schema, owner + pascal(key));
    return about + member(`readonly ${memberName(key)}${isPresent ? "" : "?"}`, type, "  ");
  }

  /** Returns the type of a value; `name` is used if the type needs a name. */
  #type(schema: Structural, name: string): string {
    const type = this.#plain(schema, name);
    return schema.nullable && type !== "unknown" ? union([type, "null"]) : type;
  }

  #plain(schema: Structural, name: string): string {
    const literals = literalsOf(schema);
    if (literals) return this.#enumeration(schema, literals, name);
    if (schema["x-kubernetes-int-or-string"]) return "number | string";
    if (schema.items) return listOf(this.#type(schema.items, name));
    if (hasMembers(schema)) return this.#struct(schema, name);
    if (typeof schema.additionalProperties === "object") return mapOf(this.#type(schema.additionalProperties, name));
    const isOpen = schema.additionalProperties === true || schema["x-kubernetes-preserve-unknown-fields"];
    if (schema.type === "object") return isOpen ? OPEN : EMPTY;
    return SCALARS[schema.type ?? ""] ?? "unknown";
  }

  #enumeration(schema: Structural, literals: readonly string[], wanted: string): string {
    const name = this.#names.add(wanted);
    this.#texts.push(comment(aboutOf(schema), "") + alias(name, literals));
    return name;
  }

  #struct(schema: Structural, wanted: string): string {
    const name = this.#names.add(wanted);
    const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
    this.#interface(schema, { name, about: aboutOf(schema), head: isEmbedded ? EMBEDDED : [] });
    return name;
  }
}

/** The members of every embedded object; it is not stored, so its metadata may be partial. */
const EMBEDDED = [
  member("readonly apiVersion", "string", "  "),
  member("readonly kind", "string", "  "),
  member("readonly metadata?", "Partial<ObjectMeta>", "  "),
];

const hasMembers = (schema: Structural): boolean =>
  schema["x-kubernetes-embedded-resource"] === true || Object.keys(schema.properties ?? {}).length > 0;

/** Whether the type of a value has a name, and so a comment of its own. */
const hasName = (schema: Structural): boolean =>
  literalsOf(schema) !== undefined || (!schema.items && hasMembers(schema));

const aboutOf = ({ description, title }: Structural): string => description ?? title ?? "";

/** Returns the allowed values as literals; undefined if all values are allowed, or some are not scalars. */
function literalsOf({ enum: values }: Structural): readonly string[] | undefined {
  if (!values || values.length === 0) return undefined;
  const literals = values.flatMap((value) => (typeof value === "object" && value !== null ? [] : [literal(value)]));
  return literals.length === values.length ? [...new Set(literals)] : undefined;
}
