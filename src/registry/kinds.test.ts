import { describe, expect, test, vi } from "vitest";
import type { WatchSink } from "../cache/index.ts";
import { kubernetes } from "../meta/dialect.ts";
import { badRequest } from "../meta/status.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock } from "../util/clock.ts";
import { leastCpu } from "../util/testing/cpu-time.ts";
import type { Resource } from "./contract.ts";
import type { Kinds } from "./kinds.ts";
import { failureOf } from "./kind/errors.ts";
import { CALLER, LIST, WATCH, WRITE, bodyOf, named, read, registryOf, widget } from "./testing/registry.ts";

const KEY = "widgets.example.com";

const body = (name: string, more: object = {}) =>
  bodyOf({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, ...more });

/** Takes down how a watch ends. */
function sinkOf() {
  const seen: string[] = [];
  const sink: WatchSink = {
    deliver: ({ events }) => seen.push(...events.map(({ type, entry }) => `${type} ${entry.key}`)),
    ended: ({ code }) => seen.push(`ended: ${code}`),
  };
  return { seen, sink };
}

describe("a live set of kinds", () => {
  test("a kind comes while the registry runs, with what is stored of it", async () => {
    const store = await openMemoryStore();
    const before = await registryOf([widget("v1")], { store });
    await before.kinds.find("example.com", "v1", "widgets")!.create(named(""), body("old"), WRITE, CALLER);
    before.cacher.close();
    const { kinds } = await registryOf([], { store });
    expect([kinds.find("example.com", "v1", "widgets"), kinds.hasGroup("example.com"), kinds.resources]).toEqual([
      undefined,
      false,
      [],
    ]);
    await kinds.set({ versions: [widget("v1")] });
    expect(await read(kinds.find("example.com", "v1", "widgets")!, "old")).toMatchObject({ kind: "Widget" });
    expect(kinds.hasGroup("example.com", "v1")).toBe(true);
  });

  test("a kind goes: its watches end, its paths are gone, its objects come back with it", async () => {
    const { kinds, cacher } = await registryOf([widget("v1")]);
    const widgets = kinds.find("example.com", "v1", "widgets")!;
    await widgets.create(named(""), body("a"), WRITE, CALLER);
    const { seen, sink } = sinkOf();
    await widgets.watch("", { ...WATCH, resourceVersion: "1" }, sink);
    await kinds.remove(KEY);
    expect(seen).toEqual(["ended: closed"]);
    expect([kinds.find("example.com", "v1", "widgets"), kinds.hasGroup("example.com"), kinds.storedResources]).toEqual([
      undefined,
      false,
      0,
    ]);
    expect(cacher.stats().resources).toEqual([]);
    await kinds.remove(KEY);
    await kinds.set({ versions: [widget("v1")] });
    expect(await read(kinds.find("example.com", "v1", "widgets")!, "a")).toMatchObject({ metadata: { name: "a" } });
  });

  test("a running request whose kind is removed gets the advice to retry", async () => {
    const { kinds } = await registryOf([widget("v1")]);
    const widgets = kinds.find("example.com", "v1", "widgets")!;
    await widgets.create(named(""), body("a"), WRITE, CALLER);
    await kinds.remove(KEY);
    for (const late of [
      read(widgets, "a"),
      widgets.list("", LIST),
      widgets.update(named("a"), body("a"), WRITE, CALLER),
    ]) {
      const error: unknown = await late.catch((thrown: unknown) => thrown);
      expect(failureOf(error)).toMatchObject({ code: 503, reason: "ServiceUnavailable" });
    }
  });

  test("a kind changes while it is watched: the watch ends, goes on where it was, and nothing is lost", async () => {
    const { kinds } = await registryOf([widget("v1")]);
    const find = (): Resource => kinds.find("example.com", "v1", "widgets")!;
    await find().create(named(""), body("a"), WRITE, CALLER);
    const { seen, sink } = sinkOf();
    await find().watch("", { ...WATCH, resourceVersion: "1" }, sink);
    const changing = kinds.set({ versions: [widget("v1", { shortNames: ["wd"] })] });
    await Promise.all([changing, find().create(named(""), body("b"), WRITE, CALLER)]);
    await find().create(named(""), body("c"), WRITE, CALLER);
    await find().watch("", { ...WATCH, resourceVersion: "1" }, sink);
    await expect.poll(() => seen.at(-1)).toBe("ADDED c");
    expect(seen.filter((line) => line.startsWith("ended"))).toEqual(["ended: closed"]);
    expect(new Set(seen)).toEqual(new Set(["ended: closed", "ADDED b", "ADDED c"]));
    expect(find().definition.shortNames).toEqual(["wd"]);
  });

  test("a version comes and goes, its objects stay", async () => {
    const { kinds } = await registryOf([widget("v1")]);
    await kinds.find("example.com", "v1", "widgets")!.create(named(""), body("a"), WRITE, CALLER);
    await kinds.set({ versions: [widget("v1"), widget("v2")] });
    const { generation } = kinds;
    expect(await read(kinds.find("example.com", "v2", "widgets")!, "a")).toMatchObject({
      apiVersion: "example.com/v2",
    });
    await kinds.set({ versions: [widget("v1", { served: false }), widget("v2")], storage: widget("v2") });
    expect([kinds.find("example.com", "v1", "widgets"), kinds.generation > generation]).toEqual([undefined, true]);
    // Stored in the version that is not served any more, and still there.
    expect(await read(kinds.find("example.com", "v2", "widgets")!, "a")).toMatchObject({
      apiVersion: "example.com/v2",
    });
  });

  test("changes of one kind come one after another, the last one counts", async () => {
    const { kinds } = await registryOf([]);
    const changes = ["one", "two", "three"].map((short) =>
      kinds.set({ versions: [widget("v1", { shortNames: [short] })] }),
    );
    await Promise.all([
      ...changes,
      kinds.remove(KEY),
      kinds.set({ versions: [widget("v1", { shortNames: ["last"] })] }),
    ]);
    expect(kinds.resources.map(({ definition }) => definition.shortNames)).toEqual([["last"]]);
    expect(kinds.storedResources).toBe(1);
  });

  test("listeners hear what was and what is, and only the group that changed has another generation", async () => {
    const other = widget("v1", { group: "other.com" });
    const { kinds } = await registryOf([widget("v1"), other]);
    const generations = () =>
      Object.fromEntries(kinds.groups().map(({ group, versions }) => [group, versions.map((v) => v.generation)]));
    const before = generations();
    const heard: string[] = [];
    const name = ({ definition }: Resource): string => `${definition.group}/${definition.version}`;
    using _listening = kinds.onChange((change) =>
      heard.push([...change.before.map(name), "->", ...change.after.map(name)].join(" ")),
    );
    await kinds.set({ versions: [widget("v1"), widget("v1beta1")], storage: widget("v1") });
    expect(heard).toEqual(["example.com/v1 -> example.com/v1 example.com/v1beta1"]);
    expect(generations()["other.com"]).toEqual(before["other.com"]);
    expect(generations()["example.com"]).not.toEqual(before["example.com"]);
    expect(
      kinds
        .groups()
        .find(({ group }) => group === "example.com")!
        .versions.map((v) => v.version),
    ).toEqual(["v1", "v1beta1"]);
  });

  test("the thousandth kind costs what the first did", async () => {
    const { kinds } = await registryOf([]);
    const add = async (from: number, count: number): Promise<void> => {
      for (let n = from; n < from + count; n++) {
        await kinds.set({ versions: [widget("v1", { group: `g${n}.example.com` })] });
        expect(kinds.find(`g${n}.example.com`, "v1", "widgets")).toBeDefined();
      }
    };
    await add(0, 100);
    let next = 100;
    const hundred = async (): Promise<void> => {
      await add(next, 100);
      next += 100;
    };
    const first = await leastCpu(hundred);
    await add(next, 1600);
    next += 1600;
    expect(await leastCpu(hundred)).toBeLessThan(first * 3 + 20);
  });
});

