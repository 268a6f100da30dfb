import { describe, expect, test } from "vitest";
import type { Authorizer } from "../../auth/contract.ts";
import { leastCpu } from "../../util/testing/cpu-time.ts";
import { expectNotLong } from "../../util/testing/slices.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { ValidatingSpec } from "./contract.ts";
import { PolicyTest, configMap } from "./testing/policies.ts";

const REFUSED = `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: `;

/** The outcome of a create under one policy. */
async function judged(spec: ValidatingSpec, object = configMap({ k: "v" })): Promise<string> {
  const policies = new PolicyTest();
  policies.validating("p", spec);
  return policies.validate(policies.request({ object }));
}

const said = (code: number, reason: string, message: string): string => `${code} ${reason}: ${REFUSED}${message}`;
const validations = (...expressions: string[]): ValidatingSpec => ({
  validations: expressions.map((expression) => ({ expression })),
});

describe("what a validation says", () => {
  test.each<[string, ValidatingSpec, string]>([
    ["POL-A-3 a true expression lets pass", validations("object.data.k == 'v'"), "ok"],
    [
      "POL-A-3 the expression is the last resort",
      validations(" object.data.k == 'w' "),
      said(422, "Invalid", "failed expression: object.data.k == 'w'"),
    ],
    ["POL-A-3 a message", { validations: [{ expression: "false", message: " no " }] }, said(422, "Invalid", "no")],
    [
      "POL-A-3 a reason",
      { validations: [{ expression: "false", message: "no", reason: "Forbidden" }] },
      said(403, "Forbidden", "no"),
    ],
    [
      "POL-A-3 too large",
      { validations: [{ expression: "false", message: "no", reason: "RequestEntityTooLarge" }] },
      said(413, "RequestEntityTooLarge", "no"),
    ],
    [
      "POL-A-3 a message of an expression",
      { validations: [{ expression: "false", message: "no", messageExpression: "'not ' + object.data.k" }] },
      said(422, "Invalid", "not v"),
    ],
    [
      "POL-A-3 an expression that fails leaves the message",
      { validations: [{ expression: "false", message: "no", messageExpression: "object.data.none" }] },
      said(422, "Invalid", "no"),
    ],
    [
      "POL-A-3 several lines are no message",
      { validations: [{ expression: "false", message: "no", messageExpression: "'a\\nb'" }] },
      said(422, "Invalid", "no"),
    ],
    [
      "POL-A-3 blanks are no message",
      { validations: [{ expression: "false", messageExpression: "'  '" }] },
      said(422, "Invalid", "failed expression: false"),
    ],
    [
      "POL-A-3 a message expression has no authorizer",
      {
        validations: [
          {
            expression: "false",
            message: "no",
            messageExpression: "string(authorizer.path('/x').check('get').allowed())",
          },
        ],
      },
      said(422, "Invalid", "no"),
    ],
    [
      "POL-A-4 the first refusal decides",
      {
        validations: [
          { expression: "true" },
          { expression: "false", message: "first" },
          { expression: "false", message: "second", reason: "Forbidden" },
        ],
      },
      said(422, "Invalid", "first"),
    ],
    [
      "POL-A-2 variables use those before them",
      {
        variables: [
          { name: "a", expression: "object.data.k" },
          { name: "b", expression: "variables.a + '!'" },
        ],
        validations: [{ expression: "variables.b == 'v!'" }],
      },
      "ok",
    ],
    [
      "POL-A-2 an unused variable is never computed",
      { variables: [{ name: "a", expression: "object.data.none" }], validations: [{ expression: "true" }] },
      "ok",
    ],
    [
      "POL-A-2 of two variables of a name the later one is taken",
      {
        variables: [
          { name: "a", expression: "1" },
          { name: "a", expression: "2" },
        ],
        validations: [{ expression: "variables.a == 2" }],
      },
      "ok",
    ],
    [
      "CEL-1 CEL-2 the request",
      validations(
        "request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' && request.operation == 'CREATE' && request.name == 'a' && request.namespace == 'team' && request.userInfo.username == 'u' && !request.dryRun && request.options.kind == 'CreateOptions'",
      ),
      "ok",
    ],
    [
      "CEL-2 the namespace",
      validations("namespaceObject.metadata.labels['t'] == '1' && namespaceObject.metadata.name == 'team'"),
      "ok",
    ],
    ["CEL-3 oldObject is null on creation", validations("oldObject == null"), "ok"],
    [
      "CEL-4 an expression of another type does not compile",
      validations("1"),
      said(422, "Invalid", "compilation error: must evaluate to bool but got int"),
    ],
  ])("%s", async (_, spec, expected) => {
    expect(await judged(spec)).toBe(expected);
  });

  test("POL-A-3 the cause has a message only, and the object is named", async () => {
    const policies = new PolicyTest();
    policies.validating("p", validations("false"));
    const error = await Promise.resolve(policies.validatingStep.validate!(policies.request())).catch(
      (thrown: unknown) => thrown,
    );
    const message = `ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed expression: false`;
    expect(error).toMatchObject({ status: { details: { name: "a", kind: "configmaps", causes: [{ message }] } } });
  });

  test("CEL-3 object is null on deletion, and has() of it is false", async () => {
    const policies = new PolicyTest();
    policies.validating("p", validations("object == null", "!has(object.data)", "oldObject.data.k == 'v'"));
    expect(await policies.validate(policies.request({ operation: "DELETE", old: configMap({ k: "v" }) }))).toBe("ok");
  });

  test("CEL-2 namespaceObject is null for objects of the cluster", async () => {
    const policies = new PolicyTest();
    policies.validating("p", validations("namespaceObject == null"));
    const object = configMap({}, { namespace: undefined });
    expect(await policies.validate(policies.request({ namespace: "", namespaced: false, object }))).toBe("ok");
  });
});

