/**
 * Validates a value by the rules of its schema, in steps and within a budget (CEL-40..47, CEL-56).
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import type { CauseReason } from "../../meta/status.ts";
import { asJsonNumber, isObject, type Value } from "../../value/value.ts";
import type { Steps } from "../../util/steps.ts";
import { RUN_LIMIT } from "../program.ts";
import type { RuleSource, Schema } from "../schema/declaration.ts";
import { viewOf } from "../schema/views.ts";
import { Failure, NONE, Optional } from "../values.ts";
import { CorrelatedValue, elementsByKey, keyOf } from "./correlation.ts";
import type { Rule } from "./rule.ts";
import { type RuleNode, ruleTreeOf } from "./tree.ts";

/** The cost limit of all rules of one object. */
export const BUDGET = 10_000_000;

const MAX_MESSAGE_BYTES = 5 * 1024;

/** A violation of a rule. */
export interface Violation {
  readonly reason: CauseReason;
  /** Relative to the value: `spec.list[0]`, empty for the value itself. */
  readonly field: string;
  readonly detail: string;
  /** The value, where it is neither object nor list. */
  readonly value?: Value;
}

/** The result of a validation. */
export interface RuleValidationResult {
  readonly violations: readonly Violation[];
  /** Violations that are ratcheted, because the value has not changed. */
  readonly ratcheted: readonly Violation[];
  /** The remaining budget; negative where it was exceeded. */
  readonly left: number;
}

/** The options of a validation. */
export interface RuleValidationOptions {
  /** Whether the value is a whole object. */
  readonly isObject: boolean;
  /** The old value; undefined for a new one. */
  readonly old?: Value | undefined;
  /** Whether violations by values that have not changed are ratcheted (CEL-46). */
  readonly ratchets: boolean;
  readonly budget?: number;
}

/** Validates a value by the rules of its schema. */
export function* validateRules(
  schema: Schema,
  value: Value,
  options: RuleValidationOptions,
): Steps<RuleValidationResult> {
  const place = yield* ruleTreeOf(schema, options.isObject);
  const { old, ratchets, budget = BUDGET } = options;
  const run = new RuleValidation(budget);
  const pair = ratchets && old !== undefined && old !== null ? new CorrelatedValue(value, old, schema) : undefined;
  if (place) yield* run.at(place, "", value, old, { ...(pair ? { pair } : {}), isRoot: true });
  return { violations: run.violations, ratcheted: run.ratcheted, left: run.left };
}

/** The nearest correlated part of the object. */
interface Correlation {
  readonly pair?: CorrelatedValue;
  /** The correlated value above, where there is none here. */
  readonly above?: CorrelatedValue;
  readonly isRoot?: boolean;
}

const REASONS: Readonly<Record<string, CauseReason>> = {
  FieldValueForbidden: "FieldValueForbidden",
  FieldValueRequired: "FieldValueRequired",
  FieldValueDuplicate: "FieldValueDuplicate",
};

const OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run";

class RuleValidation {
  readonly violations: Violation[] = [];
  readonly ratcheted: Violation[] = [];
  left: number;

  constructor(budget: number) {
    this.left = budget;
  }

  *at(place: RuleNode, field: string, value: Value, old: Value | undefined, before: Correlation): Steps<void> {
    if (value === null || this.left < 0) return;
    yield* this.#rules(place, field, value, old ?? undefined, before);
    if (Array.isArray(value)) yield* this.#list(place, field, value, Array.isArray(old) ? old : [], before);
    else if (isObject(value))
      yield* this.#members(place, field, value, isObject(old ?? null) ? (old as { [k: string]: Value }) : {}, before);
  }

