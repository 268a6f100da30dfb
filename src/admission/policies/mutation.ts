/**
 * Evaluates the mutations of a policy: applies the value of an expression to an object (POL-A-22, POL-A-23).
 *
 * @module
 */
import { atomicPaths } from "../../apply/typed/atomic.ts";
import { merge } from "../../apply/typed/merge.ts";
import { validate } from "../../apply/typed/validate.ts";
import type { StructType } from "../../apply/schema/schema.ts";
import type { AdmissionCompiler, Bound, Expression, Observing } from "../../cel/environments/admission.ts";
import { OBJECT_TYPE, PATCH_LIST_TYPE, jsonOfMade, misplacedTypes } from "../../cel/environments/mutation.ts";
import { Dict, Failure, List, type Value } from "../../cel/values.ts";
import { PatchError, TestFailed, followJsonPatch, parseJsonPatch } from "../../patch/index.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Steps } from "../../util/steps.ts";
import { type Value as Json, type ValueObject, isObject } from "../../value/value.ts";
import { CompiledPolicy } from "./compiled-policy.ts";
import type { MutatingSpec, Mutation } from "./contract.ts";

/** A mutation, compiled. */
export interface CompiledMutation {
  readonly patchType: "ApplyConfiguration" | "JSONPatch";
  readonly expression: Expression;
}

/** A MutatingAdmissionPolicy, compiled. */
export class MutatingPolicy extends CompiledPolicy<readonly CompiledMutation[]> {
  /** The compiled mutations, in their order. */
  readonly patchTypes: readonly CompiledMutation["patchType"][];
  /** Whether it runs once more after others have changed the object. */
  readonly isReinvoked: boolean;

  constructor(object: ApiObject, spec: MutatingSpec, observing?: Observing) {
    const { mutations = [], reinvocationPolicy } = spec;
    super(object, spec, mutations.map(sourceOf), (compiler) => compileMutations(compiler, mutations), observing);
    this.patchTypes = mutations.map(patchTypeOf);
    this.isReinvoked = reinvocationPolicy === "IfNeeded";
  }
}

/** Why a mutation has no result. */
export class MutationFault extends Error {
  override readonly name = "MutationFault";
}

/** Reads a MutatingAdmissionPolicy. */
export function readMutatingPolicy(object: ApiObject, observing?: Observing): MutatingPolicy {
  return new MutatingPolicy(object, (object["spec"] ?? {}) as MutatingSpec, observing);
}

const patchTypeOf = ({ patchType }: Mutation): CompiledMutation["patchType"] =>
  patchType === "JSONPatch" ? "JSONPatch" : "ApplyConfiguration";

const sourceOf = (mutation: Mutation): string =>
  (patchTypeOf(mutation) === "JSONPatch" ? mutation.jsonPatch : mutation.applyConfiguration)?.expression ?? "";

function* compileMutations(
  compiler: AdmissionCompiler,
  mutations: readonly Mutation[],
): Steps<readonly CompiledMutation[]> {
  const compiled: CompiledMutation[] = [];
  for (const mutation of mutations) {
    const patchType = patchTypeOf(mutation);
    const type = patchType === "JSONPatch" ? PATCH_LIST_TYPE : OBJECT_TYPE;
    compiled.push({ patchType, expression: compiler.compileMutation(sourceOf(mutation), [type]) });
    yield;
  }
  return compiled;
}

/** The budget of one mutation with its variables (CEL-56). */
const BUDGET = 10_000_000;

/** The value of the expression of a mutation: a part of the object, or a JSON patch. Throws {@link MutationFault}. */
export function madeBy({ patchType, expression }: CompiledMutation, bound: Bound): Json {
  const { error } = expression.compiled;
  if (error !== undefined) throw new MutationFault(error);
  const { value } = bound.run(expression, BUDGET);
  if (value instanceof Failure) throw new MutationFault(value.message);
  if (patchType === "JSONPatch") return value instanceof List ? [...value].map(operationOf) : [];
  const made = json(value);
  demandPlacedTypes(value);
  return made;
}

/**
 * The object after a mutation, in steps; the object itself where it changes nothing. Fails with {@link MutationFault}.
 *
 * @param made the value of its expression
 * @param type the type of the object, which an apply configuration is merged by
 */
export function* mutated(
  { patchType }: Pick<CompiledMutation, "patchType">,
  made: Json,
  object: ValueObject,
  type: StructType | undefined,
): Steps<Json> {
  if (patchType === "JSONPatch") return yield* patched(made, object);
  yield;
  return applied(made, object, type);
}

function applied(made: Json, object: ValueObject, type: StructType | undefined): Json {
  if (!isObject(made)) throw new MutationFault("unsupported return type from ApplyConfiguration expression");
  if (!type) throw new MutationFault("expected the kind of the object to be served, it is not");
  const { apiVersion = "", kind = "" } = object;
  const intent = { ...made, apiVersion, kind };
  const [fault] = validate(type, intent);
  if (fault) {
    const why = `failed to convert patch object to typed object: ${fault.path}: ${fault.message}`;
    throw new MutationFault(`error applying patch: ${why}`);
  }
  const atomic = atomicPaths(type, intent);
  if (atomic.length === 0) return merge(type, object, intent);
  const why = `may not mutate atomic arrays, maps or structs: ${atomic.join(", ")}`;
  throw new MutationFault(`error applying patch: invalid ApplyConfiguration: ${why}`);
}

function* patched(operations: Json, object: ValueObject): Steps<Json> {
  try {
    return yield* followJsonPatch(object, parseJsonPatch(operations).operations);
  } catch (error) {
    // A test that fails ends the patch, and the object is unchanged.
    if (error instanceof TestFailed) return object;
    if (!(error instanceof PatchError)) throw error;
    throw new MutationFault(`JSON Patch: ${error.message}`);
  }
}

/** An operation of a JSON patch as JSON. */
function operationOf(value: Value): Json {
  const operation = json(value);
  const made = value instanceof Dict ? value.get("value") : undefined;
  if (made !== undefined) demandPlacedTypes(made);
  if (!isObject(operation) || operation["from"] !== "") return operation;
  const { from: _, ...others } = operation;
  return others;
}

function demandPlacedTypes(value: Value): void {
  const misplaced = misplacedTypes(value);
  if (misplaced.length > 0) throw new MutationFault(`type mismatch: ${misplaced.join("\n")}`);
}

function json(value: Value): Json {
  const made = jsonOfMade(value);
  if (made instanceof Failure) throw new MutationFault(made.message);
  return made;
}