describe("failures of expressions", () => {
  const failing: ValidatingSpec = {
    validations: [{ expression: "object.data.none == 'x'" }, { expression: "object.data.k != 'w'", message: "w" }],
  };
  const why = "expression 'object.data.none == 'x'' resulted in error: no such key: none";

  test("POL-A-5 a failure refuses, and is left out under Ignore", async () => {
    expect(await judged(failing)).toBe(said(422, "Invalid", why));
    expect(await judged({ ...failing, failurePolicy: "Ignore" })).toBe("ok");
    expect(await judged({ ...failing, failurePolicy: "Ignore" }, configMap({ k: "w" }))).toBe(
      said(422, "Invalid", "w"),
    );
  });

  test("POL-A-5 match conditions decide before, and fail as the failure policy says", async () => {
    const conditions = (expression: string, more: ValidatingSpec = {}): ValidatingSpec => ({
      ...validations("false"),
      matchConditions: [{ name: "c", expression }],
      ...more,
    });
    expect(await judged(conditions("object.data.k == 'w'"))).toBe("ok");
    expect(await judged(conditions("object.data.k == 'v'"))).toBe(said(422, "Invalid", "failed expression: false"));
    const failed = "expression 'object.data.none == 'v'' resulted in error: no such key: none";
    expect(await judged(conditions("object.data.none == 'v'"))).toBe(said(422, "Invalid", failed));
    expect(await judged(conditions("object.data.none == 'v'", { failurePolicy: "Ignore" }))).toBe("ok");
  });

  const OUT = "validation failed due to running out of cost budget, no further validation rules will be run";
  const heavy = (count: number): ValidatingSpec => ({
    variables: [{ name: "list", expression: `[${Array.from({ length: 480 }, (_, i) => i).join(", ")}]` }],
    ...validations(...Array.from({ length: count }, () => "variables.list.all(a, variables.list.exists(b, a == b))")),
  });

  test("CEL-56 the validations of a binding have one budget", async () => {
    expect(await judged(heavy(2))).toBe("ok");
    expect(await judged(heavy(13))).toBe(said(422, "Invalid", OUT));
    expect(await judged({ ...heavy(13), failurePolicy: "Ignore" })).toBe("ok");
  });

  test("CEL-56 one evaluation has a limit", async () => {
    const variables = [{ name: "list", expression: `[${Array.from({ length: 600 }, (_, i) => i).join(", ")}]` }];
    const expression = "variables.list.all(a, variables.list.exists(b, a == b))";
    const cancelled = `expression '${expression}' resulted in error: operation cancelled: actual cost limit exceeded`;
    expect(await judged({ variables, ...validations(expression) })).toBe(said(422, "Invalid", cancelled));
  });
});

