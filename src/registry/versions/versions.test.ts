import { describe, expect, test } from "vitest";
import type { AdmissionStep } from "../../admission/contract.ts";
import type { WatchSink } from "../../cache/index.ts";
import type { ApiObject, ResourceDefinition } from "../../schema/definition.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";
import type { BuiltRegistry } from "../build.ts";
import type { Resource } from "../contract.ts";
import { APPLY, CALLER, LIST, WATCH, WRITE, bodyOf, named, read, registryOf, widget } from "../testing/registry.ts";
import type { Value } from "../../value/value.ts";
import { longestSlice, sliceBound } from "../../util/testing/slices.ts";
import type { Converter } from "../kind/converter.ts";

/** The version that `version` is stored as, with a member that says from where it was converted. */
const storedAs = (version: string, hub: string): Pick<ResourceDefinition, "storedAs"> => {
  const under = (to: string) => (object: ApiObject) => ({ ...object, apiVersion: `example.com/${to}` });
  return { storedAs: { definition: `widgets.example.com/${hub}`, toStored: under(hub), fromStored: under(version) } };
};

const ALPHA_STORED = [widget("v1alpha1"), widget("v1", storedAs("v1", "v1alpha1"))];
const V1_STORED = [widget("v1"), widget("v1alpha1", storedAs("v1alpha1", "v1"))];

const body = (version: string, colour: string, more: object = {}) =>
  bodyOf({ apiVersion: `example.com/${version}`, kind: "Widget", metadata: { name: "w" }, spec: { colour }, ...more });

const at = (built: BuiltRegistry, version: string): Resource => built.kinds.find("example.com", version, "widgets")!;

/** What lies in the store, as text. */
const record = async (store: Awaited<ReturnType<typeof openMemoryStore>>, name = "w"): Promise<string> =>
  Buffer.from((await store.get(`/example.com/widgets/${name}`))!.value).toString();

/** An object that was stored as v1alpha1, in a registry whose storage version is v1. */
async function moved() {
  const store = await openMemoryStore();
  const before = await registryOf(ALPHA_STORED, { store });
  await at(before, "v1").create(named(""), body("v1", "red"), WRITE, CALLER);
  before.cacher.close();
  const built = await registryOf(V1_STORED, { store });
  return { store, built, alpha: at(built, "v1alpha1"), v1: at(built, "v1") };
}

