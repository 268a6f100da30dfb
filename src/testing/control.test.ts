import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigMap } from "../client/kinds/index.ts";
import { type Cluster, type Endpoint, createCluster } from "./index.ts";
import { controlRoutes } from "./control.ts";
import { type NodeTransport, nodeTransport } from "../client/index.ts";

const MAP = { metadata: { name: "a", namespace: "default" } };

describe("control over HTTP", () => {
  let cluster: Cluster;
  let endpoint: Endpoint;
  let transport: NodeTransport;
  beforeEach(async () => {
    cluster = await createCluster({ routes: controlRoutes });
    endpoint = await cluster.listen();
    transport = nodeTransport({ url: endpoint.url, ca: endpoint.ca, token: endpoint.token });
  });
  afterEach(async () => {
    transport.close();
    await cluster.close();
  });

  async function ask(method: "POST" | "DELETE" | "GET", name: string, body?: unknown): Promise<[number, unknown]> {
    const path = `/keelson/v1/testing/${name}`;
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const response = await transport({ method, path, headers: {}, ...sent });
    let text = "";
    for await (const piece of response.body) text += Buffer.from(piece).toString();
    return [response.status, JSON.parse(text)];
  }
  const stored = (): Promise<ConfigMap | undefined> =>
    cluster.client().resource(ConfigMap).find({ namespace: "default", name: "a" });

  test("mark and reset restore the mark or the initial state", async () => {
    await cluster.apply(ConfigMap, MAP);
    expect(await ask("POST", "mark")).toEqual([200, { mark: "1" }]);
    await cluster.client().resource(ConfigMap).delete({ namespace: "default", name: "a" });
    expect(await ask("POST", "reset", { mark: "1" })).toEqual([200, {}]);
    expect(await stored()).toBeDefined();
    expect(await ask("POST", "reset")).toEqual([200, {}]);
    expect(await stored()).toBeUndefined();
  });

  test("settled waits, and names the running work after a timeout", async () => {
    expect(await ask("POST", "settled", {})).toEqual([200, {}]);
    const end = Promise.withResolvers<void>();
    const tracked = cluster.track(end.promise);
    const [code, status] = await ask("POST", "settled", { limit: "50ms" });
    expect([code, status]).toMatchObject([504, { message: expect.stringContaining("work of the test") }]);
    end.resolve();
    await tracked;
  });

  test("faults are added by name, and requests are listed", async () => {
    const fault = { match: { verb: "create", kind: "ConfigMap" }, fault: "tooManyRequests", with: "2s" };
    expect(await ask("POST", "faults", fault)).toEqual([200, {}]);
    expect(
      await ask("POST", "faults", {
        rule: "always",
        match: { verb: "watch" },
        fault: "watchEnds",
        with: { events: 2 },
      }),
    ).toEqual([200, {}]);
    expect(await ask("POST", "faults", { rule: "sometimes", probability: 1, fault: "conflict" })).toEqual([200, {}]);
    const create = {
      method: "POST",
      path: "/api/v1/namespaces/default/configmaps",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(MAP),
    } as const;
    expect((await transport(create)).status).toBe(429);
    expect((await transport(create)).status).toBe(409);
    expect(await ask("DELETE", "faults")).toEqual([200, {}]);
    expect((await transport(create)).status).toBe(201);
    expect(await ask("POST", "requests", { verb: "writes", kind: "ConfigMap" })).toMatchObject([
      200,
      {
        requests: [
          { code: 429, fault: "tooManyRequests" },
          { code: 409, fault: "conflict" },
          { code: 201, changed: true },
        ],
      },
    ]);
  });

  test.each([
    ["reset", { mark: "7" }, 'expected a mark that was set, got "7"'],
    ["faults", { fault: "earthquake" }, "expected fault to be one of conflict, "],
    ["faults", { fault: "slow", with: "soon" }, "expected with to be what slow takes: expected a duration"],
    ["faults", { fault: "conflict", rule: "never" }, "expected rule to be next, always or sometimes"],
    ["faults", { fault: "conflict", times: 0 }, "expected times to be 1 or more"],
    ["requests", { kind: 1 }, "expected kind and group to be texts"],
    ["mark", "[]", "expected the body to be a JSON object, got []"],
    ["mark", "{", "expected the body to be a JSON object, got {"],
  ])("%s with %j is 400 and says what was expected", async (name, body, message) => {
    expect(await ask("POST", name, body)).toMatchObject([400, { message: expect.stringContaining(message) }]);
  });

  test("another method is 405, and another user is refused", async () => {
    expect(await ask("GET", "mark")).toMatchObject([405, {}]);
    const stranger = nodeTransport({ url: endpoint.url, ca: endpoint.ca, token: "another" });
    const response = await stranger({ method: "POST", path: "/keelson/v1/testing/reset", headers: {} });
    expect(response.status).toBe(401);
    stranger.close();
  });

  test("a cluster without control has no such routes", async () => {
    await using other = await createCluster();
    await using port = await other.listen();
    const outside = nodeTransport({ url: port.url, ca: port.ca, token: port.token });
    expect((await outside({ method: "POST", path: "/keelson/v1/testing/reset", headers: {} })).status).toBe(404);
    outside.close();
  });
});
