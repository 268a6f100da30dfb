import { afterEach, describe, expect, test } from "vitest";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { type ApiObject, Client } from "../client/index.ts";
import { ConfigMap } from "../client/kinds/index.ts";
import { type Call, FakeServer, settle } from "../client/testing/fake-transport.ts";
import { Reflector, type ReflectorOptions } from "./reflector.ts";

const object = (name: string, resourceVersion: number): ApiObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name,
    namespace: "team",
    uid: name,
    resourceVersion: String(resourceVersion),
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
});

const page = (resourceVersion: number, items: readonly ApiObject[], token?: string): unknown => ({
  metadata: { resourceVersion: String(resourceVersion), ...(token === undefined ? {} : { continue: token }) },
  items,
});

const describeObject = ({ metadata }: ApiObject): string => `${metadata.name}@${metadata.resourceVersion}`;

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

function setUp(options: Partial<ReflectorOptions> = {}) {
  const server = new FakeServer();
  const clock = new ManualClock();
  const told: string[] = [];
  const failures: string[] = [];
  const client = new Client(server.transport, { userAgent: "test", clock });
  const reflector = new Reflector(client.resource<ApiObject, "Namespaced">(ConfigMap), {
    selection: {},
    clock,
    random: seededRandom(1),
    freeze: true,
    detectsSilence: true,
    kinds: { serves: () => Promise.resolve(false), comes: () => Promise.resolve() },
    failed: (error) => failures.push(String(error)),
    ...options,
  });
  reflector.listen((event) => {
    const now = describeObject(event.object);
    if (event.type === "changed") told.push(`~${describeObject(event.old)} to ${now}`);
    else told.push(`${event.type === "added" ? "+" : "-"}${now}`);
  });
  stop = () => reflector.stop();
  /** Starts; resolves after the first list. */
  const start = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    reflector.onProgress(() => void (reflector.hasSynced && resolve()));
    reflector.start();
    return promise;
  };
  /** The next request after the waits before it. */
  const next = async (): Promise<Call> => {
    for (let i = 0; server.waiting === 0; i++) {
      await settle();
      if (server.waiting === 0) clock.advance(10);
      if (i > 10_000) throw new Error("expected another request");
    }
    return server.next();
  };
  return { server, clock, told, failures, reflector, start, next };
}

/** A reflector with the list a@1 and b@2 at version 5 and a watch from there. */
async function watching() {
  const all = setUp();
  const started = all.start();
  (await all.next()).json(page(5, [object("a", 1), object("b", 2)]));
  await started;
  const call = await all.next();
  return { ...all, call, stream: call.stream() };
}

describe("the first list", () => {
  test("is read page by page, told as added, and followed from its version", async () => {
    const { start, reflector, next, told } = setUp({ selection: { namespace: "team", labelSelector: "x=y" } });
    let ready = false;
    const started = start().then(() => (ready = true));
    const first = await next();
    expect(first.path).toBe("/api/v1/namespaces/team/configmaps");
    expect(first.query).toEqual({ labelSelector: "x=y", limit: "500" });
    first.json(page(5, [object("a", 1)], "more"));
    const second = await next();
    expect(second.query["continue"]).toBe("more");
    expect([ready, told]).toEqual([false, []]);
    second.json(page(5, [object("b", 2)]));
    await started;
    expect(told).toEqual(["+a@1", "+b@2"]);
    expect(reflector.memory.list().map(describeObject)).toEqual(["a@1", "b@2"]);
    const watch = await next();
    expect(watch.query).toMatchObject({ watch: "true", resourceVersion: "5", labelSelector: "x=y" });
  });

  test("is started again when a later page fails: a partial list is never followed", async () => {
    const { start, next, told, failures } = setUp();
    const started = start();
    (await next()).json(page(5, [object("a", 1)], "more"));
    (await next()).refuse(500, "InternalError");
    const again = await next();
    expect(again.query).toEqual({ limit: "500" });
    again.json(page(6, [object("b", 2)]));
    await started;
    expect(told).toEqual(["+b@2"]);
    expect(failures).toHaveLength(1);
  });

  test("is tried again until it succeeds, with growing waits", async () => {
    const { start, next, clock, failures } = setUp();
    const started = start();
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      (await next()).break();
      times.push(clock.steady());
    }
    (await next()).json(page(1, []));
    await started;
    expect(failures).toHaveLength(5);
    const waits = times.slice(1).map((t, i) => t - times[i]!);
    // The first retry is immediate.
    expect(waits[0]).toBe(0);
    expect(waits.slice(1).every((wait, i) => wait >= 50 * 2 ** i)).toBe(true);
  });
});