describe("a change that does not fit", () => {
  const events = (group: string, more: object = {}) =>
    widget("v1", { group, plural: "events", kind: "Event", ...more });

  test("is refused in the place of another resource, which stays, also when both come at once", async () => {
    const shared = events("events.io", {
      storedAs: {
        definition: "events.v1",
        toStored: (object: object) => object,
        fromStored: (object: object) => object,
      },
    });
    const { kinds, cacher } = await registryOf([events(""), shared]);
    const theirs = kinds.find("events.io", "v1", "events");
    await expect(kinds.set({ versions: [events("events.io")] })).rejects.toThrow("there is events. already");
    await kinds.remove("events.events.io");
    expect(kinds.find("events.io", "v1", "events")).toBe(theirs);
    const storage = events("a.io");
    const both = [
      kinds.set({ versions: [storage, events("b.io")], storage }),
      kinds.set({ versions: [events("b.io")] }),
    ];
    const came = await Promise.allSettled(both);
    expect(came.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(cacher.stats().resources).toHaveLength(kinds.storedResources);
    await kinds.remove("events.");
    expect([kinds.hasGroup("events.io"), kinds.hasGroup(""), kinds.hasGroup("b.io")]).toEqual([false, false, true]);
  });

  test.each<[string, Parameters<Kinds["set"]>[0], string]>([
    ["a version twice", { versions: [widget("v1"), widget("v1")] }, "one definition"],
    ["two scopes", { versions: [widget("v1"), widget("v2", { scope: "Namespaced" })] }, "all versions"],
    ["another scope than its objects have", { versions: [widget("v1", { scope: "Namespaced" })] }, "to stay Cluster"],
    ["to be stored in a version of others", { versions: [widget("v1")], storage: widget("v2") }, "one of its own"],
  ])("is refused: %s", async (_, spec, why) => {
    const { kinds } = await registryOf([widget("v1", { shortNames: ["old"] })]);
    await expect(kinds.set(spec)).rejects.toThrow(why);
    expect(kinds.find("example.com", "v1", "widgets")!.definition.shortNames).toEqual(["old"]);
  });
});

describe("who holds a kind that has changed meanwhile", () => {
  test("starts no watch on it that would never end", async () => {
    const { kinds } = await registryOf([widget("v1")]);
    const held = kinds.find("example.com", "v1", "widgets")!;
    await kinds.set({ versions: [widget("v1", { served: false }), widget("v2")], storage: widget("v2") });
    for (const sendInitialEvents of [true, false]) {
      const { seen, sink } = sinkOf();
      const late = held.watch("", { ...WATCH, sendInitialEvents }, sink);
      expect(failureOf(await late.catch((error: unknown) => error))).toMatchObject({ code: 503 });
      expect(seen).toEqual([]);
    }
  });

  /** A write that waits in admission until `go`. */
  async function waiting(verb: "create" | "update") {
    const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let on = false;
    const steps = [
      {
        name: "Waits",
        mutate(): Promise<void> | undefined {
          if (!on) return undefined;
          asked.resolve();
          return go.promise;
        },
      },
    ];
    const { kinds } = await registryOf([widget("v1")], { steps });
    const held = kinds.find("example.com", "v1", "widgets")!;
    if (verb === "update") await held.create(named(""), body("a"), WRITE, CALLER);
    on = true;
    const sent = body("a", { spec: { c: "d" } });
    const written =
      verb === "create" ? held.create(named(""), sent, WRITE, CALLER) : held.update(named("a"), sent, WRITE, CALLER);
    await asked.promise;
    on = false;
    return { kinds, written, go };
  }

  test.each(["create", "update"] as const)(
    "the object of a waiting %s is stored as long as its version is known",
    async (verb) => {
      const { kinds, written, go } = await waiting(verb);
      await kinds.set({ versions: [widget("v1"), widget("v2")], storage: widget("v2") });
      go.resolve();
      await written;
      expect(await read(kinds.find("example.com", "v2", "widgets")!, "a")).toMatchObject({ spec: { c: "d" } });
    },
  );

  test("a create is refused in a version that could not be read", async () => {
    const { kinds, written, go } = await waiting("create");
    await kinds.set({ versions: [widget("v2")] });
    go.resolve();
    expect(failureOf(await written.catch((error: unknown) => error))).toMatchObject({ code: 503 });
    expect((await kinds.find("example.com", "v2", "widgets")!.list("", LIST)).entries).toEqual([]);
  });

  test("a create is refused when its kind has gone", async () => {
    const { kinds, written, go } = await waiting("create");
    await kinds.remove(KEY);
    go.resolve();
    expect(failureOf(await written.catch((error: unknown) => error))).toMatchObject({ code: 503 });
    await kinds.set({ versions: [widget("v1")] });
    expect((await kinds.find("example.com", "v1", "widgets")!.list("", LIST)).entries).toEqual([]);
  });
});

test("CRYPT-9: a record that cannot be read is refused, a list with it too, and others are served", async () => {
  const store = await openMemoryStore();
  const { kinds, cacher } = await registryOf([widget("v1")], { store });
  const widgets = kinds.find("example.com", "v1", "widgets")!;
  const key = "/example.com/widgets/bad";
  const value = Buffer.from("no record of ours");
  const sink = { deliver: () => {}, ended: vi.fn<(error: unknown) => void>() };
  await widgets.watch("", { ...WATCH, resourceVersion: String(store.revision) }, sink);
  await store.write({ type: "create", key, value });
  await expect.poll(() => cacher.unreadable()).toHaveLength(1);
  const target = { namespace: "", name: "bad", subresource: "" };
  const refused = { reason: "InternalError", code: 500 };
  const failure = async (answer: Promise<unknown>): Promise<unknown> =>
    failureOf(await answer.catch((e: unknown) => e));
  expect(await failure(widgets.list("", LIST))).toMatchObject(refused);
  expect(await failure(widgets.get(target, { resourceVersion: "" }))).toMatchObject(refused);
  expect(await failure(widgets.watch("", { ...WATCH, resourceVersion: "" }, sink))).toMatchObject(refused);
  expect(sink.ended).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "failed" }));
  await store.write({ type: "delete", key, value, expected: store.revision });
  expect((await widgets.list("", LIST)).entries).toEqual([]);
});

