import { describe, expect, test } from "vitest";
import { type AuditEvent, AuditMetrics, type AuditSink, compileRules, readPolicy } from "../../audit/index.ts";
import { unauthorized } from "../../meta/status.ts";
import { ManualClock } from "../../util/clock.ts";
import { nextPass } from "../../util/testing/pass.ts";
import { testServer } from "../testing/test-server.ts";
import { audit } from "./audit.ts";
import { withFilter } from "./default.ts";

const CM = "/api/v1/namespaces/n/configmaps";
const JSON_TYPE = { "content-type": "application/json" };
const body = JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { k: "v" } });

/** A user who may not write. */
const READER = { authorization: "Bearer reader" };

interface Told {
  stage: string;
  [member: string]: unknown;
}

/** A server that audits, and what it has told. */
async function audited(
  rules: string,
  {
    take = () => true,
    ...more
  }: Parameters<typeof testServer>[0] & { take?: (event: AuditEvent) => boolean | Promise<boolean> } = {},
) {
  const told: Told[] = [];
  const metrics = new AuditMetrics();
  const sink: AuditSink = {
    write(event) {
      told.push(JSON.parse(event.json) as Told);
      return take(event);
    },
  };
  const policy = readPolicy(`{apiVersion: audit.k8s.io/v1, kind: Policy, ${rules}}`);
  const filter = audit({ rules: compileRules(policy), sink, metrics });
  const filters = withFilter(filter, { after: "authenticate" }, more.filters);
  return { ...(await testServer({ ...more, filters })), told, metrics };
}

const ALL = "rules: [{level: RequestResponse}]";

const stages = (told: readonly Told[]): string[] => told.map(({ stage }) => stage);

