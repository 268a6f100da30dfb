import { describe, expect, test } from "vitest";
import type { Authorizer, Decision } from "../../auth/contract.ts";
import { atOnce } from "../../util/steps.ts";
import { objectOf, requestOf } from "../testing/requests.ts";
import { MatchConditions } from "./conditions.ts";
import { DecisionCache } from "./decision-cache.ts";
import { conditionInputs } from "./request-variable.ts";
import { requestedResource } from "./request.ts";

const PODS = { group: "", plural: "pods", kind: "Pod" };
const request = requestOf({
  ref: PODS,
  object: objectOf({ name: "a", namespace: "team", labels: { app: "x" } }),
  identity: { user: "jane", groups: ["dev"], extra: { scopes: ["all"] } },
  options: { dryRun: true, fieldManager: "kubectl" },
});

const authorizer = (answer: (resource: string) => Decision | Promise<Decision>): Authorizer => ({
  authorize: (_identity, { resource, verb }) => answer(`${verb} ${resource}`),
  rightsOf: () => ({ resourceRules: [], pathRules: [], incomplete: false }),
});

const NOBODY = authorizer(() => ({ allowed: false, reason: "" }));

const evaluate = (expressions: readonly string[], by = NOBODY) => {
  const conditions = new MatchConditions(expressions.map((expression, i) => ({ name: `c${i}`, expression })));
  return new DecisionCache(by).run((decide) =>
    atOnce(conditions.steps(conditionInputs(request, requestedResource(request), request, decide))),
  );
};

describe("match conditions", () => {
  test("HOOK-16: all of them have to be true", () => {
    expect(evaluate([])).toEqual({ holds: true });
    expect(evaluate(["object.metadata.name == 'a'", "request.operation == 'CREATE'"])).toEqual({ holds: true });
    const result = evaluate(["true", "object.metadata.name == 'b'", "false"]);
    expect(result).toEqual({ holds: false, condition: "c1", failures: 0 });
  });

  test("HOOK-16: one that is false is enough, before and behind one that fails", () => {
    expect(evaluate(["object.nosuch == 1", "false"])).toMatchObject({ holds: false, condition: "c1", failures: 1 });
    expect(evaluate(["false", "object.nosuch == 1"])).toMatchObject({ holds: false, condition: "c0" });
  });

  test("HOOK-16: a failure without a false one is an error in the words of the expression", () => {
    expect(evaluate(["true", "object.nosuch == 1"])).toEqual({
      error: "expression 'object.nosuch == 1' resulted in error: no such key: nosuch",
      failures: 1,
    });
    expect(evaluate(["object.a == 1", "object.b == 1"])).toMatchObject({
      error:
        "[expression 'object.a == 1' resulted in error: no such key: a, expression 'object.b == 1' resulted in error: no such key: b]",
    });
  });

  test("CEL-56: they have a budget of 2,500,000 together", async () => {
    const ten = "[1,2,3,4,5,6,7,8,9,10]";
    const costly = `${ten}.all(a, ${ten}.all(b, ${ten}.all(c, ${ten}.all(d, a + b + c + d > 0))))`;
    expect(await evaluate([costly])).toEqual({ holds: true });
    expect(await evaluate(Array.from({ length: 64 }, () => costly))).toMatchObject({
      error: "validation failed due to running out of cost budget, no further validation rules will be run",
    });
  });

  test("CEL-2: the request has the names, the user, the options and the dry run of the client", () => {
    const facts = [
      "request.kind == request.requestKind && request.kind.kind == 'Pod'",
      "request.resource.resource == 'pods' && request.resource.version == 'v1'",
      "request.namespace == 'team' && request.name == 'a'",
      "request.userInfo.username == 'jane' && 'dev' in request.userInfo.groups",
      "request.userInfo.extra['scopes'] == ['all']",
      "request.dryRun",
      "request.options.kind == 'CreateOptions' && request.options.fieldManager == 'kubectl'",
      "oldObject == null",
    ];
    expect(evaluate(facts)).toEqual({ holds: true });
  });

  test("CEL-26: an authorizer that answers at once is asked at once", () => {
    const allowed = authorizer((what) => ({ allowed: what === "update pods", reason: "" }));
    const source = ["authorizer.group('').resource('pods').check('update').allowed()"];
    expect(evaluate(source, allowed)).toEqual({ holds: true });
    expect(evaluate(source)).toMatchObject({ holds: false });
  });

  test("CEL-26: one that has to wait is asked once for each check", async () => {
    const asked: string[] = [];
    const slow = authorizer((what) => {
      asked.push(what);
      return Promise.resolve({ allowed: true, reason: "" });
    });
    const source = [
      "authorizer.requestResource.check('update').allowed() && authorizer.requestResource.check('delete').allowed()",
      "authorizer.requestResource.check('update').allowed()",
    ];
    expect(await evaluate(source, slow)).toEqual({ holds: true });
    expect(asked).toEqual(["update pods", "delete pods"]);
  });

  test("CEL-26: one that fails allows nothing", async () => {
    const broken = authorizer(() => Promise.reject(new Error("down")));
    const source = ["authorizer.requestResource.check('update').errored()"];
    expect(await evaluate(source, broken)).toEqual({ holds: true });
  });
});
