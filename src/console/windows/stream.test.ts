import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { Listening, until } from "../../server/testing/listening.ts";
import { ADMIN, TOKEN, configMap } from "../../server/testing/test-server.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";
import { type ManualClock, systemClock } from "../../util/clock.ts";
import { LIST_LIMITS } from "./memory.ts";
import { StreamClient } from "./testing/client.ts";
import { startWindows } from "./testing/started.ts";

const CM = { group: "", version: "v1", resource: "configmaps" };

let listening: Listening;
beforeAll(async () => {
  listening = await Listening.prepare();
});
afterEach(() => listening.clean());

describe("a window", () => {
  test("shows the rows of a list in the order of names, and what changes in them", async () => {
    const { put, connect, json } = await startWindows(listening);
    for (const name of ["b", "a", "c"]) await put(configMap(name));
    const client = await connect();
    client.open(1, CM, 0, 2);
    const first = await client.window(1);
    expect(first.rows.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(first).toMatchObject({ matching: 3, total: 3, offset: 0 });
    expect(first.columns.map(({ name }) => name)).toEqual(["Name", "Data"]);
    await put(configMap("aa"));
    const second = await client.window(1, ({ matching }) => matching === 4);
    expect(second.rows.map(({ name }) => name)).toEqual(["a", "aa"]);
    await json("DELETE", "/api/v1/namespaces/n/configmaps/a");
    const third = await client.window(1, ({ matching }) => matching === 3);
    expect(third.rows.map(({ name }) => name)).toEqual(["aa", "b"]);
    client.open(1, CM, 2, 2);
    const moved = await client.window(1, ({ offset }) => offset === 2);
    expect(moved.rows.map(({ name }) => name)).toEqual(["c"]);
  });

  test("sorts by a column, and filters by names and texts", async () => {
    const { put, connect } = await startWindows(listening);
    for (const [name, count] of [
      ["x", 1],
      ["y", 12],
      ["z", 3],
    ] as const) {
      const data = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
      await put({ ...configMap(name), data } as ReturnType<typeof configMap>);
    }
    const client = await connect();
    client.open(1, { ...CM, sort: { column: "Data", descending: true } });
    client.open(2, { ...CM, namespace: "n", name: "Y" });
    client.open(3, { ...CM, text: "3" });
    const names = async (id: number) => (await client.window(id)).rows.map(({ name }) => name);
    expect(await names(1)).toEqual(["y", "z", "x"]);
    expect(await names(2)).toEqual(["y"]);
    expect(await names(3)).toEqual(["z"]);
  });
});

describe("what a window shows of the past", () => {
  test("the state at a revision does not change, sorted and filtered too", async () => {
    const { put, connect, json } = await startWindows(listening);
    for (const name of ["b", "a", "c"]) await put(configMap(name));
    const { body } = await json("GET", "/api/v1/configmaps");
    const at = (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    await json("DELETE", "/api/v1/namespaces/n/configmaps/a");
    await put(configMap("d"));
    const client = await connect();
    client.open(1, { ...CM, at });
    client.open(2, { ...CM, at, sort: { column: "Name", descending: true }, text: "1" });
    client.open(3, { ...CM, at, namespace: "n", sort: { column: "Name", descending: true } }, 1, 1);
    const names = async (id: number) => (await client.window(id)).rows.map(({ name }) => name);
    expect(await names(1)).toEqual(["a", "b", "c"]);
    expect(await names(2)).toEqual(["c", "b", "a"]);
    expect(await names(3)).toEqual(["b"]);
    expect(client.shown.get(1)?.resourceVersion).toBe(Number(at));
  });

  test("a revision that the history has not is refused", async () => {
    const store = await openMemoryStore({ historyEvents: 2 });
    const first = await startWindows(listening, { store });
    for (const name of ["b", "a", "c"]) await first.put(configMap(name));
    // A server that begins now has no older history in memory.
    const { connect } = await startWindows(listening, { store });
    const client = await connect();
    client.open(1, { ...CM, at: "1" });
    expect((await client.error(1)).status).toMatchObject({
      code: 410,
      message: expect.stringContaining("older") as string,
    });
    client.open(2, { ...CM, at: "1000" });
    expect((await client.error(2)).status).toMatchObject({
      code: 400,
      message: expect.stringContaining("the newest is") as string,
    });
    client.open(3, { ...CM, at: String(store.revision - 1) });
    expect((await client.window(3)).rows.map(({ name }) => name)).toEqual(["a", "b"]);
  });
});

describe("the moments of the history", () => {
  test("writes are counted, and the one before a time is found", async () => {
    const { put, json } = await startWindows(listening);
    const before = new Date(Date.now() - 5000).toISOString();
    for (let i = 0; i < 10; i++) await put(configMap(`c${i}`));
    const now = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await put(configMap("later"));
    const { code, body } = await json("GET", `/console/moments?time=${encodeURIComponent(now)}`);
    expect(code).toBe(200);
    const newest = Number(body.newest.resourceVersion);
    expect(body.found.resourceVersion).toBe(String(newest - 1));
    expect(body.writes).toHaveLength(60);
    expect(body.writes.reduce((a: number, b: number) => a + b, 0)).toBe(
      newest - Number(body.oldest.resourceVersion) + 1,
    );
    expect((await json("GET", `/console/moments?time=${before}`)).body.found).toBeUndefined();
    expect(await json("GET", "/console/moments?time=yesterday")).toMatchObject({ code: 400 });
  });

  test("a store without times has revisions only", async () => {
    const { put, json } = await startWindows(listening, { store: await openMemoryStore() });
    await put(configMap("a"));
    const { body } = await json("GET", "/console/moments");
    expect(body).toMatchObject({ since: "0", writes: [], newest: { resourceVersion: expect.any(String) as string } });
    expect(body.oldest).toBeUndefined();
  });

  test("they are said to those who may read the list that is named, or get the path", async () => {
    const path = "/console/moments";
    const rules = { list: false, path: false };
    const { json } = await startWindows(listening, {
      authorizer: {
        authorize: (_, { isResource, verb, resource, namespace }) => {
          const isMine = isResource && verb === "list" && resource === "configmaps" && namespace === "n";
          return { allowed: isMine ? rules.list : !isResource && rules.path, reason: "" };
        },
        rightsOf: () => ({ resourceRules: [], pathRules: [], incomplete: true }),
      },
    });
    const mine = `${path}?version=v1&resource=configmaps&namespace=n`;
    const codes = async (...paths: string[]): Promise<number[]> =>
      (await Promise.all(paths.map((one) => json("GET", one)))).map(({ code }) => code);
    expect(await codes(path, mine)).toEqual([403, 403]);
    rules.list = true;
    expect(await codes(path, mine, `${path}?version=v1&resource=configmaps`)).toEqual([403, 200, 403]);
    expect(await codes(`${path}?version=v1&resource=nothings`, `${path}?resource=a/b&version=v1`)).toEqual([404, 400]);
    rules.path = true;
    expect(await codes(path)).toEqual([200]);
  });

  test.each(["/console/moments", "/console/stream"])("%s wants a credential", async (path) => {
    const { ask } = await startWindows(listening);
    expect((await ask("GET", path, { headers: { authorization: "" } })).code).toBe(401);
  });
});

describe("what cannot be shown", () => {
  const cases: [string, Parameters<StreamClient["open"]>[1], number, string][] = [
    ["a kind that is not served", { ...CM, resource: "nothings" }, 404, "a kind that is served"],
    ["a kind without lists", { group: "example.com", version: "v1", resource: "reviews" }, 405, "not support"],
    [
      "a namespace of objects of the cluster",
      { group: "", version: "v1", resource: "namespaces", namespace: "n" },
      400,
      "no namespace",
    ],
    ["a column that is not there", { ...CM, sort: { column: "Size" } }, 400, "Name, Data, Namespace"],
    ["a selector that cannot be read", { ...CM, labelSelector: "a in" }, 400, ""],
    ["a field that cannot be selected", { ...CM, fieldSelector: "data.a=1" }, 400, "can be selected"],
  ];
  test.each(cases)("%s", async (_, list, code, message) => {
    const { connect, put } = await startWindows(listening);
    await put(configMap("a"));
    const client = await connect();
    client.open(1, list);
    const { status } = await client.error(1);
    expect(status).toMatchObject({ code, message: expect.stringContaining(message) as string });
    // The stream goes on.
    client.open(1, CM);
    expect((await client.window(1)).rows).toHaveLength(1);
  });

  test("a list that takes more memory than a user may have", async () => {
    const { connect, put } = await startWindows(listening, { listLimits: { ...LIST_LIMITS, userBytes: 100 * 1024 } });
    for (let i = 0; i < 1500; i++) await put(configMap(`c${i}`));
    const client = await connect();
    client.open(1, { ...CM, sort: { column: "Data" } });
    const { status } = await client.error(1);
    expect(status).toMatchObject({ code: 413, message: expect.stringContaining("choose one namespace") as string });
    client.open(2, { ...CM, name: "c77" });
    client.open(3, CM, 1000, 10);
    expect((await client.window(2)).matching).toBe(11);
    expect((await client.window(3)).rows).toHaveLength(10);
  });

  test("more sorted and filtered lists than a user may have, whatever others have", async () => {
    const { connect, put } = await startWindows(listening, { listLimits: { ...LIST_LIMITS, userLists: 3 } });
    await put(configMap("a"));
    const [client, again] = [await connect(), await connect()];
    for (let id = 1; id <= 3; id++) {
      client.open(id, { ...CM, name: `n${id}` });
      await client.window(id);
    }
    again.open(1, { ...CM, name: "n4" });
    const { status } = await again.error(1);
    expect(status).toMatchObject({ code: 429, message: expect.stringContaining("at most 3 sorted") as string });
    // A list that the user shows already, and one that costs nothing.
    again.open(2, { ...CM, name: "n1" });
    again.open(3, CM);
    expect((await again.window(3)).matching).toBe(1);
    await again.window(2);
    const other = await connect({ authorization: "Bearer reader" });
    other.open(1, { ...CM, name: "n4" });
    await other.window(1);
    client.send({ type: "close", id: 3 });
    again.open(4, { ...CM, name: "n4" });
    await again.window(4);
  });

  test("more windows than a stream may have", async () => {
    const { connect } = await startWindows(listening);
    const client = await connect();
    for (let id = 1; id <= 17; id++) client.open(id, CM);
    expect((await client.error(17)).status).toMatchObject({ code: 400 });
    await client.window(16);
  });
});

describe("a list that is left", () => {
  test("is kept for a while, and few of them are", async () => {
    const { connect, put, ask } = await startWindows(listening);
    await put(configMap("a"));
    const client = await connect();
    for (let i = 0; i < 50; i++) {
      client.open(1, { ...CM, name: `n${i}` });
      await client.window(1);
      client.shown.delete(1);
    }
    const text = await (await ask("GET", "/metrics")).text();
    const figure = (name: string): number => Number(new RegExp(`^keelson_console_${name} (.*)$`, "m").exec(text)?.[1]);
    expect(figure("streams")).toBe(1);
    expect(figure("windows")).toBe(1);
    // Those that are kept, and the one that is shown.
    expect(figure("lists")).toBe(33);
    expect(figure("list_bytes")).toBeGreaterThan(33 * 4096);
    expect(figure("list_bytes")).toBeLessThan(1 << 20);
    expect(figure("untaken_bytes")).toBe(0);
  });
});

describe("rights", () => {
  test("a user who may not list gets 403, and one who loses the right loses the window", async () => {
    const allowed = new Set(["list", "watch"]);
    const clock = systemClock;
    const rights = { resourceRules: [], pathRules: [], incomplete: true };
    const { connect, put } = await startWindows(listening, {
      authorizer: {
        authorize: ({ user }, { verb }) => ({ allowed: user === TOKEN || allowed.has(verb), reason: "" }),
        rightsOf: () => rights,
      },
      clock: {
        ...clock,
        after: (ms, work, options) => clock.after(ms > 10_000 ? 50 : ms, work, options),
      } as ManualClock,
    });
    await put(configMap("a"));
    const client = await connect({ authorization: "Bearer reader" });
    client.open(1, CM);
    await client.window(1);
    allowed.delete("watch");
    expect((await client.error(1)).status).toMatchObject({ code: 403, reason: "Forbidden" });
    client.open(2, CM);
    expect((await client.error(2)).status).toMatchObject({ code: 403 });
    allowed.add("watch");
    client.open(2, CM);
    await client.window(2);
  });

  test("a credential that is taken back ends the stream", async () => {
    const revoked = { is: false };
    const { connect, server } = await startWindows(listening, {
      authenticator: {
        authenticate: () => ({ user: "kim", groups: [] }),
        isRevoked: () => revoked.is,
      },
    });
    const client = await connect();
    client.open(1, CM);
    await client.window(1);
    revoked.is = true;
    await server.endRevoked();
    expect(await client.closed).toBe(1008);
    await until(() => server.watches === 0, "no stream");
  });

  test("a stream counts as a session of its user, a window as a watch", async () => {
    const { connect, listener } = await startWindows(listening, {
      limits: { sessionsPerUser: 1, watchesPerUser: 1 },
    });
    const client = await connect();
    client.open(1, CM);
    await client.window(1);
    client.open(2, CM);
    expect((await client.error(2)).status).toMatchObject({ code: 429 });
    client.send({ type: "close", id: 1 });
    client.open(2, CM);
    await client.window(2);
    const second = new StreamClient(listener.port, ADMIN);
    await expect(second.opened()).rejects.toThrow("429");
  });
});

describe("hostile clients", () => {
  test("a page of another origin has no stream, whatever its browser knows the user by", async () => {
    const { connect, listener } = await startWindows(listening);
    for (const origin of ["http://evil.example", "http://127.0.0.1:1", "null"]) {
      await expect(connect({ ...ADMIN, origin })).rejects.toThrow("Unexpected server response: 403");
    }
    await connect({ ...ADMIN, origin: `http://127.0.0.1:${listener.port}` });
  });

  const messages: [string, string | Buffer][] = [
    ["no JSON", "{"],
    ["no object", "[1]"],
    ["null", "null"],
    ["bytes", Buffer.from([0xff, 0xfe, 0])],
    ["another type", JSON.stringify({ type: "__proto__", id: 1 })],
    ["no number", JSON.stringify({ type: "close", id: "1" })],
    ["a huge number", '{"type":"open","id":1e300,"list":{},"offset":0,"size":1}'],
    ["brackets without an end", "[".repeat(10_000)],
    ["brackets that cannot be written again", `${"[".repeat(8000)}${"]".repeat(8000)}`],
    ["an ID of brackets", `{"type":"open","id":${"[".repeat(8000)}${"]".repeat(8000)}}`],
  ];
  test.each(messages)("%s ends the stream with an error", async (_, message) => {
    const { connect, server, json } = await startWindows(listening);
    const client = await connect();
    client.socket.send(message);
    expect(await client.closed).toBe(1008);
    expect(client.errors).toMatchObject([{ id: 0, status: { code: 400 } }]);
    await until(() => server.watches === 0, "no stream");
    expect((await json("GET", "/api/v1/configmaps")).code).toBe(200);
  });

  const windows: [string, object][] = [
    ["a negative number", { list: CM, offset: -1, size: 1 }],
    ["too many rows", { list: CM, offset: 0, size: 501 }],
    ["a list of another type", { list: "configmaps", offset: 0, size: 1 }],
    ["a path in a name", { list: { ...CM, namespace: "a/b" }, offset: 0, size: 1 }],
    ["no resource", { list: { ...CM, resource: "" }, offset: 0, size: 1 }],
    ["no version", { list: { ...CM, version: "" }, offset: 0, size: 1 }],
    ["a namespace that is too long", { list: { ...CM, namespace: "n".repeat(254) }, offset: 0, size: 1 }],
    ["a time in place of a version", { list: { ...CM, at: "-1" }, offset: 0, size: 1 }],
    ["a filter of another type", { list: { ...CM, text: {} }, offset: 0, size: 1 }],
    ["a member of all objects in place of a list", { offset: 0, size: 1 }],
  ];
  test.each(windows)("%s refuses the window, and the others go on", async (_, request) => {
    const { connect, put, logged } = await startWindows(listening);
    await put(configMap("a"));
    const client = await connect();
    client.open(1, CM);
    await client.window(1);
    client.socket.send(JSON.stringify({ type: "open", id: 2, ...request }));
    expect((await client.error(2)).status).toMatchObject({ code: 400 });
    await put(configMap("b"));
    await client.window(1, ({ matching }) => matching === 2);
    client.socket.send(JSON.stringify({ type: "open", id: 1, ...request }));
    expect((await client.error(1)).status).toMatchObject({ code: 400 });
    client.open(1, CM);
    await client.window(1);
    expect(logged).toEqual([]);
  });

  test("a client that asks only for what is refused is broken off", async () => {
    const { connect, server } = await startWindows(listening);
    const client = await connect();
    for (let id = 1; id <= 200; id++)
      client.socket.send(JSON.stringify({ type: "open", id, list: 1, offset: 0, size: 1 }));
    expect(await client.closed).toBe(1008);
    await until(() => server.watches === 0, "no stream");
  });

  test("a message that is too long ends the stream", async () => {
    const { connect, server } = await startWindows(listening);
    const client = await connect();
    client.socket.send(
      JSON.stringify({ type: "open", id: 1, list: { ...CM, text: "x".repeat(20_000) }, offset: 0, size: 1 }),
    );
    expect(await client.closed).toBe(1009);
    await until(() => server.watches === 0, "no stream");
  });

  test("a hundred thousand requests are read slowly, and others get their responses", { timeout: 60_000 }, async () => {
    const { connect, put, logged } = await startWindows(listening);
    await put(configMap("a"));
    const hostile = await connect({ authorization: "Bearer reader" });
    for (let i = 0; i < 100_000; i++) hostile.open((i % 8) + 1, { ...CM, name: `n${i}` }, i, 500);
    const other = await connect();
    const begun = performance.now();
    other.open(1, CM);
    await other.window(1);
    await put(configMap("b"));
    await other.window(1, ({ matching }) => matching === 2);
    expect(performance.now() - begun).toBeLessThan(2000);
    // Most of it has not been read.
    expect(hostile.socket.bufferedAmount).toBeGreaterThan(1 << 20);
    hostile.close();
    expect(logged).toEqual([]);
  });

  test("a client that takes nothing costs one message, however much changes", { timeout: 60_000 }, async () => {
    const { connect, put, resource } = await startWindows(listening);
    const text = "x".repeat(900);
    for (let i = 0; i < 500; i++) await put({ ...configMap(`c${i}`), metadata: { name: `c${i}`, namespace: "n" } });
    const client = await connect();
    client.open(1, CM, 0, 500);
    await client.window(1);
    client.socket.pause();
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < 50; i++) {
        await put(configMap(`r${round}-${i}`, text));
      }
    }
    expect(resource("configmaps").load().objects).toBe(1500);
    const before = client.shown.get(1)!.messages;
    client.socket.resume();
    const newest = await client.window(1, ({ matching }) => matching === 1500);
    // What the sockets of both sides had room for, and the newest.
    expect(newest.messages - before).toBeLessThan(40);
  });
});
