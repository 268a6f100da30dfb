/**
 * Expressions of admission policies: over an object, the old object, the request, and composited variables.
 *
 * @module
 */
import type { Value as Json, ValueObject } from "../../value/value.ts";
import type { Environment } from "../environment.ts";
import { type UserInfo, Authorizer, type Decide, ResourceCheck } from "../library/authorization.ts";
import { allFunctions } from "../library/index.ts";
import type { Observe } from "../observer.ts";
import type { Compiled } from "../program.ts";
import { BOOL, DYN, INT, STRING, TIMESTAMP, type Type, listOf, mapOf, opaque, structOf } from "../types.ts";
import type { Slots } from "../plan.ts";
import { once } from "../../util/once.ts";
import { Failure, Lazy, type Value } from "../values.ts";
import { STRING_LIST, USER, WITH_TYPE, compileTo, structType } from "./expression.ts";
import { jsonView } from "../json-view.ts";
import { mutationFunctions, mutationMessage } from "./mutation.ts";

const KIND = structType("GroupVersionKind", { group: STRING, version: STRING, kind: STRING });
const RESOURCE = structType("GroupVersionResource", { group: STRING, version: STRING, resource: STRING });

/** The type of `request`. */
export const REQUEST: Type = structType("AdmissionRequest", {
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER,
  dryRun: BOOL,
  options: DYN,
});

const METADATA: Readonly<Record<string, Type>> = {
  name: STRING,
  generateName: STRING,
  namespace: STRING,
  labels: mapOf(STRING, STRING),
  annotations: mapOf(STRING, STRING),
  UID: STRING,
  creationTimestamp: TIMESTAMP,
  deletionGracePeriodSeconds: INT,
  deletionTimestamp: TIMESTAMP,
  generation: INT,
  resourceVersion: STRING,
  finalizers: STRING_LIST,
};

const CONDITION = structType("NamespaceCondition", {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});

/** The type of `namespaceObject`. */
export const NAMESPACE: Type = structType("Namespace", {
  metadata: structType("NamespaceMetadata", METADATA),
  spec: structType("NamespaceSpec", { finalizers: STRING_LIST }),
  status: structType("NamespaceStatus", { conditions: listOf(CONDITION), phase: STRING }),
});

/** The optional variables of a policy. */
export interface OptionalVariables {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Whether the policy has composited variables, under the name `variables`. */
  readonly variables: boolean;
}

/** Observers of the expressions of a policy, for coverage. */
export interface Observing {
  readonly observe?: Observe | undefined;
}

/** An admission request. */
export interface AdmissionRequest {
  readonly kind: ValueObject;
  readonly resource: ValueObject & { readonly group: string; readonly resource: string };
  readonly requestKind: ValueObject;
  readonly requestResource: ValueObject & { readonly group: string; readonly resource: string };
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
  readonly operation: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly options: Json;
}

/** The values of the variables. */
export interface Inputs {
  readonly object: Json;
  readonly oldObject: Json;
  readonly request: AdmissionRequest;
  /** Null for cluster-scoped objects; it may be a getter, which is called where an expression uses it. */
  readonly namespaceObject: ValueObject | null;
  readonly params?: Json;
  readonly decide?: Decide;
}

/** The result of a run, and the remaining budget, which is negative where it was exceeded. */
export interface Evaluation {
  readonly value: Value;
  readonly remaining: number;
}

const OUT_OF_BUDGET = new Failure(
  "validation failed due to running out of cost budget, no further validation rules will be run",
);

/** A compiled expression, or its error. */
export interface Expression {
  readonly source: string;
  readonly compiled: Compiled;
}

/** Compiles the expressions of one policy, and its composited variables. */
export class AdmissionCompiler {
  readonly #env: Environment;
  /** Without the authorizer: for messages. */
  readonly #messageEnv: Environment;
  readonly #mutationEnv: Environment;
  readonly #fields = new Map<string, Type>();
  readonly #stored = new Map<string, Compiled>();

