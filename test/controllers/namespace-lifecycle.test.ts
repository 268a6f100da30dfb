import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Dialect } from "../../src/meta/dialect.ts";
import { namespaceLifecycle } from "../../src/controllers/namespace-lifecycle.ts";
import { World, object } from "./world.ts";

describe.each<Dialect["name"]>(["neutral", "kubernetes"])("the namespace controller in the %s dialect", (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await World.start(dialect);
    await world.resource("namespaces").create(object("Namespace", "team"));
  });
  afterEach(() => world.close());

  const isGone = async (): Promise<boolean> => (await world.find("namespaces", "team")) === undefined;
  const create = (plural: string, kind: string, name: string, metadata: object = {}, more = {}): Promise<unknown> =>
    world.resource(plural).create(object(kind, name, more, { namespace: "team", ...metadata }));

  test("DEC-34: a namespace that is deleted loses its objects of every kind, then goes; other namespaces keep theirs", async () => {
    await world.run(namespaceLifecycle);
    await world.resource("namespaces").create(object("Namespace", "other"));
    await create("configmaps", "ConfigMap", "a");
    await create("secrets", "Secret", "b");
    await create("serviceaccounts", "ServiceAccount", "c");
    await create("events", "Event", "d", {}, { involvedObject: { kind: "ConfigMap", name: "a", namespace: "team" } });
    await world.resource("configmaps").create(object("ConfigMap", "kept", {}, { namespace: "other" }));
    await world.resource("leases", `coordination.${dialect === "neutral" ? "svc.io" : "k8s.io"}`).create({
      ...object("Lease", "e", {}, { namespace: "team" }),
      apiVersion: `coordination.${dialect === "neutral" ? "svc.io" : "k8s.io"}/v1`,
    });
    await world.resource("namespaces").delete("team");
    await world.until(isGone);
    for (const plural of ["configmaps", "secrets", "serviceaccounts", "events"]) {
      expect((await world.resource(plural).list({ namespace: "team" })).items).toEqual([]);
    }
    expect(await world.find("configmaps", "kept", "other")).toBeDefined();
    expect(world.warnings).toEqual([]);
  });

  test("DEC-34: an object with finalizers holds its namespace, until they are done", async () => {
    await world.run(namespaceLifecycle);
    await create("configmaps", "ConfigMap", "held", { finalizers: ["example.com/mine"] });
    await create("configmaps", "ConfigMap", "free");
    await world.resource("namespaces").delete("team");
    await world.pass(5000);
    expect(await world.find("configmaps", "free", "team")).toBeUndefined();
    expect((await world.find("configmaps", "held", "team"))?.metadata.deletionTimestamp).toBeDefined();
    expect(await world.find("namespaces", "team")).toMatchObject({ status: { phase: "Terminating" } });
    await world.resource("configmaps").patch("held", { metadata: { finalizers: null } }, { namespace: "team" });
    await world.pass(15_000);
    expect(await isGone()).toBe(true);
    expect(world.warnings).toEqual([]);
  });

  test("DEC-34: nothing new can be made in a namespace that is going", async () => {
    await create("configmaps", "ConfigMap", "held", { finalizers: ["example.com/mine"] });
    await world.resource("namespaces").delete("team");
    await expect(create("configmaps", "ConfigMap", "late")).rejects.toMatchObject({
      status: { code: 403, details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] } },
    });
  });

  test("DEC-34: a namespace that was deleted while nothing ran goes after the start", async () => {
    await create("configmaps", "ConfigMap", "a");
    await world.resource("namespaces").delete("team");
    await world.pass(1000);
    expect(await isGone()).toBe(false);
    await world.run(namespaceLifecycle);
    await world.until(isGone);
  });

  test("a namespace that nobody deletes is left alone", async () => {
    await create("configmaps", "ConfigMap", "a");
    const before = await world.find("namespaces", "team");
    await world.run(namespaceLifecycle);
    await world.pass(5000);
    expect(await world.find("namespaces", "team")).toEqual(before);
    expect(await world.find("configmaps", "a", "team")).toBeDefined();
  });

  test("a namespace with finalizers of its own metadata waits for those too", async () => {
    await world.run(namespaceLifecycle);
    await world.resource("namespaces").create(object("Namespace", "held", {}, { finalizers: ["example.com/mine"] }));
    await world.resource("namespaces").delete("held");
    await world.pass(3000);
    expect(await world.find("namespaces", "held")).toMatchObject({ metadata: { finalizers: ["example.com/mine"] } });
    await world.resource("namespaces").patch("held", { metadata: { finalizers: null } });
    await world.until(async () => (await world.find("namespaces", "held")) === undefined);
  });
});
