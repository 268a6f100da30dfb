import { describe, expect, test } from "vitest";
import { ManualClock } from "../util/clock.ts";
import { Client } from "./client.ts";
import { StatusError, attempt, isStatus, retryOnConflict } from "./errors.ts";
import { type Kind, type UntypedObject, metadataOf } from "./kind.ts";
import type { Write } from "./queries.ts";
import type { ResourceClient } from "./resource-client.ts";
import { type Call, FakeServer, settle } from "./testing/fake-transport.ts";

type Untyped<S extends "Namespaced" | "Cluster"> = Kind<UntypedObject, S>;
type ConfigMaps = ResourceClient<UntypedObject, "Namespaced">;

const CONFIG_MAPS: Untyped<"Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
};
const CLASSES: Untyped<"Cluster"> = {
  group: "storage.svc.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  scope: "Cluster",
};

function setUp(): { server: FakeServer; client: Client; configMaps: ConfigMaps; clock: ManualClock; writes: Write[] } {
  const server = new FakeServer();
  const clock = new ManualClock();
  const writes: Write[] = [];
  const listener = { before() {}, after: (write: Write) => void writes.push(write) };
  const client = new Client(server.transport, { userAgent: "test/1", token: "secret", clock, writes: listener });
  return { server, client, configMaps: client.resource(CONFIG_MAPS), clock, writes };
}

/** A call on the wire. */
const wire = ({ request, body }: Call): unknown[] => [
  request.method,
  request.path,
  ...(body === undefined ? [] : [request.headers["content-type"], body]),
];

