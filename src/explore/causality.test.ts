import { describe, expect, test } from "vitest";
import { analyse, changedMembers } from "./causality.ts";
import type { StoredObject } from "./contract/state.ts";
import { TraceBuilder } from "./testing/trace-builder.ts";

const widget = (spec: object) => ({ kind: "Widget", name: "w", spec });
const child = (name: string) => ({ kind: "ConfigMap", name });

const writesOf = (builder: TraceBuilder) =>
  analyse(builder.trace).writes.map(({ point, step, place, groupSize, fresh, causes }) => ({
    write: `${point.verb} ${point.name}`,
    at: `${step}: ${place + 1} of ${groupSize}`,
    fresh,
    causes: causes.map(({ shape }) => shape.split("|").slice(1).filter(Boolean).join(" ")),
  }));

describe("causes in a clean run", () => {
  test("writes that follow one another are a group, and what came before it are its causes", () => {
    const builder = new TraceBuilder()
      .step(0)
      .news("create", widget({ size: 1 }))
      .request("op", "list", { group: "", kind: "ConfigMap", namespace: "default" })
      .write("create", child("a"))
      .write("create", child("b"))
      .step(1)
      .news("update", widget({ size: 2 }))
      .write("delete", child("b"));
    const before = ["ADDED Widget default w created", "api list ConfigMap default"];
    expect(writesOf(builder)).toEqual([
      { write: "create a", at: "0: 1 of 2", fresh: true, causes: before },
      { write: "create b", at: "0: 2 of 2", fresh: true, causes: [...before, "ADDED ConfigMap default a created"] },
      {
        write: "delete b",
        at: "1: 1 of 1",
        fresh: true,
        causes: ["ADDED ConfigMap default b created", "MODIFIED Widget default w .spec.size"],
      },
    ]);
  });

  test("news from others between two writes, and a pause, begin another group", () => {
    const builder = new TraceBuilder().step(0).news("create", widget({})).write("create", child("a"));
    builder.news("create", { kind: "Pod", name: "p" }, "cluster").write("create", child("b"));
    builder.at = 5000;
    builder.write("create", child("c"));
    expect(writesOf(builder).map(({ at }) => at)).toEqual(["0: 1 of 1", "0: 1 of 1", "0: 1 of 1"]);
    expect(writesOf(builder)[1]!.causes).toEqual(["ADDED ConfigMap default a created", "ADDED Pod default p created"]);
  });

  test("an object that is made again under the name of a deleted one is news, once", () => {
    const builder = new TraceBuilder();
    for (const step of [0, 1, 2]) {
      builder.step(step).news("create", widget({ size: 1 }));
      builder.news("delete", { kind: "Widget", name: "w" });
    }
    const added = analyse(builder.trace).deliveries.filter(({ entry }) => entry.change === "ADDED");
    expect(added.map(({ again, fresh }) => [again, fresh])).toEqual([
      [false, true],
      [true, true],
      [true, false],
    ]);
  });

  test("a write whose object the user deletes in the next step is known", () => {
    const builder = new TraceBuilder()
      .step(0)
      .news("create", widget({ size: 1 }))
      .write("create", child("a"))
      .step(1)
      .news("update", widget({ size: 2 }))
      .write("create", child("b"))
      .step(3)
      .news("delete", { kind: "Widget", name: "w" });
    const { writes } = analyse(builder.trace);
    expect(writes.map(({ isDeletedNext }) => isDeletedNext)).toEqual([false, true]);
  });

  test("a write that removes a finalizer is known", () => {
    const { writes } = analyse(
      new TraceBuilder()
        .write("create", child("a"))
        .write("update", { ...child("a"), finalizers: ["x/y"] })
        .write("update", child("a")).trace,
    );
    expect(writes.map(({ removesFinalizer }) => removesFinalizer)).toEqual([false, false, true]);
  });

  test("the delivery of a write that stands before its change and response is no cause of it", () => {
    const builder = new TraceBuilder().step(0).news("create", widget({}));
    const written = new TraceBuilder().change("user", "create", widget({})).write("create", child("a")).trace.slice(1);
    const [change, response, delivery] = written;
    for (const entry of [delivery!, change!, response!]) builder.add(entry);
    expect(writesOf(builder)).toMatchObject([{ causes: ["ADDED Widget default w created"] }]);
    expect(analyse(builder.trace).deliveries.map(({ own }) => own)).toEqual([false, true]);
  });

  test("a start of the program knows nothing of what the one before had seen", () => {
    const builder = new TraceBuilder()
      .step(0)
      .news("create", widget({}))
      .write("create", child("a"), { life: 1 })
      .write("create", child("b"), { life: 1 });
    expect(writesOf(builder).map(({ causes }) => causes)).toEqual([[], ["ADDED ConfigMap default a created"]]);
  });

  test("the same write for the same cause is not fresh; for another cause it is", () => {
    const again = (builder: TraceBuilder, size: number): TraceBuilder =>
      builder.news("update", widget({ size })).write("update", { ...child("a"), spec: { size } });
    const builder = new TraceBuilder()
      .step(0)
      .news("create", widget({}))
      .write("create", { ...child("a"), spec: {} });
    for (const [step, size] of [1, 2, 3, 4].entries()) again(builder.step(step + 1), size);
    builder
      .step(5)
      .news("create", { kind: "Pod", name: "p" })
      .write("update", { ...child("a"), spec: { size: 9 } });
    expect(writesOf(builder).map(({ fresh }) => fresh)).toEqual([true, true, true, false, false, true]);
  });

  test("what was refused, changed nothing, or is an Event or a Lease is no write; users and the cluster are no programs", () => {
    const ref = { group: "", kind: "ConfigMap", namespace: "default", name: "a" };
    const builder = new TraceBuilder()
      .step(0)
      .request("op", "create", ref, { code: 409 })
      .request("op", "update", ref)
      .write("create", { kind: "Event", name: "e" })
      .request("op", "update", { ...ref, group: "coordination.k8s.io", kind: "Lease" }, { changed: true })
      .write("create", child("u"), {}, "user")
      .write("create", child("k"), {}, "cluster");
    const run = analyse(builder.trace);
    expect(run.writes).toEqual([]);
    expect([...run.elected]).toEqual(["op"]);
    expect(run.programs).toEqual(["op"]);
  });

  test("calls of a driver that change something are writes, others reads", () => {
    const volume = { group: "csi", kind: "Volume", name: "pvc-6f1c2f3e-0d1b-4a53-9f0e-0123456789ab" };
    const builder = new TraceBuilder().step(0);
    for (const verb of [
      "GetPluginInfo",
      "CreateVolume",
      "ControllerGetVolume",
      "NodeGetInfo",
      "ControllerPublishVolume",
    ])
      builder.request("op", verb, volume, { protocol: "csi", code: 0 });
    builder.request("op", "DeleteVolume", volume, { protocol: "csi", code: 14 });
    const { writes, reads } = analyse(builder.trace);
    expect(writes.map(({ point }) => `${point.verb} ${point.name}`)).toEqual([
      "CreateVolume pvc-*",
      "ControllerPublishVolume pvc-*",
    ]);
    expect(reads.map(({ point }) => point.verb)).toEqual(["GetPluginInfo", "ControllerGetVolume", "NodeGetInfo"]);
  });
});

test("changed members are paths, without what each write changes", () => {
  const object = (members: object, metadata: object = {}): StoredObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", uid: "u", resourceVersion: "1", ...metadata },
    ...members,
  });
  expect(
    changedMembers(
      object({ spec: { a: 1, list: [{ x: 1 }, { x: 2 }] } }),
      object({ spec: { b: 2, list: [{ x: 1 }, { x: 3 }] }, status: {} }, { resourceVersion: "2", labels: { l: "v" } }),
    ),
  ).toEqual([".metadata.labels", ".spec.a", ".spec.b", ".spec.list[].x", ".status"]);
  expect(changedMembers(object({}), object({}, { resourceVersion: "7", generation: 2 }))).toEqual([]);
});
