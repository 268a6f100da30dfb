import { describe, expect, test } from "vitest";
import type { AdmissionStep } from "../../admission/contract.ts";
import { ApiError, badRequest, hasReason } from "../../meta/status.ts";
import { copyOf } from "../../schema/api-object.ts";
import type { ApiObject, Pool, Allocations } from "../../schema/definition.ts";
import { StoreError } from "../../storage/contract.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";
import { WatchLog } from "../../storage/testing/watch-log.ts";
import { leastCpu } from "../../util/testing/cpu-time.ts";
import { type Proposal, commitTogether } from "./commit.ts";
import type { Resource, WriteResult } from "../contract.ts";
import type { Kind } from "../kind/kind.ts";
import { newContext } from "../kind/write.ts";
import { CALLER, WRITE, bodyOf, named, registryOf, twoServers, widget } from "../testing/registry.ts";
import { type Change, changeOf } from "../verbs/update.ts";

const body = (name: string, spec: object = {}, metadata: object = {}) =>
  bodyOf({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name, ...metadata }, spec });

const sizeOf = ({ spec }: ApiObject): string => (spec as { size: string }).size;

/** A change of one widget of a kind. */
function proposal(kind: Kind, name: string, change: (old: ApiObject) => void, more: Partial<Change> = {}) {
  const ctx = newContext(kind);
  const write = { kind, target: named(name), options: WRITE, caller: CALLER, ctx, limit: ctx.clock.loop.slice() };
  return changeOf(write, {
    change(old) {
      const object = copyOf(old);
      change(object);
      return object;
    },
    ...more,
  });
}

const grow = (kind: Kind, name: string, by = 1): Proposal<WriteResult> =>
  proposal(kind, name, (object) => void (object["spec"] = { size: `${Number(sizeOf(object)) + by}` }));

/** Widgets `a` and `b` of size 1, and their kind. */
async function twoWidgets(steps: readonly AdmissionStep[] = []) {
  const store = await openMemoryStore();
  const { kinds, lookup } = await registryOf([widget("v1")], { store, steps });
  const widgets = kinds.find("example.com", "v1", "widgets")!;
  for (const name of ["a", "b"]) await widgets.create(named(""), body(name, { size: "1" }), WRITE, CALLER);
  const sizes = (): string[] => ["a", "b"].map((name) => sizeOf(lookup.get("widgets.example.com", "", name)!));
  return { store, kind: kinds.stored("widgets.example.com")!, widgets, sizes };
}

