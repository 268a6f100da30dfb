/**
 * Faults, each played to a client that does not know of them (rules 9 to 11 of the kit).
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Client, StatusError, nodeTransport } from "../client/index.ts";
import { Client as PortClient } from "../client/index.ts";
import { ConfigMap, Secret } from "../client/kinds/index.ts";
import {
  type Cluster,
  type Fault,
  alreadyExists,
  conflict,
  crash,
  createCluster,
  dropConnection,
  forbidden,
  hang,
  internalError,
  notFound,
  serviceUnavailable,
  slow,
  storeRefuses,
  tooManyRequests,
  watchEnds,
  watchExpires,
  watchLags,
  watchStalls,
} from "./index.ts";

const KEY = { namespace: "default", name: "a" } as const;
const map = (name = "a", data: Record<string, string> = {}) => ({ metadata: { ...KEY, name }, data });

let cluster: Cluster;
let subject: Client;
beforeEach(async () => {
  cluster = await createCluster();
  subject = cluster.as({ user: "alice", groups: ["system:masters"] });
});
afterEach(() => cluster.close());

const create = (name = "a"): Promise<ConfigMap> => subject.resource(ConfigMap).create(map(name));
const stored = (name = "a"): Promise<ConfigMap | undefined> =>
  cluster
    .client()
    .resource(ConfigMap)
    .find({ ...KEY, name });
const failure = async (work: Promise<unknown>): Promise<StatusError["status"]> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof StatusError) return error.status;
  throw new Error(`expected a refusal, got ${String(error)}`);
};

describe("refusals", () => {
  test.each<[() => Fault, number, string]>([
    [conflict, 409, "Conflict"],
    [alreadyExists, 409, "AlreadyExists"],
    [notFound, 404, "NotFound"],
    [forbidden, 403, "Forbidden"],
    [internalError, 500, "InternalError"],
    [serviceUnavailable, 503, "ServiceUnavailable"],
    [storeRefuses, 507, "StorageFull"],
  ])("%s gets a response in the server's own words, and nothing is stored", async (make, code, reason) => {
    using refused = cluster.faults.next({ verb: "create", kind: ConfigMap }, make());
    expect(await failure(create())).toMatchObject({ code, reason, kind: "Status", status: "Failure" });
    expect([refused.hits, await refused.met]).toEqual([
      1,
      expect.objectContaining({
        verb: "create",
        name: "a",
        user: "alice",
        code,
        reason,
        fault: refused.name,
        changed: false,
      }),
    ]);
    expect(await stored()).toBeUndefined();
    await create();
  });

  test("a conflict has the message of the server", async () => {
    const made = await create();
    cluster.faults.next({ verb: "update" }, conflict());
    const { message, details } = await failure(subject.resource(ConfigMap).update(made));
    expect(message).toBe(
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect(details).toEqual({ name: "a", kind: "configmaps" });
  });

  test("a store that refuses writes still serves reads and dry runs", async () => {
    cluster.faults.always({}, storeRefuses());
    expect((await subject.resource(ConfigMap).list()).items).not.toEqual([]);
    await subject.resource(ConfigMap).create(map(), { dryRun: true });
    expect(await failure(create())).toMatchObject({ code: 507 });
    await cluster.apply(ConfigMap, map());
  });

  test("storeRefuses applies to writes, not to reads, dry runs and writes without a change", async () => {
    const made = await create();
    const full = cluster.faults.next({ kind: ConfigMap }, storeRefuses());
    const maps = subject.resource(ConfigMap);
    await maps.get(KEY);
    await maps.create(map("b"), { dryRun: true });
    await maps.update(made);
    expect(full.hits).toBe(0);
    expect(await failure(create("b"))).toMatchObject({ code: 507 });
    expect((await full.met).verb).toBe("create");
    await create("b");
  });

  test("the error of a refused create has the name of its body", async () => {
    cluster.faults.next({ verb: "create" }, alreadyExists());
    expect(await failure(create())).toMatchObject({
      message: 'configmaps "a" already exists',
      details: { name: "a", kind: "configmaps" },
    });
  });

  test("rule 10: our client retries after Retry-After, five times, by the clock of the cluster", async () => {
    const busy = cluster.faults.next({ verb: "create" }, tooManyRequests("3s"), 2);
    const creating = create();
    await cluster.settled();
    expect(busy.hits).toBe(1);
    await cluster.clock.advance("2s");
    expect(busy.hits).toBe(1);
    await cluster.clock.advance("4s");
    expect([busy.hits, (await creating).metadata.creationTimestamp]).toEqual([2, "2026-01-01T00:00:06Z"]);
    cluster.faults.next({ verb: "create" }, tooManyRequests("1s"), 6);
    const given = failure(create("b"));
    await cluster.clock.advance("10s");
    expect(await given).toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } });
  });
});

describe("waits", () => {
  test("a slow request is handled after its delay, and does not count as running before", async () => {
    cluster.faults.next({ verb: "create" }, slow("5s"));
    const creating = create();
    await cluster.settled();
    expect(cluster.clock.timers()).toContainEqual({
      at: "2026-01-01T00:00:05.000Z",
      owner: expect.stringContaining("slow"),
    });
    await cluster.clock.advance("4s");
    expect(await stored()).toBeUndefined();
    await cluster.clock.advance("1s");
    expect((await creating).metadata.creationTimestamp).toBe("2026-01-01T00:00:05Z");
  });

  test("a request that hangs gets no response, and nothing is stored when its client times out", async () => {
    const hangs = cluster.faults.next({ verb: "list" }, hang());
    const abort = new AbortController();
    const listing = subject.resource(ConfigMap).list({ signal: abort.signal });
    const outcome = listing.then(
      () => "answered",
      () => "given up",
    );
    await cluster.clock.advance("10h");
    expect(hangs.hits).toBe(1);
    abort.abort();
    expect(await outcome).toBe("given up");
    await cluster.settled();
  });

  test("requests that hang get a response when the cluster is closed", async () => {
    cluster.faults.next({}, hang());
    const listing = failure(subject.resource(ConfigMap).list());
    await cluster.settled();
    await cluster.close();
    expect(await listing).toMatchObject({ code: 503 });
  });
});

describe("lost responses", () => {
  test.each([
    ["dropConnection", "before", dropConnection({ when: "before" })],
    ["dropConnection", "after", dropConnection({ when: "after" })],
    ["crash", "before", crash({ when: "before" })],
    ["crash", "after", crash({ when: "after" })],
  ] as const)("a %s %s the write of one who is no controller is a lost connection", async (name, when, fault) => {
    const dropped = cluster.faults.next({ verb: "create" }, fault);
    await expect(create()).rejects.not.toBeInstanceOf(StatusError);
    expect((await stored()) !== undefined).toBe(when === "after");
    const record = await dropped.met;
    expect([record.code, record.changed, record.fault]).toEqual([undefined, when === "after", name]);
    await cluster.settled();
  });

  test.each(["before", "after"] as const)("a connection that drops %s the write: over a port", async (when) => {
    await using endpoint = await cluster.listen();
    const transport = nodeTransport({ url: endpoint.url, ca: endpoint.ca, token: endpoint.token });
    const client = new PortClient(transport, { userAgent: "outside" });
    cluster.faults.next({ verb: "create" }, dropConnection({ when }));
    await expect(client.resource(ConfigMap).create(map())).rejects.toThrow(/no response from/);
    expect((await stored()) !== undefined).toBe(when === "after");
    expect(await client.resource(ConfigMap).list()).toBeDefined();
    transport.close();
  });
});

describe("watches", () => {
  /** A watch of ConfigMaps from now on, and what it has told by the time of asking. */
  async function watching() {
    const told: string[] = [];
    const { metadata } = await subject.resource(ConfigMap).list();
    const { resourceVersion } = metadata;
    const run = async (): Promise<void> => {
      for await (const { type, object } of subject.resource(ConfigMap).watch({ resourceVersion })) {
        if (type !== "BOOKMARK") told.push(`${type} ${object.metadata.name}`);
      }
      told.push("end");
    };
    const done = run().catch(
      (error: unknown) =>
        void told.push(error instanceof StatusError ? `${error.status.code} ${error.status.reason}` : String(error)),
    );
    await cluster.settled();
    return { told, done };
  }

  test("watchEnds ends a watch after some events", async () => {
    cluster.faults.next({ verb: "watch", kind: ConfigMap }, watchEnds({ events: 1 }));
    const { told, done } = await watching();
    await cluster.apply(ConfigMap, map("a"), map("b"));
    await done;
    expect(told).toEqual(["ADDED a", "end"]);
  });

  test.each([
    ["watchEnds", watchEnds(), ["end"]],
    ["watchExpires", watchExpires(), ["410 Expired"]],
    ["dropConnection", dropConnection({ when: "after" }), [expect.stringContaining("broke off")]],
    ["crash", crash({ when: "after" }), [expect.stringContaining("broke off")]],
  ])("%s without a number is played as soon as the watch is open", async (name, fault, expected) => {
    cluster.faults.next({ verb: "watch", kind: ConfigMap }, fault);
    const { told, done } = await watching();
    await done;
    expect(told).toEqual(expected);
    expect(cluster.requests({ verb: "watch" })).toMatchObject([{ code: 200, fault: name, events: 0 }]);
  });

  test("watchExpires sends 410 Expired, also on an open watch", async () => {
    const { told, done } = await watching();
    await cluster.apply(ConfigMap, map("a"));
    await cluster.settled();
    expect(cluster.faults.open({ kind: ConfigMap }, watchExpires())).toBe(1);
    await done;
    expect(told).toEqual(["ADDED a", "410 Expired"]);
    const [record] = cluster.requests({ verb: "watch" });
    expect(record).toMatchObject({ code: 200, events: 1, fault: "watchExpires" });
  });

  test("watchLags delays events by the clock of the cluster, in order", async () => {
    cluster.faults.always({ verb: "watch" }, watchLags("5s"));
    const { told } = await watching();
    await cluster.apply(ConfigMap, map("a"), map("b"));
    await cluster.settled();
    await cluster.clock.advance("4s");
    expect(told).toEqual([]);
    await cluster.clock.advance("1s");
    expect(told).toEqual(["ADDED a", "ADDED b"]);
  });

  test("watchStalls stops events and bookmarks, and the watch stays open", async () => {
    const { told } = await watching();
    cluster.faults.open({ kind: ConfigMap }, watchStalls());
    await cluster.apply(ConfigMap, map("a"));
    await cluster.clock.advance("10m");
    expect(told).toEqual([]);
  });

  test("open lists the open watches if none matches", async () => {
    await watching();
    expect(() => cluster.faults.open({ kind: Secret }, watchEnds())).toThrow(
      "expected an open watch for watchEnds, found ConfigMap of alice",
    );
  });
});

