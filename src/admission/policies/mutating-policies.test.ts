import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../schema/definition.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { MutatingSpec, Mutation } from "./contract.ts";
import { PolicyTest, configMap } from "./testing/policies.ts";

const applies = (expression: string): Mutation => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const patches = (expression: string): Mutation => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const spec = (...mutations: Mutation[]): MutatingSpec => ({ mutations, reinvocationPolicy: "Never" });

/** A request whose changes are in `object`. */
function requestOver(policies: PolicyTest, object: ApiObject): AdmissionRequest {
  return policies.request({ object });
}

/** What a policy makes of an object: the object, or the refusal. */
async function made(policy: MutatingSpec, object: ApiObject = configMap({ k: "v" })): Promise<unknown> {
  const policies = new PolicyTest();
  policies.mutating("p", policy);
  const outcome = await policies.mutate(requestOver(policies, object));
  return outcome === "ok" ? object : outcome;
}

const data = (members: object): object => expect.objectContaining({ data: members }) as object;
const refused = (message: string): string => `403 Invalid: policy 'p' with binding 'p' denied request: ${message}`;

describe("apply configurations", () => {
  test.each<[string, string, ApiObject, unknown]>([
    [
      "POL-A-22 CEL-27 members are set",
      "Object{data: {'x': object.data.k + '!'}}",
      configMap({ k: "v" }),
      data({ k: "v", x: "v!" }),
    ],
    [
      "POL-A-22 nothing is removed",
      "Object{data: {'k': 'w'}}",
      configMap({ k: "v", l: "l" }),
      data({ k: "w", l: "l" }),
    ],
    [
      "POL-A-22 keyed lists are merged",
      "Object{ports: [Object.ports{port: 2, name: 'b'}]}",
      { ...configMap({}), ports: [{ port: 1, name: "a" }] },
      expect.objectContaining({
        ports: [
          { port: 1, name: "a" },
          { port: 2, name: "b" },
        ],
      }),
    ],
    [
      "POL-A-22 an optional member that is absent is not set",
      "Object{data: {'k': 'w'}, ?selector: object.?none}",
      configMap({ k: "v" }),
      data({ k: "w" }),
    ],
    [
      "POL-A-22 an atomic map is not touched",
      "Object{selector: {'a': 'b'}}",
      configMap({}),
      refused(
        "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .selector",
      ),
    ],
    [
      "POL-A-22 an atomic list is not touched",
      "Object{args: ['a']}",
      configMap({}),
      refused("error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .args"),
    ],
  ])("%s", async (_, expression, object, expected) => {
    expect(await made(spec(applies(expression)), object)).toEqual(expected);
  });

  test.each([
    [
      "POL-A-22 unknown members are found when it runs",
      "Object{none: 'x'}",
      "failed to convert patch object to typed object: .none: ",
    ],
    [
      "POL-A-22 wrong types are found when it runs",
      "Object{data: {'k': 1}}",
      "failed to convert patch object to typed object: .data.k: ",
    ],
    [
      "CEL-27 the name of a type is its path",
      "Object{metadata: Object.spec{}}",
      'type mismatch: unexpected type name "Object.spec", expected "Object.metadata"',
    ],
    ["POL-A-20 another type is not compiled", "{'a': 1}", "must evaluate to Object but got map(string, int)"],
  ])("%s", async (_, expression, part) => {
    expect(await made(spec(applies(expression)))).toContain(part);
  });
});

