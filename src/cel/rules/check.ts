/**
 * Checks the rules of a definition: their form, their expressions, and their costs (CEL-36..39, CEL-52..55).
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { type Steps } from "../../util/steps.ts";
import { MAX_UINT64 } from "../range.ts";
import { type RuleSource, type Schema, declare } from "../schema/declaration.ts";
import { fieldWithin } from "./field-within.ts";
import { type Rule, compileRules } from "./rule.ts";

/** The cost limit of one rule, over all values that fit into a request. */
const MAX_RULE_COST = 10_000_000n;
/** The cost limit of all rules of a schema. */
const MAX_SCHEMA_COST = 100_000_000n;
/** The number of rules that are named where the total exceeds its limit. */
const MAX_NAMED_RULES = 4;
const MAX_REQUEST_BYTES = 3n * 1024n * 1024n;

/** How the rules of a schema are checked. */
export interface RuleCheck {
  /** Fields with other faults: the rules of these schemas and of those above them are not compiled. */
  readonly faults: readonly string[];
  /** Whether rules are compiled at all: not where the schema is not structural. */
  readonly reads: boolean;
  /** Whether a schema is readable in full; else field paths to its members are not checked. */
  isReadable(schema: Schema): boolean;
}

/** Reports the faults of the rules of an object's schema, in steps. */
export function* checkRules(schema: Schema, path: string, check: RuleCheck, errors: FieldErrors): Steps<void> {
  const checker = new Checker(check, errors);
  yield* checker.at(schema, path, { isObject: true, isRead: false, times: 1n, within: undefined });
  checker.total(path);
}

/** The context of a schema from those above it. */
interface SchemaContext {
  readonly isObject: boolean;
  /** Whether a schema above has rules, whose types contain this schema. */
  readonly isRead: boolean;
  /** The largest number of values; undefined where it has no bound. */
  readonly times: bigint | undefined;
  /** The list whose elements cannot be correlated with old ones. */
  readonly within: string | undefined;
}

class Checker {
  readonly #check: RuleCheck;
  readonly #errors: FieldErrors;
  #total = 0n;
  readonly #expensive: { readonly field: string; readonly cost: bigint }[] = [];
  /** Fields with other faults, sorted. */
  readonly #faults: readonly string[];

  constructor(check: RuleCheck, errors: FieldErrors) {
    this.#check = check;
    this.#errors = errors;
    this.#faults = check.faults.toSorted();
  }

