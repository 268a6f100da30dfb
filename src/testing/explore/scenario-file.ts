/**
 * Files with scenarios: YAML or JSON.
 *
 *     name: a shop
 *     start: [definitions/, namespace.yaml]
 *     steps:
 *       - apply: shop.yaml
 *       - patch: { apiVersion: example.com/v1, kind: Shop, name: shop, with: { spec: { size: 3 } } }
 *       - wait: 10s
 *       - delete: { apiVersion: example.com/v1, kind: Shop, name: shop }
 *     always:
 *       - rule: a shop has at most one ledger
 *         for: { apiVersion: example.com/v1, kind: Shop }
 *         expression: objects.filter(o, o.kind == 'ConfigMap' && o.metadata.name == object.metadata.name).size() <= 1
 *
 * Files that a scenario names are found from its folder. A member that is unknown or of another type is an error with the file, the
 * member, and what was expected.
 *
 * @module
 */
import { dirname, resolve } from "node:path";
import { type Expression, CelError, compile } from "../../cel/index.ts";
import type { Manifest } from "../../client/index.ts";
import { readManifests, readTexts } from "../../client/manifests.ts";
import type { StoredObject } from "../../explore/contract/state.ts";
import { Members, TestFileError } from "../../trial/cases/members.ts";
import { type Duration, millisOf } from "../../util/duration.ts";
import { DecodeError } from "../../value/decode-error.ts";
import { documentsOf } from "../../value/documents.ts";
import { type Value, isObject } from "../../value/value.ts";
import type { DataStep, Ignored, Rule, RuleState, Scenario, StepObject } from "./scenario.ts";

/** Objects of a kind whose operations are tried: each member of the schema is set, unset and changed there and back. */
export interface Operations {
  readonly of: { readonly apiVersion: string; readonly kind: string };
  /** An object of the kind, which is created first. */
  readonly example: Manifest;
}

/** The content of a file with a scenario. */
export interface ScenarioFile {
  readonly scenario: Scenario;
  readonly operations: readonly Operations[];
}

/** A file that is no scenario; the message has the path, and what was expected and found. */
export class ScenarioFileError extends Error {
  override readonly name = "ScenarioFileError";
}

/** Actions of a step; each step has one of them. */
const ACTIONS = ["apply", "create", "patch", "delete", "wait"] as const;
const PROPAGATION = ["Background", "Foreground", "Orphan"] as const;

/** Reads the scenario of a file. @throws ScenarioFileError */
export function readScenarioFile(file: string): ScenarioFile {
  try {
    const texts = readTexts(file).flatMap(({ text, from }) => documentsOf(text, from));
    if (texts.length !== 1) throw new ScenarioFileError(`expected one document in ${file}, found ${texts.length}`);
    return scenarioOf(texts[0]!.value, file);
  } catch (error) {
    if (error instanceof ScenarioFileError) throw error;
    if (error instanceof TestFileError || error instanceof DecodeError || isMissing(error))
      throw new ScenarioFileError((error as Error).message, { cause: error });
    throw error;
  }
}

/** Returns the scenario of a decoded document of a file. @throws TestFileError */
export function scenarioOf(value: Value, file: string): ScenarioFile {
  const members = new Members(value, file, "");
  const reader = new ScenarioReader(dirname(file));
  const name = members.text("name");
  if (!name) throw members.error("name", "to be there: reports and findings have it");
  const [pause, quiet, nodes] = [durationOf(members, "pause"), durationOf(members, "quiet"), countOf(members, "nodes")];
  const scenario: Scenario = {
    name,
    start: reader.manifests(members, "start"),
    ...(nodes === undefined ? {} : { nodes }),
    steps: members.objects("steps").map((step) => reader.step(step)),
    ...(pause === undefined ? {} : { pause }),
    ...(quiet === undefined ? {} : { quiet }),
    always: members.objects("always").map(ruleOf),
    eventually: members.objects("eventually").map(ruleOf),
    ignore: members.objects("ignore").map(ignoredOf),
  };
  const operations = members.objects("operations").map((one) => reader.operations(one));
  members.end();
  if (scenario.steps.length === 0 && operations.length === 0)
    throw members.error("steps", "to have a step: what a user does, such as apply: object.yaml");
  return { scenario, operations };
}

/** Readers of a path throw plain errors where a file is missing. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error.message.startsWith("expected ") || "code" in error);

/** Reads the members that name files besides the scenario. */
class ScenarioReader {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  step(members: Members): DataStep {
    const found = ACTIONS.filter((action) => members.has(action));
    const [action] = found;
    if (action === undefined || found.length > 1) {
      const got = found.length === 0 ? "none" : found.join(" and ");
      throw new TestFileError(
        `expected ${members.path} of ${members.from} to have one of ${ACTIONS.join(", ")}, found ${got}`,
      );
    }
    const name = members.text("name");
    const step = { ...(name === undefined ? {} : { name }), ...this.#action(members, action) };
    members.end();
    return step;
  }

  #action(members: Members, action: (typeof ACTIONS)[number]): DataStep {
    switch (action) {
      case "apply":
        return { apply: this.manifests(members, "apply") };
      case "create":
        return { create: this.manifests(members, "create") };
      case "patch":
        return { patch: patchOf(members.object("patch")!) };
      case "delete":
        return { delete: deleteOf(members.object("delete")!) };
      case "wait":
        return { wait: durationOf(members, "wait")! };
    }
  }

