/**
 * TypeScript interfaces from the schemas of the built-in kinds.
 *
 * A struct becomes an interface that is called after the way to it (`PodSpecContainerEnv`); structs that are alike share
 * one, called after the shortest way. A member that is required, always printed or has a default is there; the rest is
 * optional.
 *
 * @module
 */
import type { TSchema } from "../../src/meta/types.ts";

/** What is read of a schema. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-keelson-presence"?: "always" | "alwaysNull" | "omitEmpty" | "keepZero";
}

/** Writes interfaces; each struct is written once. */
export class Interfaces {
  readonly #texts: string[] = [];
  /** The name of each struct, by its text. */
  readonly #names = new Map<string, string>();
  readonly #written = new Set<string>();

  /** @param roots the structs to begin with, by the names that their interfaces must have */
  constructor(roots: ReadonlyMap<string, TSchema>) {
    for (const [name, schema] of roots) this.#survey(schema as Schema, name);
    for (const [name, schema] of roots) {
      const written = this.#struct(schema as Schema, ROOT);
      if (written !== name) this.#texts.push(`/** As {@link ${written}}. */\nexport type ${name} = ${written};\n`);
    }
  }

  /** All interfaces. */
  get text(): string {
    return this.#texts.join("\n");
  }

  /** Gives every struct the shortest of the names that it could have. */
  #survey(schema: Schema, name: string): void {
    const key = keyOf(schema);
    const known = this.#names.get(key);
    if (known === undefined || name.length < known.length) this.#names.set(key, name);
    for (const [member, of] of Object.entries(schema.properties ?? {})) {
      const [struct, depth] = structIn(of);
      if (struct) this.#survey(struct, isMeta(member, struct) ? "ObjectMeta" : nestedName(name, member, depth));
    }
  }

  #struct(schema: Schema, there: readonly string[]): string {
    const name = this.#names.get(keyOf(schema))!;
    if (this.#written.has(name)) return name;
    this.#written.add(name);
    const place = this.#texts.push("") - 1;
    const required = new Set([...(schema.required ?? []), ...there]);
    const members = Object.entries(schema.properties ?? {}).map(([member, of]) =>
      this.#member(member, of, required.has(member)),
    );
    const body = `export interface ${name} {\n${members.join("")}}\n`;
    this.#texts[place] = comment(schema.description, "") + body;
    return name;
  }

  #member(member: string, schema: Schema, required: boolean): string {
    const presence = schema["x-keelson-presence"];
    const isThere = required || presence === "always" || schema.default !== undefined;
    const name = /^[A-Za-z_$][\w$]*$/.test(member) ? member : JSON.stringify(member);
    const type = this.#type(schema, member) + (presence === "alwaysNull" ? " | null" : "");
    const doc = schema.type === "object" && schema.properties ? "" : comment(schema.description, "  ");
    return `${doc}  readonly ${name}${isThere ? "" : "?"}: ${type};\n`;
  }

  #type(schema: Schema, member: string): string {
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    if (schema["x-kubernetes-int-or-string"]) return "number | string";
    if (schema.items) return listOf(this.#type(schema.items, member));
    if (schema.properties) return this.#struct(schema, isMeta(member, schema) ? META : []);
    if (schema.additionalProperties) {
      return `{ readonly [key: string]: ${this.#type(schema.additionalProperties, member)} }`;
    }
    return SCALARS[schema.type ?? ""] ?? "unknown";
  }
}

const SCALARS: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "boolean",
  integer: "number",
  number: "number",
};

/** Members of every object. */
const ROOT = ["apiVersion", "kind", "metadata"];
/** Members of metadata that everything has which was stored. */
const META = ["name", "uid", "resourceVersion", "creationTimestamp"];

const listOf = (item: string): string => `readonly ${item.includes(" ") ? `(${item})` : item}[]`;

const isMeta = (member: string, { properties }: Schema): boolean =>
  member === "metadata" && properties?.["resourceVersion"] !== undefined;

/** What makes structs alike. */
const keyOf = (schema: Schema): string => JSON.stringify({ ...schema, "x-keelson-presence": undefined });

/** The struct that a member has, is a list of or a map to, and how many of them are around it. */
function structIn(schema: Schema): [struct: Schema | undefined, depth: number] {
  if (schema.properties) return [schema, 0];
  const item = schema.items ?? schema.additionalProperties;
  if (!item) return [undefined, 0];
  const [struct, depth] = structIn(item);
  return [struct, depth + 1];
}

function nestedName(owner: string, member: string, depth: number): string {
  const one = depth > 0 ? singular(member) : member;
  return owner + one[0]!.toUpperCase() + one.slice(1);
}

function singular(member: string): string {
  if (/(?:ss|us)$/.test(member)) return member;
  return member.replace(/ies$/, "y").replace(/(?:(?<=ss|us|ias|x|ch)es|s)$/, "");
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;
}
