/**
 * Scenarios by chance: objects of every kind, made of what other scenarios and Go clients send, with a change or two that
 * people make by mistake; created, updated, patched and applied as dry runs over objects that are there.
 *
 * They are drawn once, recorded from a real server and kept, since what is drawn changes with the schemas.
 *
 * @module
 */
import { readFileSync, readdirSync } from "node:fs";
import { kubernetes } from "../../../src/meta/dialect.ts";
import { apiVersionOf } from "../../../src/meta/versions.ts";
import type { ResourceDefinition } from "../../../src/schema/definition.ts";
import { builtInDefinitions } from "../../../src/kinds/index.ts";
import { contextOf } from "../../../src/schema/testing/kind.ts";
import { Draw } from "../../../src/util/testing/draw.ts";
import { type Scenario, type Step, loadFiles, requestsOf } from "../scenario.ts";
import { Changer, type Schema } from "./change.ts";
import { Pool } from "./pool.ts";

const FOLDER = new URL("..", import.meta.url).pathname;
const GO_BODIES = new URL("../../fixtures/protobuf/", import.meta.url).pathname;

interface Body {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** What only one object has at a time, and what all others of a kind depend on. */
const TOUCHES_OTHERS = /is-default-class|"(?:clusterIPs?|nodePort|healthCheckNodePort|globalDefault)":/;

/** A hook server is not there, and its certificate is no base64. */
const HOOKS = /\{hooks(?:CA)?\}/g;

const isBody = (value: unknown): value is Body => typeof value === "object" && value !== null && "kind" in value;

/** Bodies by apiVersion and kind, and the values that are in them. */
function collect(folder: string): { pool: Pool; bodies: ReadonlyMap<string, readonly Body[]> } {
  const pool = new Pool();
  const bodies = new Map<string, Body[]>();
  const take = (value: unknown, whole: boolean): void => {
    pool.add(value);
    if (!whole || !isBody(value)) return;
    const key = `${value.apiVersion} ${value.kind}`;
    bodies.set(key, [...(bodies.get(key) ?? []), value]);
  };
  for (const { scenarios } of loadFiles(folder)) {
    for (const step of requestsOf(scenarios.flatMap(({ steps }) => steps))) {
      take(inNames(step.body), step.do === "POST" && !JSON.stringify(step.body ?? "").includes("{repeat"));
    }
  }
  for (const file of readdirSync(GO_BODIES).filter((name) => name.endsWith(".json"))) {
    take(JSON.parse(readFileSync(GO_BODIES + file, "utf8")), true);
  }
  return { pool, bodies };
}

/** A body with fixed names in place of those of a run. */
const inNames = (body: unknown): unknown =>
  body === undefined
    ? undefined
    : JSON.parse(
        JSON.stringify(body)
          .replaceAll(HOOKS, (hook) => (hook === "{hooks}" ? "https://a.example.com" : "AAAA"))
          .replaceAll("{d}", "k8s.io")
          .replaceAll("{id}", "one")
          .replaceAll("{ns}", "one"),
      );

const SERVERS_OWN = [
  "resourceVersion",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "managedFields",
  "generation",
  "selfLink",
  "ownerReferences",
  "namespace",
  "generateName",
  "finalizers",
  "deletionGracePeriodSeconds",
];

/** Draws the scenarios of one kind. */
class KindDrawer {
  readonly #definition: ResourceDefinition;
  readonly #bodies: readonly Body[];
  readonly #changer: Changer;
  readonly #draw: Draw;

  constructor(definition: ResourceDefinition, bodies: readonly Body[], pool: Pool, draw: Draw) {
    this.#definition = definition;
    this.#bodies = bodies;
    this.#draw = draw;
    this.#changer = new Changer(draw, pool);
  }

  get #path(): string {
    const { group, version, scope, plural } = this.#definition;
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    return `${root}/${scope === "Namespaced" ? "namespaces/{ns}/" : ""}${plural}`;
  }

