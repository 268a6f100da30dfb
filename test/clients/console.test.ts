import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { until } from "../serve/keelson.ts";

/** What a console in a browser asks for, in its words (Headlamp): no headers on WebSockets. */
describe("a console in a browser", () => {
  let server: RunningServer;
  const sockets: WebSocket[] = [];
  const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
  const client = () => server.client("console");

  beforeAll(async () => {
    server = await startServer({ dev: true, port: 0, dialect: "kubernetes" });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.terminate();
    await server.close();
  });

  interface Event {
    readonly type: string;
    readonly object: { readonly metadata: { readonly name: string; readonly resourceVersion: string } };
  }

  function watch(path: string, token = server.pki.adminToken): { socket: WebSocket; events: Event[] } {
    const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;
    const url = `${server.url.replace("https:", "wss:")}${path}`;
    const socket = new WebSocket(url, ["base64.binary.k8s.io", bearer], {
      ca: server.pki.ca.cert,
      origin: "https://console.example.com",
    });
    sockets.push(socket);
    const events: Event[] = [];
    socket.on("error", () => {});
    socket.on("message", (data: Buffer) => events.push(JSON.parse(data.toString()) as Event));
    return { socket, events };
  }

  const create = (name: string): Promise<Event["object"]> =>
    client().json("POST", CONFIG_MAPS, { body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name } } });

  test("lists, then watches from there over WebSocket", async () => {
    await create("before");
    const list = await client().json<{ metadata: { resourceVersion: string } }>("GET", CONFIG_MAPS);
    const { events, socket } = watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${list.metadata.resourceVersion}`);
    await create("after");
    await client().json("DELETE", `${CONFIG_MAPS}/after`);
    await until(() => events.length === 2);
    expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ["ADDED", "after"],
      ["DELETED", "after"],
    ]);
    expect(socket.protocol).toBe("base64.binary.k8s.io");
    // Headlamp compares versions as numbers.
    const versions = events.map(({ object }) => Number.parseInt(object.metadata.resourceVersion, 10));
    expect(versions[1]!).toBeGreaterThan(versions[0]!);
  });

  test("a wrong token opens nothing", async () => {
    const { socket } = watch(`${CONFIG_MAPS}?watch=1`, "wrong");
    const code = await new Promise((resolve) => {
      socket.on("unexpected-response", (_request, answer) => resolve(answer.statusCode));
    });
    expect(code).toBe(401);
  });

  test("asks what it may do before it shows buttons", async () => {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    const body = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      spec: { namespace: "default" },
    };
    const { status } = await client().json<{ status: { resourceRules: { verbs: string[] }[] } }>("POST", path, {
      body,
    });
    expect(status.resourceRules[0]!.verbs).toContain("*");
  });

  test("saves with POST, and with PUT when it is there already", async () => {
    const { metadata } = await create("saved");
    await expect(create("saved")).rejects.toMatchObject({ status: { code: 409 } });
    const saved = await client().json<{ data: object }>("PUT", `${CONFIG_MAPS}/saved`, {
      body: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "saved", resourceVersion: metadata.resourceVersion },
        data: { a: "b" },
      },
    });
    expect(saved.data).toEqual({ a: "b" });
  });
});
