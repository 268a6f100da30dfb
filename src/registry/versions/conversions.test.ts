/**
 * Conversions by a webhook, which may be slow, wrong or unavailable.
 */
import { describe, expect, test } from "vitest";
import type { Watch, WatchSink } from "../../cache/index.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";
import { ManualClock } from "../../util/clock.ts";
import type { Resource } from "../contract.ts";
import { failureOf } from "../kind/errors.ts";
import { convertedWidgets } from "../testing/converted.ts";
import { CALLER, LIST, WATCH, WRITE, bodyOf, named, read, registryOf, widget } from "../testing/registry.ts";

const body = (version: string, name: string, spec: object = { a: "b" }) =>
  bodyOf({ apiVersion: `example.com/${version}`, kind: "Widget", metadata: { name }, spec });

const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "no refusal",
    (error: unknown) => `${failureOf(error).code} ${failureOf(error).message}`,
  );

/** Records the events of a watch, in the version of its resource. */
function listener(resource: () => Resource) {
  const seen: string[] = [];
  const sink: WatchSink = {
    deliver: ({ events }) =>
      seen.push(
        ...events.map(({ type, entry }) => {
          const { apiVersion, metadata } = JSON.parse(Buffer.from(resource().view(entry)).toString()) as ApiObject;
          return `${type} ${metadata.name} ${metadata.resourceVersion} ${apiVersion.split("/")[1]}`;
        }),
      ),
    ended: ({ code }) => void seen.push(`ended: ${code}`),
  };
  return { seen, sink };
}

describe("an answer that is not the object that was asked for", () => {
  const metadata = (change: object) => (object: ApiObject, to: string) => ({
    ...object,
    apiVersion: to,
    metadata: { ...object.metadata, ...change },
  });
  test.each<[string, (object: ApiObject, to: string) => unknown]>([
    ["nothing", () => undefined],
    ["null", () => null],
    ["a text", () => "x"],
    ["another version", (object) => ({ ...object })],
    ["another kind", (object, to) => ({ ...object, apiVersion: to, kind: "Gadget" })],
    ["no metadata", ({ kind }, to) => ({ kind, apiVersion: to })],
    ["another name", metadata({ name: "z" })],
    ["a namespace", metadata({ namespace: "z" })],
    ["another uid", metadata({ uid: "z" })],
    ["labels that are no texts", metadata({ labels: { a: 1 } })],
    ["labels that cannot be selected", metadata({ labels: { a: "not a label!" } })],
    ["annotations that are a list", metadata({ annotations: [] })],
  ])("%s is told in every verb and breaks nothing", async (_, answer) => {
    const { asked, v1, v2, store } = await convertedWidgets();
    await v1.create(named(""), body("v1", "w"), WRITE, CALLER);
    const { revision } = store;
    asked.convert = answer;
    for (const trying of [
      () => read(v2, "w"),
      () => v2.list("", LIST),
      () => v2.update(named("w"), body("v2", "w", { a: "c" }), WRITE, CALLER),
      () => v2.create(named(""), body("v2", "new"), WRITE, CALLER),
      () => v2.delete(named("w"), { dryRun: false }, CALLER),
    ]) {
      expect(await refusal(trying())).toMatch(/^500 the conversion of Widget (w|new) to example.com\/v[12] failed: /);
    }
    expect(store.revision).toBe(revision);
    expect(await read(v1, "w")).toMatchObject({ spec: { a: "b" } });
    asked.convert = (object, to) => ({ ...object, apiVersion: to });
    expect(await read(v2, "w")).toMatchObject({ apiVersion: "example.com/v2" });
  });

  test("fewer objects than requested are reported", async () => {
    const { v1, v2, built, versions, converter } = await convertedWidgets();
    await v1.create(named(""), body("v1", "w"), WRITE, CALLER);
    await v1.create(named(""), body("v1", "x"), WRITE, CALLER);
    const short = { ...converter, convertAll: async () => Promise.resolve([]) };
    await built.kinds.set({ versions, storage: versions[0]!, converter: short });
    const again = built.kinds.find("example.com", "v2", "widgets")!;
    expect(v2).not.toBe(again);
    expect(await refusal(again.list("", LIST))).toBe(
      "500 the conversion of 2 objects to example.com/v2 failed: expected 2 converted objects, got 0",
    );
  });

  test("of metadata only labels and annotations are taken", async () => {
    const { asked, v1, v2 } = await convertedWidgets();
    await v1.create(named(""), body("v1", "w"), WRITE, CALLER);
    asked.convert = ({ metadata: { name, uid }, ...rest }, to) => ({
      ...rest,
      apiVersion: to,
      metadata: { name, uid, labels: { a: "b" }, resourceVersion: "99", generation: 9 },
    });
    const stored = await read(v1, "w");
    expect(await read(v2, "w")).toMatchObject({ metadata: { ...stored.metadata, labels: { a: "b" } } });
  });
});