const KEY = { name: "a b", namespace: "team" };
const BODY = { apiVersion: "v1", kind: "ConfigMap", metadata: KEY };
const STORED = { uid: "u", resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" };
const OBJECT: UntypedObject = { ...BODY, metadata: { ...KEY, ...STORED } };
const ITEM = "/api/v1/namespaces/team/configmaps/a%20b";
const JSON_TYPE = "application/json";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const APPLY = "application/apply-patch+yaml";
const OPTIONS = { apiVersion: "v1", kind: "DeleteOptions", preconditions: {} };

type Do = (configMaps: ConfigMaps, client: Client) => Promise<unknown>;

describe("what each verb sends", () => {
  test.each<[string, Do, unknown[]]>([
    ["get", (c) => c.get(KEY), ["GET", ITEM]],
    [
      "get in the cluster",
      (_, c) => c.resource(CLASSES).get({ name: "fast" }),
      ["GET", "/apis/storage.svc.io/v1/storageclasses/fast"],
    ],
    ["list of all namespaces", (c) => c.list(), ["GET", "/api/v1/configmaps"]],
    [
      "list with options",
      (c) => c.list({ namespace: "team", labelSelector: "a=b,c", limit: 5, continue: "x/y+z" }),
      ["GET", "/api/v1/namespaces/team/configmaps?labelSelector=a%3Db%2Cc&limit=5&continue=x%2Fy%2Bz"],
    ],
    ["create", (c) => c.create({ metadata: KEY }), ["POST", "/api/v1/namespaces/team/configmaps", JSON_TYPE, BODY]],
    [
      "create by a user",
      (c) => c.create({ metadata: KEY }, { fieldManager: "me", dryRun: true }),
      ["POST", "/api/v1/namespaces/team/configmaps?fieldManager=me&dryRun=All", JSON_TYPE, BODY],
    ],
    ["update", (c) => c.update(OBJECT), ["PUT", ITEM, JSON_TYPE, OBJECT]],
    ["update of a subresource", (c) => c.status.update(OBJECT), ["PUT", `${ITEM}/status`, JSON_TYPE, OBJECT]],
    ["patch", (c) => c.patch(KEY, { data: null }), ["PATCH", ITEM, MERGE, { data: null }]],
    ["strategic patch", (c) => c.patch(KEY, { a: 1 }, { strategic: true }), ["PATCH", ITEM, STRATEGIC, { a: 1 }]],
    ["patch of a subresource", (c) => c.status.patch(KEY, {}), ["PATCH", `${ITEM}/status`, MERGE, {}]],
    [
      "apply",
      (c) => c.apply({ metadata: KEY }, { fieldManager: "me & you", force: true }),
      ["PATCH", `${ITEM}?fieldManager=me%20%26%20you&force=true`, APPLY, BODY],
    ],
    ["delete", (c) => c.delete(KEY), ["DELETE", ITEM, JSON_TYPE, OPTIONS]],
    [
      "delete of that very object",
      (c) => c.delete(OBJECT),
      ["DELETE", ITEM, JSON_TYPE, { ...OPTIONS, preconditions: { uid: "u" } }],
    ],
    [
      "delete of one version",
      (c) => c.delete(KEY, { uid: "u", resourceVersion: "7", propagationPolicy: "Orphan", gracePeriodSeconds: 0 }),
      [
        "DELETE",
        ITEM,
        JSON_TYPE,
        {
          ...OPTIONS,
          preconditions: { uid: "u", resourceVersion: "7" },
          propagationPolicy: "Orphan",
          gracePeriodSeconds: 0,
        },
      ],
    ],
    [
      "delete of a collection",
      (c) => c.deleteCollection({ namespace: "team", labelSelector: "a=b" }),
      ["DELETE", "/api/v1/namespaces/team/configmaps?labelSelector=a%3Db", JSON_TYPE, OPTIONS],
    ],
    [
      "delete of a collection as it is to be done",
      (c) =>
        c.deleteCollection(
          { namespace: "team", limit: 5 },
          { propagationPolicy: "Foreground", gracePeriodSeconds: 1, resourceVersion: "7", dryRun: true },
        ),
      [
        "DELETE",
        "/api/v1/namespaces/team/configmaps?limit=5",
        JSON_TYPE,
        {
          ...OPTIONS,
          preconditions: { resourceVersion: "7" },
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 1,
          dryRun: ["All"],
        },
      ],
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
    call.json(call.request.method === "GET" ? { ...OBJECT, items: [], metadata: { resourceVersion: "9" } } : OBJECT);
    await acting;
  });

  test("an object or a key without a namespace is refused before anything is sent", async () => {
    const { server, configMaps } = setUp();
    const key = { name: "x" } as { name: string; namespace: string };
    await expect(configMaps.get(key)).rejects.toThrow('expected a namespace for "x" of configmaps');
    expect(() => configMaps.create({ metadata: { name: "x" } })).toThrow("expected a namespace");
    expect(server.calls).toEqual([]);
  });

  test("items of a list have the names of their kind, which the server need not repeat", async () => {
    const { server, configMaps } = setUp();
    const listing = configMaps.list();
    (await server.next()).json({ metadata: { resourceVersion: "9" }, items: [{ metadata: KEY }] });
    expect((await listing).items).toEqual([BODY]);
    const empty = configMaps.list();
    (await server.next()).json({ metadata: { resourceVersion: "9" }, items: null });
    expect((await empty).items).toEqual([]);
  });

  test("metadata alone is asked for as PartialObjectMetadata, and such an object is never sent as a whole", async () => {
    const { server, client } = setUp();
    const metadata = client.resource(metadataOf(CONFIG_MAPS));
    const getting = metadata.get(KEY);
    const call = await server.next();
    expect(call.request.headers["accept"]).toBe("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    call.json({ ...OBJECT, apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" });
    expect(await getting).toEqual(OBJECT);
    expect(() => metadata.update(OBJECT)).toThrow("expected a patch or an apply");
  });
});

describe("failures", () => {
  test("a Status becomes a StatusError that is asked by reason", async () => {
    const { server, configMaps } = setUp();
    const updating = configMaps.update(OBJECT).catch((error: unknown) => error);
    (await server.next()).refuse(409, "Conflict");
    const error = await updating;
    expect(error).toBeInstanceOf(StatusError);
    expect([isStatus(error, "Conflict"), isStatus(error, "Conflict", "NotFound"), isStatus(error, "NotFound")]).toEqual(
      [true, true, false],
    );
    expect(isStatus(new Error("Conflict"), "Conflict")).toBe(false);
  });

  test("the message and the error name what was asked for, without the query", async () => {
    const { server, configMaps } = setUp();
    const updating = configMaps.update(OBJECT, { fieldManager: "me" });
    (await server.next()).refuse(409, "Conflict");
    await expect(updating).rejects.toMatchObject({ request: { method: "PUT", path: ITEM } });
    await expect(updating).rejects.toThrow(`(PUT ${ITEM})`);
  });

  test("a response that is no Status is a failure with its code and its text", async () => {
    const { server, configMaps } = setUp();
    const getting = configMaps.get(KEY);
    (await server.next()).text("upstream is down", 502);
    await expect(getting).rejects.toMatchObject({ status: { code: 502, message: "upstream is down" } });
  });

  test("a connection that breaks rejects the call", async () => {
    const { server, configMaps } = setUp();
    const getting = configMaps.get(KEY);
    (await server.next()).break();
    await expect(getting).rejects.toThrow("the connection broke");
  });
});

describe("failures that are looked for", () => {
  const details = { name: "a b" };
  const notFound = { kind: "Status", code: 404, reason: "NotFound", message: "gone", details };

  test("find returns undefined for an object that is not there, and throws for a kind that is not served", async () => {
    const { server, configMaps } = setUp();
    const finding = configMaps.find(KEY);
    (await server.next()).json(notFound, 404);
    expect(await finding).toBeUndefined();
    const strange = configMaps.find(KEY);
    (await server.next()).json({ ...notFound, details: {}, message: "no such resource" }, 404);
    (await server.next()).json({ resources: [{ name: "configmap" }, { name: "configmaps/status" }] });
    const message = `no such resource (GET ${ITEM}): v1 has no configmaps; did you mean "configmap"?`;
    await expect(strange).rejects.toThrow(message);
  });

  test.each<[string, object, number, string]>([
    [
      "the version is not served either",
      { kind: "Status", code: 404, reason: "NotFound" },
      404,
      ": the server has no v1",
    ],
    ["the kind is served, and something else is not there", { resources: [{ name: "configmaps" }] }, 200, ""],
    ["the server does not say", { kind: "Status", code: 403, reason: "Forbidden" }, 403, ""],
  ])("a kind that is not served, where %s", async (_, response, code, hint) => {
    const { server, configMaps } = setUp();
    const creating = configMaps.create({ metadata: KEY });
    (await server.next()).json({ ...notFound, details: {} }, 404);
    const second = await server.next();
    expect(wire(second)).toEqual(["GET", "/api/v1"]);
    second.json(response, code);
    await expect(creating).rejects.toMatchObject({ message: `gone (POST /api/v1/namespaces/team/configmaps)${hint}` });
  });

  test("attempt gives back the reasons that were named and throws all others", async () => {
    const { server, configMaps } = setUp();
    const attempting = attempt(configMaps.get(KEY), "NotFound", "Conflict");
    (await server.next()).json(notFound, 404);
    expect(await attempting).toMatchObject({ ok: false, reason: "NotFound" });
    const forbidden = attempt(configMaps.get(KEY), "NotFound");
    (await server.next()).refuse(403, "Forbidden");
    await expect(forbidden).rejects.toMatchObject({ status: { code: 403 } });
    const fine = attempt(configMaps.get(KEY), "NotFound");
    (await server.next()).json(OBJECT);
    expect(await fine).toEqual({ ok: true, value: OBJECT });
  });

  test("modify reads afresh after a conflict; a change to undefined writes nothing", async () => {
    const { server, configMaps } = setUp();
    const modifying = configMaps.modify(KEY, (object) => ({ ...object, data: { a: "b" } }));
    (await server.next()).json(OBJECT);
    (await server.next()).refuse(409, "Conflict");
    (await server.next()).json({ ...OBJECT, data: { c: "d" } });
    const put = await server.next();
    expect(wire(put)).toEqual(["PUT", ITEM, JSON_TYPE, { ...OBJECT, data: { a: "b" } }]);
    put.json({ ...OBJECT, data: { a: "b" } });
    expect(await modifying).toMatchObject({ data: { a: "b" } });
    const idle = configMaps.modify(KEY, () => undefined);
    (await server.next()).json(OBJECT);
    expect(await idle).toEqual(OBJECT);
    expect(server.waiting).toBe(0);
  });

  test("conflicts are met five times, then they are thrown", async () => {
    let tries = 0;
    const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 409 } as const;
    const work = async (): Promise<never> => {
      tries++;
      throw new StatusError({ ...status, reason: "Conflict", message: "changed" });
    };
    await expect(retryOnConflict(work)).rejects.toThrow("changed");
    expect(tries).toBe(5);
  });

  test("a server that is too busy is asked again after the time that it names, five times", async () => {
    const { server, configMaps, clock } = setUp();
    const getting = configMaps.get(KEY).catch((error: unknown) => error);
    for (let tries = 0; tries < 6; tries++) {
      (await server.next()).refuse(429, "TooManyRequests", { "retry-after": "2" });
      await settle();
      clock.advance(1999);
      await settle();
      expect(server.waiting).toBe(0);
      clock.advance(1);
    }
    expect(await getting).toMatchObject({ status: { code: 429 } });
  });

  test("a server that is too busy and does not say how long is not asked again", async () => {
    const { server, configMaps } = setUp();
    const getting = configMaps.get(KEY);
    (await server.next()).refuse(429, "TooManyRequests");
    await expect(getting).rejects.toMatchObject({ status: { code: 429 } });
  });
});

