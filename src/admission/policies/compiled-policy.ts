/**
 * A policy whose expressions are compiled when it is first needed, in steps.
 *
 * @module
 */
import { AdmissionCompiler, type Bound, type Inputs, type Observing } from "../../cel/environments/admission.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Steps } from "../../util/steps.ts";
import { WorkTooLong, checkWork } from "../../util/work-limit.ts";
import { A_CHARACTER, MatchConditions } from "../rules/conditions.ts";
import { type Matcher, compileMatching } from "../rules/matcher.ts";
import type { ParamKind, PolicySpec } from "./contract.ts";

/** After this number of aborted compilations, a policy is evaluated in worker threads only. */
const MAX_BREAKS = 3;

/** The properties of all compiled policies; `E` are the compiled expressions of the sort. */
export class CompiledPolicy<E> {
  readonly name: string;
  /** The policy itself. */
  readonly source: ApiObject;
  readonly matcher: Matcher;
  readonly paramKind: ParamKind | undefined;
  /** Whether a request passes where the policy cannot be evaluated. */
  readonly ignoresFailures: boolean;
  /** Whether it has match conditions. */
  readonly hasConditions: boolean;
  /** The characters of its longest expression. */
  readonly #longest: number;
  /** How often its compilation was too much work in another way. */
  #breaks = 0;
  readonly #begin: () => Steps<Compilation<E>>;
  #steps: Steps<Compilation<E>> | undefined = undefined;
  #compilation: Compilation<E> | undefined = undefined;

  /**
   * @param own its own expressions, without those of variables and match conditions
   * @param compile compiles them, in steps; after the variables
   * @param observing observes the expressions, for coverage
   */
  constructor(
    object: ApiObject,
    spec: PolicySpec,
    own: readonly (string | undefined)[],
    compile: (compiler: AdmissionCompiler) => Steps<E>,
    observing: Observing = {},
  ) {
    const { variables = [], matchConditions = [] } = spec;
    const all = [...[...variables, ...matchConditions].map(({ expression }) => expression), ...own];
    this.source = object;
    this.name = object.metadata.name ?? "";
    this.matcher = compileMatching({ resourceRules: [], ...spec.matchConstraints });
    this.paramKind = spec.paramKind;
    this.ignoresFailures = spec.failurePolicy === "Ignore";
    this.hasConditions = matchConditions.length > 0;
    this.#longest = all.reduce((longest, one = "") => Math.max(longest, one.length), 0);
    this.#begin = () => compilation(spec, compile, observing);
  }

  /**
   * Compiles the policy; its first user runs the remaining steps.
   *
   * @throws WorkTooLong where an expression would take too long on this thread
   */
  *compiled(): Steps<Compilation<E>> {
    if (!this.#compilation) checkWork(this.#breaks < MAX_BREAKS ? this.#longest * A_CHARACTER : Infinity);
    while (!this.#compilation) {
      const step = this.#next();
      if (step.done) this.#compilation = step.value;
      else yield;
    }
    return this.#compilation;
  }

  /** Runs the next step; a step that throws is run again. */
  #next(): IteratorResult<void, Compilation<E>> {
    const steps = (this.#steps ??= this.#begin());
    this.#steps = undefined;
    try {
      const step = steps.next();
      this.#steps = steps;
      return step;
    } catch (error) {
      if (error instanceof WorkTooLong) this.#breaks++;
      throw error;
    }
  }
}

/** The variables of match conditions, for which namespaceObject is null. */
export function withoutNamespace({ object, oldObject, request, params, decide }: Inputs): Inputs {
  const others = { ...(params === undefined ? {} : { params }), ...(decide ? { decide } : {}) };
  return { object, oldObject, request, namespaceObject: null, ...others };
}

/** The compiled expressions of a policy. */
export interface Compilation<E> {
  readonly conditions: MatchConditions;
  readonly expressions: E;
  /** Binds the variables of a request; composited variables are evaluated once for all expressions that it runs. */
  readonly bind: (inputs: Inputs) => Bound;
}

function* compilation<E>(
  { paramKind, variables = [], matchConditions = [] }: PolicySpec,
  compile: (compiler: AdmissionCompiler) => Steps<E>,
  observing: Observing,
): Steps<Compilation<E>> {
  const params = paramKind !== undefined;
  const compiler = new AdmissionCompiler({ params, authorizer: true, variables: true }, observing);
  for (const { name, expression } of variables) {
    compiler.store(name, expression);
    yield;
  }
  const conditions = new MatchConditions(matchConditions, { params }, observing);
  yield* conditions.compiled();
  yield;
  const expressions = yield* compile(compiler);
  return { conditions, expressions, bind: (inputs) => compiler.bind(inputs) };
}