describe("an object that was written in a version that is not known any more", () => {
  async function forgotten() {
    const store = await openMemoryStore();
    const before = await registryOf([widget("v0")], { store });
    await before.kinds.find("example.com", "v0", "widgets")!.create(named(""), body("v0", "old"), WRITE, CALLER);
    before.cacher.close();
    const fields = { "spec.a": (object: ApiObject) => (object["spec"] as { a: string }).a };
    const { kinds } = await registryOf([widget("v1", { selectableFields: fields })], { store });
    return { kinds, v1: kinds.find("example.com", "v1", "widgets")! };
  }

  test("is named in the error of its reader, and the others are served", async () => {
    const { v1 } = await forgotten();
    await v1.create(named(""), body("v1", "new"), WRITE, CALLER);
    const why =
      "500 the conversion of Widget old to example.com/v1 failed: it was written in example.com/v0, which is none of the versions of its resource now";
    for (const tried of [
      read(v1, "old"),
      v1.list("", LIST),
      v1.list("", { ...LIST, fieldSelector: "spec.a=b" }),
      v1.update(named("old"), body("v1", "old"), WRITE, CALLER),
    ]) {
      expect(await refusal(tried)).toBe(why);
    }
    expect(await read(v1, "new")).toMatchObject({ spec: { a: "b" } });
  });

  test("is served and rewritten once its version is known again, also where that is not served", async () => {
    const { kinds } = await forgotten();
    await kinds.set({ versions: [widget("v1"), widget("v0", { served: false })], storage: widget("v1") });
    const v1 = kinds.find("example.com", "v1", "widgets")!;
    expect(await read(v1, "old")).toMatchObject({ apiVersion: "example.com/v1", spec: { a: "b" } });
    expect((await v1.update(named("old"), body("v1", "old"), WRITE, CALLER)).changed).toBe(true);
    await kinds.set({ versions: [widget("v1")] });
    expect(await read(kinds.find("example.com", "v1", "widgets")!, "old")).toMatchObject({ spec: { a: "b" } });
  });
});

describe("a conversion that takes long", () => {
  test("is asked for once, however many wait for it", async () => {
    const { asked, v1, v2, built } = await convertedWidgets();
    const { seen, sink } = listener(() => v2);
    const watches: Watch[] = [];
    for (let i = 0; i < 100; i++) {
      watches.push((await v2.watch("", { ...WATCH, resourceVersion: String(built.kinds.revision) }, sink)).watch);
    }
    await expect.poll(() => watches.every(({ live }) => live)).toBe(true);
    await v1.create(named(""), body("v1", "w"), WRITE, CALLER);
    await Promise.all([read(v2, "w"), v2.list("", LIST), read(v2, "w")]);
    await expect.poll(() => seen.length).toBe(100);
    expect(asked).toMatchObject({ calls: 1, objects: 1 });
  });

  test("fails for all who wait for it, and is asked for again by the next", async () => {
    const { asked, v1, v2 } = await convertedWidgets();
    await v1.create(named(""), body("v1", "w"), WRITE, CALLER);
    const end = Promise.withResolvers<undefined>();
    asked.wait = () => end.promise;
    const waiting = [read(v2, "w"), read(v2, "w")].map(refusal);
    await expect.poll(() => asked.calls).toBe(1);
    end.reject(new Error("no response within 30 s"));
    const told = "500 the conversion of Widget w to example.com/v2 failed: no response within 30 s";
    expect(await Promise.all(waiting)).toEqual([told, told]);
    asked.wait = () => Promise.resolve();
    expect(await read(v2, "w")).toMatchObject({ apiVersion: "example.com/v2" });
  });

  test("holds the object of a write for a bounded time, in each place where it is waited for", async () => {
    const clock = new ManualClock();
    const { asked, v1, v2 } = await convertedWidgets({}, { clock });
    await v1.create(named(""), body("v1", "w"), WRITE, CALLER);
    const hangs = (): void => {
      asked.wait = () => new Promise(() => {});
    };
    const tries: (() => Promise<unknown>)[] = [
      () => v2.create(named(""), body("v2", "new"), WRITE, CALLER),
      () => v2.update(named("w"), body("v2", "w", { a: "c" }), WRITE, CALLER),
      () => v2.delete(named("w"), { dryRun: false }, CALLER),
    ];
    for (const work of tries) {
      const calls = asked.calls;
      hangs();
      const late = refusal(work());
      await expect.poll(() => asked.calls).toBeGreaterThanOrEqual(calls);
      for (let i = 0; i < 5; i++) await new Promise((resolve) => void setImmediate(resolve));
      clock.advance(30_000);
      expect(await late).toMatch(/^504 /);
    }
    const others = await v1.update(named("w"), body("v1", "w", { a: "d" }), WRITE, CALLER);
    expect(others.object["spec"]).toEqual({ a: "d" });
  });

  test("makes a watch that starts with many objects go no faster, and loses none", async () => {
    const { asked, v1, v2 } = await convertedWidgets();
    const names = Array.from({ length: 11_000 }, (_, i) => `w${String(i).padStart(5, "0")}`);
    for (let from = 0; from < names.length; from += 500) {
      const some = names.slice(from, from + 500);
      await Promise.all(some.map((name) => v1.create(named(""), body("v1", name), WRITE, CALLER)));
    }
    const slow = Promise.withResolvers<undefined>();
    asked.wait = () => slow.promise;
    const seen: string[] = [];
    const sink: WatchSink = {
      deliver: ({ events }) => seen.push(...events.map(({ entry }) => entry.key)),
      ended: (error) => seen.push(error.message),
    };
    await v2.watch("", { ...WATCH, sendInitialEvents: true }, sink);
    // The snapshot would have been read by now without the wait.
    for (let i = 0; i < 200; i++) await new Promise((resolve) => void setImmediate(resolve));
    expect([seen.length, asked.calls]).toEqual([0, 1]);
    slow.resolve(undefined);
    await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(names.length);
    expect(seen).toEqual(names);
  });
});