describe("params", () => {
  const spec: ValidatingSpec = {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    validations: [{ expression: "object.data.k == params.data.k", messageExpression: "'not ' + params.data.k" }],
  };
  const about = {
    resourceRules: [
      { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], resourceNames: ["a"] },
    ],
  };

  const withParams = (binding: object, more: ValidatingSpec = {}): PolicyTest => {
    const policies = new PolicyTest();
    policies.validating(
      "p",
      { ...spec, matchConstraints: about, ...more },
      { paramRef: { parameterNotFoundAction: "Deny", ...binding } },
    );
    const put = (namespace: string, name: string, k: string): void =>
      policies.objects.put("configmaps", configMap({ k }, { namespace, name, labels: { role: name } }));
    put("team", "one", "v");
    put("other", "one", "w");
    put("team", "two", "x");
    return policies;
  };

  test("POL-A-6 by name, in the namespace of the request or in that of the reference", async () => {
    expect(await withParams({ name: "one" }).validate()).toBe("ok");
    expect(await withParams({ name: "one", namespace: "other" }).validate()).toBe(said(422, "Invalid", "not w"));
  });

  test("POL-A-6 none found refuses, or lets pass", async () => {
    const why = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    expect(await withParams({ name: "none" }).validate()).toBe(said(422, "Invalid", why));
    expect(await withParams({ name: "none", parameterNotFoundAction: "Allow" }).validate()).toBe("ok");
    expect(await withParams({ name: "none" }, { failurePolicy: "Ignore" }).validate()).toBe("ok");
  });

  test("POL-A-6 all that a selector finds must be satisfied, and their changes count", async () => {
    const policies = withParams({ selector: { matchLabels: { role: "one" } } });
    expect(await policies.validate()).toBe("ok");
    const { reads } = policies.objects;
    policies.objects.put("configmaps", configMap({ k: "y" }, { name: "three", labels: { role: "one" } }));
    expect(await policies.validate()).toBe(said(422, "Invalid", "not y"));
    policies.objects.delete("configmaps", "team", "three");
    expect(await policies.validate()).toBe("ok");
    policies.objects.put("configmaps", configMap({ k: "v" }, { name: "one", labels: {} }));
    expect(await policies.validate()).toContain("no params found");
    // Only what has changed was read.
    expect(policies.objects.reads).toBe(reads);
  });

  test("POL-A-6 without paramRef params is null, and without paramKind a paramRef has no effect", async () => {
    const policies = new PolicyTest();
    policies.validating("p", { ...spec, validations: [{ expression: "params == null" }] });
    expect(await policies.validate()).toBe("ok");
    const others = new PolicyTest();
    others.validating("p", validations("true"), { paramRef: { name: "none", parameterNotFoundAction: "Deny" } });
    expect(await others.validate()).toBe("ok");
  });

  test("POL-A-6 faults of the configuration", async () => {
    const cluster = withParams(
      { name: "team", namespace: "x" },
      { paramKind: { apiVersion: "v1", kind: "Namespace" } },
    );
    expect(await cluster.validate()).toContain(
      "paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
    );
    const policies = withParams({ name: "one" });
    const request = policies.request({
      namespace: "",
      namespaced: false,
      object: configMap({}, { namespace: undefined }),
    });
    expect(await policies.validate(request)).toContain(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  });

  test("POL-A-5 POL-A-10 a kind that is not served is a fault of the policy, and found once it is served", async () => {
    const unknown = withParams({ name: "one" }, { paramKind: { apiVersion: "example.com/v1", kind: "Nothing" } });
    const message =
      "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nothing'";
    expect(await unknown.validate()).toBe(`422 Invalid: configmaps "a" is forbidden: ${message}`);
    const custom = withParams(
      { name: "l" },
      {
        paramKind: { apiVersion: "example.com/v1", kind: "Limit" },
        validations: [{ expression: "params.apiVersion == 'example.com/v1' && params.spec.most == 3" }],
      },
    );
    custom.objects.put("limits.example.com", {
      apiVersion: "example.com/v2",
      kind: "Limit",
      metadata: { name: "l", namespace: "team" },
      spec: { most: 3 },
    });
    expect(await custom.validate()).toBe("ok");
  });
});