describe("the events of a request", () => {
  test("AUDIT-10, AUDIT-13: one when it comes, one when it has its response, with the same id", async () => {
    const { ask, told } = await audited(ALL);
    await (await ask("POST", CM, { body, headers: { ...JSON_TYPE, "audit-id": "a, b/c" } })).text();
    expect(stages(told)).toEqual(["RequestReceived", "ResponseComplete"]);
    expect(told[0]).toEqual({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "RequestResponse",
      auditID: "a, b/c",
      stage: "RequestReceived",
      requestURI: CM,
      verb: "create",
      user: expect.objectContaining({ groups: expect.any(Array) as unknown }) as unknown,
      objectRef: { resource: "configmaps", namespace: "n", apiVersion: "v1" },
      userAgent: "tester/1.0",
      requestReceivedTimestamp: expect.any(String) as unknown,
      stageTimestamp: told[0]!["requestReceivedTimestamp"],
    });
    expect(told[1]).toMatchObject({
      auditID: "a, b/c",
      objectRef: { resource: "configmaps", namespace: "n", name: "a", apiVersion: "v1" },
      responseStatus: { metadata: {}, code: 201 },
      annotations: { "authorization.k8s.io/decision": "allow" },
    });
  });

  test("AUDIT-16: the sent object is recorded with its defaults and before any step changed it; the response completely", async () => {
    const { ask, told } = await audited(ALL);
    await (await ask("POST", CM, { body, headers: JSON_TYPE })).text();
    expect(told[1]!["requestObject"]).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "a" },
      data: { k: "v" },
    });
    expect(told[1]!["responseObject"]).toMatchObject({ kind: "ConfigMap", metadata: { name: "a", namespace: "n" } });
  });

  test("AUDIT-16: a patch is recorded as it was sent, options of a deletion as well", async () => {
    const { ask, told } = await audited(ALL);
    await (await ask("POST", CM, { body, headers: JSON_TYPE })).text();
    const headers = { "content-type": "application/merge-patch+json" };
    await (await ask("PATCH", `${CM}/a`, { body: '{"data":{"x":"y"}}', headers })).text();
    await (await ask("DELETE", `${CM}/a`, { body: '{"propagationPolicy":"Background"}', headers: JSON_TYPE })).text();
    expect(
      told
        .map((event) => event["requestObject"])
        .filter(Boolean)
        .slice(1),
    ).toEqual([
      { data: { x: "y" } },
      { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", propagationPolicy: "Background" },
    ]);
    expect(told.at(-1)).toMatchObject({ responseStatus: { status: "Success", details: { name: "a" }, code: 200 } });
  });

  test.each([
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/json;pretty=1",
  ])("AUDIT-16: a list is told as JSON, whatever the client takes: %s", async (accept) => {
    const { ask, told } = await audited(ALL);
    await (await ask("POST", CM, { body, headers: JSON_TYPE })).text();
    await (await ask("GET", `${CM}?pretty=true`, { headers: { accept } })).bytes();
    await nextPass();
    const list = told.at(-1)!["responseObject"] as { items: object[] };
    expect(list).toMatchObject({ kind: "ConfigMapList", items: [{ metadata: { name: "a" }, data: { k: "v" } }] });
  });

  test("AUDIT-8: managed fields are left out of objects and of the items of lists", async () => {
    const { ask, told } = await audited(`omitManagedFields: true, ${ALL}`);
    await (await ask("POST", CM, { body, headers: JSON_TYPE })).text();
    await (await ask("GET", CM)).text();
    await (await ask("GET", CM, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } })).text();
    expect(JSON.stringify(told)).toContain("creationTimestamp");
    expect(JSON.stringify(told)).not.toContain("managedFields");
  });

  test("AUDIT-13: less is recorded at lower levels", async () => {
    const members = async (level: string): Promise<boolean[]> => {
      const { ask, told } = await audited(`rules: [{level: ${level}}]`);
      await (await ask("POST", CM, { body, headers: JSON_TYPE })).text();
      return ["requestObject", "responseObject"].map((member) => member in (told[1] ?? {}));
    };
    expect(await members("Metadata")).toEqual([false, false]);
    expect(await members("Request")).toEqual([true, false]);
    expect(await members("RequestResponse")).toEqual([true, true]);
  });

  test("AUDIT-2, AUDIT-8: at level None and at omitted stages nothing is recorded", async () => {
    const none = await audited("rules: [{level: None}]");
    await none.ask("GET", CM);
    expect(none.told).toEqual([]);
    const late = await audited("omitStages: [RequestReceived], rules: [{level: Metadata}]");
    await (await late.ask("GET", CM)).text();
    await nextPass();
    expect(stages(late.told)).toEqual(["ResponseComplete"]);
  });

  test("AUDIT-10: a watch has begun, and has ended", async () => {
    const { ask, told } = await audited(ALL);
    const response = await ask("GET", `${CM}?watch=1`);
    expect(stages(told)).toEqual(["RequestReceived", "ResponseStarted"]);
    response.cancel();
    await nextPass();
    expect(stages(told)).toEqual(["RequestReceived", "ResponseStarted", "ResponseComplete"]);
    expect(told[2]).toMatchObject({ verb: "watch", responseStatus: { code: 200 } });
    expect(told[2]).not.toHaveProperty("responseObject");
  });

  test("AUDIT-15: a refusal is recorded with its reason", async () => {
    const { ask, told } = await audited(ALL);
    await (await ask("GET", `${CM}/none`)).text();
    const details = { name: "none", kind: "configmaps" };
    const status = { metadata: {}, status: "Failure", reason: "NotFound", details, code: 404 };
    expect(told[1]).toMatchObject({ responseStatus: status, responseObject: { kind: "Status", ...status } });
  });

  test("AUDIT-17, AUDIT-14: a dry run is recorded like any write, with the version that an update names", async () => {
    const { ask, told } = await audited(ALL);
    await (await ask("POST", CM, { body, headers: JSON_TYPE })).text();
    const changed = JSON.stringify({ metadata: { name: "a", resourceVersion: "1", uid: "u" }, data: {} });
    await (await ask("PUT", `${CM}/a?dryRun=All`, { body: changed, headers: JSON_TYPE })).text();
    expect(told.at(-1)).toMatchObject({ objectRef: { name: "a", resourceVersion: "1", uid: "u" } });
  });

  test("AUDIT-11, AUTHN-8: a request that is 401 has one event without a user, and no token in it", async () => {
    const authenticator = {
      authenticate() {
        throw unauthorized();
      },
    };
    const { ask, told } = await audited(ALL, { authenticator });
    await (await ask("GET", CM, { headers: { authorization: "Bearer planted-secret" } })).text();
    expect(told).toMatchObject([{ stage: "ResponseStarted", user: {}, responseStatus: { code: 401 } }]);
    expect(JSON.stringify(told)).not.toContain("planted-secret");
  });

  test("AUDIT-4, AUDIT-18: the sender is judged and told; the other from the response on", async () => {
    const rules = "rules: [{level: Metadata, users: [tester]}]";
    const { ask, told } = await audited(rules, {
      authenticator: { authenticate: () => ({ user: "tester", groups: ["system:masters"] }) },
    });
    const headers = { "impersonate-user": "jane", "impersonate-group": "system:masters", "impersonate-uid": "u-1" };
    await (await ask("GET", CM, { headers })).text();
    await nextPass();
    expect(told.map(({ user }) => user)).toMatchObject([{ username: "tester" }, { username: "tester" }]);
    expect(told[0]).not.toHaveProperty("impersonatedUser");
    expect(told[1]!["impersonatedUser"]).toMatchObject({ username: "jane", uid: "u-1" });
  });

  test("AUDIT-18: a refused impersonation has neither the other nor a decision", async () => {
    const { ask, told } = await audited(ALL);
    await (await ask("GET", CM, { headers: { ...READER, "impersonate-user": "root" } })).text();
    expect(told[1]).toMatchObject({ user: { username: "reader" }, responseStatus: { code: 403 } });
    expect(told[1]).not.toHaveProperty("impersonatedUser");
    expect(told[1]).not.toHaveProperty("annotations");
  });

  test("AUDIT-19: a refusal of the authorizer is recorded as such, with its reason", async () => {
    const { ask, told } = await audited(ALL);
    await (await ask("POST", CM, { body, headers: { ...JSON_TYPE, ...READER } })).text();
    expect(told[1]!["annotations"]).toEqual({
      "authorization.k8s.io/decision": "forbid",
      "authorization.k8s.io/reason": "readers only read",
    });
  });

  test("AUDIT-19: annotations of a token are recorded once the response is sent", async () => {
    const identity = {
      user: "robot",
      groups: ["system:masters"],
      auditAnnotations: { "authentication.k8s.io/stale-token": "x" },
    };
    const { ask, told } = await audited(ALL, { authenticator: { authenticate: () => identity } });
    await (await ask("GET", `${CM}/none`)).text();
    expect(told[0]).not.toHaveProperty("annotations");
    expect(told[1]!["annotations"]).toMatchObject(identity.auditAnnotations);
    expect(told[1]!["user"]).toEqual({ username: "robot", groups: ["system:masters"] });
  });

  test("AUDIT-19: a long wait is recorded with its duration and reason", async () => {
    const clock = new ManualClock();
    const { ask, told } = await audited(ALL, {
      clock,
      filters: withFilter({ name: "slow one", decoded: () => clock.advance(700) }, { before: "handle" }),
      authenticator: {
        async authenticate() {
          await nextPass();
          clock.advance(250.5);
          return { user: "kim", groups: [] };
        },
      },
      authorizer: {
        authorize() {
          clock.advance(1);
          return { allowed: true, reason: "" };
        },
        rightsOf: () => ({ resourceRules: [], pathRules: [], incomplete: false }),
      },
    });
    await (await ask("GET", `${CM}/a`)).text();
    const latencies = Object.entries(told[1]!["annotations"] as object).filter(([key]) => key.includes("latency"));
    expect(Object.fromEntries(latencies)).toEqual({
      "apiserver.latency.k8s.io/authentication": "250.5ms",
      "apiserver.latency.k8s.io/authorization": "1ms",
      "apiserver.latency.k8s.io/total": "951.5ms",
    });
  });

  test("AUDIT-10: a mistake of ours is a panic", async () => {
    const { ask, told } = await audited(ALL, {
      filters: withFilter(
        {
          name: "broken",
          enter: () => {
            throw new TypeError("oops");
          },
        },
        { before: "handle" },
      ),
    });
    await (await ask("GET", CM)).text();
    expect(stages(told)).toEqual(["RequestReceived", "Panic"]);
    expect(told[1]).toMatchObject({ responseStatus: { code: 500, reason: "InternalError" } });
  });

  test("AUDIT-23: unknown resources and bodies that are too large are recorded", async () => {
    const { ask, told } = await audited(ALL);
    await (await ask("GET", "/apis/none.io/v1/things")).text();
    await (await ask("POST", CM, { body: `"${"x".repeat(4 << 20)}"`, headers: JSON_TYPE })).text();
    const codes = told.filter(({ stage }) => stage === "ResponseComplete").map((event) => event["responseStatus"]);
    expect(codes).toMatchObject([{ code: 404 }, { code: 413 }]);
  });
});

