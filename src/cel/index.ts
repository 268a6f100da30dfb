/**
 * The Common Expression Language as Kubernetes 1.35 has it: compile, type-check, estimate and evaluate, without a server.
 *
 * - {@link compile} makes an {@link Expression} of a text; it knows the type of its value and what it may cost.
 * - {@link checkSchema} says what is wrong with the rules of a definition's schema, before anybody posts it.
 * - {@link judgeObject} says what those rules have against an object: a unit test of rules takes microseconds.
 *
 * ```ts
 * const schema = { type: "object", properties: { replicas: { type: "integer" }, most: { type: "integer" } } };
 * const rule = compile("self.replicas <= self.most", { self: { schema } });
 * rule.run({ self: { replicas: 3, most: 5 } }); // { value: true, text: "true", cost: 5 }
 * ```
 *
 * @module
 */
export { CelError, checkSchema, compile, judgeObject } from "./expression.ts";
export type { Answer, Expression, Finding, Variable, Variables } from "./expression.ts";
export type { RuleSource, Schema } from "./schema/declaration.ts";
export type { Range } from "./range.ts";
