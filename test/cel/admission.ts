/**
 * Plays recorded expressions of admission: the request of all cases is the same.
 *
 * @module
 */
import { AdmissionCompiler, type AdmissionRequest } from "../../src/cel/environments/admission.ts";
import type { AccessRequest, Decide } from "../../src/cel/library/authorization.ts";
import { typeText } from "../../src/cel/types.ts";
import { type AuthorizerRule, type Uses, result, returnsOf } from "./uses.ts";

const KIND = { group: "apps", version: "v1", kind: "Deployment" };
const RESOURCE = { group: "apps", version: "v1", resource: "deployments" };

const REQUEST: Omit<AdmissionRequest, "operation"> = {
  kind: KIND,
  resource: RESOURCE,
  requestKind: KIND,
  requestResource: RESOURCE,
  subresource: "",
  name: "web",
  namespace: "default",
  user: { username: "alice", uid: "u-1", groups: ["dev", "ops"], extra: { team: ["blue", "red"] } },
  dryRun: false,
  options: null,
};

const BUDGET = 10_000_000;

const operationOf = ({ object, oldObject }: Uses): string =>
  oldObject === undefined ? "CREATE" : object === undefined ? "DELETE" : "UPDATE";

/** The attributes of a question by the names that rules have for them. */
function attributesOf({ user, verb, path, resource }: AccessRequest): Readonly<Record<string, string | undefined>> {
  if (!resource) return { user: user.username, verb, path };
  const { fieldSelector, labelSelector, ...parts } = resource;
  const fields = fieldSelector?.text.replaceAll(/(!?=)/g, " $1 ");
  return { user: user.username, verb, ...parts, fieldSelector: fields, labelSelector: labelSelector?.text };
}

const decideBy =
  (rules: readonly AuthorizerRule[]): Decide =>
  (asked) => {
    const attributes = attributesOf(asked);
    const rule = rules.find(({ match }) => Object.entries(match).every(([key, value]) => attributes[key] === value));
    if (!rule) return { allowed: false, reason: "" };
    return { allowed: rule.decision === "allow", reason: rule.reason, error: rule.error };
  };

/** Plays a case of admission. */
export function ofAdmission(one: Uses): Readonly<Record<string, unknown>> {
  const { object = null, oldObject = null, namespaceObject = null, params, authorizer, variables } = one;
  const compiler = new AdmissionCompiler({
    params: params !== undefined,
    authorizer: authorizer !== undefined,
    variables: true,
  });
  for (const { name, expr } of variables ?? []) {
    const { error } = compiler.store(name, expr);
    if (error !== undefined) return { compile: `variables.${name}: ${error}` };
  }
  const expression = compiler.compile(one.expr!, returnsOf(one));
  const { program, error } = expression.compiled;
  if (!program) return { compile: error };
  const bound = compiler.bind({
    object,
    oldObject,
    namespaceObject,
    request: { ...REQUEST, operation: operationOf(one) },
    ...(params === undefined ? {} : { params }),
    ...(authorizer ? { decide: decideBy(authorizer) } : {}),
  });
  const { value, remaining } = bound.run(expression, BUDGET);
  return { type: typeText(program.type), ...result(value), spent: remaining < 0 ? -1 : BUDGET - remaining };
}