describe("where events are wanted before the response", () => {
  test("AUDIT-25: a request whose first event is not kept is refused, and counted", async () => {
    const { ask, told, metrics } = await audited(ALL, { take: ({ stage }) => stage.stage !== "RequestReceived" });
    const response = await ask("POST", CM, { body, headers: JSON_TYPE });
    expect(response.code).toBe(500);
    expect(stages(told)).toEqual(["RequestReceived", "ResponseComplete"]);
    const rejected = (await metrics.collector()).find(({ name }) => name.includes("rejected"))!;
    expect(rejected.samples).toEqual([{ value: 1 }]);
  });

  test("AUDIT-25: the response waits for its event", async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const { ask } = await audited("omitStages: [RequestReceived], rules: [{level: Metadata}]", { take: () => promise });
    let hasResponse = false;
    const asked = ask("GET", `${CM}/none`).then(() => (hasResponse = true));
    await nextPass();
    expect(hasResponse).toBe(false);
    resolve(true);
    await asked;
  });

  test("AUDIT-27: requests are counted by their level", async () => {
    const { ask, metrics } = await audited("rules: [{level: Metadata, verbs: [get]}]");
    await ask("GET", `${CM}/a`);
    await ask("GET", CM);
    const levels = (await metrics.collector()).find(({ name }) => name === "apiserver_audit_level_total")!;
    expect(levels.samples).toContainEqual({ value: 1, labels: { level: "Metadata" } });
    expect(levels.samples).toContainEqual({ value: 1, labels: { level: "None" } });
  });
});
