/**
 * The files of `keelson/kinds`, made from the definitions of the built-in kinds in the kubernetes dialect.
 *
 * @module
 */
import { builtInDefinitions } from "../../src/kinds/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { gatesOf } from "../../src/meta/gates.ts";
import type { ResourceDefinition } from "../../src/schema/definition.ts";
import { systemClock, systemRandom } from "../../src/util/clock.ts";
import { Interfaces } from "./interfaces.ts";

const TYPES = "src/client/kinds/types.ts";
const INDEX = "src/client/kinds/index.ts";
const MADE = "Made by `npm run kinds` from the definitions of the built-in kinds; not edited by hand.";

/** The text of each file, by its path in the project. */
export function kindFiles(): ReadonlyMap<string, string> {
  const api = { dialect: kubernetes, gates: gatesOf(kubernetes), clock: systemClock, random: systemRandom };
  const named = namesOf(builtInDefinitions(api)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const interfaces = new Interfaces(new Map(named.map(([name, { schema }]) => [name, schema])));
  return new Map([
    [TYPES, `${head("The built-in kinds as TypeScript sees them, members and all; types only.")}${interfaces.text}`],
    [INDEX, indexOf(named)],
  ]);
}

/**
 * The name of each kind: that of the kind; older versions carry theirs behind it, and where the core group and another
 * one have a kind of the same name, that of the core group has `Core` in front.
 */
function namesOf(definitions: readonly ResourceDefinition[]): [string, ResourceDefinition][] {
  return definitions.map((definition) => {
    const { group, kind, version } = definition;
    const others = definitions.filter((other) => other.kind === kind && other !== definition);
    if (group === "" && others.length > 0) return [`Core${kind}`, definition];
    const isOld = others.some((other) => other.group === group && isNewer(other.version, version));
    return [isOld ? kind + version[0]!.toUpperCase() + version.slice(1) : kind, definition];
  });
}

/** Whether version `a` comes before `b` in the order of Kubernetes: v2, v1, v1beta2, v1beta1, v1alpha1. */
function isNewer(a: string, b: string): boolean {
  const rank = (version: string): number => {
    const [, major, stage, minor] = /^v(\d+)(alpha|beta)?(\d+)?$/.exec(version)!;
    return (stage === undefined ? 2 : stage === "beta" ? 1 : 0) * 1e6 + Number(major) * 1e3 + Number(minor ?? 0);
  };
  return rank(a) > rank(b);
}

function indexOf(named: readonly [string, ResourceDefinition][]): string {
  const about = `\`keelson/kinds\`: each built-in kind as a value for clients and informers, and as the type of its objects.

    import { Pod } from "keelson/kinds";
    const isBound = (pod: Pod): boolean => pod.spec.nodeName !== undefined;
    const pods = await client.resource(Pod).list({ namespace: "default" });

The groups are those of Kubernetes; for a server of the neutral dialect see {@link neutral}.`;
  const imports = `import type { Kind } from "../kind.ts";\nimport type * as types from "./types.ts";\n`;
  const more = `export type { Condition } from "../condition.ts";\nexport { neutral } from "../kind.ts";\n`;
  const meta = `export type { ObjectMeta, ObjectMetaOwnerReference as OwnerReference } from "./types.ts";\n`;
  return `${head(about)}${imports}\n${more}${meta}\n${named.map(valueOf).join("\n")}`;
}

function valueOf([name, { group, version, kind, plural, scope, description }]: [string, ResourceDefinition]): string {
  const members = Object.entries({ group, version, kind, plural, scope });
  const body = members.map(([member, value]) => `  ${member}: ${JSON.stringify(value)},\n`).join("");
  return `/** ${description} */
export const ${name}: Kind<types.${name}, ${JSON.stringify(scope)}> = {
${body}};
/** An object of the kind {@link ${name}}. */
export type ${name} = types.${name};
`;
}

const head = (about: string): string =>
  `/**\n${`${about}\n\n${MADE}\n\n@module`.replaceAll(/^/gm, " * ").replaceAll(/ +$/gm, "")}\n */\n`;
