/** A Stage of kwok (`kwok.x-k8s.io/v1alpha1`), read from YAML. */
import { documentsOf, objectsOf } from "../../value/documents.ts";
import { type Value, type ValueObject, isObject, setMember, textOf } from "../../value/value.ts";
import { decodeYaml } from "../../value/yaml.ts";
import { parseDuration } from "../../util/duration.ts";
import { parseTime } from "../../meta/time.ts";
import { type Query, compileQuery } from "./jq.ts";
import { type Functions, type Template, parseTemplate } from "./template.ts";
import { isFunction } from "./functions.ts";

/** One step of a Stage for an object. */
export type Effect =
  | { readonly kind: "event"; readonly type: string; readonly reason: string; readonly message: string }
  | { readonly kind: "delete" }
  | {
      readonly kind: "patch";
      readonly form: "json" | "merge" | "strategic";
      readonly subresource?: string | undefined;
      readonly data: Value;
    };

/** A delay: milliseconds, and up to how many milliseconds it is prolonged by chance. */
export interface Delay {
  readonly millis: number;
  readonly jitter?: number | undefined;
}

/** A Stage in its compiled form. */
export interface Stage {
  readonly name: string;
  readonly kind: string;
  readonly apiGroup: string;
  matches(object: ValueObject): boolean;
  /** Undefined where the expression gives an empty text. */
  weight(object: ValueObject): number | undefined;
  delay(object: ValueObject, now: number): Delay | undefined;
  /** @throws Error that names file, Stage and field */
  effects(object: ValueObject, functions: Functions): readonly Effect[];
}

const API_VERSION = "kwok.x-k8s.io/v1alpha1";

/**
 * Reads the Stages of a YAML text.
 *
 * @throws Error that names file, Stage and field
 */
export function readStages(yaml: string, file: string): readonly Stage[] {
  const found = documentsOf(yaml, file).flatMap(({ value, from }) => objectsOf(value, from));
  return found.map(({ value, from }) => {
    if (!isObject(value)) throw new Error(`expected ${from} to be a Stage, got ${JSON.stringify(value)?.slice(0, 50)}`);
    const { apiVersion, kind } = value;
    if (kind !== "Stage" || apiVersion !== API_VERSION) {
      throw new Error(
        `expected ${from} to be a Stage of ${API_VERSION}, got ${textOf(kind) || "none"} of ${textOf(apiVersion) || "none"}`,
      );
    }
    return new StageReader(value, from).read();
  });
}

/** The possible types of a member. */
class StageReader {
  readonly #stage: ValueObject;
  readonly #from: string;
  readonly #name: string;

  constructor(stage: ValueObject, from: string) {
    const metadata = stage["metadata"];
    const name = metadata !== undefined && isObject(metadata) ? metadata["name"] : undefined;
    if (typeof name !== "string" || name === "") throw new Error(`${from}: expected metadata.name of the Stage`);
    this.#stage = stage;
    this.#from = from;
    this.#name = name;
  }

  read(): Stage {
    const spec = this.#object(this.#stage["spec"], "spec");
    const ref = this.#object(spec["resourceRef"], "spec.resourceRef");
    const kind = this.#text(ref["kind"], "spec.resourceRef.kind");
    const selector = this.#selector(spec["selector"]);
    const weight = spec["weight"] === undefined ? 0 : this.#number(spec["weight"], "spec.weight");
    const weightFrom = this.#from_(spec["weightFrom"], "spec.weightFrom");
    const steps = this.#steps(spec);
    return {
      name: this.#name,
      kind,
      apiGroup: ref["apiGroup"] === undefined ? "v1" : this.#text(ref["apiGroup"], "spec.resourceRef.apiGroup"),
      matches: selector,
      weight: (object) => weightIn(object, weight, weightFrom),
      delay: this.#delay(spec["delay"]),
      effects: (object, functions) => steps.flatMap((step) => step(object, functions)),
    };
  }

