import { describe, expect, test } from "vitest";
import { compileCondition } from "../../cel/environments/reviews.ts";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { requestedFields, requestedLabels } from "../../meta/requested-selectors.ts";
import { ManualClock } from "../../util/clock.ts";
import type { Value } from "../../value/value.ts";
import { type WebhookOptions, webhookAuthorizer } from "./webhook-authorizer.ts";

const JANE = { user: "jane", uid: "1", groups: ["dev"], extra: { k: ["v"] } };
const GET: RequestInfo = {
  ...NO_REQUEST,
  isResource: true,
  verb: "get",
  version: "v1",
  resource: "pods",
  namespace: "n",
  name: "p",
};

const condition = (source: string) => {
  const compiled = compileCondition(source);
  if (!compiled.program) throw new Error(compiled.error);
  return compiled;
};

/** A webhook that responds with a status, or fails with an error; and its calls. */
function webhook(status: object | Error, more: Partial<WebhookOptions> = {}) {
  const calls: unknown[] = [];
  const clock = new ManualClock();
  const { version = "v1" } = more;
  const authorizer = webhookAuthorizer(
    {
      name: "w",
      ask(body) {
        calls.push(JSON.parse(body));
        if (status instanceof Error) return Promise.reject(status);
        const response = { kind: "SubjectAccessReview", apiVersion: `authorization.k8s.io/${version}`, status };
        return Promise.resolve(response as unknown as Value);
      },
      version,
      allowedMillis: 1000,
      refusedMillis: 100,
      failurePolicy: "NoOpinion",
      conditions: [],
      ...more,
    },
    clock,
  );
  return { authorizer, calls, clock, ask: async (info = GET) => authorizer.authorize(JANE, info) };
}

describe("RBAC-38: a webhook", () => {
  test.each([
    [
      { allowed: true, reason: "mine" },
      { allowed: true, reason: "mine" },
    ],
    [{ allowed: false }, { allowed: false, reason: "" }],
    [
      { allowed: false, denied: true, reason: "no" },
      { allowed: false, denied: true, reason: "no" },
    ],
    [
      { allowed: true, denied: true },
      { allowed: false, denied: true, reason: "", error: expect.any(String) },
    ],
    [{ allowed: "true" }, { allowed: false, reason: "" }],
  ])("that responds %j", async (status, decision) => {
    expect(await webhook(status).ask()).toEqual(decision);
  });

  test("gets a review of the request, as far as reviews can express it", async () => {
    const { ask, calls } = webhook({ allowed: true });
    await ask({
      ...GET,
      verb: "list",
      name: "",
      fieldSelector: requestedFields("a=b"),
      labelSelector: requestedLabels("c,d>1"),
    });
    await ask({ ...NO_REQUEST, path: "/metrics", verb: "get" });
    const who = { user: "jane", uid: "1", groups: ["dev"], extra: { k: ["v"] } };
    expect(calls).toMatchObject([
      {
        kind: "SubjectAccessReview",
        apiVersion: "authorization.k8s.io/v1",
        spec: {
          ...who,
          resourceAttributes: {
            namespace: "n",
            verb: "list",
            version: "v1",
            resource: "pods",
            fieldSelector: { requirements: [{ key: "a", operator: "In", values: ["b"] }] },
            labelSelector: { requirements: [{ key: "c", operator: "Exists" }] },
          },
        },
      },
      { spec: { ...who, nonResourceAttributes: { path: "/metrics", verb: "get" } } },
    ]);
  });

  test("of v1beta1 gets the groups by their older name", async () => {
    const { ask, calls } = webhook({ allowed: true }, { version: "v1beta1" });
    expect(await ask()).toMatchObject({ allowed: true });
    expect(calls).toMatchObject([{ apiVersion: "authorization.k8s.io/v1beta1", spec: { group: ["dev"] } }]);
  });

  test("is not called again while its decision is cached, allowed longer than not", async () => {
    const yes = webhook({ allowed: true });
    const no = webhook({ allowed: false });
    for (const { ask, clock } of [yes, no]) {
      for (const millis of [0, 99, 2]) {
        clock.advance(millis);
        await ask();
      }
    }
    expect([yes.calls.length, no.calls.length]).toEqual([1, 2]);
    yes.clock.advance(900);
    await yes.ask();
    expect(yes.calls).toHaveLength(2);
  });

  test("is called once for equal requests at a time, and not where the decision is cached", async () => {
    const { authorizer, calls } = webhook({ allowed: true });
    await Promise.all([authorizer.authorize(JANE, GET), authorizer.authorize(JANE, GET)]);
    expect(calls).toHaveLength(1);
    expect(authorizer.authorize(JANE, GET)).toEqual({ allowed: true, reason: "" });
  });

  test("that fails has no opinion or denies, and is called again", async () => {
    const open = webhook(new Error("no response"));
    expect(await open.ask()).toEqual({ allowed: false, reason: "", error: expect.stringContaining("no response") });
    await open.ask();
    expect(open.calls).toHaveLength(2);
    const closed = webhook(new Error("no response"), { failurePolicy: "Deny" });
    expect(await closed.ask()).toMatchObject({ allowed: false, denied: true, error: expect.any(String) });
  });

  test("whose response is not a review has failed", async () => {
    const { ask } = webhook({}, { ask: () => Promise.resolve({ kind: "Status" }) });
    expect(await ask()).toMatchObject({ allowed: false, error: expect.stringContaining("SubjectAccessReview") });
  });

  test("is not called where a condition is false, also beside one that fails", async () => {
    const fails = condition("request.extra['none'][0] == 'x'");
    const no = condition("request.user == 'root'");
    const { ask, calls } = webhook({ allowed: true }, { conditions: [fails, no], failurePolicy: "Deny" });
    expect(await ask()).toEqual({ allowed: false, reason: "" });
    expect(calls).toEqual([]);
  });

  test("is called where all conditions are true; where one fails the policy decides", async () => {
    const yes = condition("has(request.resourceAttributes) && request.resourceAttributes.namespace == 'n'");
    expect(await webhook({ allowed: true }, { conditions: [yes] }).ask()).toMatchObject({ allowed: true });
    const fails = condition("request.extra['none'][0] == 'x'");
    const { ask, calls } = webhook({ allowed: true }, { conditions: [yes, fails], failurePolicy: "Deny" });
    expect(await ask()).toMatchObject({ denied: true, error: expect.stringContaining("w has failed") });
    expect(calls).toEqual([]);
  });

  test("is called for long reviews each time, and caches a bounded number of decisions", async () => {
    const { ask, calls } = webhook({ allowed: true });
    for (let i = 0; i < 2; i++) await ask({ ...GET, name: "x".repeat(5000) });
    expect(calls).toHaveLength(2);
    for (let i = 0; i < 9000; i++) await ask({ ...GET, name: `p${i}` });
    await ask({ ...GET, name: "p0" });
    await ask({ ...GET, name: "p8999" });
    expect(calls).toHaveLength(9003);
  });

  test("RBAC-53: does not list rights", async () => {
    expect(await webhook({}).authorizer.rightsOf(JANE, "n")).toMatchObject({
      incomplete: true,
      error: expect.any(String),
    });
  });
});