  /** Returns whether the schema and those below have no fault so far. */
  *at(schema: Schema, path: string, context: SchemaContext): Steps<boolean> {
    yield;
    let isValid = !this.#isFaulty(path);
    const rules = schema["x-kubernetes-validations"] ?? [];
    const times = timesBelow(schema, context.times);
    const isRead = context.isRead || rules.length > 0;
    const visit = (next: Schema, at: string, within = context.within): Steps<boolean> => {
      const isObject = next["x-kubernetes-embedded-resource"] === true;
      return this.at(next, `${path}.${at}`, { isObject, isRead, times, within });
    };
    const { items, properties, additionalProperties: values } = schema;
    if (typeof values === "object" && !(yield* visit(values, "additionalProperties"))) isValid = false;
    for (const [name, member] of Object.entries(properties ?? {}))
      if (!(yield* visit(member, `properties[${name}]`))) isValid = false;
    const within = context.within ?? (schema["x-kubernetes-list-type"] === "map" ? undefined : path);
    if (isSchema(items) && !(yield* visit(items, "items", within))) isValid = false;
    for (const [name, next] of [...listed("items", items), ...sameValueSchemas(schema)])
      if (!(yield* this.#formsIn(next, `${path}.${name}`))) isValid = false;
    if (!(yield* this.#forms(schema, path, rules))) isValid = false;
    if (isValid && this.#check.reads && rules.length > 0) yield* this.#read(schema, path, context);
    return isValid;
  }

  /** Whether there is another fault at a path or below it. */
  #isFaulty(path: string): boolean {
    return this.#faults.length > 0 && ["", ".", "["].some((next) => this.#hasFault(path + next, next !== ""));
  }

  /** Whether a fault is at a path, or begins with it. */
  #hasFault(path: string, begins: boolean): boolean {
    let [low, high] = [0, this.#faults.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#faults[middle]! < path) low = middle + 1;
      else high = middle;
    }
    const found = this.#faults[low];
    return found === path || (begins && found?.startsWith(path) === true);
  }

  /** {@link at} for a schema whose rules are not compiled. */
  *#formsIn(schema: Schema, path: string): Steps<boolean> {
    yield;
    let isValid = yield* this.#forms(schema, path, schema["x-kubernetes-validations"] ?? []);
    for (const [name, next] of everyBelow(schema))
      if (!(yield* this.#formsIn(next, `${path}.${name}`))) isValid = false;
    return isValid;
  }

  *#forms(schema: Schema, path: string, rules: readonly RuleSource[]): Steps<boolean> {
    const { causes } = this.#errors;
    const before = causes.length;
    const followed =
      rules.some(({ fieldPath = "" }) => fieldPath !== "") && this.#check.isReadable(schema) ? schema : undefined;
    for (const [i, rule] of rules.entries()) {
      checkForm(followed, rule, `${path}.x-kubernetes-validations[${i}]`, this.#errors);
      yield;
    }
    return causes.length === before;
  }

  *#read(schema: Schema, path: string, { isObject, times, within }: SchemaContext): Steps<void> {
    const place = `${path}.x-kubernetes-validations`;
    const declaration = declare(schema, isObject);
    if (!declaration) {
      const why = "internal error: failed to construct type information for x-kubernetes-validations rules: ";
      this.#errors.add("InternalError", place, `${why}unable to convert structural schema to CEL declarations`);
      return;
    }
    const most = times ?? MAX_REQUEST_BYTES / BigInt(declaration.minBytes + 1);
    const rules = yield* compileRules(schema, declaration);
    for (const [i, rule] of rules.entries()) {
      // The estimates are made at the first access.
      void rule.program?.cost;
      yield;
      this.#judge(rule, `${place}[${i}]`, most, within);
      yield;
    }
  }

  #judge(rule: Rule, place: string, times: bigint, within: string | undefined): void {
    const { source, program, error, message, messageError, usesOldSelf } = rule;
    this.#count(`${place}.rule`, "estimated rule cost", capped((program?.cost.max ?? 0n) * times));
    if (error !== undefined) this.#errors.invalid(`${place}.rule`, source.rule, error);
    if (messageError !== undefined)
      this.#errors.invalid(`${place}.messageExpression`, source.messageExpression, messageError);
    if (message) this.#count(`${place}.messageExpression`, "estimated messageExpression cost", message.cost.max);
    if (usesOldSelf && within !== undefined) {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${within}`;
      this.#errors.invalid(`${place}.rule`, source.rule, why);
    }
    if (!usesOldSelf && source.optionalOldSelf !== undefined) {
      const why = "may not be set if oldSelf is not used in rule";
      this.#errors.invalid(`${place}.optionalOldSelf`, source.optionalOldSelf, why);
    }
  }

  #count(field: string, what: string, cost: bigint): void {
    if (cost > MAX_RULE_COST) this.#errors.forbidden(field, costExceeded(what, cost, MAX_RULE_COST));
    this.#total = capped(this.#total + cost);
    if (cost >= MAX_SCHEMA_COST / 100n) this.#expensive.push({ field, cost });
  }

  /** Reports a total cost beyond the limit, and the most expensive rules. */
  total(path: string): void {
    if (this.#total <= MAX_SCHEMA_COST) return;
    const mostExpensive = this.#expensive
      .toSorted((a, b) => (a.cost < b.cost ? 1 : a.cost > b.cost ? -1 : 0))
      .slice(0, MAX_NAMED_RULES);
    for (const { field } of mostExpensive) {
      this.#errors.forbidden(
        field,
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      );
    }
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    this.#errors.forbidden(path, costExceeded(what, this.#total, MAX_SCHEMA_COST));
  }
}

/** Keywords whose values are schemas, lists of schemas, or schemas by name. */
const ONE = ["not"] as const;
const SEVERAL = ["allOf", "oneOf", "anyOf"] as const;
const BY_NAME = ["definitions", "dependencies"] as const;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The schemas in one that validate the same values, or that are ignored, with their paths. */
function* sameValueSchemas(schema: Schema): Generator<readonly [place: string, schema: Schema]> {
  const words = schema as Readonly<Record<string, unknown>>;
  for (const word of ONE) if (isSchema(words[word])) yield [word, words[word]];
  for (const word of SEVERAL) yield* listed(word, words[word]);
  for (const word of BY_NAME) yield* byName(word, words[word]);
}

/** All schemas in one, with their paths. */
function* everyBelow(schema: Schema): Generator<readonly [place: string, schema: Schema]> {
  const { items, additionalProperties: values, properties } = schema;
  if (isSchema(values)) yield ["additionalProperties", values];
  yield* byName("properties", properties);
  yield* sameValueSchemas(schema);
  if (isSchema(items)) yield ["items", items];
  else yield* listed("items", items);
}

function* listed(word: string, value: unknown): Generator<readonly [place: string, schema: Schema]> {
  if (!Array.isArray(value)) return;
  for (const [i, schema] of value.entries()) if (isSchema(schema)) yield [`${word}[${i}]`, schema];
}

function* byName(word: string, value: unknown): Generator<readonly [place: string, schema: Schema]> {
  if (!isSchema(value)) return;
  for (const [name, schema] of Object.entries(value)) if (isSchema(schema)) yield [`${word}[${name}]`, schema];
}

const capped = (cost: bigint): bigint => (cost > MAX_UINT64 ? MAX_UINT64 : cost);

/** The largest number of values below a schema. */
function timesBelow(
  { type, additionalProperties, maxProperties, maxItems }: Schema,
  times: bigint | undefined,
): bigint | undefined {
  const isMap = type === "object" && additionalProperties !== undefined;
  if (times === undefined || (!isMap && type !== "array")) return times;
  const most = isMap ? maxProperties : maxItems;
  return most === undefined ? undefined : capped(times * BigInt(Math.max(0, Number(most))));
}

function costExceeded(what: string, cost: bigint, max: bigint): string {
  const factor = Number(cost) / Number(max);
  const shown = factor > 100 ? "more than 100x" : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  const how =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${what} exceeds budget by factor of ${shown} (${how})`;
}

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const BREAK = /[\n\r]/;

/** Reports faults of the form of a rule; with a schema, its field path is checked, too. */
function checkForm(schema: Schema | undefined, source: RuleSource, place: string, errors: FieldErrors): void {
  const { rule, message = "", messageExpression = "", reason, fieldPath = "" } = source;
  if (rule.trim() === "") errors.required(`${place}.rule`, "rule is not specified");
  else if (message !== "" && message.trim() === "")
    errors.invalid(`${place}.message`, message, "must be non-empty if specified");
  else if (BREAK.test(message.trim())) errors.invalid(`${place}.message`, message, "must not contain line breaks");
  else if (BREAK.test(rule.trim()) && message.trim() === "") {
    errors.required(`${place}.message`, "message must be specified if rule contains line breaks");
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.required(`${place}.messageExpression`, "messageExpression must be non-empty if specified");
  }
  if (reason !== undefined && !REASONS.includes(reason)) errors.notSupported(`${place}.reason`, reason, REASONS);
  if (fieldPath !== "") {
    const field = `${place}.fieldPath`;
    if (fieldPath.trim() === "") errors.invalid(field, fieldPath, "must be non-empty if specified");
    if (BREAK.test(fieldPath)) errors.invalid(field, fieldPath, "must not contain line breaks");
    if (schema && fieldWithin(schema, fieldPath) === undefined) {
      errors.invalid(field, fieldPath, "must be a valid path");
    }
  }
}
