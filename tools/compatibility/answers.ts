/**
 * How the answers to recorded requests compare: by area, and by resource and verb.
 *
 * @module
 */
import { ALL_VERBS, type ResourceDefinition } from "../../src/schema/definition.ts";
import { decodePath, requestInfo } from "../../src/meta/request-info.ts";
import type { Outcome } from "../../test/conformance/player.ts";
import { type Scenario, type Step, requestsOf } from "../../test/conformance/scenario.ts";

/** How many answers there are, and how many of them are equal to the recorded ones. */
export interface Count {
  equal: number;
  all: number;
}

/** What can be asked of a resource; patches by their type. */
export const COLUMNS = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "json patch",
  "merge patch",
  "strategic patch",
  "apply",
  "delete",
  "deletecollection",
] as const;

/** One of {@link COLUMNS}. */
export type Column = (typeof COLUMNS)[number];

const PATCHES: Readonly<Record<string, Column>> = {
  "application/json-patch+json": "json patch",
  "application/merge-patch+json": "merge patch",
  "application/strategic-merge-patch+json": "strategic patch",
  "application/apply-patch+yaml": "apply",
};

/** A step that answers otherwise, and why. */
export interface Deviation {
  readonly scenario: string;
  readonly requests: readonly string[];
  readonly reason: string;
}

/** A resource or subresource with its answers by column; a column that is not served is not there. */
export interface Row {
  readonly name: string;
  readonly cells: ReadonlyMap<Column, Count>;
}

/** Everything that the recorded answers tell. */
export interface Answers {
  readonly scenarios: Count;
  readonly steps: Count;
  readonly areas: ReadonlyMap<string, { readonly scenarios: Count; readonly steps: Count }>;
  readonly rows: readonly Row[];
  /** Answers to requests for resources and verbs that are not served. */
  readonly notServed: Count;
  /** Paths that are no resource (discovery, OpenAPI, health), by their first segments. */
  readonly others: ReadonlyMap<string, Count>;
  readonly deviations: readonly Deviation[];
}

/**
 * Counts the answers of all scenarios.
 *
 * @param served what the server serves, so that what has no recorded answer is seen
 * @param known reasons for scenarios that answer otherwise
 */
export function countAnswers(
  scenarios: readonly Scenario[],
  outcomes: readonly Outcome[],
  served: readonly ResourceDefinition[],
  known: Readonly<Record<string, string>>,
): Answers {
  const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  const rows = new Rows(served);
  const [total, steps] = [nothing(), nothing()];
  const areas = new Map<string, { scenarios: Count; steps: Count }>();
  const deviations: Deviation[] = [];
  for (const { name, area, differences } of outcomes) {
    const scenario = byName.get(name);
    if (!scenario) throw new Error(`expected a scenario named "${name}"; run the tests again`);
    const here = entryOf(areas, area, () => ({ scenarios: nothing(), steps: nothing() }));
    const wrong = new Map(differences.map((difference) => [difference.step, difference.request]));
    for (const count of [total, here.scenarios]) add(count, wrong.size === 0);
    for (const [i, step] of requestsOf(scenario.steps).entries()) {
      // A pause answers nothing.
      if (step.do === undefined) continue;
      for (const count of [steps, here.steps]) add(count, !wrong.has(i));
      rows.add(step, !wrong.has(i));
    }
    if (wrong.size > 0) {
      deviations.push({ scenario: name, requests: [...wrong.values()], reason: known[name] ?? "not explained yet" });
    }
  }
  const { others, notServed } = rows;
  return { scenarios: total, steps, areas, rows: rows.all(), others, notServed, deviations };
}

/** The table of resources and verbs while it is filled. */
class Rows {
  readonly #rows = new Map<string, Map<Column, Count>>();
  readonly others = new Map<string, Count>();
  readonly notServed: Count = nothing();

  constructor(served: readonly ResourceDefinition[]) {
    for (const { group, version, plural, verbs = ALL_VERBS, subresources = {} } of served) {
      this.#serve(rowName(group, version, plural, ""), verbs);
      for (const [name, rules] of Object.entries(subresources)) {
        this.#serve(rowName(group, version, plural, name), rules.verbs);
      }
    }
  }

  add(step: Step, equal: boolean): void {
    const path = decoded(step.path!.replaceAll("{d}", "k8s.io").split("?")[0]!);
    if (path === undefined) {
      add(this.notServed, equal);
      return;
    }
    const isWatch = step.watch !== undefined || step.query?.["watch"] !== undefined || /[?&]watch=/.test(step.path!);
    const info = requestInfo(step.do!, path, () => isWatch);
    if (!info.isResource) {
      add(entryOf(this.others, firstSegments(path), nothing), equal);
      return;
    }
    const column = info.verb === "patch" ? PATCHES[step.type ?? ""] : COLUMNS.find((name) => name === info.verb);
    const row = this.#rows.get(rowName(info.group, info.version, info.resource, info.subresource));
    add((column && row?.get(column)) ?? this.notServed, equal);
  }

  all(): Row[] {
    const rows = [...this.#rows].map(([name, cells]) => ({ name, cells }));
    return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  #serve(name: string, verbs: readonly string[]): void {
    const columns = verbs.flatMap((verb) => (verb === "patch" ? Object.values(PATCHES) : [verb as Column]));
    this.#rows.set(name, new Map(columns.map((column) => [column, nothing()])));
  }
}

const nothing = (): Count => ({ equal: 0, all: 0 });

function add(count: Count, equal: boolean): void {
  count.all++;
  if (equal) count.equal++;
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/** `storage.k8s.io/v1 csidrivers`, `v1 pods/status`. */
const rowName = (group: string, version: string, plural: string, subresource: string): string =>
  `${group ? `${group}/` : ""}${version} ${plural}${subresource ? `/${subresource}` : ""}`;

/** `/openapi/v3` of `/openapi/v3/apis/x`; `/apis/x` of the discovery of a group. */
const firstSegments = (path: string): string =>
  path
    .split("/")
    .slice(0, path.startsWith("/openapi") ? 3 : 2)
    .join("/");

/** The path of a request; undefined for one that no server can read. */
function decoded(path: string): string | undefined {
  try {
    return decodePath(path);
  } catch {
    return undefined;
  }
}
