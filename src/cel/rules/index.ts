/**
 * Rules of schemas: `x-kubernetes-validations`, when a definition is written and when its objects are.
 *
 * @module
 */
export { checkRules } from "./check.ts";
export { addBreaches, judge } from "./judge.ts";
export { hasRules } from "./tree.ts";