describe("an observer of writes", () => {
  test("hears of each that succeeded, dry runs aside, and may refuse them", async () => {
    const { server, client, configMaps, writes } = setUp();
    const acting = [
      configMaps.create({ metadata: KEY }),
      configMaps.delete(KEY),
      configMaps.update(OBJECT, { dryRun: true }),
    ];
    for (const _ of acting) (await server.next()).json(OBJECT);
    await Promise.all(acting);
    expect(writes.map(({ verb, key }) => [verb, key])).toEqual([
      ["create", { namespace: "team", name: "a b" }],
      ["delete", KEY],
    ]);
    const before = (): never => {
      throw new Error("no more");
    };
    const stopped = client.with({ writes: { before, after() {} } }).resource(CONFIG_MAPS);
    await expect(stopped.patch(KEY, {})).rejects.toThrow("no more");
    expect(server.waiting).toBe(0);
  });

  test("a derived client sends through what was put before its transport", async () => {
    const { server, client } = setUp();
    const paths: string[] = [];
    const derived = client.with({
      userAgent: "other",
      through: (transport) => (request) => {
        paths.push(request.path);
        return transport(request);
      },
    });
    const getting = derived.resource(CONFIG_MAPS).get(KEY);
    const call = await server.next();
    expect(call.request.headers).toMatchObject({ "user-agent": "other", authorization: "Bearer secret" });
    call.json(OBJECT);
    await getting;
    expect(paths).toEqual([ITEM]);
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
    await expect(first).rejects.toMatchObject({ message: "too old (GET /api/v1/configmaps)", status: { code: 410 } });
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