describe("JSON patches", () => {
  test.each<[string, string, unknown]>([
    [
      "POL-A-23 CEL-27 operations run in order",
      "[JSONPatch{op: 'add', path: '/data/x', value: '1'}, JSONPatch{op: 'copy', from: '/data/x', path: '/data/y'}, JSONPatch{op: 'move', from: '/data/y', path: '/data/z'}, JSONPatch{op: 'remove', path: '/data/k'}, JSONPatch{op: 'replace', path: '/data/x', value: '2'}]",
      data({ x: "2", z: "1" }),
    ],
    [
      "POL-A-23 a test that fails changes nothing and does not refuse",
      "[JSONPatch{op: 'add', path: '/data/x', value: '1'}, JSONPatch{op: 'test', path: '/data/k', value: 'w'}]",
      data({ k: "v" }),
    ],
    [
      "POL-A-23 a test that holds",
      "[JSONPatch{op: 'test', path: '/data/k', value: 'v'}, JSONPatch{op: 'add', path: '/data/x', value: '1'}]",
      data({ k: "v", x: "1" }),
    ],
    [
      "CEL-27 keys are escaped",
      "[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a/b~c'), value: '1'}]",
      data({ k: "v", "a/b~c": "1" }),
    ],
    [
      "POL-A-23 values of the object",
      "[JSONPatch{op: 'add', path: '/metadata/labels', value: Object.metadata.labels{a: 'b'}}]",
      expect.objectContaining({ metadata: { name: "a", namespace: "team", labels: { a: "b" } } }),
    ],
    [
      "POL-A-24 an operation that does not fit",
      "[JSONPatch{op: 'remove', path: '/data/none'}]",
      expect.stringContaining(refused("JSON Patch: ")),
    ],
    [
      "POL-A-24 an operation that is none",
      "[JSONPatch{op: 'mangle', path: '/data'}]",
      expect.stringContaining(refused("JSON Patch: ")),
    ],
  ])("%s", async (_, expression, expected) => {
    expect(await made(spec(patches(expression)))).toEqual(expected);
  });

  test("POL-A-23 a value of a wrong type for the object is 500, and an apply configuration with such a result 403", async () => {
    const unfit = (): never => {
      throw new Error("expected a string, got 7");
    };
    for (const [mutation, expected] of [
      [
        patches("[JSONPatch{op: 'add', path: '/data/n', value: 7}]"),
        "500 InternalError: Internal error occurred: expected a string, got 7",
      ],
      [applies("Object{data: {'n': 'x'}}"), refused("expected a string, got 7")],
    ] as const) {
      const policies = new PolicyTest();
      policies.mutating("p", { ...spec(mutation) });
      const request: AdmissionRequest = { ...policies.request(), replace: unfit };
      expect(await policies.mutate({ ...request, as: () => request })).toBe(expected);
    }
  });
});

describe("several", () => {
  test("POL-A-21 mutations of a policy see what those before them made", async () => {
    const policy = spec(
      applies("Object{data: {'a': '1'}}"),
      patches("[JSONPatch{op: 'add', path: '/data/b', value: object.data.a + '2'}]"),
      applies("Object{data: {'c': variables.b}}"),
    );
    const variables = [{ name: "b", expression: "has(object.data.b) ? object.data.b + '3' : ''" }];
    expect(await made({ ...policy, variables })).toEqual(data({ k: "v", a: "1", b: "12", c: "123" }));
  });

  test("POL-A-24 a failure refuses under Fail, and only that mutation is left out under Ignore", async () => {
    const mutations = [applies("Object{data: {'x': object.data.none}}"), applies("Object{data: {'y': '1'}}")];
    const why = "expression 'Object{data: {'x': object.data.none}}' resulted in error: no such key: none";
    expect(await made(spec(...mutations))).toBe(refused(why));
    expect(await made({ ...spec(...mutations), failurePolicy: "Ignore" })).toEqual(data({ k: "v", y: "1" }));
  });

  test("POL-A-24 all failures are causes, and the first is the message", async () => {
    const policies = new PolicyTest();
    policies.mutating("p", spec(applies("Object{data: {'x': object.data.none}}")));
    policies.mutating("q", { ...spec(applies("Object{}")), paramKind: { apiVersion: "v1", kind: "Nothing" } });
    const error = await Promise.resolve(policies.mutatingStep.mutate!(policies.request())).catch(
      (thrown: unknown) => thrown,
    );
    const fault = `policy "q" denied request: failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Nothing'`;
    expect(error).toMatchObject({
      status: {
        code: 403,
        reason: "Forbidden",
        message: fault,
        details: { name: "a", causes: [{ message: fault }, {}] },
      },
    });
  });

  const logs = (letter: string, more: Partial<MutatingSpec> = {}): MutatingSpec => ({
    ...spec(applies(`Object{data: {'log': (has(object.data.log) ? object.data.log : '') + '${letter}'}}`)),
    ...more,
  });

  /** Runs the step as the chain does: once more where it asks for that. */
  async function chained(policies: PolicyTest, between: (object: ApiObject) => void = () => {}): Promise<unknown> {
    let again = false;
    const object = configMap({});
    const request: AdmissionRequest = { ...requestOver(policies, object), reinvoke: () => void (again = true) };
    const all = { ...request, as: () => request };
    await policies.mutate(all);
    between(object);
    if (again) await policies.mutate(all);
    return (object["data"] as Record<string, unknown>)["log"];
  }

  test("POL-A-21 policies run in the order of their names", async () => {
    const policies = new PolicyTest();
    policies.mutating("b", logs("b"));
    policies.mutating("a", logs("a"));
    expect(await chained(policies)).toBe("ab");
  });

  test("POL-A-21 one with IfNeeded runs once more after a later one has changed the object", async () => {
    const policies = new PolicyTest();
    policies.mutating("a", logs("a", { reinvocationPolicy: "IfNeeded" }));
    expect(await chained(policies)).toBe("a");
    policies.mutating("b", logs("b"));
    expect(await chained(policies)).toBe("aba");
  });

  test("POL-A-21 or after another step has changed it", async () => {
    const policies = new PolicyTest();
    policies.mutating("a", logs("a", { reinvocationPolicy: "IfNeeded" }));
    policies.mutating("b", logs("b"));
    expect(await chained(policies, (object) => void (object["data"] = { log: "x" }))).toBe("xa");
  });
});

