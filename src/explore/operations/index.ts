/**
 * Operations on a custom resource, from the schema of its definition: two ways of a user to the same object. In one the object is changed,
 * in the other it is created in the final form; the final state must be the same.
 * Only changes that the schema and its rules accept are tried, in each order: a member that a rule makes immutable is left out, and
 * reported. A default is a value like any other. Members with `x-kubernetes-preserve-unknown-fields` are not changed within.
 *
 * @module
 */
import { type RuleSource, type Schema, validateObject } from "../../cel/index.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import { validateLists } from "../../schema/structural/lists.ts";
import type { Structural } from "../../schema/structural/schema.ts";
import { validatorOf } from "../../schema/structural/validate.ts";
import { isObject, memberOf, textIn, type Value, type ValueObject } from "../../value/value.ts";
import type { Comparison } from "../contract/laboratory.ts";
import { type Change, changesOf, type Skipped, withDefaults } from "./changes.ts";
import { mergePatchOf } from "./merge-patch.ts";
import { sampleOf } from "./values.ts";

export type { Skipped } from "./changes.ts";

/** An object that is created. */
export interface OperationObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
}

/** A step of a scenario, as data. */
export type OperationStep = { readonly name: string } & (
  | { readonly create: OperationObject }
  | {
      readonly patch: {
        readonly apiVersion: string;
        readonly kind: string;
        readonly name: string;
        readonly namespace?: string;
        readonly with: object;
      };
    }
);

export interface OperationOptions {
  /** The maximum number of comparisons; 60 by default. The most significant ones come first. */
  readonly most?: number;
  /** The index of the first step in the scenario; 0 by default. */
  readonly firstStep?: number;
}

export interface Operations {
  readonly steps: readonly OperationStep[];
  readonly comparisons: readonly Comparison[];
  /** Members that are not changed, or not in this way, and why. */
  readonly skipped: readonly Skipped[];
  /** The number of changes that were not tried: there were enough comparisons, or the object is large and most changes are refused. */
  readonly left: number;
}

const DEFAULT_MOST = 60;
/** The maximum of JSON that is validated, in characters: all changes of a small object can be tried. */
const MAX_JUDGED_LENGTH = 2_000_000;

/**
 * Returns the operations on objects of a kind.
 *
 * @param definition a CustomResourceDefinition, as plain JSON
 * @param example an object that is changed; without one, an object with the required members
 * @throws Error for a definition without a schema, and for an example that it does not accept
 */
export function operationsOf(definition: unknown, example?: unknown, options: OperationOptions = {}): Operations {
  const { most = DEFAULT_MOST, firstStep = 0 } = options;
  const { schema, start } = beginningOf(definition as Value, example as Value | undefined);
  const object = start as unknown as OperationObject;
  const title = `${object.kind} ${[object.metadata.namespace, object.metadata.name].filter(Boolean).join("/")}`;
  const { changes, skipped: unknown } = changesOf(schema, start);
  const steps: OperationStep[] = [{ name: `create ${title}`, create: object }];
  const comparisons: Comparison[] = [];
  const refused: Refused[] = [];
  const add = (step: OperationStep): number => firstStep + steps.push(step) - 1;
  const added = new Map<string, number>();
  /** The same step, with the same name, is listed once. */
  const once = (step: OperationStep): number => {
    const key = JSON.stringify(step);
    const index = added.get(key) ?? add(step);
    added.set(key, index);
    return index;
  };
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  const patchStep = (text: string, patch: object): OperationStep => ({
    name: text,
    patch: { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), with: patch },
  });
  const accepted = new Set<string>();
  const tries = Math.max(most, Math.floor(MAX_JUDGED_LENGTH / JSON.stringify(start).length));
  let tried = 0;
  for (const change of changes) {
    if (comparisons.length >= most || tried >= tries) break;
    tried++;
    const after = change.after();
    const planned = plan(schema, start, after, change.returns);
    if ("why" in planned) {
      refused.push({ change, why: planned.why });
      continue;
    }
    const { there, back } = planned;
    accepted.add(change.path);
    const changed = [firstStep, once(patchStep(`change ${title}: ${withoutBack(change)}`, there))];
    if (back) changed.push(once(patchStep(`change ${title} back`, back)));
    const created = `create ${title} with ${change.name}`;
    const fresh = back ? [firstStep] : [once({ name: created, create: after as unknown as OperationObject })];
    comparisons.push({ name: change.name, changed, fresh });
  }
  return { steps, comparisons, skipped: [...unknown, ...skippedOf(refused, accepted)], left: changes.length - tried };
}