describe("several writes that are carried out as one", () => {
  test("are seen as one, in their order, and answered each by itself", async () => {
    const { store, kind, sizes } = await twoWidgets();
    const log = WatchLog.start(store, "", store.revision);
    const answers = await commitTogether([grow(kind, "b", 5), grow(kind, "a", 2)]);
    expect(answers.map(({ object }) => sizeOf(object))).toEqual(["6", "3"]);
    expect(sizes()).toEqual(["3", "6"]);
    expect(log.batches.map((batch) => batch.map(({ key }) => key))).toEqual([
      ["/example.com/widgets/b", "/example.com/widgets/a"],
    ]);
    const versions = answers.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([store.revision - 1, store.revision]);
  });

  test("are not stored where one of them is refused", async () => {
    const { store, kind, sizes } = await twoWidgets();
    const before = store.revision;
    const refuse = proposal(kind, "b", () => {
      throw badRequest("not this one");
    });
    await expect(commitTogether([grow(kind, "a"), refuse])).rejects.toMatchObject({ code: 400 });
    const missing = commitTogether([grow(kind, "a"), grow(kind, "nobody")]);
    await expect(missing).rejects.toMatchObject({ code: 404, message: 'widgets.example.com "nobody" not found' });
    expect([sizes(), store.revision]).toEqual([["1", "1"], before]);
  });

  test("wait for each other in whatever order they name their objects", async () => {
    const { kind, sizes } = await twoWidgets();
    const pairs = Array.from({ length: 20 }, (_, i) =>
      commitTogether(i % 2 === 0 ? [grow(kind, "a"), grow(kind, "b")] : [grow(kind, "b"), grow(kind, "a")]),
    );
    await Promise.all(pairs);
    expect(sizes()).toEqual(["21", "21"]);
  });

  test("are judged again together where another server was faster with one of them", async () => {
    const { one, other, around, kindOf } = await twoServers(widget("v1"));
    for (const name of ["a", "b"]) await one.create(named(""), body(name, { size: "1" }), WRITE, CALLER);
    around.before = () => other.update(named("b"), body("b", { size: "7" }), WRITE, CALLER);
    const kind = kindOf(widget("v1"));
    const answers = await commitTogether([grow(kind, "a"), grow(kind, "b")]);
    expect(answers.map(({ object }) => sizeOf(object))).toEqual(["2", "8"]);
  });

  test("that follow see what those before them are about to store, and so does admission", async () => {
    const seen: unknown[] = [];
    const look: AdmissionStep = {
      name: "Looks",
      async validate({ name, lookup, operation }) {
        if (operation !== "UPDATE" || name !== "b") return;
        const all = await lookup.collect(
          "widgets.example.com",
          (object) => `${object.metadata.name} ${sizeOf(object)}`,
        );
        const first = lookup.first("widgets.example.com", 5).map((one) => one.name);
        seen.push(sizeOf(lookup.get("widgets.example.com", "", "a")!), all.toSorted(), first);
        seen.push(lookup.follow("widgets.example.com").changedSince(0));
      },
    };
    const { kind, widgets } = await twoWidgets([look]);
    await commitTogether([grow(kind, "a"), grow(kind, "b")]);
    // `b` itself is judged, and not stored yet.
    expect(seen.splice(0)).toEqual(["2", ["a 2", "b 1"], ["a", "b"], undefined]);
    await widgets.update(named("b"), body("b", { size: "3" }), WRITE, CALLER);
    expect(seen.slice(0, 3)).toEqual(["2", ["a 2", "b 2"], ["a", "b"]]);
  });

  test("that follow do not see what those before them delete", async () => {
    const names: unknown[] = [];
    const look: AdmissionStep = {
      name: "Looks",
      validate({ name, lookup }) {
        if (name === "b")
          names.push(lookup.get("widgets.example.com", "", "a"), lookup.first("widgets.example.com", 1));
      },
    };
    const { kind, widgets } = await twoWidgets([look]);
    await widgets.update(named("a"), body("a", { size: "1" }, { finalizers: ["x.example.com/y"] }), WRITE, CALLER);
    await widgets.delete(named("a"), { dryRun: false }, CALLER);
    names.length = 0;
    const end = proposal(kind, "a", (object) => void delete object.metadata.finalizers);
    await commitTogether([end, grow(kind, "b")]);
    expect(names).toEqual([undefined, [{ namespace: "", name: "b" }]]);
  });

  test("that follow see other kinds as they are stored", async () => {
    const seen: unknown[] = [];
    const look: AdmissionStep = {
      name: "Looks",
      async validate({ name, lookup }) {
        if (name === "b") seen.push(await lookup.collect("gadgets.example.com", ({ metadata }) => metadata.name));
      },
    };
    const gadget = widget("v1", { kind: "Gadget", plural: "gadgets", singular: "gadget" });
    const { kinds } = await registryOf([widget("v1"), gadget], { steps: [look] });
    const [widgets, gadgets] = ["widgets", "gadgets"].map((plural) => kinds.find("example.com", "v1", plural)!);
    await gadgets!.create(named(""), bodyOf({ metadata: { name: "g" } }), WRITE, CALLER);
    for (const name of ["a", "b"]) await widgets!.create(named(""), body(name, { size: "1" }), WRITE, CALLER);
    seen.length = 0;
    const kind = kinds.stored("widgets.example.com")!;
    await commitTogether([grow(kind, "a"), grow(kind, "b")]);
    expect(seen).toEqual([["g"]]);
  });

  test("tell the caller when the store has got them, and end when they are stored", async () => {
    const { kind, store } = await twoWidgets();
    const before = store.revision;
    const storing: Promise<unknown>[] = [];
    const write = {
      kind,
      target: named("a"),
      options: WRITE,
      caller: { ...CALLER, storing: (done: Promise<unknown>) => void storing.push(done) },
    };
    const ctx = newContext(kind);
    const change = (old: ApiObject): ApiObject => {
      const object = copyOf(old);
      object["spec"] = { size: "4" };
      return object;
    };
    await commitTogether([changeOf({ ...write, ctx, limit: ctx.clock.loop.slice() }, { change })]);
    expect(await Promise.all(storing)).toEqual([[before + 1]]);
  });

  test("cost the same for each however many they are, for steps that look at what is planned", async () => {
    const look: AdmissionStep = {
      name: "Looks",
      validate: ({ lookup }) => void lookup.get("gadgets.example.com", "", "a"),
    };
    const { kinds } = await registryOf([widget("v1")], { store: await openMemoryStore(), steps: [look] });
    const kind = kinds.stored("widgets.example.com")!;
    const widgets = kinds.find("example.com", "v1", "widgets")!;
    const names = Array.from({ length: 4000 }, (_, i) => `w${i}`);
    for (const name of names) await widgets.create(named(""), body(name, { size: "1" }), WRITE, CALLER);
    const cost = async (count: number): Promise<number> => {
      const [first, ...rest] = names.slice(0, count).map((name) => grow(kind, name));
      return leastCpu(async () => void (await commitTogether([first!, ...rest])));
    };
    expect(await cost(4000)).toBeLessThan(16 * (await cost(500)));
  });
});