describe("rule 9: which fault applies to a request", () => {
  test("next comes first, the oldest first, then sometimes, then the newest always", async () => {
    cluster.faults.always({ kind: ConfigMap }, internalError());
    cluster.faults.always({ kind: ConfigMap }, serviceUnavailable());
    cluster.faults.sometimes({ kind: ConfigMap }, 1, forbidden());
    cluster.faults.next({ kind: ConfigMap }, conflict());
    cluster.faults.next({ kind: ConfigMap }, alreadyExists());
    const reasons = [];
    for (let i = 0; i < 3; i++) reasons.push((await failure(create())).reason);
    expect(reasons).toEqual(["Conflict", "AlreadyExists", "Forbidden"]);
    cluster.faults.clear();
    await create();
  });

  test("a disposed fault does not apply, and an older one does", async () => {
    cluster.faults.always({ kind: ConfigMap }, internalError());
    {
      using _newer = cluster.faults.always({ kind: ConfigMap }, serviceUnavailable());
      expect((await failure(create())).code).toBe(503);
    }
    expect((await failure(create())).code).toBe(500);
  });

  test("skip leaves out the first matching requests", async () => {
    const third = cluster.faults.next({ verb: "create", skip: 2 }, conflict());
    await create("a");
    await create("b");
    expect([third.hits, (await failure(create("c"))).reason]).toEqual([0, "Conflict"]);
  });

  test("requests that the server refuses are not hits: 401, 403, 404 of a kind, an invalid body", async () => {
    const handle = cluster.faults.always({ origin: "any", kind: ConfigMap }, internalError());
    const nobody = cluster.as({ user: "nobody" });
    expect((await failure(nobody.resource(ConfigMap).list())).code).toBe(403);
    const unknown = { ...ConfigMap, plural: "nothings" };
    expect((await failure(subject.resource(unknown).list())).code).toBe(404);
    expect(handle.hits).toBe(0);
    expect(cluster.requests({ user: "nobody" })).toMatchObject([
      { verb: "list", kind: "ConfigMap", code: 403, reason: "Forbidden" },
    ]);
  });

  test("faults apply to the test and to built-in controllers only with origin", async () => {
    const handle = cluster.faults.always({}, internalError());
    await cluster.apply(ConfigMap, map());
    await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
    await cluster.settled();
    expect(handle.hits).toBe(0);
    expect(cluster.requests({ origin: "builtin", namespace: "team", verb: "create" })).toHaveLength(2);
    const own = cluster.faults.next({ origin: "test" }, conflict());
    expect((await failure(cluster.client().resource(ConfigMap).get(KEY))).code).toBe(409);
    expect(own.hits).toBe(1);
  });

  test("sometimes is repeatable by the seed; each fault has its own random numbers", async () => {
    const pattern = async (other: boolean): Promise<string> => {
      await using fresh = await createCluster({ seed: 7 });
      const bob = fresh.as({ user: "bob", groups: ["system:masters"] });
      const handle = fresh.faults.sometimes({ verb: "get" }, 0.5, notFound());
      if (other) fresh.faults.sometimes({ verb: "create" }, 0.5, notFound());
      let hits = "";
      for (let i = 0; i < 20; i++) {
        await bob.resource(Secret).find({ namespace: "default", name: "x" });
        if (other && i === 5) await failure(bob.resource(Secret).list({ namespace: "x".repeat(300) })).catch(() => {});
        hits = `${hits}${handle.hits},`;
      }
      return hits;
    };
    const first = await pattern(false);
    expect(await pattern(false)).toBe(first);
    expect(await pattern(true)).toBe(first);
    expect(new Set(first.split(",")).size).toBeGreaterThan(4);
  });

  test("the random numbers of several faults are independent", async () => {
    const read = cluster.faults.sometimes({ verb: "get" }, 0.5, notFound());
    const listed = cluster.faults.sometimes({ verb: "list" }, 0.5, notFound());
    const drawn = async (handle: typeof read, work: () => Promise<unknown>): Promise<string> => {
      let hits = "";
      for (let i = 0; i < 30; i++) {
        const before = handle.hits;
        await work().catch(() => {});
        hits = `${hits}${handle.hits - before}`;
      }
      return hits;
    };
    const first = await drawn(read, () => subject.resource(ConfigMap).get(KEY));
    const second = await drawn(listed, () => subject.resource(ConfigMap).list());
    for (let shift = -3; shift <= 3; shift++) {
      expect(second.slice(10, 20)).not.toBe(first.slice(10 + shift, 20 + shift));
    }
  });

  test("unused faults are pending, and reported when the cluster is closed", async () => {
    const warnings: string[] = [];
    const quiet = { error() {}, info() {}, debug() {}, warn: (message: string) => void warnings.push(message) };
    const fresh = await createCluster({ log: quiet });
    fresh.faults.next({}, conflict());
    fresh.faults.next({}, hang())[Symbol.dispose]();
    fresh.faults.next({ verb: ["get", "list"], kind: Secret, name: /x/ }, notFound());
    expect(fresh.faults.pending().map(({ name }) => name)).toEqual(["conflict", "notFound"]);
    await fresh.close();
    expect(warnings).toEqual([
      "a cluster was closed with faults that no request met: conflict; notFound for verb get,list, kind Secret, name /x/",
    ]);
  });

  test.each([
    [() => cluster.faults.next({}, conflict(), 0), "expected times to be 1 or more, got 0"],
    [() => cluster.faults.sometimes({}, 2, conflict()), "expected a probability from 0 to 1, got 2"],
    [() => cluster.faults.next({ verb: "gett" } as never, conflict()), "expected verb to be one of get, list, watch, "],
    [() => cluster.faults.always({ nmae: "web" } as never, conflict()), "expected a match to have verb, kind, "],
    [() => cluster.faults.open({ kind: "Pod" } as never, watchEnds()), "expected kind to have a kind and a group"],
    [() => cluster.requests({ origin: "other" } as never), "expected origin to be one of subject, test, builtin, any"],
    [() => crash({ when: "later" } as never), 'expected when to be before or after, got "later"'],
    [() => watchEnds({ events: -1 }), "expected events to be 0 or more, got -1"],
    [() => cluster.faults.next({ verb: "list" }, watchExpires()), "expected watchExpires for watch, got list"],
    [
      () => cluster.faults.always({ verb: ["get", "watch"] }, storeRefuses()),
      "expected storeRefuses for create, update, patch, apply, delete, deletecollection, got get,watch",
    ],
  ])("%s is refused", (ask, message) => {
    expect(ask).toThrow(message);
  });
});