/** The way there, as the change that is not taken back has it: so both share a step. */
const withoutBack = ({ returns, name }: Change): string =>
  returns ? name.slice(0, name.lastIndexOf(", then ")) : name;

type Planned =
  | { readonly there: ValueObject; readonly back?: ValueObject }
  /** Why it is not tried. */
  | { readonly why: string };

function plan(schema: Structural, start: ValueObject, after: ValueObject, returns: boolean): Planned {
  const there = mergePatchOf(start, after);
  const back = mergePatchOf(after, start);
  if (!there || !back) return { why: "a merge patch cannot set members to null" };
  const refusal =
    refusalOf(schema, after, start) ?? (returns ? refusalOf(schema, start, after) : refusalOf(schema, after));
  if (refusal !== undefined) return { why: refusal };
  return returns ? { there, back } : { there };
}

/** Why the server would refuse an object, new or in the place of an old one; undefined where it accepts it. */
function refusalOf(schema: Structural, object: Value, old?: Value): string | undefined {
  const errors = new FieldErrors();
  validatorOf(schema).validate(object, old, errors);
  validateLists(schema, object, old, errors);
  const [first] = errors.causes.length > 0 ? errors.causes : validateObject(schema as RuleSchema, object, old);
  return first && `refused: ${first.field === undefined ? "" : `${first.field}: `}${first.message}`;
}

type RuleSchema = Structural & Schema & { readonly "x-kubernetes-validations"?: readonly RuleSource[] };

/** A change that is not tried. */
interface Refused {
  readonly change: Change;
  readonly why: string;
}

/** One reason for a member that is not changed at all; for others, which change is left out. */
function skippedOf(refused: readonly Refused[], accepted: ReadonlySet<string>): readonly Skipped[] {
  const seen = new Set<string>();
  return refused.flatMap(({ change: { path, name }, why }) => {
    if (accepted.has(path)) return [{ path, why: `${name.slice(path.length + 1)}: ${why}` }];
    if (seen.has(path)) return [];
    seen.add(path);
    return [{ path, why }];
  });
}

/** The schema of a version, and the object to begin with: with its defaults. */
function beginningOf(definition: Value, example: Value | undefined): { schema: Structural; start: ValueObject } {
  const spec = memberOf(definition, "spec");
  const [group, kind] = [textIn(spec, "group"), textIn(memberOf(spec, "names"), "kind")];
  const versions = memberOf(spec, "versions");
  if (group === "" || kind === "" || !Array.isArray(versions)) {
    throw new Error("expected a CustomResourceDefinition with a group, a kind and versions");
  }
  const wanted = textIn(example, "apiVersion");
  const version = versions.find((one) =>
    wanted === "" ? memberOf(one, "storage") === true : wanted === `${group}/${textIn(one, "name")}`,
  );
  if (version === undefined)
    throw new Error(`expected ${kind}.${group} to have the version ${wanted || "that is stored"}`);
  const schema = memberOf(memberOf(version, "schema"), "openAPIV3Schema") as Structural | undefined;
  if (!schema) throw new Error(`expected the version ${textIn(version, "name")} of ${kind}.${group} to have a schema`);
  const sample = example ?? sampleOf({ ...schema, type: "object" });
  if (!isObject(sample)) throw new Error(`expected an example of ${kind}.${group}: its schema does not lead to one`);
  const scope = textIn(spec, "scope") === "Namespaced" ? { namespace: "default" } : {};
  const metadata = memberOf(sample, "metadata");
  const start: ValueObject = {
    ...(withDefaults(schema, sample) as ValueObject),
    apiVersion: `${group}/${textIn(version, "name")}`,
    kind,
    metadata: { name: "example", ...scope, ...(isObject(metadata) ? metadata : {}) },
  };
  const refusal = refusalOf(schema, start);
  if (refusal !== undefined)
    throw new Error(`expected an example of ${kind}.${group} that its schema accepts; ${refusal}`);
  return { schema, start };
}
