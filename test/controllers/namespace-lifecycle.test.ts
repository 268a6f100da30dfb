import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiObject, Kind, NewObject, Transport } from "../../src/client/index.ts";
import {
  ConfigMap,
  CoreEvent,
  Event,
  Lease,
  Namespace,
  Pod,
  Secret,
  ServiceAccount,
  neutral,
} from "../../src/client/kinds/index.ts";
import type { Dialect } from "../../src/meta/dialect.ts";
import { namespaceLifecycle } from "../../src/controllers/namespaces/lifecycle.ts";
import { rateLimitedLog } from "../../src/util/rate-limited-log.ts";
import { silentLog } from "../../src/util/log.ts";
import { testKind } from "../runtime/test-kind.ts";
import { World } from "../runtime/world.ts";

describe.each<Dialect["name"]>(["neutral", "kubernetes"])("the namespace controller in the %s dialect", (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await World.create(dialect);
    await world.resource(Namespace).create({ metadata: { name: "team" } });
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const isGone = async (): Promise<boolean> => (await world.resource(Namespace).find({ name: "team" })) === undefined;
  /** Creates an object of the namespace `team`. */
  const create = (kind: Kind<ApiObject, "Namespaced">, name: string, metadata: object = {}, more = {}) =>
    world
      .resource(kind)
      .create({ metadata: { name, namespace: "team", ...metadata }, ...more } as NewObject<ApiObject>);

  test("DEC-34: a namespace that is deleted loses its objects of every kind, then goes; other namespaces keep theirs", async () => {
    await world.run(namespaceLifecycle);
    await world.resource(Namespace).create({ metadata: { name: "other" } });
    await create(ConfigMap, "a");
    await create(Secret, "b");
    await create(ServiceAccount, "c");
    await create(CoreEvent, "d", {}, { involvedObject: { kind: "ConfigMap", name: "a", namespace: "team" } });
    await world.resource(ConfigMap).create({ metadata: { name: "kept", namespace: "other" } });
    await create(dialect === "neutral" ? neutral(Lease) : Lease, "e");
    await world.resource(Namespace).delete({ name: "team" });
    await world.until(isGone);
    for (const kind of [ConfigMap, Secret, ServiceAccount, CoreEvent] as Kind<ApiObject, "Namespaced">[]) {
      expect((await world.resource(kind).list({ namespace: "team" })).items).toEqual([]);
    }
    expect(await world.resource(ConfigMap).find({ name: "kept", namespace: "other" })).toBeDefined();
    expect(world.warnings).toEqual([]);
  });

  test("of all groups that have a kind called Event, each one's are deleted", async () => {
    await world.run(namespaceLifecycle);
    const kind = dialect === "neutral" ? neutral(Event) : Event;
    const about = { eventTime: "2026-01-01T00:00:00.000000Z", action: "a", reason: "r", type: "Normal" };
    const told = {
      ...about,
      reportingController: "example.com/c",
      reportingInstance: "c-1",
      regarding: { kind: "Pod", namespace: "team" },
    };
    await world.resource(kind).create({ metadata: { name: "e", namespace: "team" }, ...told });
    await world.resource(Namespace).delete({ name: "team" });
    await world.until(isGone);
    expect((await world.resource(kind).list({ namespace: "team" })).items).toEqual([]);
  });

  test("CTL-NS-6, DEC-34: an object with finalizers holds its namespace, until they are done", async () => {
    await world.run(namespaceLifecycle);
    await create(ConfigMap, "held", { finalizers: ["example.com/mine"] });
    await create(ConfigMap, "free");
    await world.resource(Namespace).delete({ name: "team" });
    await world.advance(5000);
    expect(await world.resource(ConfigMap).find({ name: "free", namespace: "team" })).toBeUndefined();
    expect(
      (await world.resource(ConfigMap).find({ name: "held", namespace: "team" }))?.metadata.deletionTimestamp,
    ).toBeDefined();
    const { status, metadata } = await world.resource(Namespace).get({ name: "team" });
    expect(status.phase).toBe("Terminating");
    expect(status.conditions!.map(({ type, status: is, reason, message }) => [type, is, reason, message])).toEqual([
      ["NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"],
      [
        "NamespaceDeletionGroupVersionParsingFailure",
        "False",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
      ],
      [
        "NamespaceDeletionContentFailure",
        "False",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
      ],
      [
        "NamespaceContentRemaining",
        "True",
        "SomeResourcesRemain",
        "Some resources are remaining: configmaps. has 1 resource instances",
      ],
      [
        "NamespaceFinalizersRemaining",
        "True",
        "SomeFinalizersRemain",
        "Some content in the namespace has finalizers remaining: example.com/mine in 1 resource instances",
      ],
    ]);
    await world.advance("1h");
    expect((await world.resource(Namespace).get({ name: "team" })).metadata.resourceVersion).toBe(
      metadata.resourceVersion,
    );
    await world.resource(ConfigMap).patch({ name: "held", namespace: "team" }, { metadata: { finalizers: null } });
    await world.advance(15_000);
    expect(await isGone()).toBe(true);
  });

  test("a namespace that is not empty within a minute is reported with what blocks it, each of them once", async () => {
    const lines: Record<string, unknown>[] = [];
    const log = rateLimitedLog(
      { ...silentLog, warn: (message, facts) => lines.push({ message, ...facts }) },
      world.clock,
    );
    const manager = world.manager({ log }).add(namespaceLifecycle);
    await manager.start();
    await world.resource(Namespace).create({ metadata: { name: "other" } });
    for (const namespace of ["team", "other"]) {
      await create(ConfigMap, "held", { namespace, finalizers: [`example.com/${namespace}`] });
      await world.resource(Namespace).delete({ name: namespace });
    }
    const { deletionTimestamp } = (await world.resource(Namespace).get({ name: "team" })).metadata;
    await world.advance(59_000);
    expect(lines).toEqual([]);
    await world.advance(11_000);
    const told = (): string[] => lines.map(({ namespace }) => String(namespace)).toSorted();
    expect(told()).toEqual(["other", "team"]);
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          message: "a namespace does not empty",
          controller: "keelson-namespace",
          key: "team",
          namespace: "team",
          since: deletionTimestamp,
          why: "Some resources are remaining: configmaps. has 1 resource instances; Some content in the namespace has finalizers remaining: example.com/team in 1 resource instances",
        }),
        expect.objectContaining({ namespace: "other", why: expect.stringContaining("example.com/other") as string }),
      ]),
    );
    lines.length = 0;
    for (let minute = 0; minute < 5; minute++) await world.advance("1m");
    expect(told()).toEqual([...Array.from({ length: 5 }, () => "other"), ...Array.from({ length: 5 }, () => "team")]);
    await world.resource(ConfigMap).patch({ name: "held", namespace: "team" }, { metadata: { finalizers: null } });
    await world.resource(ConfigMap).patch({ name: "held", namespace: "other" }, { metadata: { finalizers: null } });
    for (let minute = 0; minute < 2; minute++) await world.advance("1m");
    expect(await isGone()).toBe(true);
    lines.length = 0;
    for (let minute = 0; minute < 5; minute++) await world.advance("1m");
    expect(lines).toEqual([]);
  });

  test("a kind that cannot be deleted delays no other one, and is reported", async () => {
    const refusing =
      (transport: Transport): Transport =>
      (request) => {
        const isRefused = request.method === "DELETE" && request.path.includes("/configmaps");
        return isRefused ? Promise.reject(new Error("not today")) : transport(request);
      };
    const manager = world.manager({ client: world.client.with({ through: refusing }) }).add(namespaceLifecycle);
    await manager.start();
    await create(ConfigMap, "a");
    await create(Secret, "b");
    await world.resource(Namespace).delete({ name: "team" });
    await world.settled();
    expect(await world.resource(Secret).find({ name: "b", namespace: "team" })).toBeUndefined();
    const { status } = await world.resource(Namespace).get({ name: "team" });
    expect(status.conditions!.find(({ type }) => type === "NamespaceDeletionContentFailure")).toMatchObject({
      status: "True",
      reason: "ContentDeletionFailed",
      message: "Failed to delete all resource types, 1 remaining: not today",
    });
    await world.advance("2m");
    expect(world.warnings).toContainEqual(expect.stringMatching(/^a namespace does not empty .*not today/));
  });

  test.skipIf(dialect === "neutral")(
    "CTL-NS-4: pods go first, and in their time; nothing else is touched before",
    async () => {
      await world.run(namespaceLifecycle);
      await create(ConfigMap, "a");
      const spec = { containers: [{ name: "c", image: "i" }], nodeName: "n1", terminationGracePeriodSeconds: 60 };
      await create(Pod, "p", {}, { spec });
      await world.resource(Namespace).delete({ name: "team" });
      await world.advance("30s");
      const pod = await world.resource(Pod).get({ name: "p", namespace: "team" });
      expect(pod.metadata.deletionGracePeriodSeconds).toBe(60);
      const { status } = await world.resource(Namespace).get({ name: "team" });
      expect(status.conditions!.map(({ type, status: is, reason }) => [type, is, reason])).toEqual([
        ["NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered"],
        ["NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions"],
        ["NamespaceDeletionContentFailure", "True", "ContentDeletionFailed"],
        ["NamespaceContentRemaining", "False", "ContentRemoved"],
        ["NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers"],
      ]);
      const map = await world.resource(ConfigMap).get({ name: "a", namespace: "team" });
      expect(map.metadata.deletionTimestamp).toBeUndefined();
      expect(world.failures).toEqual([]);
      await world.resource(Pod).delete({ name: "p", namespace: "team" }, { gracePeriodSeconds: 0 });
      await world.advance("10s");
      expect(await isGone()).toBe(true);
    },
  );

  test("CTL-NS-5, CTL-NS-9: a namespace of which it is not known what it can hold stays, and says so", async () => {
    let isDown = true;
    const broken =
      (transport: Transport): Transport =>
      (request) =>
        isDown && request.path === "/apis" ? Promise.reject(new Error("not today")) : transport(request);
    await world
      .manager({ client: world.client.with({ through: broken }) })
      .add(namespaceLifecycle)
      .start();
    await world.resource(Namespace).delete({ name: "team" });
    await world.advance("20s");
    const { status } = await world.resource(Namespace).get({ name: "team" });
    expect(status.conditions![0]).toMatchObject({
      type: "NamespaceDeletionDiscoveryFailure",
      status: "True",
      reason: "DiscoveryFailed",
      message: expect.stringContaining("not today"),
    });
    isDown = false;
    await world.advance("20s");
    expect(await isGone()).toBe(true);
  });

  test("CTL-NS-3: what is of a kind that comes while the namespace goes is deleted, too", async () => {
    const { kind, definition } = testKind("widgets", { scope: "Namespaced" });
    await world.cluster.kinds.set({ versions: [definition] });
    await create(kind as Kind<ApiObject, "Namespaced">, "w");
    await world.cluster.kinds.remove("widgets.example.com");
    await world.run(namespaceLifecycle);
    await create(ConfigMap, "held", { finalizers: ["example.com/mine"] });
    await world.resource(Namespace).delete({ name: "team" });
    await world.advance("5s");
    await world.cluster.kinds.set({ versions: [definition] });
    await world.advance("15s");
    expect(await world.resource(kind).find({ name: "w", namespace: "team" })).toBeUndefined();
    await world.resource(ConfigMap).patch({ name: "held", namespace: "team" }, { metadata: { finalizers: null } });
    await world.advance("15s");
    expect(await isGone()).toBe(true);
  });

  test("CTL-NS-2, DEC-34: nothing new can be made in a namespace that is going", async () => {
    await create(ConfigMap, "held", { finalizers: ["example.com/mine"] });
    await world.resource(Namespace).delete({ name: "team" });
    await expect(create(ConfigMap, "late")).rejects.toMatchObject({
      status: { code: 403, details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] } },
    });
  });

  test("DEC-34: a namespace that was deleted while nothing ran goes after the start", async () => {
    await create(ConfigMap, "a");
    await world.resource(Namespace).delete({ name: "team" });
    await world.advance(1000);
    expect(await isGone()).toBe(false);
    await world.run(namespaceLifecycle);
    await world.until(isGone);
  });

  test("CTL-NS-1: what is in a namespace of the name that was made since memory was right is left alone", async () => {
    await create(ConfigMap, "held", { finalizers: ["example.com/mine"] });
    await world.resource(Namespace).delete({ name: "team" });
    // Namespaces are listed, and no change of them is seen.
    const blind =
      (transport: Transport): Transport =>
      (request) =>
        request.path.startsWith("/api/v1/namespaces?") && request.path.includes("watch=")
          ? new Promise(() => {})
          : transport(request);
    const manager = world.manager({ client: world.client.with({ through: blind }) }).add(namespaceLifecycle);
    await manager.start();
    await world.advance("5s");
    // Another server finishes the deletion.
    await world.resource(ConfigMap).patch({ name: "held", namespace: "team" }, { metadata: { finalizers: null } });
    const gone = await world.resource(Namespace).get({ name: "team" });
    await world
      .resource(Namespace)
      .subresource("finalize")
      .update({ ...gone, spec: { finalizers: [] } });
    await world.resource(Namespace).create({ metadata: { name: "team" } });
    await create(ConfigMap, "new");
    await world.advance("1m");
    expect(await world.resource(ConfigMap).find({ name: "new", namespace: "team" })).toBeDefined();
    expect(world.failures).toEqual([]);
  });

  test("a namespace that is not deleted is left alone", async () => {
    await create(ConfigMap, "a");
    const before = await world.resource(Namespace).find({ name: "team" });
    await world.run(namespaceLifecycle);
    await world.advance(5000);
    expect(await world.resource(Namespace).find({ name: "team" })).toEqual(before);
    expect(await world.resource(ConfigMap).find({ name: "a", namespace: "team" })).toBeDefined();
  });

  test("CTL-NS-7: a namespace with finalizers of its own metadata waits for those too", async () => {
    await world.run(namespaceLifecycle);
    await world.resource(Namespace).create({ metadata: { name: "held", finalizers: ["example.com/mine"] } });
    await world.resource(Namespace).delete({ name: "held" });
    await world.advance(3000);
    expect(await world.resource(Namespace).find({ name: "held" })).toMatchObject({
      metadata: { finalizers: ["example.com/mine"] },
    });
    await world.resource(Namespace).patch({ name: "held" }, { metadata: { finalizers: null } });
    await world.until(async () => (await world.resource(Namespace).find({ name: "held" })) === undefined);
  });
});