describe("what a step of admission commits", () => {
  /** Widgets whose step writes down what it does; the store fails with `error` where there is one. */
  async function notedWidgets(error?: StoreError) {
    const done: string[] = [];
    const note: AdmissionStep = {
      name: "Notes",
      commit: () => void done.push("commit") as undefined,
      rollback: () => void done.push("rollback") as undefined,
      end: () => void done.push("end"),
    };
    const refuse: AdmissionStep = {
      name: "Refuses",
      validate({ object }) {
        if (object && sizeOf(object) === "9") throw badRequest("too large");
      },
    };
    const store = await openMemoryStore();
    const failing = new Proxy(store, {
      get(from, name) {
        const value: unknown = Reflect.get(from, name, from);
        if (name === "write" && error) return () => Promise.reject(error);
        return typeof value === "function" ? value.bind(from) : value;
      },
    });
    const { kinds } = await registryOf([widget("v1")], { store: failing, steps: [note, refuse] });
    const widgets = kinds.find("example.com", "v1", "widgets")!;
    const create = (size: string, options = WRITE): Promise<unknown> =>
      widgets.create(named(""), body("w", { size }), options, CALLER).catch(({ code }: ApiError) => code);
    return { done, create };
  }

  test("is kept when the write is stored", async () => {
    const { done, create } = await notedWidgets();
    await create("1");
    expect(done).toEqual(["commit", "end"]);
  });

  test("is rolled back where the name is taken, as the store refuses it after admission", async () => {
    const { done, create } = await notedWidgets();
    await create("1");
    expect(await create("1")).toBe(409);
    expect(done.slice(2)).toEqual(["commit", "rollback", "end"]);
  });

  test("is nothing in a dry run, and where a later step refuses the write", async () => {
    const { done, create } = await notedWidgets();
    await create("1", { ...WRITE, dryRun: true });
    expect(await create("9")).toBe(400);
    expect(done).toEqual(["rollback", "end", "rollback", "end"]);
  });

  test("stays where it is unknown whether the write is stored", async () => {
    const { done, create } = await notedWidgets(
      new StoreError("unknown", "who knows", { key: "/example.com/widgets/w" }),
    );
    await create("1");
    expect(done).toEqual(["commit", "end"]);
  });
});

describe("a refusal of the store", () => {
  /** Widgets `a` and `b` over a store that refuses each transaction. */
  async function refusing(error: StoreError) {
    const store = await openMemoryStore();
    const transact = (): Promise<never> => Promise.reject(error);
    const failing = new Proxy(store, {
      get(from, name) {
        const value: unknown = name === "transact" ? transact : Reflect.get(from, name, from);
        return typeof value === "function" ? value.bind(from) : value;
      },
    });
    const { kinds } = await registryOf([widget("v1", { scope: "Namespaced" })], { store: failing });
    const widgets = kinds.find("example.com", "v1", "widgets")!;
    const at = (name: string) => ({ ...named(name), namespace: "default" });
    for (const name of ["a", "b"])
      await widgets.create(at(""), body(name, { size: "1" }, { namespace: "default" }), WRITE, CALLER);
    const kind = kinds.stored("widgets.example.com")!;
    const plan = (name: string): Proposal<WriteResult> => {
      const ctx = newContext(kind);
      const write = { kind, target: at(name), options: WRITE, caller: CALLER, ctx, limit: ctx.clock.loop.slice() };
      return changeOf(write, { change: (old) => ({ ...copyOf(old), spec: { size: "2" } }) });
    };
    return commitTogether([plan("a"), plan("b")]);
  }

  test("names the object that it is about, without its namespace", async () => {
    const refused = new StoreError("corrupt", "damaged", { key: "/example.com/widgets/default/a" });
    await expect(refusing(refused)).rejects.toThrow(/widgets\.example\.com "a"/);
  });

  test("that names no object is reported for the object that was judged last", async () => {
    await expect(refusing(new StoreError("corrupt", "damaged"))).rejects.toThrow(/widgets\.example\.com "b"/);
  });
});

