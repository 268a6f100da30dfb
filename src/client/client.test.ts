import { describe, expect, test } from "vitest";
import { Client, type ResourceClient, StatusError, isStatus } from "./client.ts";
import { type Call, FakeServer } from "./testing/fake-transport.ts";

const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps" };
const CLASSES = { group: "storage.svc.io", version: "v1", plural: "storageclasses" };

function setUp(): { server: FakeServer; client: Client; configMaps: ResourceClient } {
  const server = new FakeServer();
  const client = new Client(server.transport, { userAgent: "test/1", token: "secret" });
  return { server, client, configMaps: client.resource(CONFIG_MAPS) };
}

/** What a call looks like on the wire. */
const wire = ({ request, body }: Call): unknown[] => [
  request.method,
  request.path,
  ...(body === undefined ? [] : [request.headers["content-type"], body]),
];

const OBJECT = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a b", namespace: "team" } };
const ITEM = "/api/v1/namespaces/team/configmaps/a%20b";
const JSON_TYPE = "application/json";
const MERGE = "application/merge-patch+json";
const APPLY = "application/apply-patch+yaml";
const OPTIONS = { apiVersion: "v1", kind: "DeleteOptions", preconditions: {} };

type Do = (configMaps: ResourceClient, client: Client) => Promise<unknown>;

describe("what each verb sends", () => {
  test.each<[string, Do, unknown[]]>([
    ["get", (c) => c.get("a b", { namespace: "team" }), ["GET", ITEM]],
    [
      "get in the cluster",
      (_, c) => c.resource(CLASSES).get("fast"),
      ["GET", "/apis/storage.svc.io/v1/storageclasses/fast"],
    ],
    ["list of all namespaces", (c) => c.list(), ["GET", "/api/v1/configmaps"]],
    [
      "list with options",
      (c) => c.list({ namespace: "team", labelSelector: "a=b,c", limit: 5, continue: "x/y+z" }),
      ["GET", "/api/v1/namespaces/team/configmaps?labelSelector=a%3Db%2Cc&limit=5&continue=x%2Fy%2Bz"],
    ],
    ["create", (c) => c.create(OBJECT), ["POST", "/api/v1/namespaces/team/configmaps", JSON_TYPE, OBJECT]],
    [
      "create elsewhere",
      (c) => c.create(OBJECT, { namespace: "x" }),
      ["POST", "/api/v1/namespaces/x/configmaps", JSON_TYPE, OBJECT],
    ],
    ["update", (c) => c.update(OBJECT), ["PUT", ITEM, JSON_TYPE, OBJECT]],
    ["update of a subresource", (c) => c.update(OBJECT, "status"), ["PUT", `${ITEM}/status`, JSON_TYPE, OBJECT]],
    ["patch", (c) => c.patch("a b", { data: null }, { namespace: "team" }), ["PATCH", ITEM, MERGE, { data: null }]],
    [
      "patch of a subresource",
      (c) => c.patch("a b", {}, { namespace: "team", subresource: "status" }),
      ["PATCH", `${ITEM}/status`, MERGE, {}],
    ],
    [
      "apply",
      (c) => c.apply(OBJECT, { fieldManager: "me & you", force: true }),
      ["PATCH", `${ITEM}?fieldManager=me%20%26%20you&force=true`, APPLY, OBJECT],
    ],
    ["delete", (c) => c.delete("a b", { namespace: "team" }), ["DELETE", ITEM, JSON_TYPE, OPTIONS]],
    [
      "delete of that very object",
      (c) => c.delete("a b", { namespace: "team", uid: "u", resourceVersion: "7", propagationPolicy: "Orphan" }),
      [
        "DELETE",
        ITEM,
        JSON_TYPE,
        { ...OPTIONS, preconditions: { uid: "u", resourceVersion: "7" }, propagationPolicy: "Orphan" },
      ],
    ],
    [
      "delete of a collection",
      (c) => c.deleteCollection({ namespace: "team", labelSelector: "a=b" }),
      ["DELETE", "/api/v1/namespaces/team/configmaps?labelSelector=a%3Db"],
    ],
  ])("%s", async (_, act, expected) => {
    const { server, client, configMaps } = setUp();
    const acting = act(configMaps, client);
    const call = await server.next();
    expect(wire(call)).toEqual(expected);
    expect(call.request.headers).toMatchObject({
      accept: JSON_TYPE,
      "user-agent": "test/1",
      authorization: "Bearer secret",
    });
    call.json({ answered: true });
    expect(await acting).toEqual({ answered: true });
  });
});

