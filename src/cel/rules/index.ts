/**
 * Rules of schemas, `x-kubernetes-validations`: checks of the rules, and validation of objects.
 *
 * @module
 */
export { checkRules } from "./check.ts";
export { addViolations, validateRules } from "./validate.ts";
export { hasRules } from "./tree.ts";
