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
  readonly "x-keelson-either"?: readonly Schema[];
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
    // What is below has the shortest names already, and what holds itself ends here.
    if (known !== undefined && known.length <= name.length) return;
    this.#names.set(key, name);
    for (const [member, of] of Object.entries(schema.properties ?? {})) {
      for (const [struct, depth] of structsIn(of)) {
        this.#survey(struct, isMeta(member, struct) ? "ObjectMeta" : nestedName(name, member, depth));
      }
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
    const lines = members.length > 0 ? `\n${members.join("")}` : "";
    const body = `export interface ${name} {${lines}}\n`;
    this.#texts[place] = comment(schema.description, "") + body;
    return name;
  }

  #member(member: string, schema: Schema, required: boolean): string {
    const presence = schema["x-keelson-presence"];
    // A default that is empty is left out as well.
    const isFilledIn = presence === "omitEmpty" ? Boolean(schema.default) : schema.default !== undefined;
    const isThere = required || presence === "always" || isFilledIn;
    const name = /^[A-Za-z_$][\w$]*$/.test(member) ? member : JSON.stringify(member);
    const plain = this.#type(schema, member);
    const type = presence === "alwaysNull" && plain !== "unknown" ? `${plain} | null` : plain;
    const doc = schema.type === "object" && schema.properties ? "" : comment(schema.description, "  ");
    return `${doc}  readonly ${name}${isThere ? "" : "?"}: ${type};\n`;
  }

  #type(schema: Schema, member: string): string {
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    if (schema["x-kubernetes-int-or-string"]) return "number | string";
    const either = schema["x-keelson-either"];
    if (either) return either.map((one) => this.#type(one, member)).join(" | ");
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

/** What makes structs alike; a struct that holds itself says how far above it stands. */
function keyOf(schema: Schema): string {
  const above: unknown[] = [];
  return JSON.stringify({ ...schema, "x-keelson-presence": undefined }, function (this: unknown, _key, value: unknown) {
    if (typeof value !== "object" || value === null) return value;
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    const at = above.indexOf(value);
    if (at >= 0) return `^${above.length - at}`;
    above.push(value);
    return value;
  });
}

/** The structs that a member may have, be a list of or a map to, and how many of those are around each. */
function structsIn(schema: Schema, depth = 0): readonly (readonly [struct: Schema, depth: number])[] {
  if (schema.properties) return [[schema, depth]];
  const either = schema["x-keelson-either"];
  if (either) return either.flatMap((one) => structsIn(one, depth));
  const item = schema.items ?? schema.additionalProperties;
  return item ? structsIn(item, depth + 1) : [];
}

function nestedName(owner: string, member: string, depth: number): string {
  const words = (depth > 0 ? singular(member) : member).split(/[^A-Za-z0-9]+/);
  return owner + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

function singular(member: string): string {
  if (/(?:ss|us)$/.test(member)) return member;
  return member.replace(/ies$/, "y").replace(/(?:(?<=ss|us|ias|x|ch)es|s)$/, "");
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;
}
