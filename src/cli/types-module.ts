/**
 * Writes a TypeScript module for kinds of definitions: for each the type of its objects and the kind as a value, with the same
 * name, as in `keelson/kinds`.
 *
 * @module
 */
import { apiVersionOf, compareVersions } from "../meta/versions.ts";
import type { Structural } from "../schema/structural/schema.ts";
import { Interfaces, Names } from "./types-schema.ts";
import { comment, literal, pascal } from "./types-text.ts";

/** A version of a definition, with the members that types need. */
export interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: Structural };
}

/** A valid definition, with the members that types need. */
export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly Version[];
  };
}

/** A kind: one version of a definition. */
export interface TypedKind {
  readonly definition: Definition;
  readonly version: Version;
}

/** Names that the module imports. */
const IMPORTED = ["Kind", "ObjectMeta", "Partial"];

const HEAD = `/**
 * Kinds of custom resource definitions, for clients, informers and controllers.
 *
 * Made by \`keelson types\`; not edited by hand.
 *
 * @module
 */
import type { Kind } from "keelson/client";
import type { ObjectMeta } from "keelson/kinds";
`;

/** Returns the text of the module. */
export function moduleOf(kinds: readonly TypedKind[]): string {
  const names = new Names(IMPORTED);
  const named = kinds.map((kind) => ({ ...kind, name: names.add(nameOf(kind, kinds)) }));
  const texts = named.map(({ name, definition, version }) => {
    const { group, scope, names: called } = definition.spec;
    const { openAPIV3Schema: schema } = version.schema;
    const kind: ObjectKind = { group, version: version.name, kind: called.kind, plural: called.plural, scope };
    const deprecated = deprecationOf(kind, version);
    const about = (schema.description ?? schema.title ?? "").trim() || `${kind.kind} of ${group}.`;
    const interfaces = new Interfaces(names);
    interfaces.object(schema, {
      name,
      about: about + deprecated,
      apiVersion: apiVersionOf(group, kind.version),
      kind: kind.kind,
    });
    const [whole, ...parts] = interfaces.texts;
    return [whole, valueOf(name, kind, deprecated), ...parts].join("\n");
  });
  return [HEAD, ...texts].join("\n");
}

/** The members of a kind for clients. */
interface ObjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

/**
 * Returns the name of a kind. Older versions have the version as a suffix; kinds with the same name in several groups have the group
 * as a prefix.
 */
function nameOf({ definition, version }: TypedKind, all: readonly TypedKind[]): string {
  const { group, names } = definition.spec;
  const name = pascal(names.kind);
  const alike = all.filter((other) => pascal(other.definition.spec.names.kind) === name);
  const isOld = alike.some(
    (other) => other.definition === definition && compareVersions(other.version.name, version.name) < 0,
  );
  const isAlone = alike.every((other) => other.definition.spec.group === group);
  return `${isAlone ? "" : pascal(group)}${name}${isOld ? pascal(version.name) : ""}`;
}

/** Returns the paragraph of a comment for a deprecated version; empty for another one. */
function deprecationOf({ group, kind }: ObjectKind, { name, deprecated, deprecationWarning }: Version): string {
  if (!deprecated) return "";
  return `\n\n@deprecated ${deprecationWarning ?? `${apiVersionOf(group, name)} ${kind} is deprecated`}`;
}

function valueOf(name: string, kind: ObjectKind, deprecated: string): string {
  const about = `The kind of a {@link ${name}}, for clients, informers and controllers.${deprecated}`;
  const body = Object.entries<string>({ ...kind }).map(([key, value]) => `  ${key}: ${literal(value)},\n`);
  const type = `Kind<${name}, ${literal(kind.scope)}>`;
  return `${comment(about, "")}export const ${name}: ${type} = {\n${body.join("")}};\n`;
}
