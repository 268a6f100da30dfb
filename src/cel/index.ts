/**
 * The Common Expression Language of Kubernetes 1.35 without a server: compile, check types, estimate costs and evaluate.
 *
 * - {@link compile} returns an {@link Expression} with its type and its estimated cost.
 * - {@link checkSchema} returns the faults of the rules in the schema of a definition.
 * - {@link validateObject} validates an object by those rules: a unit test of rules takes microseconds.
 *
 * ```ts
 * const schema = { type: "object", properties: { replicas: { type: "integer" }, most: { type: "integer" } } };
 * const rule = compile("self.replicas <= self.most", { self: { schema } });
 * rule.run({ self: { replicas: 3, most: 5 } }); // { value: true, text: "true", cost: 5 }
 * ```
 *
 * @module
 */
export { CelError, checkSchema, compile, validateObject } from "./expression.ts";
export type { Result, Expression, Finding, Variable, Variables } from "./expression.ts";
export type { RuleSource, Schema } from "./schema/declaration.ts";
export type { Range } from "./range.ts";
