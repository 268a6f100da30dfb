import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiObject, ApplyConfiguration, Key, Transport } from "../../src/client/index.ts";
import {
  ConfigMap,
  CoreEvent,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  Secret,
} from "../../src/client/kinds/index.ts";
import { garbageCollector } from "../../src/controllers/garbage/collector.ts";
import { namespaceLifecycle } from "../../src/controllers/namespaces/lifecycle.ts";
import type { Manager } from "../../src/runtime/index.ts";
import { testKind } from "../runtime/test-kind.ts";
import { World } from "../runtime/world.ts";

describe("the garbage collector (SUP-24)", () => {
  let world: World;
  let manager: Manager;
  beforeEach(async () => {
    world = await World.create();
    await world.resource(Namespace).create({ metadata: { name: "team" } });
    manager = await world.run(garbageCollector);
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
  });

  const maps = () => world.resource(ConfigMap);
  const at = (name: string): Key<"Namespaced"> => ({ name, namespace: "team" });
  const find = (name: string) => maps().find(at(name));
  const refTo = ({ apiVersion, kind, metadata: { name, uid } }: ApiObject, more = {}) => ({
    apiVersion,
    kind,
    name,
    uid,
    ...more,
  });
  const blocking = { blockOwnerDeletion: true };
  const make = (name: string, owners: readonly object[] = [], more = {}) =>
    maps().create({ metadata: { ...at(name), ownerReferences: owners, ...more } } as never);
  const remove = (name: string, propagationPolicy: "Background" | "Foreground" | "Orphan") =>
    maps().delete(at(name), { propagationPolicy });
  const ownersOf = async (name: string) =>
    (await find(name))?.metadata.ownerReferences?.map((owner) => owner.name) ?? [];

  test("CTL-GC-1, CTL-GC-8, CTL-GC-18: dependents go after their owner, and theirs after them", async () => {
    const a = await make("a");
    const b = await make("b", [refTo(a)]);
    await make("c", [refTo(b)]);
    await make("alone");
    await maps().delete(at("a"));
    expect(await find("a")).toBeUndefined();
    await world.settled();
    expect(await find("b")).toBeUndefined();
    expect(await find("c")).toBeUndefined();
    expect(await find("alone")).toBeDefined();
  });

  test.each([
    ["another uid", { uid: "0a0a0a0a-0000-4000-8000-000000000000" }],
    ["another name", { name: "b" }],
    ["another kind", { kind: "Secret" }],
  ])("CTL-GC-2: an object whose owner has %s is collected", async (_, more) => {
    const a = await make("a");
    await make("d", [{ ...refTo(a), ...more }]);
    await world.settled();
    expect(await find("d")).toBeUndefined();
    expect(await find("a")).toBeDefined();
  });

  test("CTL-GC-3: an object whose owner is of an unknown kind is kept", async () => {
    await make("d", [{ apiVersion: "example.com/v1", kind: "Unknown", name: "x", uid: "u-1" }]);
    await world.advance("1h");
    expect(await find("d")).toBeDefined();
  });

  test("CTL-GC-4: a reference to an owner that is absent is taken off who has another", async () => {
    const a = await make("a");
    await make("d", [refTo(a), { apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "u-1" }]);
    await world.settled();
    expect(await ownersOf("d")).toEqual(["a"]);
  });

  test("CTL-GC-6: an owner made again under the same name does not keep the old dependents", async () => {
    const a = await make("a");
    await make("d", [refTo(a)]);
    await maps().delete(at("a"));
    await make("a");
    await world.settled();
    expect(await find("d")).toBeUndefined();
    expect(await find("a")).toBeDefined();
  });

  test("CTL-GC-9, CTL-GC-10: in the foreground the owner waits for dependents that block it, and for no others", async () => {
    const a = await make("a");
    await make("held", [refTo(a, blocking)], { finalizers: ["example.com/mine"] });
    await make("free", [refTo(a)], { finalizers: ["example.com/mine"] });
    await remove("a", "Foreground");
    await world.settled();
    expect((await find("a"))?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    expect((await find("free"))?.metadata.deletionTimestamp).toBeDefined();
    await maps().patch(at("held"), { metadata: { finalizers: null } });
    await world.settled();
    expect(await find("held")).toBeUndefined();
    expect(await find("a")).toBeUndefined();
    expect(await find("free")).toBeDefined();
  });

  test("CTL-GC-11: a dependent that no longer blocks lets its owner go", async () => {
    const a = await make("a");
    await make("d", [refTo(a, blocking)], { finalizers: ["example.com/mine"] });
    await remove("a", "Foreground");
    await world.settled();
    expect(await find("a")).toBeDefined();
    await maps().patch(at("d"), { metadata: { ownerReferences: [refTo(a)] } });
    await world.settled();
    expect(await find("a")).toBeUndefined();
  });

  test("CTL-GC-12: a dependent that comes while its owner leaves in the foreground holds it up", async () => {
    const a = await make("a");
    await make("d", [refTo(a, blocking)], { finalizers: ["example.com/mine"] });
    await remove("a", "Foreground");
    await world.settled();
    await make("late", [refTo(a, blocking)], { finalizers: ["example.com/mine"] });
    await maps().patch(at("d"), { metadata: { finalizers: null } });
    await world.settled();
    expect(await find("a")).toBeDefined();
    expect((await find("late"))?.metadata.deletionTimestamp).toBeDefined();
    await maps().patch(at("late"), { metadata: { finalizers: null } });
    await world.settled();
    expect(await find("a")).toBeUndefined();
  });

  test("CTL-GC-13: with two owners, of which one goes in the foreground, the object stays and does not hold it up", async () => {
    const [a, b] = [await make("a"), await make("b")];
    await make("d", [refTo(a, blocking), refTo(b)]);
    await remove("a", "Foreground");
    await world.settled();
    expect(await find("a")).toBeUndefined();
    expect(await ownersOf("d")).toEqual(["b"]);
  });

  test("CTL-GC-14: without its dependents an owner goes, and they lose the reference to it alone", async () => {
    const [a, b] = [await make("a"), await make("b")];
    await make("d", [refTo(a)]);
    await make("e", [refTo(a), refTo(b)]);
    await remove("a", "Orphan");
    await world.settled();
    expect(await find("a")).toBeUndefined();
    expect(await ownersOf("d")).toEqual([]);
    expect(await ownersOf("e")).toEqual(["b"]);
  });

  test("CTL-GC-16: a dependent that is collected keeps its own policy", async () => {
    const a = await make("a");
    const b = await make("b", [refTo(a)], { finalizers: ["orphan"] });
    await make("c", [refTo(b)]);
    await maps().delete(at("a"));
    await world.settled();
    expect(await find("b")).toBeUndefined();
    expect(await ownersOf("c")).toEqual([]);
    expect(await find("c")).toBeDefined();
  });

  test("CTL-GC-17: a second delete in the background ends the waiting in the foreground", async () => {
    const a = await make("a");
    await make("d", [refTo(a, blocking)], { finalizers: ["example.com/mine"] });
    await remove("a", "Foreground");
    await world.settled();
    await remove("a", "Background");
    await world.settled();
    expect(await find("a")).toBeUndefined();
  });

  test("CTL-GC-18: a chain in the foreground goes from its end", async () => {
    const a = await make("a");
    const b = await make("b", [refTo(a, blocking)]);
    await make("c", [refTo(b, blocking)], { finalizers: ["example.com/mine"] });
    await remove("a", "Foreground");
    await world.settled();
    for (const name of ["a", "b", "c"]) expect((await find(name))?.metadata.deletionTimestamp).toBeDefined();
    await maps().patch(at("c"), { metadata: { finalizers: null } });
    await world.settled();
    for (const name of ["a", "b", "c"]) expect(await find(name)).toBeUndefined();
  });

  test.each(["Background", "Foreground"] as const)("CTL-GC-19: a circle of owners goes in the %s", async (policy) => {
    const a = await make("a");
    const b = await make("b", [refTo(a, blocking)]);
    const c = await make("c", [refTo(b, blocking)]);
    await maps().patch(at("a"), { metadata: { ownerReferences: [refTo(c, blocking)] } });
    await world.settled();
    expect(await find("a")).toBeDefined();
    await remove("a", policy);
    await world.settled();
    for (const name of ["a", "b", "c"]) expect(await find(name)).toBeUndefined();
  });

  test("CTL-GC-19: an object that owns itself can be deleted", async () => {
    const a = await make("a");
    await maps().patch(at("a"), { metadata: { ownerReferences: [refTo(a, blocking)] } });
    await remove("a", "Foreground");
    await world.settled();
    expect(await find("a")).toBeUndefined();
  });

  test("CTL-GC-20: an owner in another namespace is none, and an Event says so", async () => {
    const foreign = await maps().create({ metadata: { name: "a", namespace: "default" } });
    await make("d", [refTo(foreign)]);
    await world.settled();
    expect(await find("d")).toBeUndefined();
    expect(await maps().find({ name: "a", namespace: "default" })).toBeDefined();
    const { items } = await world.resource(Event).list({ namespace: "team" });
    expect(items.map(({ type, reason, regarding }) => [type, reason, regarding?.name])).toEqual([
      ["Warning", "OwnerRefInvalidNamespace", "d"],
    ]);
    expect(items[0]).toMatchObject({ reportingController: "garbage-collector-controller" });
  });

  test("CTL-GC-21: a cluster-wide object with an owner of a namespaced kind is kept, and an Event in default says so", async () => {
    const a = await make("a");
    await world.resource(Node).create({ metadata: { name: "n", ownerReferences: [refTo(a)] } });
    await maps().delete(at("a"));
    await world.settled();
    expect(await world.resource(Node).find({ name: "n" })).toBeDefined();
    const { items } = await world.resource(Event).list({ namespace: "default" });
    expect(items.map(({ reason }) => reason)).toEqual(["OwnerRefInvalidNamespace"]);
  });

  test("CTL-GC-22, CTL-GC-26: who is given a cluster-wide owner later goes with it", async () => {
    const node = await world.resource(Node).create({ metadata: { name: "n" } });
    await make("d");
    await maps().patch(at("d"), { metadata: { ownerReferences: [refTo(node)] } });
    await world.settled();
    expect(await find("d")).toBeDefined();
    await world.resource(Node).delete({ name: "n" });
    await world.settled();
    expect(await find("d")).toBeUndefined();
  });

  test("CTL-GC-23: Events neither own nor belong", async () => {
    const involvedObject = { kind: "ConfigMap", name: "x", namespace: "team" };
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "u-1" }];
    await world
      .resource(CoreEvent)
      .create({ metadata: { ...at("e"), ownerReferences }, involvedObject } as ApplyConfiguration<CoreEvent>);
    await world.settled();
    expect(await world.resource(CoreEvent).find(at("e"))).toBeDefined();
  });

  test("CTL-GC-24, CTL-GC-5: finalizers of others are respected, and a dependent made right after its owner stays", async () => {
    const a = await make("a");
    await make("d", [refTo(a)], { finalizers: ["example.com/mine"] });
    await world.settled();
    expect((await find("d"))?.metadata.deletionTimestamp).toBeUndefined();
    await maps().delete(at("a"));
    await world.settled();
    expect((await find("d"))?.metadata.deletionTimestamp).toBeDefined();
  });

  test("CTL-GC-7: an object that is given an owner at the last moment stays", async () => {
    const [a, b] = [await make("a"), await make("b")];
    await make("d", [refTo(a)]);
    let isGiven = false;
    const meddling =
      (transport: Transport): Transport =>
      async (request) => {
        if (request.method === "DELETE" && request.path.endsWith("/d") && !isGiven) {
          isGiven = true;
          await maps().patch(at("d"), { metadata: { ownerReferences: [refTo(a), refTo(b)] } });
        }
        return transport(request);
      };
    await manager.stop({ grace: 0 });
    const client = world.cluster.client("manager").with({ through: meddling });
    await world.manager({ client }).add(garbageCollector).start();
    await maps().delete(at("a"));
    await world.advance("10s");
    expect(isGiven).toBe(true);
    expect(await ownersOf("d")).toEqual(["b"]);
  });

  test("CTL-GC-14: a finalizer of an owner that could not be taken off is taken off later", async () => {
    const a = await make("a");
    await make("d", [refTo(a)]);
    const refused: string[] = [];
    const once =
      (transport: Transport): Transport =>
      async (request) => {
        if (request.method !== "PATCH" || !/\/a(?:\?|$)/.test(request.path) || refused.length > 0)
          return transport(request);
        refused.push(request.path);
        const status = {
          kind: "Status",
          apiVersion: "v1",
          status: "Failure",
          reason: "Conflict",
          code: 409,
          message: "no",
        };
        return {
          status: 409,
          body: (async function* () {
            yield Buffer.from(JSON.stringify(status));
          })(),
        };
      };
    await manager.stop({ grace: 0 });
    const client = world.cluster.client("manager").with({ through: once });
    await world.manager({ client }).add(garbageCollector).start();
    await remove("a", "Orphan");
    await world.settled();
    expect(await ownersOf("d")).toEqual([]);
    await world.advance("1m");
    expect([refused.length, await find("a")]).toEqual([1, undefined]);
  });

  test("CTL-GC-15: a finalizer of the owner decides where the delete has no policy", async () => {
    const orphaning = await make("orphaning", [], { finalizers: ["orphan"] });
    const waiting = await make("waiting", [], { finalizers: ["foregroundDeletion"] });
    await make("d", [refTo(orphaning)]);
    await make("e", [refTo(waiting, blocking)], { finalizers: ["example.com/mine"] });
    await world.settled();
    for (const name of ["orphaning", "waiting"]) await maps().delete(at(name));
    await world.settled();
    expect([await find("orphaning"), await ownersOf("d")]).toEqual([undefined, []]);
    expect((await find("waiting"))?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    expect((await find("e"))?.metadata.deletionTimestamp).toBeDefined();
  });

  test("CTL-GC-25: what is deleted as a collection is deleted as each of it is to be", async () => {
    const a = await make("a", [], { labels: { go: "yes" } });
    await make("d", [refTo(a)]);
    await maps().deleteCollection({ namespace: "team", labelSelector: "go=yes" }, { propagationPolicy: "Orphan" });
    await world.settled();
    expect([await find("a"), await ownersOf("d")]).toEqual([undefined, []]);
    expect(await find("d")).toBeDefined();
  });

  test("CTL-GC-27: objects of a kind that comes are collected within half a minute", async () => {
    const a = await make("a");
    const { definition, kind } = testKind("widgets", { scope: "Namespaced" });
    await world.cluster.kinds.set({ versions: [definition] });
    await world.advance("30s");
    await world.resource(kind).create({ metadata: { ...at("w"), ownerReferences: [refTo(a)] } } as never);
    await world.settled();
    expect(await world.resource(kind).find(at("w"))).toBeDefined();
    await maps().delete(at("a"));
    await world.settled();
    expect(await world.resource(kind).find(at("w"))).toBeUndefined();
  });

  test("CTL-GC-28: a dependent of an owner that has just gone goes, too", async () => {
    const a = await make("a");
    await maps().delete(at("a"));
    await world.resource(Secret).create({ metadata: { ...at("d"), ownerReferences: [refTo(a)] } } as never);
    await world.settled();
    expect(await world.resource(Secret).find(at("d"))).toBeUndefined();
  });

  test("CTL-NS-8: owners and dependents that block them do not hold their namespace", async () => {
    await world.run(namespaceLifecycle);
    const a = await make("a");
    await make("d", [refTo(a, blocking)]);
    await world.resource(Namespace).delete({ name: "team" });
    await world.settled();
    expect(await world.resource(Namespace).find({ name: "team" })).toBeUndefined();
  });

  test("changes from before the start are handled after it, half-done deletions, too", async () => {
    await world.resource(PersistentVolume).list();
    const quiet = await World.create();
    const own = quiet.resource(ConfigMap);
    const a = await own.create({ metadata: { name: "a", namespace: "default" } });
    const b = await own.create({ metadata: { name: "b", namespace: "default" } });
    for (const [name, owner] of [
      ["d", a],
      ["e", b],
    ] as const) {
      const ownerReferences = [refTo(owner, blocking)];
      await own.create({ metadata: { name, namespace: "default", ownerReferences } } as never);
    }
    await own.delete({ name: "a", namespace: "default" });
    await own.delete({ name: "b", namespace: "default" }, { propagationPolicy: "Foreground" });
    await quiet.run(garbageCollector);
    await quiet.settled();
    expect((await own.list({ namespace: "default" })).items).toEqual([]);
    await quiet[Symbol.asyncDispose]();
  });
});