  *#list(
    { schema, items }: RuleNode,
    field: string,
    list: readonly Value[],
    old: readonly Value[],
    before: Correlation,
  ): Steps<void> {
    if (!items) return;
    const byKey = elementsByKey(schema, old);
    for (const [i, item] of list.entries()) {
      if (this.left < 0) return;
      const was = byKey.size === 0 ? undefined : byKey.get(keyOf(schema, item) ?? "");
      yield* this.at(
        items,
        `${field}[${i}]`,
        item,
        was,
        below(before, (pair) => pair.element(i)),
      );
    }
  }

  *#members(
    { values, properties }: RuleNode,
    field: string,
    object: { readonly [name: string]: Value },
    old: { readonly [name: string]: Value },
    before: Correlation,
  ): Steps<void> {
    for (const name of Object.keys(object)) {
      const next = values ?? properties?.get(name);
      if (!next) continue;
      if (this.left < 0) return;
      const place = values ? `${field}[${name}]` : field === "" ? name : `${field}.${name}`;
      const was = Object.hasOwn(old, name) ? old[name] : undefined;
      // Both objects are read in one version, so that these members do not count as changed.
      const isHead = before.isRoot === true && (name === "apiVersion" || name === "kind");
      yield* this.at(next, place, object[name]!, was, isHead ? {} : below(before, (pair) => pair.member(name)));
    }
  }

  *#rules(place: RuleNode, field: string, value: Value, old: Value | undefined, before: Correlation): Steps<void> {
    const { rules, declaration, schema } = place;
    if (rules.length === 0) return;
    const isWhole = schema.type === "object" || schema.type === "array";
    const tell = (
      detail: string,
      reason: CauseReason = "FieldValueInvalid",
      at = field,
      shown: Value = schema.type ?? "",
    ): Violation => ({
      reason,
      field: at,
      detail,
      value: shown,
    });
    if (this.left <= 0) return this.#end(tell(OUT_OF_BUDGET));
    const self = viewOf(value, declaration);
    const oldSelf = old === undefined || !place.compares ? undefined : viewOf(old, declaration);
    for (const rule of rules) {
      const { source, program, error } = rule;
      if (error !== undefined) this.violations.push(tell(`rule compile error: ${error}`));
      const isOptional = source.optionalOldSelf === true;
      if (!program || (rule.usesOldSelf && (old ?? undefined) === undefined && !isOptional)) continue;
      const optional = oldSelf === undefined ? NONE : new Optional(oldSelf);
      const { value: result, cost } = program.run([self, isOptional && place.compares ? optional : oldSelf], RUN_LIMIT);
      if (cost > this.left) return this.#end(tell(OUT_OF_BUDGET));
      this.left -= cost;
      yield;
      if (result === true) continue;
      if (result instanceof Failure) {
        const isTooDear = result.message.startsWith("operation cancelled: actual cost limit exceeded");
        const violation = tell(whyNoResult(result.message, isTooDear, source));
        if (isTooDear) return this.#end(violation);
        this.violations.push(violation);
        continue;
      }
      const at = rule.place === undefined ? field : field === "" ? rule.place : joined(field, rule.place);
      const explained = this.#explain(rule, [self, oldSelf]);
      if (typeof explained === "object") return this.#end(tell(explained.why, "FieldValueInvalid", at));
      const detail = explained ?? source.message?.trim() ?? "";
      const reason = REASONS[source.reason ?? ""] ?? "FieldValueInvalid";
      const violation: Violation = {
        reason,
        field: at,
        detail: detail === "" ? `failed rule: ${nameOf(source)}` : detail,
        ...(isWhole ? {} : { value }),
      };
      const isRatcheted = !rule.usesOldSelf && (before.pair ?? before.above)?.isEqual === true;
      (isRatcheted ? this.ratcheted : this.violations).push(violation);
    }
  }

  /** The message of a messageExpression; undefined where it cannot be shown. */
  #explain(
    { message, source }: Rule,
    slots: Parameters<NonNullable<Rule["program"]>["run"]>[0],
  ): string | undefined | { why: string } {
    if (!message) return undefined;
    const { value, cost } = message.run(slots, RUN_LIMIT);
    if (cost > this.left) {
      return {
        why: "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
      };
    }
    if (value instanceof Failure && value.message.startsWith("operation cancelled: actual cost limit exceeded")) {
      const shown = JSON.stringify(source.messageExpression);
      return {
        why: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${shown}`,
      };
    }
    this.left -= cost;
    const text = typeof value === "string" ? value.trim() : "";
    const isShown = text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
    return isShown ? text : undefined;
  }

  /** Adds the last violation and ends the validation. */
  #end(violation: Violation): void {
    this.violations.push(violation);
    this.left = -1;
  }
}

const below = (
  { pair, above }: Correlation,
  next: (pair: CorrelatedValue) => CorrelatedValue | undefined,
): Correlation => {
  if (!pair) return above ? { above } : {};
  const found = next(pair);
  return found ? { pair: found, above: pair } : { above: pair };
};

const joined = (field: string, place: string): string => (place.startsWith("[") ? field + place : `${field}.${place}`);

/** The name of a rule in errors: its message, else its expression. */
const nameOf = ({ message = "", rule }: RuleSource): string => (message === "" ? rule : message).trim();

function whyNoResult(message: string, isTooDear: boolean, source: RuleSource): string {
  const name = nameOf(source);
  if (message.startsWith("no such overload")) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`;
  }
  if (isTooDear)
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`;
  return `${message} evaluating rule: ${name}`;
}

/** Adds violations as causes; those of the whole value get the field `whole`. */
export function addViolations(violations: readonly Violation[], errors: FieldErrors, whole = ""): void {
  for (const violation of violations) {
    errors.add(
      violation.reason,
      violation.field || whole,
      messageOf(violation, (value) => errors.shown(value)),
    );
  }
}

function messageOf({ reason, detail, value }: Violation, show: (value: unknown) => string): string {
  switch (reason) {
    case "FieldValueForbidden":
      return `Forbidden: ${detail}`;
    case "FieldValueRequired":
      return `Required value: ${detail}`;
    case "FieldValueDuplicate":
      return value === undefined ? "Duplicate value" : `Duplicate value: ${show(shown(value))}`;
    default:
      return value === undefined ? `Invalid value: ${detail}` : `Invalid value: ${show(shown(value))}: ${detail}`;
  }
}

const shown = (value: Value): unknown => {
  const number = typeof value === "object" ? asJsonNumber(value) : undefined;
  return number === undefined ? value : Number(number);
};