describe("an object that was stored in an older version", () => {
  test("is whole in every version, in get, list and watch", async () => {
    const { store, alpha, v1 } = await moved();
    expect(await record(store)).toContain('"apiVersion":"example.com/v1alpha1"');
    for (const [resource, version] of [
      [alpha, "v1alpha1"],
      [v1, "v1"],
    ] as const) {
      const wanted = { apiVersion: `example.com/${version}`, kind: "Widget", spec: { colour: "red" } };
      expect(await read(resource, "w")).toMatchObject({ ...wanted, metadata: { name: "w", resourceVersion: "1" } });
      const { entries } = await resource.list("", LIST);
      expect(entries.map((entry) => JSON.parse(Buffer.from(resource.view(entry)).toString()))).toMatchObject([wanted]);
      const seen: unknown[] = [];
      const sink: WatchSink = {
        deliver: ({ events }) => seen.push(...events.map(({ entry }) => resource.object(entry))),
        ended: (error) => expect.fail(error.message),
      };
      const { watch } = await resource.watch("", { ...WATCH, sendInitialEvents: true }, sink);
      await expect.poll(() => seen).toMatchObject([wanted]);
      watch.close();
    }
  });

  test("is rewritten by the next write, also by one that changes nothing", async () => {
    const { store, v1 } = await moved();
    const same = bodyOf(await read(v1, "w"));
    const result = await v1.update(named("w"), same, WRITE, CALLER);
    expect(result.object.metadata.resourceVersion).toBe("2");
    expect(await record(store)).toContain('"apiVersion":"example.com/v1","metadata"');
    // From then on nothing changes any more.
    const again = await v1.update(named("w"), bodyOf(await read(v1, "w")), WRITE, CALLER);
    expect(again.object.metadata.resourceVersion).toBe("2");
  });

  test("is rewritten through the older version, too, and by an empty patch", async () => {
    const { store, alpha } = await moved();
    await alpha.patch(named("w"), bodyOf({}), { ...APPLY, type: "merge", fieldManager: "x" }, CALLER);
    expect(await record(store)).toContain('"apiVersion":"example.com/v1","metadata"');
  });

  test("keeps its owners through the change, and is applied to in the new version", async () => {
    const { v1 } = await moved();
    await v1.patch(named("w"), body("v1", "blue"), APPLY, CALLER);
    const { metadata, spec } = (await read(v1, "w")) as ApiObject & { spec: object };
    expect(spec).toEqual({ colour: "blue" });
    expect(metadata.managedFields?.map(({ manager, apiVersion }) => `${manager} ${apiVersion}`)).toEqual([
      "applier example.com/v1",
      "test example.com/v1",
    ]);
  });

  test("is deleted, and told to watches as it last was", async () => {
    const { v1, built } = await moved();
    const seen: string[] = [];
    const sink: WatchSink = {
      deliver: ({ events }) => seen.push(...events.map((e) => `${e.type} ${v1.object(e.entry).apiVersion}`)),
      ended: (error) => expect.fail(error.message),
    };
    await v1.watch("", { ...WATCH, resourceVersion: String(built.kinds.revision) }, sink);
    await v1.delete(named("w"), { dryRun: false }, CALLER);
    await expect.poll(() => seen).toEqual(["DELETED example.com/v1"]);
  });

  test("has a history of its versions", async () => {
    const { v1 } = await moved();
    await v1.update(named("w"), body("v1", "green"), WRITE, CALLER);
    const { versions } = await v1.history(named("w"), { limit: 10, objects: true });
    expect(versions.map(({ object }) => (object as { apiVersion: string }).apiVersion)).toEqual([
      "example.com/v1",
      "example.com/v1",
    ]);
  });
});

test("what a version cannot say survives a write through it, whichever version the object was stored in", async () => {
  // v1 knows spec.extra, v2 does not, v1alpha1 is what both are stored as now.
  const narrow: Pick<ResourceDefinition, "storedAs"> = {
    storedAs: {
      definition: "widgets.example.com/v1alpha1",
      toStored: (object, replaced) => {
        const { extra } = (replaced?.["spec"] ?? {}) as { extra?: string };
        const spec = { ...(object["spec"] as object), ...(extra === undefined ? {} : { extra }) };
        return { ...object, apiVersion: "example.com/v1alpha1", spec };
      },
      fromStored: (object) => {
        const { extra: _, ...spec } = object["spec"] as Record<string, string>;
        return { ...object, apiVersion: "example.com/v2", spec };
      },
    },
  };
  const store = await openMemoryStore();
  const before = await registryOf([widget("v1")], { store });
  await at(before, "v1").create(
    named(""),
    body("v1", "red", { spec: { colour: "red", extra: "kept" } }),
    WRITE,
    CALLER,
  );
  before.cacher.close();
  const hub = widget("v1alpha1");
  const built = await registryOf([hub, widget("v1", storedAs("v1", "v1alpha1")), widget("v2", narrow)], { store });
  await at(built, "v2").update(named("w"), body("v2", "blue"), WRITE, CALLER);
  expect((await read(at(built, "v1"), "w"))["spec"]).toEqual({ colour: "blue", extra: "kept" });
});

test("views go with what they were made by: another converter makes others, of the very same definitions", async () => {
  const store = await openMemoryStore();
  const built = await registryOf([], { store });
  const versions = [widget("v1"), widget("v2")];
  const by = (who: string): Converter => ({
    convert: (object, to) => (object.apiVersion === to ? object : { ...object, apiVersion: to, spec: { by: who } }),
  });
  for (const who of ["one", "two"]) {
    await built.kinds.set({ versions, storage: versions[0]!, converter: by(who) });
    if (who === "one") await at(built, "v1").create(named(""), body("v1", "red"), WRITE, CALLER);
    expect((await read(at(built, "v2"), "w"))["spec"]).toEqual({ by: who });
  }
});