describe("what a write has for itself alone", () => {
  /** Letters, of which a widget has the one that it asks for. */
  const letters: Pool = {
    id: "letters",
    refuses: () => undefined,
    names: () => "abc",
    placeholders: () => ({ asked: () => undefined, next: () => "a" }),
  };
  const allocations: Allocations = {
    pools: [letters],
    of: ({ spec }) => Object.values((spec as object | undefined) ?? {}).map((name) => ({ pool: "letters", name })),
    async allocate(object, old, allocator, errors) {
      const had = new Set(Object.values((old?.["spec"] as object | undefined) ?? {}));
      for (const [member, name] of Object.entries((object["spec"] as Record<string, string> | undefined) ?? {})) {
        if (had.has(name)) continue;
        const why = await allocator.allocate(letters, name);
        if (why !== undefined) errors.invalid(`spec.${member}`, name, why);
      }
    },
  };
  const owning = widget("v1", { allocations });

  const lettersOf = async (store: Awaited<ReturnType<typeof openMemoryStore>>): Promise<string[]> =>
    (await store.range("/stocks/letters/")).records.map(({ key }) => key.slice("/stocks/letters/".length));

  async function owningWidgets(steps: readonly AdmissionStep[] = []) {
    const store = await openMemoryStore();
    const { kinds } = await registryOf([owning], { store, steps });
    return { store, widgets: kinds.find("example.com", "v1", "widgets")! };
  }

  test("is kept when the write is stored, and what it has no more goes back", async () => {
    const { store, widgets } = await owningWidgets();
    await widgets.create(named(""), body("w", { x: "a", y: "b" }), WRITE, CALLER);
    expect(await lettersOf(store)).toEqual(["a", "b"]);
    await widgets.update(named("w"), body("w", { x: "a", y: "c" }), WRITE, CALLER);
    expect(await lettersOf(store)).toEqual(["a", "c"]);
    await widgets.delete(named("w"), { dryRun: false }, CALLER);
    expect(await lettersOf(store)).toEqual([]);
  });

  test("goes back where the write is refused after it was taken", async () => {
    let isOn = true;
    const refuse: AdmissionStep = {
      name: "Refuses",
      validate: () => (isOn ? Promise.reject(badRequest("no")) : undefined),
    };
    const { store, widgets } = await owningWidgets([refuse]);
    await expect(widgets.create(named(""), body("w", { x: "a" }), WRITE, CALLER)).rejects.toMatchObject({ code: 400 });
    expect(await lettersOf(store)).toEqual([]);
    isOn = false;
    await widgets.create(named(""), body("w", { x: "a" }), WRITE, CALLER);
    await expect(widgets.create(named(""), body("w", { x: "b" }), WRITE, CALLER)).rejects.toMatchObject({ code: 409 });
    expect(await lettersOf(store)).toEqual(["a"]);
  });

  test("goes back as a whole with the last finalizer: what the object had, and what this write took", async () => {
    const { store, widgets } = await owningWidgets();
    await widgets.create(named(""), body("w", { x: "a" }, { finalizers: ["x.example.com/y"] }), WRITE, CALLER);
    await widgets.delete(named("w"), { dryRun: false }, CALLER);
    await widgets.update(named("w"), body("w", { x: "b" }, { finalizers: [] }), WRITE, CALLER);
    expect(await lettersOf(store)).toEqual([]);
  });

  test("is taken again for another name where a generated one is taken meanwhile", async () => {
    const { one, other, around } = await twoServers(owning);
    // Both servers generate the same names.
    const generated = (spec: object) => bodyOf({ metadata: { generateName: "w-" }, spec });
    let first: WriteResult | undefined;
    const overtake = async (): Promise<void> => {
      first = await other.create(named(""), generated({ x: "b" }), WRITE, CALLER);
    };
    // The first write of the store takes the letter, the second is the object.
    around.before = () => Promise.resolve(void (around.before = overtake));
    const second = await one.create(named(""), generated({ x: "a" }), WRITE, CALLER);
    expect(first!.object.metadata.name).not.toBe(second.object.metadata.name);
    expect(second.object["spec"]).toEqual({ x: "a" });
    const refused = await other.create(named(""), body("z", { x: "a" }), WRITE, CALLER).catch((e: unknown) => e);
    expect(hasReason(refused, "Invalid")).toBe(true);
  });

  test("stays where it is unknown whether the write was stored", async () => {
    const store = await openMemoryStore();
    const failing = new Proxy(store, {
      get(from, name) {
        const value: unknown = Reflect.get(from, name, from);
        if (name !== "write") return typeof value === "function" ? value.bind(from) : value;
        return (write: { key: string }) =>
          write.key.startsWith("/example.com/")
            ? Promise.reject(new StoreError("unknown", "who knows", { key: write.key }))
            : from.write(write as never);
      },
    });
    const { kinds } = await registryOf([owning], { store: failing });
    const widgets: Resource = kinds.find("example.com", "v1", "widgets")!;
    await expect(widgets.create(named(""), body("w", { x: "a" }), WRITE, CALLER)).rejects.toBeInstanceOf(ApiError);
    expect(await lettersOf(store)).toEqual(["a"]);
  });
});
