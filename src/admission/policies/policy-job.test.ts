import { expect, test } from "vitest";
import type { Authorizer } from "../../auth/contract.ts";
import { JobError, type WorkerThreads } from "../../util/worker-threads.ts";
import { run } from "./policy-job.ts";
import type { PolicyTask } from "./policy-task.ts";
import { PolicyTest, configMap } from "./testing/policies.ts";

/** Too long for the event loop, whatever is done with it. */
const LONG = "x".repeat(11_000_000);

/** Runs jobs at once, with copies as another thread gets them. */
class TestThreads implements WorkerThreads {
  readonly ran: string[] = [];
  fails = false;

  async run({ input }: { readonly input: unknown }): Promise<unknown> {
    if (this.fails) throw new JobError("slow", "the policy");
    const task = structuredClone(input) as PolicyTask;
    this.ran.push(task.what);
    return structuredClone(run(task));
  }
}

function inThreads(authorizer?: Authorizer): { readonly policies: PolicyTest; readonly threads: TestThreads } {
  const threads = new TestThreads();
  return { threads, policies: new PolicyTest(authorizer, threads) };
}

test("what takes too long for the event loop is evaluated in a worker thread, with the same result", async () => {
  const { policies, threads } = inThreads();
  policies.validating("p", { validations: [{ expression: "object.data.k != 'v' && object.data.l == 'l'" }] });
  expect(await policies.validate()).toContain("failed expression");
  expect(threads.ran).toEqual([]);
  expect(await policies.validate(policies.request({ object: configMap({ k: LONG, l: "l" }) }))).toBe("ok");
  expect(threads.ran).toEqual(["validations"]);
});

test("the authorizer stays on its own thread, also where its answers are late", async () => {
  const asked: string[] = [];
  const { policies, threads } = inThreads({
    authorize(_, { verb, resource }) {
      asked.push(`${verb} ${resource}`);
      const decision = { allowed: verb === "get", reason: "" };
      return verb === "get" ? Promise.resolve(decision) : decision;
    },
    rightsOf: () => ({ resourceRules: [], pathRules: [], incomplete: false }),
  });
  const check = (verb: string): string =>
    `authorizer.group('').resource('pods').labelSelector('a=b').check('${verb}').allowed()`;
  policies.validating("p", {
    validations: [{ expression: `object.data.k != 'x' && ${check("get")} && !${check("list")}` }],
  });
  expect(await policies.validate(policies.request({ object: configMap({ k: LONG }) }))).toBe("ok");
  expect(asked).toEqual(["get pods", "list pods"]);
  expect(threads.ran.length).toBeGreaterThan(1);
});

test("conditions and mutations of a mutating policy, and their failures", async () => {
  const { policies, threads } = inThreads();
  const mutation = (expression: string) => ({
    mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }],
    matchConditions: [{ name: "c", expression: "object.data.k != 'x'" }],
  });
  policies.mutating("p", mutation("Object{data: {'k': object.data.k == 'y' ? 'y' : 'x'}}"));
  const object = configMap({ k: LONG });
  expect(await policies.mutate(policies.request({ object }))).toBe("ok");
  expect(object["data"]).toEqual({ k: "x" });
  expect(threads.ran).toEqual(["conditions", "mutation"]);
  policies.mutating("p", mutation("Object{data: {'k': object.data.k != 'x' ? object.data.none : 'x'}}"));
  expect(await policies.mutate(policies.request({ object: configMap({ k: LONG }) }))).toContain("no such key: none");
});

test("an evaluation that takes too long there, too, is no failure of the policy", async () => {
  const { policies, threads } = inThreads();
  threads.fails = true;
  policies.validating("p", { validations: [{ expression: "object.data.k != 'x'" }] });
  const outcome = await policies.validate(policies.request({ object: configMap({ k: LONG }) }));
  expect(outcome).toBe("503 ServiceUnavailable: the policy takes longer than the ten seconds that it may take");
});

test("a policy with a long expression is compiled in a worker thread alone, whichever of its expressions that is", async () => {
  const long = Array.from({ length: 500 }, () => "object.metadata.name != 'x'").join(" && ");
  const fine = { expression: "true" };
  const matchConditions = [{ name: "long", expression: long }];
  for (const spec of [
    { validations: [fine], matchConditions },
    { validations: [{ expression: long }] },
    { validations: [{ ...fine, messageExpression: `string(${long})` }] },
    { validations: [fine], variables: [{ name: "long", expression: long }] },
    { validations: [fine], auditAnnotations: [{ key: "k", valueExpression: `string(${long})` }] },
  ]) {
    const { policies, threads } = inThreads();
    policies.validating("p", spec);
    expect(await policies.validate()).toBe("ok");
    expect(threads.ran).toEqual(["validations"]);
  }
  const { policies, threads } = inThreads();
  const mutation = `Object{data: {'k': ${long} ? 'w' : 'x'}}`;
  const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: mutation } }];
  policies.mutating("p", { mutations, matchConditions, reinvocationPolicy: "Never" });
  const request = policies.request({ object: configMap({ k: "v" }) });
  expect(await policies.mutate(request)).toBe("ok");
  expect([request.object, threads.ran]).toMatchObject([{ data: { k: "w" } }, ["conditions", "mutation"]]);
});