test("a long list in another version leaves its turns to others", async () => {
  const [v1, v2] = [widget("v1"), widget("v2")];
  const built = await registryOf([]);
  await built.kinds.set({ versions: [v1, v2], storage: v1 });
  const spec = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key${i}`, "x".repeat(20)]));
  for (let from = 0; from < 5000; from += 500) {
    const some = Array.from({ length: 500 }, (_, i) => body("v1", "red", { metadata: { name: `w${from + i}` }, spec }));
    await Promise.all(some.map((one) => at(built, "v1").create(named(""), one, WRITE, CALLER)));
  }
  const longest = await longestSlice(
    // A new value, without a cached view.
    () => built.kinds.set({ versions: [v1, v2], storage: v1 }),
    async () => {
      const { entries } = await at(built, "v2").list("", LIST);
      for (const entry of entries) at(built, "v2").view(entry);
    },
  );
  expect(longest).toBeLessThan(sliceBound(50));
});

describe("a conversion that waits for a webhook", () => {
  /** Converts after a turn of the loop; `broken` refuses. */
  function asking() {
    const state = { calls: 0, objects: 0, broken: false };
    const convertAll = async (objects: readonly ApiObject[], to: string): Promise<readonly ApiObject[]> => {
      state.calls++;
      state.objects += objects.length;
      await new Promise((resolve) => void setImmediate(resolve));
      if (state.broken) throw new Error("the hook is gone");
      return objects.map((object) => ({
        ...object,
        apiVersion: to,
        spec: { ...(object["spec"] as object), seen: to },
      }));
    };
    const convert: Converter["convert"] = (object, to) =>
      object.apiVersion === to ? object : convertAll([object], to).then(([converted]) => converted!);
    return { state, converter: { convert, convertAll } };
  }

  async function asked() {
    const { state, converter } = asking();
    const store = await openMemoryStore();
    const built = await registryOf([], { store });
    const versions = [widget("v1"), widget("v2")];
    await built.kinds.set({ versions, storage: versions[0]!, converter });
    return { state, store, built, v1: at(built, "v1"), v2: at(built, "v2") };
  }

  test("waits in get, list and watch, once for each object and version", async () => {
    const { state, v1, v2 } = await asked();
    await v1.create(named(""), body("v1", "red"), WRITE, CALLER);
    expect(state.calls).toBe(0);
    expect(await read(v2, "w")).toMatchObject({ apiVersion: "example.com/v2", spec: { seen: "example.com/v2" } });
    const { entries } = await v2.list("", LIST);
    expect(v2.object(entries[0]!)).toMatchObject({ apiVersion: "example.com/v2" });
    expect(state.calls).toBe(1);
  });

  test("converts a long list in batches", async () => {
    const { state, v1, v2 } = await asked();
    const names = Array.from({ length: 600 }, (_, n) => `w${n}`);
    await Promise.all(
      names.map((name) => v1.create(named(""), body("v1", "red", { metadata: { name } }), WRITE, CALLER)),
    );
    const { entries } = await v2.list("", LIST);
    expect(entries.map((entry) => v2.object(entry).apiVersion)).toEqual(names.map(() => "example.com/v2"));
    expect(state).toMatchObject({ calls: 3, objects: 600 });
  });

  test("tells a watch in order, and nothing as delivered that is not", async () => {
    const { v1, v2, built } = await asked();
    const seen: string[] = [];
    const sink: WatchSink = {
      deliver: ({ events }) => seen.push(...events.map((e) => `${e.type} ${v2.object(e.entry).metadata.name}`)),
      ended: (error) => expect.fail(error.message),
    };
    const { watch } = await v2.watch("", { ...WATCH, resourceVersion: String(built.kinds.revision) }, sink);
    await expect.poll(() => watch.live).toBe(true);
    for (const name of ["a", "b", "c"]) {
      await v1.create(named(""), body("v1", "red", { metadata: { name } }), WRITE, CALLER);
      expect(watch.revision).toBeLessThanOrEqual(seen.length);
    }
    await expect.poll(() => seen).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
    expect(watch.revision).toBe(3);
  });

  test("writes through either version, and applies with owners in both", async () => {
    const { store, v1, v2 } = await asked();
    await v2.create(named(""), body("v2", "red"), WRITE, CALLER);
    expect(await record(store)).toContain('"apiVersion":"example.com/v1"');
    await v1.patch(named("w"), body("v1", "blue"), APPLY, CALLER);
    await v2.patch(named("w"), body("v2", "green"), { ...APPLY, fieldManager: "other" }, CALLER);
    const { spec, metadata } = (await read(v1, "w")) as ApiObject & { spec: { colour: string } };
    expect(spec.colour).toBe("green");
    expect(metadata.managedFields?.map(({ manager }) => manager)).toContain("other");
  });

  test("that fails is reported, and ends the watch that needs it, nothing else", async () => {
    const { state, v1, v2, built } = await asked();
    await v1.create(named(""), body("v1", "red"), WRITE, CALLER);
    const ended: string[] = [];
    const sink: WatchSink = { deliver: () => undefined, ended: ({ code }) => ended.push(code) };
    await v2.watch("", { ...WATCH, resourceVersion: String(built.kinds.revision) }, sink);
    state.broken = true;
    await expect(read(v2, "w")).rejects.toThrow("the hook is gone");
    await v1.update(named("w"), body("v1", "blue"), WRITE, CALLER);
    await expect.poll(() => ended).toEqual(["failed"]);
    expect(await read(v1, "w")).toMatchObject({ spec: { colour: "blue" } });
  });
});

describe("a request of admission in another version of its kind", () => {
  /** A step that sees each request as v1alpha1 and paints its object there, and what it has seen. */
  function painter(paint: (object: ApiObject) => ApiObject | undefined) {
    const seen: (ApiObject | undefined)[][] = [];
    const step: AdmissionStep = {
      name: "Paints",
      async mutate(request) {
        const shown = (await request.as("example.com/v1alpha1"))!;
        seen.push([structuredClone(shown.object), shown.old]);
        const painted = shown.object && paint(shown.object);
        if (painted) await shown.replace(painted as unknown as Value);
      },
    };
    return { seen, step };
  }

  const blue = (object: ApiObject): ApiObject => ({ ...structuredClone(object), spec: { colour: "blue" } });

  test("has both of its objects in that version, and what is put in their place is converted back", async () => {
    const { seen, step } = painter(blue);
    const { kinds } = await registryOf(V1_STORED, { steps: [step] });
    const v1 = kinds.find("example.com", "v1", "widgets")!;
    const created = await v1.create(named(""), body("v1", "red"), WRITE, CALLER);
    expect(created.object).toMatchObject({ apiVersion: "example.com/v1", spec: { colour: "blue" } });
    await v1.update(named("w"), body("v1", "green"), WRITE, CALLER);
    const alpha = (colour: string) => expect.objectContaining({ apiVersion: "example.com/v1alpha1", spec: { colour } });
    expect(seen).toEqual([
      [alpha("red"), undefined],
      [alpha("green"), alpha("blue")],
    ]);
    expect((await read(v1, "w"))["spec"]).toEqual({ colour: "blue" });
  });

  test("is itself in its own version, and does not exist in an unknown one", async () => {
    const found: unknown[] = [];
    const step: AdmissionStep = {
      name: "Asks",
      mutate: (request) => void found.push(request.as("example.com/v1") === request, request.as("example.com/v9")),
    };
    const { kinds } = await registryOf(V1_STORED, { steps: [step] });
    await kinds.find("example.com", "v1", "widgets")!.create(named(""), body("v1", "red"), WRITE, CALLER);
    expect(found).toEqual([true, undefined]);
  });
});