  #fault(field: string, problem: string): Error {
    return new Error(`${this.#from}, Stage ${this.#name}, ${field}: ${problem}`);
  }

  #object(value: Value | undefined, field: string): ValueObject {
    if (value === undefined || !isObject(value))
      throw this.#fault(field, `expected an object, got ${JSON.stringify(value) ?? "nothing"}`);
    return value;
  }

  #list(value: Value | undefined, field: string): readonly Value[] {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw this.#fault(field, `expected a list, got ${JSON.stringify(value)}`);
    return value;
  }

  #text(value: Value | undefined, field: string): string {
    if (typeof value !== "string")
      throw this.#fault(field, `expected a text, got ${JSON.stringify(value) ?? "nothing"}`);
    return value;
  }

  #number(value: Value | undefined, field: string): number {
    if (typeof value !== "number" || value < 0) {
      throw this.#fault(field, `expected a number from 0, got ${JSON.stringify(value) ?? "nothing"}`);
    }
    return value;
  }

  #selector(value: Value | undefined): (object: ValueObject) => boolean {
    // Without a selector it is for no object.
    if (value === undefined || value === null) return () => false;
    const selector = this.#object(value, "spec.selector");
    const pairs = (["labels", "annotations"] as const).map((member) => {
      const name = member === "labels" ? "matchLabels" : "matchAnnotations";
      const wanted = selector[name];
      return { member, wanted: wanted === undefined ? {} : this.#object(wanted, `spec.selector.${name}`) };
    });
    const expressions = this.#list(selector["matchExpressions"], "spec.selector.matchExpressions").map((one, i) =>
      this.#requirement(one, `spec.selector.matchExpressions[${i}]`),
    );
    return (object) => {
      const metadata = object["metadata"];
      for (const { member, wanted } of pairs) {
        const known = metadata !== undefined && isObject(metadata) ? metadata[member] : undefined;
        for (const [key, text] of Object.entries(wanted)) {
          if (known === undefined || !isObject(known) || !Object.hasOwn(known, key) || known[key] !== text)
            return false;
        }
      }
      return expressions.every((fits) => fits(object));
    };
  }

  #requirement(value: Value, field: string): (object: ValueObject) => boolean {
    const outer = this.#object(value, field);
    if (outer["cel"] !== undefined)
      throw this.#fault(`${field}.cel`, "expected an expression of jq; CEL is not supported");
    const requirement = outer["jq"] === undefined ? outer : this.#object(outer["jq"], `${field}.jq`);
    const query = this.#query(requirement["key"], `${field}.key`);
    const operator = this.#text(requirement["operator"], `${field}.operator`);
    const values = new Set(this.#list(requirement["values"], `${field}.values`).map(String));
    const has = (object: ValueObject): boolean => (query(object) ?? []).some((one) => values.has(comparable(one)));
    const exists = (object: ValueObject): boolean => (query(object) ?? []).some((one) => one !== null);
    switch (operator) {
      case "In":
      case "NotIn":
        if (values.size === 0) throw this.#fault(`${field}.values`, `expected values for ${operator}`);
        return operator === "In" ? has : (object) => !has(object);
      case "Exists":
      case "DoesNotExist":
        if (values.size > 0) throw this.#fault(`${field}.values`, `expected no values for ${operator}`);
        return operator === "Exists" ? exists : (object) => !exists(object);
      default:
        throw this.#fault(`${field}.operator`, `expected In, NotIn, Exists or DoesNotExist, got ${operator}`);
    }
  }

  #query(value: Value | undefined, field: string): Query {
    try {
      return compileQuery(this.#text(value, field));
    } catch (error) {
      throw error instanceof SyntaxError ? this.#fault(field, error.message) : error;
    }
  }

  /** An expression that returns a value. */
  #from_(value: Value | undefined, field: string): Query | undefined {
    if (value === undefined || value === null) return undefined;
    const from = this.#object(value, field);
    if (from["cel"] !== undefined)
      throw this.#fault(`${field}.cel`, "expected an expression of jq; CEL is not supported");
    const jq = from["jq"] === undefined ? undefined : this.#object(from["jq"], `${field}.jq`);
    if (jq) return this.#query(jq["expression"], `${field}.jq.expression`);
    return from["expressionFrom"] === undefined
      ? undefined
      : this.#query(from["expressionFrom"], `${field}.expressionFrom`);
  }

  #delay(value: Value | undefined): Stage["delay"] {
    if (value === undefined || value === null) return () => undefined;
    const field = "spec.delay";
    const delay = this.#object(value, field);
    const millisIn = (name: string): number | undefined =>
      delay[name] === undefined ? undefined : this.#number(delay[name], `${field}.${name}`);
    const millis = millisIn("durationMilliseconds") ?? 0;
    const jitter = millisIn("jitterDurationMilliseconds");
    const from = this.#from_(delay["durationFrom"], `${field}.durationFrom`);
    const jitterFrom = this.#from_(delay["jitterDurationFrom"], `${field}.jitterDurationFrom`);
    return (object, now) => {
      const own = millisFrom(object, from, now, millis);
      if (own === undefined) return undefined;
      const most = millisFrom(object, jitterFrom, now, jitter);
      return { millis: own, ...(most === undefined ? {} : { jitter: most }) };
    };
  }

  #steps(spec: ValueObject): readonly ((object: ValueObject, functions: Functions) => readonly Effect[])[] {
    const steps = this.#list(spec["steps"], "spec.steps");
    if (steps.length > 0)
      return steps.map((one, i) => this.#step(this.#object(one, `spec.steps[${i}]`), `spec.steps[${i}]`));
    const next = spec["next"];
    return next === undefined || next === null ? [] : [this.#next(this.#object(next, "spec.next"), "spec.next")];
  }

  #next(next: ValueObject, field: string): (object: ValueObject, functions: Functions) => readonly Effect[] {
    const event = this.#event(next["event"], `${field}.event`);
    const finalizers = this.#finalizers(next["finalizers"], `${field}.finalizers`);
    const isDeleted = next["delete"] === true;
    const patches = this.#list(next["patches"], `${field}.patches`).map((one, i) =>
      this.#patch(this.#object(one, `${field}.patches[${i}]`), `${field}.patches[${i}]`),
    );
    const template = next["statusTemplate"];
    if (template !== undefined && template !== null && template !== "") {
      const subresource = next["statusSubresource"] ?? "status";
      patches.push(this.#patch({ root: "status", subresource, template, type: null }, field, "statusTemplate"));
    }
    return (object, functions) => [
      ...event,
      ...finalizers(object),
      ...(isDeleted ? [{ kind: "delete" } as const] : patches.map((patch) => patch(object, functions))),
    ];
  }

  #step(step: ValueObject, field: string): (object: ValueObject, functions: Functions) => readonly Effect[] {
    if (step["apply"] !== undefined) throw this.#fault(`${field}.apply`, "expected a patch; apply is not supported");
    const patch = step["patch"];
    return this.#next(patch === undefined ? step : { ...step, patches: [patch] }, field);
  }

  #event(value: Value | undefined, field: string): readonly Effect[] {
    if (value === undefined || value === null) return [];
    const event = this.#object(value, field);
    const text = (name: string): string =>
      event[name] === undefined ? "" : this.#text(event[name], `${field}.${name}`);
    return [{ kind: "event", type: text("type") || "Normal", reason: text("reason"), message: text("message") }];
  }

  #finalizers(value: Value | undefined, field: string): (object: ValueObject) => readonly Effect[] {
    if (value === undefined || value === null) return () => [];
    const change = this.#object(value, field);
    const names = (member: string): readonly string[] =>
      this.#list(change[member], `${field}.${member}`).map((one, i) =>
        this.#text(this.#object(one, `${field}.${member}[${i}]`)["value"], `${field}.${member}[${i}].value`),
      );
    const [add, remove, isEmpty] = [names("add"), new Set(names("remove")), change["empty"] === true];
    return (object) => {
      const metadata = object["metadata"];
      const known = metadata !== undefined && isObject(metadata) ? metadata["finalizers"] : undefined;
      const before = Array.isArray(known) ? known.map(String) : [];
      const kept = isEmpty ? [] : before.filter((one) => !remove.has(one));
      const after = [...kept, ...add.filter((one) => !kept.includes(one))];
      if (after.join("\n") === before.join("\n")) return [];
      const data: Value = { metadata: { finalizers: after.length === 0 ? null : after } };
      return [{ kind: "patch", form: "merge", data }];
    };
  }

  #patch(
    patch: ValueObject,
    field: string,
    member = "template",
  ): (object: ValueObject, functions: Functions) => Effect {
    const root = patch["root"] === undefined ? "" : this.#text(patch["root"], `${field}.root`);
    const subresource =
      patch["subresource"] === undefined ? undefined : this.#text(patch["subresource"], `${field}.subresource`);
    const type =
      patch["type"] === undefined || patch["type"] === null ? "strategic" : this.#text(patch["type"], `${field}.type`);
    if (type !== "json" && type !== "merge" && type !== "strategic") {
      throw this.#fault(`${field}.type`, `expected json, merge or strategic, got ${type}`);
    }
    const template = this.#template(patch["template"], `${field}.${member}`);
    return (object, functions) => {
      const value = this.#rendered(template, object, functions, `${field}.${member}`);
      return { kind: "patch", form: type, subresource, data: rooted(value, root, type) };
    };
  }

  #template(value: Value | undefined, field: string): Template {
    try {
      return parseTemplate(this.#text(value, field).trim(), isFunction);
    } catch (error) {
      throw error instanceof SyntaxError ? this.#fault(field, error.message) : error;
    }
  }

  #rendered(template: Template, object: ValueObject, functions: Functions, field: string): Value {
    try {
      return decodeYaml(template(object, functions)).value;
    } catch (error) {
      throw this.#fault(field, error instanceof Error ? error.message : String(error));
    }
  }
}