describe("which requests are judged", () => {
  test("POL-A-1 a policy acts only through bindings, and a binding only with its policy", async () => {
    const policies = new PolicyTest();
    policies.bind("b", { policyName: "p", validationActions: ["Deny"] });
    expect(await policies.validate()).toBe("ok");
    policies.validating("p", validations("false"), { policyName: "another" });
    expect(await policies.validate()).toContain("with binding 'b' denied");
  });

  test("POL-A-7 both the policy and the binding must match", async () => {
    const policies = new PolicyTest();
    policies.validating("p", validations("false"), { matchResources: { objectSelector: { matchLabels: { l: "1" } } } });
    expect(await policies.validate()).toBe("ok");
    expect(await policies.validate(policies.request({ object: configMap({}, { labels: { l: "1" } }) }))).toContain(
      "denied",
    );
  });

  test("POL-A-7 resourceNames of a binding compare with the name of the request", async () => {
    const policies = new PolicyTest();
    const rule = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], resourceNames: ["b"] };
    policies.validating("p", validations("false"), { matchResources: { resourceRules: [rule] } });
    expect(await policies.validate()).toBe("ok");
    expect(await policies.validate(policies.request({ name: "b" }))).toContain("denied");
  });

  test.each([
    ["POL-A-8 policies", "admissionregistration.k8s.io", "validatingadmissionpolicies", "ok"],
    ["POL-A-8 bindings of mutating policies", "admissionregistration.k8s.io", "mutatingadmissionpolicybindings", "ok"],
    ["POL-A-8 configurations of webhooks", "admissionregistration.k8s.io", "validatingwebhookconfigurations", "denied"],
    ["POL-A-8 reviews of access", "authorization.k8s.io", "subjectaccessreviews", "ok"],
  ])("%s", async (_, group, plural, expected) => {
    const policies = new PolicyTest();
    const every = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };
    policies.validating("p", { ...validations("false"), matchConstraints: { resourceRules: [every] } });
    const ref = { group, plural, kind: "X" };
    expect(await policies.validate(policies.request({ ref, namespace: "", namespaced: false }))).toContain(expected);
  });

  test("a changed policy counts at once", async () => {
    const policies = new PolicyTest();
    policies.validating("p", validations("false"));
    expect(await policies.validate()).toContain("denied");
    policies.validating("p", validations("true"));
    expect(await policies.validate()).toBe("ok");
  });

  test("who is not concerned is answered straight", async () => {
    const policies = new PolicyTest();
    policies.validating("p", validations("false"));
    await policies.validate();
    const other = policies.request({ ref: { group: "", plural: "secrets", kind: "Secret" } });
    expect(policies.validatingStep.validate!(other)).toBeUndefined();
    expect(() => policies.validatingStep.validate!(policies.request())).toThrow("denied");
  });
});

test("a policy of three expressions takes less than 30 us, and a request that none concerns less than 2 us", async () => {
  const policies = new PolicyTest();
  policies.validating(
    "p",
    validations(
      "object.data.size() < 10",
      "object.metadata.name.startsWith('a')",
      "!has(object.metadata.labels) || object.metadata.labels.all(key, key != 'forbidden')",
    ),
  );
  for (let i = 0; i < 100; i++)
    policies.validating(`other-${i}`, { ...validations("false"), matchConstraints: OTHERS });
  const [request, other] = [policies.request(), policies.request({ ref: { group: "", plural: "secrets", kind: "S" } })];
  await policies.validate(request);
  const judge = (one: AdmissionRequest) => () => {
    for (let i = 0; i < 1000; i++) void policies.validatingStep.validate!(one);
  };
  // What the compiler of the engine does with a new test is not measured.
  for (let i = 0; i < WARM_UP; i++) for (const one of [request, other]) judge(one)();
  expectNotLong(await leastCpu(judge(request), 30), 30);
  expectNotLong(await leastCpu(judge(other), 2), 2);
});

const WARM_UP = 20;

const OTHERS = {
  resourceRules: [{ operations: ["*"], apiGroups: ["apps"], apiVersions: ["*"], resources: ["deployments"] }],
};