describe("a kind is known by its group", () => {
  test("a claim of another group gets no storage class and no finalizer", async () => {
    const claims = widget("v1", { plural: "persistentvolumeclaims", kind: "PersistentVolumeClaim" });
    const classes = widget("v1", {
      group: `storage.${kubernetes.domain}`,
      plural: "storageclasses",
      kind: "StorageClass",
    });
    const { kinds } = await registryOf([claims, classes]);
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    const fast = { ...classes, apiVersion: `${classes.group}/v1`, metadata: { name: "fast", annotations } };
    const { apiVersion, kind, metadata } = fast;
    await kinds
      .find(classes.group, "v1", "storageclasses")!
      .create(named(""), bodyOf({ apiVersion, kind, metadata }), WRITE, CALLER);
    const { object } = await kinds
      .find("example.com", "v1", "persistentvolumeclaims")!
      .create(named(""), bodyOf({ metadata: { name: "c" }, spec: { a: "b" } }), WRITE, CALLER);
    expect([object["spec"], object.metadata.finalizers]).toEqual([{ a: "b" }, undefined]);
  });

  test.each(["SelfSubjectReview", "SelfSubjectAccessReview", "TokenRequest"])(
    "%s of another group is a kind like others: stored, listed, deleted",
    async (kind) => {
      const { kinds } = await registryOf([widget("v1", { kind, plural: "asks" })]);
      const asks = kinds.find("example.com", "v1", "asks")!;
      await asks.create(named(""), bodyOf({ metadata: { name: "a" }, spec: { x: "y" } }), WRITE, CALLER);
      expect((await asks.list("", LIST)).entries.map(({ key }) => key)).toEqual(["a"]);
      await asks.delete(named("a"), { dryRun: false }, CALLER);
    },
  );
});

