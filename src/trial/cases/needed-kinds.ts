/**
 * The custom kinds that suites need: those that they define, and those that they use without a definition.
 *
 * @module
 */
import { type Value, type ValueObject, isObject, memberOf, textIn } from "../../value/value.ts";
import type { KindTable, SourceValue } from "../documents.ts";
import type { PolicySuite } from "./suite.ts";

const DEFINITIONS = "apiextensions.k8s.io/v1";

/** Suites without the definitions of custom kinds, and these definitions. */
export interface SuitesWithKinds {
  readonly suites: readonly PolicySuite[];
  /** CustomResourceDefinitions; those of the suites come before generated ones. */
  readonly definitions: readonly ValueObject[];
}

/** Removes definitions from suites, and generates those of kinds without one: with any members, and names from the kind. */
export function neededKinds(suites: readonly PolicySuite[], table: KindTable): SuitesWithKinds {
  const definitions = new Map<string, ValueObject>();
  const undefinedKinds = new Map<string, ValueObject>();
  for (const { value } of suites.flatMap(({ documents }) => documents)) {
    if (isDefinition(value)) definitions.set(nameOf(value), value);
  }
  const known = new Set([...definitions.values()].flatMap(kindsOf));
  for (const value of suites.flatMap(valuesOf)) {
    const made = definitionFor(value);
    if (!made || isDefinition(value) || known.has(keyOf(value)) || table.find(...namesOf(value))) continue;
    const before = undefinedKinds.get(nameOf(made));
    undefinedKinds.set(nameOf(made), before && isNamespaced(before) ? before : made);
  }
  return {
    suites: suites.map((suite) => ({
      ...suite,
      documents: suite.documents.filter(({ value }) => !isDefinition(value)),
    })),
    definitions: [...definitions.values(), ...undefinedKinds.values()],
  };
}

const isDefinition = (value: Value): value is ValueObject =>
  isObject(value) && value["apiVersion"] === DEFINITIONS && value["kind"] === "CustomResourceDefinition";

function valuesOf({ documents, cases }: PolicySuite): readonly Value[] {
  const ofCases = cases.flatMap(({ object, oldObject, params }) => [object, oldObject, ...params]);
  const sources: readonly (SourceValue | undefined)[] = [...documents, ...ofCases];
  return sources.flatMap((source) => source?.value ?? []);
}

const nameOf = (value: Value): string => textIn(memberOf(value, "metadata"), "name");

const namesOf = (value: Value): [apiVersion: string, kind: string] => [
  textIn(value, "apiVersion"),
  textIn(value, "kind"),
];

const keyOf = (value: Value): string => namesOf(value).join("/");

/** The kinds of a definition, by apiVersion and kind. */
function kindsOf(definition: ValueObject): readonly string[] {
  const spec = definition["spec"];
  const versions = memberOf(spec, "versions");
  const kind = textIn(memberOf(spec, "names"), "kind");
  const group = textIn(spec, "group");
  return Array.isArray(versions) ? versions.map((one) => `${group}/${textIn(one, "name")}/${kind}`) : [];
}

const isNamespaced = (definition: ValueObject): boolean => memberOf(definition["spec"], "scope") === "Namespaced";

/** A definition for the kind of a value, where its group may have custom kinds. */
function definitionFor(value: Value): ValueObject | undefined {
  const [apiVersion, kind] = namesOf(value);
  const [group = "", version = ""] = apiVersion.split("/");
  if (!group.includes(".") || group.endsWith(".k8s.io") || version === "" || kind === "") return undefined;
  const namespace = memberOf(memberOf(value, "metadata"), "namespace");
  const singular = kind.toLowerCase();
  const plural = pluralOf(singular);
  return {
    apiVersion: DEFINITIONS,
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespace === undefined ? "Cluster" : "Namespaced",
      names: { kind, plural, singular },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  };
}

/** The plural of a kind as kubectl guesses it. */
function pluralOf(singular: string): string {
  if (singular.endsWith("s")) return `${singular}es`;
  return singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
