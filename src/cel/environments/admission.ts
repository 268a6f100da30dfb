/**
 * Expressions of admission: over an object, the one before, the request that brought them, and what was computed of them
 * under names.
 *
 * @module
 */
import type { Value as Json, ValueObject } from "../../value/value.ts";
import type { Environment } from "../environment.ts";
import { type Asker, Authorizer, type Decide, ResourceCheck } from "../library/authorization.ts";
import { allFunctions } from "../library/index.ts";
import type { Compiled } from "../program.ts";
import { BOOL, DYN, INT, STRING, TIMESTAMP, type Type, listOf, mapOf, opaque, structOf } from "../types.ts";
import { Failure, Lazy, type Value } from "../values.ts";
import { TEXTS, USER, WITH_TYPE, compileTo, declared } from "./expression.ts";
import { plainView } from "../plain-view.ts";

const KIND = declared("GroupVersionKind", { group: STRING, version: STRING, kind: STRING });
const RESOURCE = declared("GroupVersionResource", { group: STRING, version: STRING, resource: STRING });

const REQUEST = declared("AdmissionRequest", {
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
  finalizers: TEXTS,
};

const CONDITION = declared("NamespaceCondition", {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});

const NAMESPACE = declared("Namespace", {
  metadata: declared("NamespaceMetadata", METADATA),
  spec: declared("NamespaceSpec", { finalizers: TEXTS }),
  status: declared("NamespaceStatus", { conditions: listOf(CONDITION), phase: STRING }),
});

/** Which variables there are besides those that there always are. */
export interface Declared {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Whether expressions may be stored under names, and be seen as `variables`. */
  readonly variables: boolean;
}

/** What is asked for, in groups, versions and resources. */
export interface AdmissionRequest {
  readonly kind: ValueObject;
  readonly resource: ValueObject & { readonly group: string; readonly resource: string };
  readonly requestKind: ValueObject;
  readonly requestResource: ValueObject & { readonly group: string; readonly resource: string };
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
  readonly operation: string;
  readonly user: Asker;
  readonly dryRun: boolean;
  readonly options: Json;
}

/** What an expression runs over. */
export interface Inputs {
  readonly object: Json;
  readonly oldObject: Json;
  readonly request: AdmissionRequest;
  /** Null for what is in no namespace. */
  readonly namespaceObject: ValueObject | null;
  readonly params?: Json;
  readonly decide?: Decide;
}

/** What came of a run, and what is left of the budget: less than nothing when it ran out. */
export interface Evaluation {
  readonly value: Value;
  readonly left: number;
}

const OUT_OF_BUDGET = new Failure(
  "validation failed due to running out of cost budget, no further validation rules will be run",
);

/** An expression that compiled. */
export interface Expression {
  readonly source: string;
  readonly compiled: Compiled;
}

/** Compiles expressions of one policy, and the variables that they share. */
export class AdmissionCompiler {
  readonly #env: Environment;
  readonly #fields = new Map<string, Type>();
  readonly #stored = new Map<string, Compiled>();

  constructor({ params, authorizer, variables }: Declared) {
    const all: [string, Type][] = [
      ["object", DYN],
      ["oldObject", DYN],
      ["namespaceObject", NAMESPACE],
      ["request", REQUEST],
      ["params", DYN],
      ["authorizer", opaque("kubernetes.authorization.Authorizer")],
      ["authorizer.requestResource", opaque("kubernetes.authorization.ResourceCheck")],
      ["variables", structOf("kubernetes.variables", this.#fields)],
    ];
    const there = (name: string): boolean =>
      name === "params" ? params : name === "variables" ? variables : authorizer || !name.startsWith("authorizer");
    this.#env = { functions: allFunctions(), variables: new Map(all.filter(([name]) => there(name))) };
  }

  /** Compiles an expression of one of the types, or of any. */
  compile(source: string, returns?: readonly Type[]): Expression {
    return { source, compiled: compileTo(source, this.#env, returns, WITH_TYPE) };
  }

  /** Compiles what is seen as `variables.name` by all that is compiled after it; one that fails may be anything. */
  store(name: string, source: string): Compiled {
    const { compiled } = this.compile(source);
    this.#fields.set(name, compiled.program ? storedType(compiled.program.type) : DYN);
    this.#stored.set(name, compiled);
    return compiled;
  }

  /** Binds what expressions run over; what is stored is computed once for all of them. */
  bind(inputs: Inputs): Bound {
    return new Bound([...this.#env.variables.keys()], this.#stored, inputs);
  }
}

/** Lists and maps keep what they are made of; values of libraries and objects may be anything. */
function storedType(type: Type): Type {
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

/** Expressions over one request. */
export class Bound {
  readonly #slots: readonly (Value | undefined)[];
  /** What the variables have cost since they were last asked for. */
  #cost = 0;

  constructor(names: readonly string[], stored: ReadonlyMap<string, Compiled>, inputs: Inputs) {
    const values = valuesOf(inputs);
    const makers = [...stored].map(([name, one]) => [name, () => this.#compute(name, one)] as const);
    values.set("variables", new Lazy("kubernetes.variables", new Map(makers)));
    this.#slots = names.map((name) => values.get(name));
  }

  /** Runs an expression, and takes its cost and that of the variables that it needed first from the budget. */
  run({ source, compiled }: Expression, budget: number): Evaluation {
    const { program } = compiled;
    if (!program) return { value: new Failure(`compilation error: ${compiled.error}`), left: budget };
    const { value, cost } = program.run(this.#slots);
    const left = budget - this.#cost - cost;
    this.#cost = 0;
    if (left < 0) return { value: OUT_OF_BUDGET, left: -1 };
    if (!(value instanceof Failure)) return { value, left };
    return { value: new Failure(`expression '${source}' resulted in error: ${value.message}`), left };
  }

  #compute(name: string, { program, error }: Compiled): Value {
    if (!program) return new Failure(`composited variable "${name}" fails to compile: ${error}`);
    const { value, cost } = program.run(this.#slots);
    this.#cost += cost;
    if (!(value instanceof Failure)) return value;
    return new Failure(`composited variable "${name}" fails to evaluate: ${value.message}`);
  }
}

function valuesOf(inputs: Inputs): Map<string, Value> {
  const { object, oldObject, request, namespaceObject, params = null, decide } = inputs;
  const values = new Map<string, Value>([
    ["object", plainView(object)],
    ["oldObject", plainView(oldObject)],
    ["request", plainView(requestJson(request))],
    ["namespaceObject", plainView(namespaceObject && namespaceJson(namespaceObject))],
    ["params", plainView(params)],
  ]);
  if (!decide) return values;
  const authorizer = new Authorizer(request.user, decide);
  const { subresource, namespace, name, requestResource } = request;
  const { group, resource } = requestResource;
  values.set("authorizer", authorizer);
  values.set(
    "authorizer.requestResource",
    new ResourceCheck(authorizer, { group, resource, subresource, namespace, name }),
  );
  return values;
}

/** Members that are empty are not there. */
const present = (members: ValueObject): ValueObject =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== "" && (typeof value !== "object" || (value !== null && Object.keys(value).length > 0)),
    ),
  );

/** A request in the form of the API's. */
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
    ...present(optional),
    operation,
    userInfo: present({ username, uid, groups: [...groups], extra: extra as ValueObject }),
    object: null,
    oldObject: null,
    dryRun: request.dryRun,
    options: request.options,
  };
}

/** Of a namespace what expressions may see, without its kind. */
function namespaceJson({ metadata, spec = {}, status = {} }: ValueObject): ValueObject {
  const all = Object.entries((metadata ?? {}) as ValueObject);
  const seen = all.filter(([name]) => name === "uid" || (name !== "UID" && Object.hasOwn(METADATA, name)));
  return { metadata: Object.fromEntries(seen), spec, status };
}