describe("actions", () => {
  const spec: ValidatingSpec = {
    validations: [
      { expression: "true" },
      { expression: "false", message: "no" },
      { expression: "object.data.none", message: "x" },
    ],
  };

  test("POL-A-4 Warn: a warning for each failed validation, failures of expressions included", async () => {
    const policies = new PolicyTest();
    policies.validating("p", spec, { validationActions: ["Warn"] });
    const request = policies.request();
    expect(await policies.validate(request)).toBe("ok");
    const head = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': ";
    expect(request.warnings).toEqual([`${head}no`, `${head}compilation error: must evaluate to bool but got dyn`]);
  });

  test("Audit: the first failure is noted as kube-apiserver notes it", async () => {
    const policies = new PolicyTest();
    policies.validating("p", spec, { validationActions: ["Audit"] });
    expect(await policies.validate()).toBe("ok");
    expect(JSON.parse(policies.notes.get("validation.policy.admission.k8s.io/validation_failure")!)).toEqual([
      { message: "no", policy: "p", binding: "p", expressionIndex: 1, validationActions: ["Audit"] },
    ]);
    expect(await policies.counted("check_total")).toContain(
      'apiserver_validating_admission_policy_check_total{policy="p",policy_binding="p",error_type="invalid_error",enforcement_action="audit"} 1',
    );
  });

  test("audit annotations are noted under the name of the policy, and fail as the failure policy says", async () => {
    const policies = new PolicyTest();
    const auditAnnotations = [
      { key: "k", valueExpression: "'value ' + object.data.k" },
      { key: "none", valueExpression: "null" },
      { key: "blank", valueExpression: "' '" },
    ];
    policies.validating("p", { auditAnnotations });
    expect(await policies.validate()).toBe("ok");
    expect([...policies.notes]).toEqual([["p/k", "value v"]]);
    policies.validating("p", { auditAnnotations: [{ key: "k", valueExpression: "object.data.none" }] });
    expect(await policies.validate()).toContain("422 Invalid");
    policies.validating("p", {
      failurePolicy: "Ignore",
      auditAnnotations: [{ key: "k", valueExpression: "object.data.none" }],
    });
    expect(await policies.validate()).toBe("ok");
  });

  test("a shadow is judged, counted and noted, and refuses nothing", async () => {
    const policies = new PolicyTest();
    policies.validating(
      "p",
      { validations: [{ expression: "false", message: "no" }] },
      { validationActions: ["Deny", "Audit"] },
      { "keelson.dev/shadow": "true" },
    );
    const request = policies.request();
    expect(await policies.validate(request)).toBe("ok");
    expect(request.warnings).toEqual([]);
    expect(JSON.parse(policies.notes.get("keelson.dev/shadow")!)).toEqual([
      { policy: "p", binding: "p", would: "refuse", message: "no" },
    ]);
    expect(await policies.counted("shadow_total")).toEqual([
      'keelson_admission_policy_shadow_total{policy="p",policy_binding="p",would="refuse"} 1',
    ]);
    expect(await policies.counted("apiserver_")).toEqual([]);
  });
});

describe("the authorizer", () => {
  const rules = (isLate: boolean): { readonly authorizer: Authorizer; readonly asked: string[] } => {
    const asked: string[] = [];
    const authorizer: Authorizer = {
      authorize: ({ user }, { verb, group, resource, namespace, name }) => {
        asked.push([user, verb, group, resource, namespace, name].join(" "));
        const decision = { allowed: verb === "get", reason: "because" };
        return isLate ? Promise.resolve(decision) : decision;
      },
      rightsOf: () => ({ resourceRules: [], pathRules: [], incomplete: false }),
    };
    return { authorizer, asked };
  };

  test.each([false, true])(
    "CEL-26 decides about the user of the request, once for each question (late: %s)",
    async (isLate) => {
      const { authorizer, asked } = rules(isLate);
      const policies = new PolicyTest(authorizer);
      policies.validating(
        "p",
        validations(
          "authorizer.group('apps').resource('deployments').namespace('x').check('get').allowed()",
          "authorizer.requestResource.check('get').reason() == 'because'",
          "!authorizer.requestResource.check('create').allowed()",
          "authorizer.requestResource.check('get').allowed() && !authorizer.requestResource.check('create').errored()",
        ),
      );
      expect(await policies.validate()).toBe("ok");
      expect(asked.toSorted()).toEqual([
        "u create  configmaps team a",
        "u get  configmaps team a",
        "u get apps deployments x ",
      ]);
    },
  );
});