  constructor({ params, authorizer, variables }: OptionalVariables, { observe }: Observing = {}) {
    const all: [string, Type][] = [
      ["object", DYN],
      ["oldObject", DYN],
      ["namespaceObject", NAMESPACE],
      ["request", REQUEST],
      ["params", DYN],
      ["variables", structOf("kubernetes.variables", this.#fields)],
      // The last ones, so that the others have the same slots with and without them.
      ["authorizer", opaque("kubernetes.authorization.Authorizer")],
      ["authorizer.requestResource", opaque("kubernetes.authorization.ResourceCheck")],
    ];
    const isDeclared = (name: string): boolean =>
      name === "params" ? params : name === "variables" ? variables : authorizer || !name.startsWith("authorizer");
    const declared = all.filter(([name]) => isDeclared(name));
    this.#env = { functions: allFunctions(), variables: new Map(declared), observe };
    const ofMessages = declared.filter(([name]) => !name.startsWith("authorizer"));
    this.#messageEnv = { functions: allFunctions(), variables: new Map(ofMessages), observe };
    this.#mutationEnv = { ...this.#env, functions: mutationFunctions(), messages: mutationMessage };
  }

  /** Compiles an expression of one of the types, or of any type. */
  compile(source: string, returns?: readonly Type[]): Expression {
    return { source, compiled: compileTo(source, this.#env, returns, WITH_TYPE) };
  }

  /** Compiles an expression of a message: of type string, without an authorizer. */
  compileMessage(source: string): Expression {
    return { source, compiled: compileTo(source, this.#messageEnv, [STRING], WITH_TYPE) };
  }

  /** Compiles the expression of a mutation, which may make values of the object and operations of a patch (CEL-27). */
  compileMutation(source: string, returns?: readonly Type[]): Expression {
    return { source, compiled: compileTo(source, this.#mutationEnv, returns, WITH_TYPE) };
  }

  /** Compiles `variables.name` for the expressions that are compiled after it; one that fails has the type dyn. */
  store(name: string, source: string): Compiled {
    const { compiled } = this.compile(source);
    this.#fields.set(name, compiled.program ? storedType(compiled.program.type) : DYN);
    this.#stored.set(name, compiled);
    return compiled;
  }

  /** Binds the values of the variables; each composited variable is evaluated once for all expressions. */
  bind(inputs: Inputs): Bound {
    return new Bound([...this.#env.variables.keys()], this.#stored, inputs);
  }
}

/** The type of a composited variable for other expressions: lists and maps keep their element types; structs, opaque types and types become dyn. */
export function storedType(type: Type): Type {
  switch (type.kind) {
    case "list":
      return listOf(storedType(type.params[0]!));
    case "map":
      return mapOf(storedType(type.params[0]!), storedType(type.params[1]!));
    case "struct":
    case "opaque":
    case "type":
      return DYN;
    default:
      return type;
  }
}

/** Evaluates expressions for one request. */
export class Bound {
  readonly #slots: Slots;
  /** The cost of the composited variables since the last run. */
  #cost = 0;
  #spent = 0;

  constructor(names: readonly string[], stored: ReadonlyMap<string, Compiled>, inputs: Inputs) {
    const variables = once(() => {
      const makers = [...stored].map(([name, one]) => [name, () => this.#compute(name, one)] as const);
      return new Lazy("kubernetes.variables", new Map(makers));
    });
    this.#slots = names.map((name) => slotOf(name, inputs, variables));
  }

  /** The cost of all runs so far, with the variables. */
  get spent(): number {
    return this.#spent + this.#cost;
  }

  /** Runs an expression; its cost and that of the variables that it evaluates are subtracted from the budget. */
  run({ source, compiled }: Expression, budget: number): Evaluation {
    const { program } = compiled;
    if (!program) return { value: new Failure(`compilation error: ${compiled.error}`), remaining: budget };
    const { value, cost } = program.run(this.#slots);
    const remaining = budget - this.#cost - cost;
    this.#spent += this.#cost + cost;
    this.#cost = 0;
    if (remaining < 0) return { value: OUT_OF_BUDGET, remaining: -1 };
    if (!(value instanceof Failure)) return { value, remaining };
    return { value: new Failure(`expression '${source}' resulted in error: ${value.message}`), remaining };
  }

  #compute(name: string, { program, error }: Compiled): Value {
    if (!program) return new Failure(`composited variable "${name}" fails to compile: ${error}`);
    const { value, cost } = program.run(this.#slots);
    this.#cost += cost;
    if (!(value instanceof Failure)) return value;
    return new Failure(`composited variable "${name}" fails to evaluate: ${value.message}`);
  }
}

/** The value of a variable; the request and the namespace are only read where an expression uses them. */
function slotOf(name: string, inputs: Inputs, variables: () => Value): Slots[number] {
  switch (name) {
    case "object":
      return jsonView(inputs.object);
    case "oldObject":
      return jsonView(inputs.oldObject);
    case "params":
      return jsonView(inputs.params ?? null);
    case "request":
      return once(() => jsonView(requestJson(inputs.request)));
    case "namespaceObject":
      return once(() => namespaceView(inputs.namespaceObject));
    case "variables":
      return variables;
    default:
      return inputs.decide && once(() => authorizerOf(name, inputs.request, inputs.decide!));
  }
}

const namespaceView = (namespace: Inputs["namespaceObject"]): Value => jsonView(namespace && namespaceJson(namespace));

/** `authorizer`, or `authorizer.requestResource`. */
function authorizerOf(variable: string, request: AdmissionRequest, decide: Decide): Value {
  const authorizer = new Authorizer(request.user, decide);
  if (variable === "authorizer") return authorizer;
  const { subresource, namespace, name, requestResource } = request;
  const { group, resource } = requestResource;
  return new ResourceCheck(authorizer, { group, resource, subresource, namespace, name });
}

const withoutEmpty = (members: ValueObject): ValueObject =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== "" && (typeof value !== "object" || (value !== null && Object.keys(value).length > 0)),
    ),
  );

/** A request as an AdmissionRequest object. */
function requestJson(request: AdmissionRequest): ValueObject {
  const { kind, resource, requestKind, requestResource, subresource, name, namespace, operation } = request;
  const { username, uid = "", groups = [], extra = {} } = request.user;
  const optional = { subResource: subresource, requestSubResource: subresource, name, namespace };
  return {
    uid: "",
    kind,
    resource,
    requestKind,
    requestResource,
    ...withoutEmpty(optional),
    operation,
    userInfo: withoutEmpty({ username, uid, groups: [...groups], extra: extra as ValueObject }),
    object: null,
    oldObject: null,
    dryRun: request.dryRun,
    options: request.options,
  };
}

/** The members of a Namespace that expressions may read. */
function namespaceJson({ metadata, spec = {}, status = {} }: ValueObject): ValueObject {
  const all = Object.entries((metadata ?? {}) as ValueObject);
  const seen = all.filter(([name]) => name === "uid" || (name !== "UID" && Object.hasOwn(METADATA, name)));
  return { metadata: Object.fromEntries(seen), spec, status };
}