describe("which requests are changed", () => {
  test("POL-A-24 match conditions and params, as for validating policies", async () => {
    const policies = new PolicyTest();
    policies.objects.put("configmaps", configMap({ value: "param" }, { name: "p" }));
    const conditions = [{ name: "c", expression: "object.metadata.name != 'free'" }];
    policies.mutating(
      "p",
      {
        ...spec(applies("Object{data: {'from': params.data.value}}")),
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        matchConditions: conditions,
      },
      { paramRef: { name: "p", parameterNotFoundAction: "Allow" } },
    );
    const [object, free] = [configMap({}), configMap({}, { name: "free" })];
    await policies.mutate(requestOver(policies, object));
    await policies.mutate(requestOver(policies, free));
    expect([object["data"], free["data"]]).toEqual([{ from: "param" }, {}]);
  });

  test("a match condition that fails refuses with the reason Invalid", async () => {
    const matchConditions = [{ name: "c", expression: "object.data.none == 'x'" }];
    const why = "expression 'object.data.none == 'x'' resulted in error: no such key: none";
    expect(await made({ ...spec(applies("Object{}")), matchConditions })).toBe(refused(why));
    expect(await made({ ...spec(applies("Object{}")), matchConditions, failurePolicy: "Ignore" })).toEqual(
      data({ k: "v" }),
    );
  });

  test("a deletion is changed by none", async () => {
    const policies = new PolicyTest();
    policies.mutating("p", spec(applies("Object{data: {'x': object.data.none}}")));
    expect(await policies.mutate(policies.request({ operation: "DELETE", old: configMap({}) }))).toBe("ok");
  });

  test("a shadow is judged on a copy, counted and noted", async () => {
    const policies = new PolicyTest();
    policies.mutating("p", spec(applies("Object{data: {'k': 'w'}}")), {}, { "keelson.dev/shadow": "true" });
    const object = configMap({ k: "v" });
    expect(await policies.mutate(requestOver(policies, object))).toBe("ok");
    expect(object["data"]).toEqual({ k: "v" });
    expect(JSON.parse(policies.notes.get("keelson.dev/shadow")!)).toEqual([
      { policy: "p", binding: "p", would: "change" },
    ]);
    expect(await policies.counted("_total")).toEqual([
      'keelson_admission_policy_shadow_total{policy="p",policy_binding="p",would="change"} 1',
    ]);
  });

  test("mutations are counted under the name of kube-apiserver", async () => {
    const policies = new PolicyTest();
    policies.mutating("p", spec(applies("Object{data: {'k': 'w'}}")));
    await policies.mutate();
    expect(await policies.counted("check_total")).toEqual([
      'apiserver_mutating_admission_policy_check_total{policy="p",policy_binding="p",error_type="no_error"} 1',
    ]);
  });
});