  /** One object that may come to be, and questions around it. */
  scenario(number: number, questions: number): Scenario {
    const { group, version, kind, subresources = {} } = this.#definition;
    const draw = this.#draw;
    const base = this.#named(draw.pick(this.#bodies));
    const { name } = base.metadata as { name: string };
    const at = `${this.#path}/${name}`;
    const steps: Step[] = [{ do: "POST", path: this.#path, body: base }];
    const dry = { dryRun: "All" };
    for (let i = 0; i < questions; i++) {
      const other = this.#named(draw.pick(this.#bodies), `other-${i}`);
      const create = (): Step => ({ do: "POST", path: this.#path, query: dry, body: this.#changed(other) });
      const update = (): Step => ({ do: "PUT", path: at, query: dry, body: this.#changed(base) });
      const patch = (): Step => ({
        do: "PATCH", path: at, query: dry, type: draw.pick(["application/strategic-merge-patch+json", "application/merge-patch+json"]), body: this.#intent(base),
      }); // prettier-ignore
      const apply = (): Step => ({
        do: "PATCH",
        path: draw.chance(0.5) ? at : `${this.#path}/other-${i}`,
        query: { ...dry, fieldManager: "other", force: "true" },
        type: "application/apply-patch+yaml",
        body: named(this.#changed(base), undefined),
      });
      const way = (): Step => {
        const names = Object.keys(subresources).filter((one) => !subresources[one]!.lens);
        if (names.length === 0) return create();
        const [chosen, body] = [draw.chance(0.5) ? names[0]! : draw.pick(names), this.#changed(base)];
        const status = this.#member("status", base["status"]);
        return {
          do: "PUT",
          path: `${at}/${chosen}`,
          query: dry,
          body: chosen === "status" ? { ...base, status } : body,
        };
      };
      const step = draw.one(create, create, create, create, update, update, patch, apply, way, way);
      const target = step.do === "PATCH" && step.path !== at ? step.path!.split("/").at(-1) : undefined;
      steps.push(
        target === undefined ? step : { ...step, body: { ...(step.body as object), metadata: { name: target } } },
      );
    }
    const cleanup: Step[] = [{ do: "DELETE", path: at }];
    const scenario = { name: `drawn/${apiVersionOf(group, version)} ${kind} ${number}`, steps, cleanup };
    return this.#isFixed(base) || TOUCHES_OTHERS.test(JSON.stringify(base)) ? { ...scenario, alone: true } : scenario;
  }

  #member(name: string, value: unknown): unknown {
    const schema = (this.#definition.schema as Schema).properties?.[name];
    if (!schema) return value;
    const drawn = value ?? this.#changer.value(schema, name);
    return this.#draw.chance(0.3) ? drawn : this.#changer.change(schema, drawn, name);
  }

  #changed(body: Body): Body {
    let changed: unknown = body;
    for (let i = 1 + this.#draw.below(3); i > 0; i--) {
      changed = this.#changer.change(this.#definition.schema as Schema, changed, "", [
        "metadata",
        "apiVersion",
        "kind",
        "status",
      ]);
    }
    return changed as Body;
  }

  /** Some of a changed body, as a patch would say it. */
  #intent(base: Body): object {
    const changed = this.#changed(base);
    const members = Object.keys(changed).filter((key) => !["metadata", "apiVersion", "kind"].includes(key));
    return Object.fromEntries(members.map((key) => [key, changed[key]]));
  }

  /** Whether objects of the kind cannot be called as anybody likes. */
  #isFixed({ metadata = {} }: Body): boolean {
    return typeof metadata["name"] === "string" && (this.#definition.nameRule?.("x-one") ?? true) !== true;
  }

  /** The body under a name of the run, without what only a server says. */
  #named(body: Body, suffix = "x"): Body {
    const own = (body.metadata ?? {})["name"] as string;
    return named(body, this.#isFixed(body) ? own : this.#definition.scope === "Cluster" ? `${suffix}-{id}` : suffix);
  }
}

function named(body: Body, name: string | undefined): Body {
  const kept = Object.entries(body.metadata ?? {}).filter(([key]) => !SERVERS_OWN.includes(key));
  return { ...body, metadata: { ...Object.fromEntries(kept), ...(name === undefined ? {} : { name }) } };
}

/**
 * Scenarios of all kinds that clients store, `each` of every kind with so many `questions` each.
 *
 * @param folder where there are scenarios whose bodies are used
 */
export function drawScenarios(
  seed: number,
  each: number,
  questions: number,
  only = /(?:)/,
  folder = FOLDER,
): Scenario[] {
  const { pool, bodies } = collect(folder);
  const draw = new Draw(seed);
  const scenarios: Scenario[] = [];
  for (const definition of builtInDefinitions(contextOf(kubernetes))) {
    const { group, version, kind, asked, served } = definition;
    const apiVersion = apiVersionOf(group, version);
    const known = bodies.get(`${apiVersion} ${kind}`) ?? [];
    if (asked || served === false || known.length === 0 || !only.test(`${apiVersion} ${kind}`)) continue;
    const drawer = new KindDrawer(definition, known, pool, draw);
    for (let i = 0; i < each; i++) scenarios.push(drawer.scenario(seed * 1000 + i, questions));
  }
  return scenarios;
}
