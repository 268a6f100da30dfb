/** Kinds that come and go under controllers, in one process and over a socket's worth of transport. */
import { describe, expect, test } from "vitest";
import { type Transport, metadataOf, preferredKinds } from "../../src/client/index.ts";
import { ConfigMap, Namespace } from "../../src/client/kinds/index.ts";
import { defineController, keysPushed, sharedInformer } from "../../src/runtime/index.ts";
import { testKind } from "./test-kind.ts";
import { World } from "./world.ts";

/** Counts the readings of discovery on the way. */
const counted =
  (count: { readings: number }) =>
  (transport: Transport): Transport =>
  (request) => {
    if (request.path === "/apis") count.readings++;
    return transport(request);
  };

describe("an informer", () => {
  test("of a kind that comes, goes and comes back hears of it at once; nothing is asked for in between", async () => {
    await using world = await World.create();
    const { kind, definition } = testKind("widgets");
    const asked = { readings: 0 };
    const manager = world.manager({ client: world.client.with({ through: counted(asked) }) });
    const heard: string[] = [];
    const informer = manager.informer(sharedInformer(kind));
    informer.on(({ type, object }) => void heard.push(`${type} ${object.metadata.name}`));
    await world.settled();
    expect(informer.state).toBe("absent");
    const before = asked.readings;
    await world.advance("24h");
    expect(asked.readings).toBe(before);
    await world.cluster.kinds.set({ versions: [definition] });
    await world.settled();
    expect(informer.state).toBe("synced");
    await world.resource(kind).create({ metadata: { name: "a" } });
    await world.settled();
    await world.cluster.kinds.remove("widgets.example.com");
    await world.settled();
    expect([informer.state, informer.list()]).toEqual(["absent", []]);
    await world.cluster.kinds.set({ versions: [definition] });
    await world.settled();
    expect(heard).toEqual(["added a", "deleted a", "added a"]);
    await world.advance("24h");
    expect([asked.readings, world.warnings]).toEqual([expect.toSatisfy((n) => n < 12), []]);
  });

  test("of a version that is not served waits while another one is, and follows a kind whose scope has changed", async () => {
    await using world = await World.create();
    const v1 = testKind("widgets");
    const v2 = testKind("widgets", { version: "v2", scope: "Namespaced" });
    const manager = world.manager();
    const [one, two] = [manager.informer(sharedInformer(v1.kind)), manager.informer(sharedInformer(v2.kind))];
    await world.cluster.kinds.set({ versions: [v1.definition] });
    await world.resource(v1.kind).create({ metadata: { name: "a" } });
    await world.settled();
    expect([one.state, two.state, one.list().length]).toEqual(["synced", "absent", 1]);
    await world.resource(v1.kind).delete({ name: "a" });
    await world.cluster.kinds.remove("widgets.example.com");
    await world.cluster.kinds.set({ versions: [v2.definition] });
    await world.settled();
    await world.resource(v2.kind).create({ metadata: { name: "b", namespace: "default" } });
    await world.advance("1s");
    expect([one.state, two.state]).toEqual(["absent", "synced"]);
    expect(two.get({ namespace: "default", name: "b" })?.metadata.name).toBe("b");
  });

  test("that gets a 404 of a proxy in between keeps its state: discovery has the kind", async () => {
    await using world = await World.create();
    let lost = false;
    const notHere = async function* () {
      yield Buffer.from("404 page not found");
    };
    const proxy =
      (transport: Transport): Transport =>
      async (request) =>
        lost && request.path.includes("/configmaps") ? { status: 404, body: notHere() } : transport(request);
    const ended: AbortController[] = [];
    const breaking =
      (transport: Transport): Transport =>
      (request) => {
        const own = new AbortController();
        ended.push(own);
        return transport({ ...request, signal: AbortSignal.any([own.signal, request.signal!]) });
      };
    const manager = world.manager({ client: world.client.with({ through: (t) => proxy(breaking(t)) }) });
    await world
      .resource(ConfigMap)
      .create({ metadata: { name: "a", namespace: "team" } })
      .catch(() => {});
    await world.resource(ConfigMap).create({ metadata: { name: "a", namespace: "default" } });
    const informer = manager.informer(sharedInformer(ConfigMap));
    const heard: string[] = [];
    informer.on(({ type }) => void heard.push(type));
    await world.settled();
    const known = heard.length;
    lost = true;
    for (const own of ended) own.abort();
    await world.advance("1m");
    expect([informer.state, heard.length, informer.list().length]).toEqual(["behind", known, known]);
    expect(world.warnings.join()).toContain("404 page not found");
    lost = false;
    await world.advance("1m");
    expect([informer.state, heard.length]).toEqual(["synced", known]);
  });

  test("of each of a thousand kinds that come at once costs a list and a watch, and all together few readings", async () => {
    await using world = await World.create();
    const asked = { readings: 0 };
    const manager = world.manager({ client: world.client.with({ through: counted(asked) }) });
    const all = Array.from({ length: 1000 }, (_, n) => testKind(`widgets${n}`, { group: `g${n % 100}.example.com` }));
    const informers = all.map(({ kind }) => manager.informer(sharedInformer(metadataOf(kind))));
    await world.settled();
    expect(new Set(informers.map(({ state }) => state))).toEqual(new Set(["absent"]));
    const before = asked.readings;
    expect(before).toBeLessThan(10);
    for (const { definition } of all) await world.cluster.kinds.set({ versions: [definition] });
    await world.settled();
    expect(new Set(informers.map(({ state }) => state))).toEqual(new Set(["synced"]));
    expect(asked.readings - before).toBeLessThan(100);
  });
});

test("a controller may follow the objects of every kind, as kinds come and go", async () => {
  await using world = await World.create();
  const { kind, definition } = testKind("widgets", { scope: "Namespaced" });
  /** Writes into each namespace how many objects it has. */
  const counts = new Map<string, number>();
  const held = new Map<string, ReturnType<ReturnType<World["manager"]>["informer"]>>();
  const everything = keysPushed<{ name: string }>((add, { kinds, informer }) =>
    kinds.on((served) => {
      const now = new Map(preferredKinds(served).map((one) => [`${one.plural}.${one.group}`, one]));
      for (const [id, gone] of held) {
        if (now.has(id)) continue;
        for (const { metadata } of gone.list()) if (metadata.namespace) add({ name: metadata.namespace });
        gone[Symbol.dispose]();
        held.delete(id);
      }
      for (const [id, one] of now) {
        if (held.has(id) || one.scope !== "Namespaced" || !one.verbs.includes("watch")) continue;
        const follows = informer(sharedInformer(metadataOf(one)));
        follows.on(({ object: { metadata } }) => add({ name: metadata.namespace! }));
        held.set(id, follows);
      }
    }),
  );
  await world.run(
    defineController({
      name: "counts",
      for: Namespace,
      sources: [everything],
      reconcile: ({ key: { name } }) => {
        const all = [...held.values()].flatMap((one) => one.list({ namespace: name }));
        counts.set(name, all.length);
      },
    }),
  );
  await world.settled();
  const before = counts.get("default")!;
  await world.cluster.kinds.set({ versions: [definition] });
  await world.settled();
  await world.resource(kind).create({ metadata: { name: "a", namespace: "default" } });
  await world.resource(ConfigMap).create({ metadata: { name: "a", namespace: "default" } });
  await world.settled();
  expect(counts.get("default")).toBe(before + 2);
  await world.cluster.kinds.remove("widgets.example.com");
  await world.settled();
  expect([counts.get("default"), world.warnings, world.failures]).toEqual([before + 1, [], []]);
});