describe("fields that a conversion makes", () => {
  const colour = (object: ApiObject): string => (object["spec"] as { colour?: string }).colour ?? "";
  const shade = (object: ApiObject): string => (object["spec"] as { shade?: string }).shade ?? "";

  /** What is `colour` in v1 is `shade` in v2. */
  async function painted() {
    const all = await convertedWidgets({ selectableFields: { "spec.colour": colour, "spec.shade": shade } });
    all.asked.convert = (object, to) => ({
      ...object,
      apiVersion: to,
      spec: to.endsWith("v2") ? { shade: colour(object) } : { colour: shade(object) },
    });
    const paint = (name: string, as: string) => body("v1", name, { colour: as });
    return { ...all, paint };
  }
  const RED = "spec.shade=red";

  test("are selected by in lists, page by page, views there or not", async () => {
    const { v1, v2, paint } = await painted();
    for (let i = 0; i < 300; i++) {
      await v1.create(
        named(""),
        paint(`w${String(i).padStart(3, "0")}`, i % 100 === 7 ? "red" : "blue"),
        WRITE,
        CALLER,
      );
    }
    await read(v2, "w150");
    const keys = async (options: object): Promise<[string[], string]> => {
      const page = await v2.list("", { ...LIST, fieldSelector: RED, ...options });
      return [page.entries.map(({ key }) => key), page.continue];
    };
    expect(await keys({})).toEqual([["w007", "w107", "w207"], ""]);
    const [first, token] = await keys({ limit: 2 });
    expect(first).toEqual(["w007", "w107"]);
    expect(await keys({ limit: 2, continue: token })).toEqual([["w207"], ""]);
    expect(await keys({ fieldSelector: `${RED},metadata.name=w107` })).toEqual([["w107"], ""]);
    expect((await v1.list("", { ...LIST, fieldSelector: "spec.colour=red", limit: 1 })).entries).toHaveLength(1);
  });

  test("are selected by in watches, as they begin and stop to match", async () => {
    const { v1, v2, paint, built } = await painted();
    await v1.create(named(""), paint("early", "red"), WRITE, CALLER);
    const initial = listener(() => v2);
    await v2.watch("", { ...WATCH, sendInitialEvents: true, fieldSelector: RED }, initial.sink);
    const later = listener(() => v2);
    await v2.watch("", { ...WATCH, resourceVersion: String(built.kinds.revision), fieldSelector: RED }, later.sink);
    await v1.create(named(""), paint("a", "blue"), WRITE, CALLER);
    await v1.update(named("a"), paint("a", "red"), WRITE, CALLER);
    await v1.patch(
      named("a"),
      bodyOf({ metadata: { labels: { x: "y" } } }),
      { ...WRITE, type: "merge", force: false },
      CALLER,
    );
    await v1.update(named("a"), paint("a", "blue"), WRITE, CALLER);
    await v1.update(named("early"), paint("early", "green"), WRITE, CALLER);
    await v1.create(named(""), paint("b", "red"), WRITE, CALLER);
    await v1.delete(named("b"), { dryRun: false }, CALLER);
    const told = [
      "ADDED a 3 v2",
      "MODIFIED a 4 v2",
      "DELETED a 5 v2",
      "DELETED early 6 v2",
      "ADDED b 7 v2",
      "DELETED b 8 v2",
    ];
    await expect.poll(() => later.seen).toEqual(told);
    expect(initial.seen).toEqual(["ADDED early 1 v2", ...told]);
    const resumed = listener(() => v2);
    await v2.watch("", { ...WATCH, resourceVersion: "1", fieldSelector: RED }, resumed.sink);
    await expect.poll(() => resumed.seen).toEqual(told);
  });
});