/** A value as selectors compare it. */
const comparable = (value: Value): string =>
  typeof value === "string"
    ? value
    : typeof value === "boolean" || Number.isInteger(value)
      ? JSON.stringify(value)
      : "\0";

/** The patch of the whole object from that of a part of it. */
function rooted(value: Value, root: string, type: string): Value {
  if (root === "") return value;
  if (type !== "json") return { [root]: value };
  if (!Array.isArray(value)) return value;
  return value.map((operation): Value => {
    if (!isObject(operation)) return operation;
    const moved = { ...operation };
    setMember(moved, "path", `/${root}${textOf(operation["path"])}`);
    return moved;
  });
}

/** The weight of a Stage for an object: undefined for an empty text. */
function weightIn(object: ValueObject, usual: number, from: Query | undefined): number | undefined {
  const [value] = (from?.(object) ?? []).filter((one) => one !== null);
  if (value === undefined) return usual;
  if (typeof value === "number") return Math.trunc(value);
  if (value === "") return undefined;
  const number = typeof value === "string" ? Number(value) : Number.NaN;
  return Number.isInteger(number) ? number : usual;
}

/** Milliseconds of a time, of a duration, or the usual ones. */
function millisFrom(
  object: ValueObject,
  from: Query | undefined,
  now: number,
  usual: number | undefined,
): number | undefined {
  const [value] = (from?.(object) ?? []).filter((one) => one !== null);
  if (typeof value !== "string") return usual;
  if (value === "") return undefined;
  const time = parseTime(value);
  if (time !== undefined) return time - now;
  return parseDuration(value) ?? usual;
}