describe("failures", () => {
  test("a Status becomes a StatusError that is asked by reason", async () => {
    const { server, configMaps } = setUp();
    const getting = configMaps.get("gone").catch((error: unknown) => error);
    (await server.next()).refuse(404, "NotFound");
    const error = await getting;
    expect(error).toBeInstanceOf(StatusError);
    expect([isStatus(error, "NotFound"), isStatus(error, "Conflict", "NotFound"), isStatus(error, "Conflict")]).toEqual(
      [true, true, false],
    );
    expect(isStatus(new Error("NotFound"), "NotFound")).toBe(false);
  });

  test("an answer that is no Status is a failure with its code and its text", async () => {
    const { server, configMaps } = setUp();
    const getting = configMaps.get("x");
    (await server.next()).text("upstream is down", 502);
    await expect(getting).rejects.toMatchObject({ status: { code: 502, message: "upstream is down" } });
  });

  test("a connection that breaks rejects the call", async () => {
    const { server, configMaps } = setUp();
    const getting = configMaps.get("x");
    (await server.next()).break();
    await expect(getting).rejects.toThrow("the connection broke");
  });
});

describe("watch", () => {
  const object = (name: string): object => ({ metadata: { name, resourceVersion: "1" } });

  test("asks for bookmarks, from a version, and yields events whatever way they are cut into pieces", async () => {
    const { server, configMaps } = setUp();
    const events = configMaps.watch({ namespace: "team", resourceVersion: "5", fieldSelector: "metadata.name=a" });
    const first = events.next();
    const call = await server.next();
    expect(call.path).toBe("/api/v1/namespaces/team/configmaps");
    expect(call.query).toEqual({
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: "5",
      fieldSelector: "metadata.name=a",
    });
    const stream = call.stream();
    const bytes = Buffer.from(`${JSON.stringify({ type: "ADDED", object: object("ä€😀") })}\n`);
    for (const byte of bytes) stream.write(Uint8Array.of(byte));
    expect((await first).value).toEqual({ type: "ADDED", object: object("ä€😀") });
    stream.write(
      `${JSON.stringify({ type: "MODIFIED", object: object("b") })}\n${JSON.stringify({ type: "DELETED", object: object("b") })}\n`,
    );
    stream.end();
    const rest = [];
    for await (const { type } of events) rest.push(type);
    expect(rest).toEqual(["MODIFIED", "DELETED"]);
  });

  test("an ERROR event is thrown as its Status", async () => {
    const { server, configMaps } = setUp();
    const first = configMaps.watch().next();
    (await server.next()).stream().event("ERROR", { kind: "Status", code: 410, reason: "Expired", message: "too old" });
    await expect(first).rejects.toMatchObject({ message: "too old", status: { code: 410 } });
  });

  test("a refused watch is thrown as its Status", async () => {
    const { server, configMaps } = setUp();
    const first = configMaps.watch().next();
    (await server.next()).refuse(403, "Forbidden");
    await expect(first).rejects.toMatchObject({ status: { reason: "Forbidden" } });
  });

  test("an event that is cut off in the middle is never taken for a whole one", async () => {
    const { server, configMaps } = setUp();
    const first = configMaps.watch().next();
    const stream = (await server.next()).stream();
    stream.write('{"type":"ADDED","object":{"metadata"');
    stream.end();
    await expect(first).rejects.toThrow(SyntaxError);
  });
});
