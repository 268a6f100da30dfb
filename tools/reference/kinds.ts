/**
 * The page of kinds that are served, in both dialects, with their verbs.
 *
 * @module
 */
import { builtInDefinitions } from "../../src/kinds/index.ts";
import { type Dialect, kubernetes, neutral } from "../../src/meta/dialect.ts";
import { GATES, gatesOf } from "../../src/meta/gates.ts";
import { ALL_VERBS, type ResourceDefinition } from "../../src/schema/definition.ts";
import { ManualClock, seededRandom } from "../../src/util/clock.ts";
import { MADE, code, table } from "./markdown.ts";

const SHORT: Readonly<Record<string, string>> = { deletecollection: "delete many" };

/** The page. */
export function kindsPage(): [path: string, text: string] {
  const sections = [kubernetes, neutral].map((dialect) => sectionOf(dialect));
  const text = [
    "# Kinds and verbs",
    MADE,
    INTRODUCTION,
    ...sections,
    "Each way of patching a kind is there (JSON patch, merge patch, strategic merge patch, apply) unless its row says otherwise.",
  ];
  return ["docs/reference/kinds.md", `${text.join("\n\n")}\n`];
}

const INTRODUCTION = `Every kind that this server has, for each of its two [dialects](../glossary.md#dialect). "All" verbs are
${ALL_VERBS.map((verb) => SHORT[verb] ?? verb).join(", ")}. A kind with a gate is served where that
[feature gate](configuration.md#feature-gates) is on. \`kubectl explain KIND\` describes the members of a kind on a running
server, and [keelson/kinds](library/keelson-kinds.md) has their types. What is not in this table is not served: see
[what is not here](limits.md).`;

function sectionOf(dialect: Dialect): string {
  const off = definitionsWith(dialect, {});
  const every = definitionsWith(dialect, Object.fromEntries(GATES.map((gate) => [gate, true])));
  const rows = every.filter(isServed).map((definition) => rowOf(definition, gateOf(dialect, definition, off)));
  const head = ["group/version", "kind", "plural, short names", "scope", "verbs", "subresources", "gate"];
  return `## Dialect ${dialect.name}\n\n${table(head, rows)}`;
}

function definitionsWith(dialect: Dialect, set: Parameters<typeof gatesOf>[1]): readonly ResourceDefinition[] {
  const api = { dialect, gates: gatesOf(dialect, set), clock: new ManualClock(), random: seededRandom(1) };
  return builtInDefinitions(api);
}

const isServed = ({ served }: ResourceDefinition): boolean => served !== false;
const nameOf = ({ group, version, plural }: ResourceDefinition): string => `${plural}.${version}.${group}`;

/** The gate without which a kind is not served; empty for those that always are. */
function gateOf(dialect: Dialect, definition: ResourceDefinition, preset: readonly ResourceDefinition[]): string {
  const servedWith = (definitions: readonly ResourceDefinition[]): boolean =>
    definitions.some((one) => nameOf(one) === nameOf(definition) && isServed(one));
  const all = Object.fromEntries(GATES.map((gate) => [gate, true]));
  const needed = GATES.filter((gate) => !servedWith(definitionsWith(dialect, { ...all, [gate]: false })));
  return needed.map((gate) => `${code(gate)} (${servedWith(preset) ? "on" : "off"} by default)`).join(", ");
}

function rowOf(definition: ResourceDefinition, gate: string): string[] {
  const { group, version, kind, plural, shortNames = [], scope, subresources = {}, patches } = definition;
  const below = Object.entries(subresources).map(([name, { verbs }]) => `${name} (${verbs.join(", ")})`);
  const patch = patches === undefined ? "" : `; patches: ${patches.join(", ")}`;
  return [
    code(group === "" ? version : `${group}/${version}`),
    kind,
    [plural, ...shortNames].map(code).join(", "),
    scope,
    verbsOf(definition) + patch,
    below.join("; "),
    gate,
  ];
}

function verbsOf({ verbs = ALL_VERBS, asked, shown }: ResourceDefinition): string {
  if (asked) return "create (answered, not stored)";
  if (shown) return "get, list (shown, not stored)";
  if (ALL_VERBS.every((verb) => verbs.includes(verb))) return "all";
  const missing = ALL_VERBS.filter((verb) => !verbs.includes(verb)).map((verb) => SHORT[verb] ?? verb);
  return missing.length > 4 ? verbs.join(", ") : `all but ${missing.join(", ")}`;
}