describe("a server that is ill", () => {
  test("and takes its time to refuse a list is asked later and later, too", async () => {
    const { start, next, clock, server } = setUp();
    void start();
    const waits: number[] = [];
    for (let n = 0; n < 6; n++) {
      const before = clock.steady();
      const call = await next();
      waits.push(clock.steady() - before);
      clock.advance(2000);
      call.refuse(500, "InternalError");
      await settle();
    }
    expect(server.waiting).toBe(0);
    expect(waits.at(-1)).toBeGreaterThanOrEqual(400);
  });

  test("and never responds with a list times out, and that is reported", async () => {
    const { start, next, clock, failures } = setUp();
    void start();
    const call = await next();
    clock.advance(131_000);
    await settle();
    expect(call.request.signal?.aborted).toBe(true);
    expect(failures.join()).toContain("nothing came");
    (await next()).json(page(5, []));
  });

  test("and was restored to an older state is listed again", async () => {
    const { stream, next, told, reflector } = await watching();
    stream.end();
    const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version: 5, current: 3" }];
    const details = { causes, retryAfterSeconds: 1 };
    (await next()).json({ kind: "Status", status: "Failure", code: 504, reason: "Timeout", details }, 504);
    const again = await next();
    expect(again.query).toEqual({ limit: "500" });
    told.length = 0;
    again.json(page(3, [object("a", 1)]));
    await settle();
    expect([told, reflector.state]).toEqual([["-b@2"], "synced"]);
  });
});

test("an index that throws loses no change, and the error is reported; its object is not found in it", async () => {
  const { stream, told, reflector, failures } = await watching();
  const nameUnlessB = ({ metadata: { name } }: ApiObject): string => {
    if (name === "b") throw new Error("not b");
    return name;
  };
  expect(reflector.memory.by(nameUnlessB, "a")).toHaveLength(1);
  told.length = 0;
  stream.event("MODIFIED", object("b", 6));
  stream.event("MODIFIED", object("a", 7));
  stream.event("DELETED", object("b", 8));
  await settle();
  expect(told).toEqual(["~b@2 to b@6", "~a@1 to a@7", "-b@8"]);
  expect(reflector.memory.by(nameUnlessB, "a").map(describeObject)).toEqual(["a@7"]);
  expect(new Set(failures)).toEqual(new Set(["Error: not b"]));
});

test("who begins to listen within a change hears it once, who ends within one not at all", async () => {
  const { stream, reflector } = await watching();
  const late: string[] = [];
  const ended: string[] = [];
  let begun = false;
  reflector.listen(({ object: { metadata } }, isInitial) => {
    if (isInitial || begun) return;
    begun = true;
    ending[Symbol.dispose]();
    reflector.listen((event) => void late.push(`${event.type} ${metadata.name} ${describeObject(event.object)}`));
  });
  const ending = reflector.listen(({ type }, isInitial) => void (isInitial || ended.push(type)));
  stream.event("ADDED", object("c", 6));
  await settle();
  expect(late.filter((line) => line.endsWith("c@6"))).toEqual(["added c c@6"]);
  expect(ended).toEqual([]);
});