describe("admission that waits", () => {
  const later = (ms = 0): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

  test("may change, replace and refuse, and sees who writes what", async () => {
    const asked: unknown[] = [];
    const { kinds } = await registryOf([widget("v1")], {
      steps: [
        {
          name: "Hook",
          async mutate(request) {
            await later();
            asked.push([
              request.operation,
              request.ref.group,
              request.version,
              request.ref.plural,
              request.identity.extra,
            ]);
            if (request.object?.["spec"])
              void request.replace({ metadata: { name: "a" }, spec: { by: "hook" }, odd: 1 });
          },
          async validate({ object }) {
            await later();
            if (object?.metadata.labels) throw badRequest("no labels here");
          },
        },
      ],
    });
    const widgets = kinds.find("example.com", "v1", "widgets")!;
    const caller = { ...CALLER, extra: { scopes: ["a"] } };
    const { object } = await widgets.create(named(""), body("a", { spec: { by: "me" } }), WRITE, caller);
    expect(object).toMatchObject({ spec: { by: "hook" }, metadata: { name: "a" } });
    expect(object).not.toHaveProperty("odd");
    const labelled = body("a", { metadata: { name: "a", labels: { a: "b" } } });
    await expect(widgets.update(named("a"), labelled, WRITE, CALLER)).rejects.toThrow("no labels here");
    await widgets.delete(named("a"), { dryRun: false }, CALLER);
    expect(asked).toEqual([
      ["CREATE", "example.com", "v1", "widgets", { scopes: ["a"] }],
      ["UPDATE", "example.com", "v1", "widgets", undefined],
      ["DELETE", "example.com", "v1", "widgets", undefined],
    ]);
  });

  test("keeps its object for a bounded time: it is given up, and the next writer goes on", async () => {
    const clock = new ManualClock();
    const told: AbortSignal[] = [];
    const { kinds } = await registryOf([widget("v1")], {
      clock,
      steps: [
        {
          name: "Hangs",
          mutate({ object, hold }) {
            if (!object?.metadata.labels) return undefined;
            told.push(hold.signal);
            return new Promise<void>(() => {});
          },
        },
      ],
    });
    const widgets = kinds.find("example.com", "v1", "widgets")!;
    await widgets.create(named(""), body("a"), WRITE, CALLER);
    const hanging = widgets.update(
      named("a"),
      body("a", { metadata: { name: "a", labels: { a: "b" } } }),
      WRITE,
      CALLER,
    );
    const refused = hanging.catch((error: unknown) => error);
    const next = widgets.update(named("a"), body("a", { spec: { c: "d" } }), WRITE, CALLER);
    await later();
    expect(told.map(({ aborted }) => aborted)).toEqual([false]);
    clock.advance(30_000);
    expect(await refused).toMatchObject({ code: 504, reason: "Timeout" });
    expect((await next).object["spec"]).toEqual({ c: "d" });
    expect(told.map(({ aborted }) => aborted)).toEqual([true]);
  });
});
