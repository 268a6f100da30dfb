/**
 * A TypeScript module for kinds of definitions: the type of the objects of each, and the kind as a value for clients,
 * informers and controllers, both under one name as in `keelson/kinds`.
 *
 * @module
 */
import { apiVersionOf, compareVersions } from "../meta/versions.ts";
import type { Structural } from "../schema/structural/schema.ts";
import { Interfaces, Names } from "./types-schema.ts";
import { comment, literal, pascal } from "./types-text.ts";

/** A version of a definition, as far as types are made from it. */
export interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: Structural };
}

/** A definition that was taken, as far as types are made from it. */
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

/** What the module has from elsewhere. */
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

/** The text of the module. */
export function moduleOf(kinds: readonly TypedKind[]): string {
  const names = new Names(IMPORTED);
  const named = kinds.map((kind) => ({ ...kind, name: names.take(nameOf(kind, kinds)) }));
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

/** What a client has to know of a kind. */
interface ObjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

/**
 * The name of a kind: its own; older versions carry theirs behind it, and where several groups have a kind of the same
 * name, all carry their group in front.
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

/** The paragraph of a comment that says that a version is deprecated; empty where it is not. */
function deprecationOf({ group, kind }: ObjectKind, { name, deprecated, deprecationWarning }: Version): string {
  if (!deprecated) return "";
  return `\n\n@deprecated ${deprecationWarning ?? `${apiVersionOf(group, name)} ${kind} is deprecated`}`;
}

function valueOf(name: string, kind: ObjectKind, deprecated: string): string {
  const about = `The kind of a {@link ${name}}, for clients, informers and controllers.${deprecated}`;
  const body = Object.entries(kind).map(([key, value]) => `  ${key}: ${literal(value as string)},\n`);
  const type = `Kind<${name}, ${literal(kind.scope)}>`;
  return `${comment(about, "")}export const ${name}: ${type} = {\n${body.join("")}};\n`;
}