  operations(members: Members): Operations {
    const of = kindOf(members, "of");
    const [example, another] = this.manifests(members, "example");
    if (!example || another) throw members.error("example", `to be one ${of.kind}`);
    if (example.apiVersion !== of.apiVersion || example.kind !== of.kind)
      throw members.error(
        "example",
        `to be a ${of.apiVersion} ${of.kind}, found ${example.apiVersion} ${example.kind}`,
      );
    members.end();
    return { of, example };
  }

  /** The objects of a member: objects, texts and paths, one or a list. */
  manifests(members: Members, name: string): readonly Manifest[] {
    const value = members.value(name);
    if (value === undefined) return [];
    const all = Array.isArray(value) ? value : [value];
    return all.flatMap((one, i) => {
      const where = Array.isArray(value) ? `${name}[${i}]` : name;
      if (typeof one !== "string" && !isObject(one))
        throw members.error(where, "to be an object or the name of a file");
      try {
        const source = typeof one === "string" && !one.includes("\n") ? resolve(this.#folder, one) : one;
        return readManifests(source as string | Manifest).map(({ manifest }) => manifest);
      } catch (error) {
        const why = `to be an object or the name of a file: ${(error as Error).message}`;
        throw Object.assign(members.error(where, why), { cause: error });
      }
    });
  }
}

function patchOf(members: Members): StepObject & { readonly with: object; readonly subresource?: string } {
  const body = members.value("with");
  if (!isObject(body ?? null)) throw members.error("with", "to be an object: a JSON merge patch");
  const subresource = members.text("subresource");
  const patch = { ...stepObject(members), with: body as object, ...(subresource === undefined ? {} : { subresource }) };
  members.end();
  return patch;
}

function deleteOf(members: Members): Extract<DataStep, { delete: unknown }>["delete"] {
  const propagationPolicy = members.choice("propagationPolicy", PROPAGATION);
  const found = { ...stepObject(members), ...(propagationPolicy === undefined ? {} : { propagationPolicy }) };
  members.end();
  return found;
}

function stepObject(members: Members): StepObject {
  const [apiVersion, kind, name] = ["apiVersion", "kind", "name"].map((member) => needed(members, member));
  const namespace = members.text("namespace");
  return { apiVersion: apiVersion!, kind: kind!, name: name!, ...(namespace === undefined ? {} : { namespace }) };
}

function needed(members: Members, name: string): string {
  const text = members.text(name);
  if (!text) throw members.error(name, "to be there");
  return text;
}

function kindOf(members: Members, name: string): { readonly apiVersion: string; readonly kind: string } {
  const inner = members.object(name);
  if (!inner) throw members.error(name, "to be there: { apiVersion, kind }");
  const found = { apiVersion: needed(inner, "apiVersion"), kind: needed(inner, "kind") };
  inner.end();
  return found;
}

/** `{ kind: Pod, apiVersion: v1, path: .status.lastSeen }`. */
function ignoredOf(members: Members): Ignored {
  const kind = groupKind(needed(members, "apiVersion"), needed(members, "kind"));
  const path = members.text("path");
  members.end();
  if (path !== undefined && !path.startsWith(".")) throw members.error("path", "to begin with a dot: .status.lastSeen");
  return { kind, ...(path === undefined ? {} : { path }) };
}

const groupKind = (apiVersion: string, kind: string): { readonly group: string; readonly kind: string } => {
  const slash = apiVersion.indexOf("/");
  return { group: slash < 0 ? "" : apiVersion.slice(0, slash), kind };
};

function durationOf(members: Members, name: string): Duration | undefined {
  const value = members.value(name);
  if (value === undefined) return undefined;
  try {
    millisOf(value as Duration);
    return value as Duration;
  } catch {
    throw members.error(name, `to be a duration such as 500ms, 10s or 5m, found ${JSON.stringify(value)}`);
  }
}

function countOf(members: Members, name: string): number | undefined {
  const value = members.value(name);
  if (value === undefined) return undefined;
  const count = Number(value);
  if (typeof value === "string" || !Number.isInteger(count) || count < 0)
    throw members.error(name, `to be a number from 0 on, found ${JSON.stringify(value)}`);
  return count;
}

/** A rule in CEL; with `for` it is judged for each object of a kind. */
function ruleOf(members: Members): Rule {
  const name = needed(members, "rule");
  const source = needed(members, "expression");
  const message = members.text("message");
  const of = members.has("for") ? kindOf(members, "for") : undefined;
  members.end();
  let expression: Expression;
  try {
    expression = compile(source, of ? { object: {}, objects: {} } : { objects: {} });
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    throw members.error("expression", `to be CEL: ${error.message}`);
  }
  if (!["bool", "dyn"].includes(expression.type))
    throw members.error("expression", `to be true or false, found the type ${expression.type}`);
  return { name, holds: (state) => holds(state, { expression, of: of && groupKind(of.apiVersion, of.kind), message }) };
}

interface CompiledRule {
  readonly expression: Expression;
  readonly of: { readonly group: string; readonly kind: string } | undefined;
  readonly message: string | undefined;
}

/** More than a rule of a schema may cost: it sees all objects. */
const COST_LIMIT = 100_000_000;

function holds(state: RuleState, { expression, of, message }: CompiledRule): true | string {
  const objects = expression.variables.has("objects") ? { objects: state.objects() as unknown as Value } : {};
  for (const object of of ? state.all(of) : [undefined]) {
    const values = object ? { ...objects, object: object as unknown as Value } : objects;
    const { value, error } = expression.run(values, COST_LIMIT);
    if (value === true) continue;
    const what =
      error ?? message ?? (typeof value === "boolean" ? "it is false" : `expected true, got ${String(value)}`);
    return object ? `${what} (${nameOf(object)})` : what;
  }
  return true;
}

const nameOf = ({ kind, metadata: { namespace, name } }: StoredObject): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