describe("following", () => {
  test("tells what is added, changed and deleted, and keeps the copy", async () => {
    const { stream, told, reflector } = await watching();
    told.length = 0;
    stream.event("ADDED", object("c", 6));
    stream.event("MODIFIED", object("a", 7));
    stream.event("DELETED", object("b", 8));
    await settle();
    expect(told).toEqual(["+c@6", "~a@1 to a@7", "-b@8"]);
    expect(
      ["a", "b"].map((name) => reflector.memory.get({ namespace: "team", name })).map((o) => o && describeObject(o)),
    ).toEqual(["a@7", undefined]);
  });

  test("tells nothing twice, and nothing of bookmarks", async () => {
    const { stream, told } = await watching();
    told.length = 0;
    stream.event("ADDED", object("a", 1));
    stream.event("BOOKMARK", { metadata: { resourceVersion: "9" } });
    stream.event("DELETED", object("never seen", 10));
    await settle();
    expect(told).toEqual([]);
  });

  test("goes on where it was when a watch ends, bookmarks included", async () => {
    const { stream, next, server, clock } = await watching();
    stream.event("MODIFIED", object("a", 7));
    stream.event("BOOKMARK", { metadata: { resourceVersion: "20" } });
    await settle();
    clock.advance(60_000);
    stream.end();
    await settle();
    // The watch after a healthy one is immediate.
    expect(server.waiting).toBe(1);
    expect((await next()).query["resourceVersion"]).toBe("20");
  });

  test("comes back once at once, then later and later, to a server that ends watches as soon as they begin", async () => {
    const { stream, next, server, clock } = await watching();
    stream.end();
    await settle();
    expect(server.waiting).toBe(1);
    const before = clock.steady();
    for (let i = 0; i < 4; i++) {
      const again = (await next()).stream();
      // As a server that stops.
      again.event("BOOKMARK", { metadata: { resourceVersion: "5" } });
      await settle();
      again.end();
    }
    expect(clock.steady() - before).toBeGreaterThanOrEqual(50 + 100 + 200);
  });

  test("gives up a watch on which nothing came for two periods of bookmarks, and says so", async () => {
    const { call, stream, next, clock, reflector, failures } = await watching();
    expect(reflector.state).toBe("synced");
    clock.advance(129_000);
    stream.event("BOOKMARK", { metadata: { resourceVersion: "20" } });
    await settle();
    clock.advance(129_000);
    await settle();
    expect(call.request.signal?.aborted).toBe(false);
    clock.advance(2000);
    await settle();
    expect([call.request.signal?.aborted, reflector.state]).toEqual([true, "behind"]);
    expect((await next()).query["resourceVersion"]).toBe("20");
    expect(failures.join()).toContain("nothing came on a watch");
  });

  test("a kind that goes takes its objects with it, and is awaited", async () => {
    const { stream, next, told, reflector } = await watching();
    told.length = 0;
    stream.end();
    (await next()).refuse(404, "NotFound");
    await settle();
    expect([reflector.state, told]).toEqual(["absent", ["-a@1", "-b@2"]]);
    (await next()).json(page(40, [object("a", 39)]));
    await settle();
    expect([reflector.state, told.at(-1)]).toEqual(["synced", "+a@39"]);
  });

  test("an object that was created again between two lists is reported as deleted and added", async () => {
    const { stream, next, told } = await watching();
    told.length = 0;
    stream.event("ERROR", { kind: "Status", code: 410, reason: "Expired" });
    const reborn = { ...object("a", 20), metadata: { ...object("a", 20).metadata, uid: "another" } };
    (await next()).json(page(30, [reborn, object("b", 2)]));
    await settle();
    expect(told).toEqual(["-a@1", "+a@20"]);
  });

  test("goes on where it was when the connection breaks, and says why", async () => {
    const { stream, next, failures } = await watching();
    stream.event("MODIFIED", object("a", 7));
    stream.break();
    expect((await next()).query["resourceVersion"]).toBe("7");
    expect(failures).toEqual(["Error: the connection broke"]);
  });

  test.each([
    [
      "an ERROR event",
      async () => {
        const { stream, ...all } = await watching();
        stream.event("ERROR", { kind: "Status", code: 410, reason: "Expired" });
        return all;
      },
    ],
    [
      "the answer",
      async () => {
        const { stream, ...all } = await watching();
        stream.end();
        (await all.next()).refuse(410, "Gone");
        return all;
      },
    ],
  ])("lists anew when its version is gone, told by %s, and tells only what differs", async (_, begin) => {
    const { next, told, failures } = await begin();
    told.length = 0;
    const list = await next();
    expect(list.query).toEqual({ limit: "500" });
    list.json(page(30, [object("a", 1), object("c", 25)]));
    expect((await next()).query["resourceVersion"]).toBe("30");
    expect(told).toEqual(["-b@2", "+c@25"]);
    expect(failures).toEqual([]);
  });
});

describe("stopping", () => {
  test("ends the watch, and no observer is called afterwards", async () => {
    const { stream, told, reflector, server } = await watching();
    told.length = 0;
    const stopped = reflector.stop();
    stream.event("ADDED", object("late", 9));
    await stopped;
    expect([stream.aborted, told, server.waiting]).toEqual([true, [], 0]);
  });

  test("does not wait for the next try", async () => {
    const { start, reflector, next } = setUp();
    void start();
    (await next()).break();
    await settle();
    await expect(reflector.stop()).resolves.toBeUndefined();
  });

  test("gives up the first list", async () => {
    const { start, reflector, next, told } = setUp();
    void start();
    const call = await next();
    await reflector.stop();
    call.json(page(1, [object("a", 1)]));
    await settle();
    expect([told, call.request.signal?.aborted]).toEqual([[], true]);
  });
});
