import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../../../schema/definition.ts";
import { C, Pods } from "../testing/pods.ts";
import { Bench, benches, wrong } from "../testing/volumes.ts";

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))("features, %s", (name, bench) => {
  const pods = new Pods(bench);
  const open = new Bench(bench.dialect, { GenericWorkload: true, ContainerStopSignals: true });
  const workloadRef = { name: "w", podGroup: "g" };
  const told = (what: string) => (name === "neutral" ? [expect.stringContaining(what)] : []);
  /** A Pod that was stored while the features were on. */
  const stored = (): ApiObject => {
    const containers = [{ ...C, lifecycle: { stopSignal: "SIGTERM" } }];
    const spec = { containers, os: { name: "linux" }, workloadRef };
    return open.pod.create({ metadata: { name: "x" }, spec }).object;
  };

  test("KIND-All-23: a member of a feature that is off is dropped on create and on update", () => {
    const created = pods.create({ workloadRef });
    expect(created.causes).toEqual([]);
    expect(created.object["spec"]).not.toHaveProperty("workloadRef");
    expect(created.warnings).toEqual(told("GenericWorkload"));
    const updated = bench.pod.change(created.object, { spec: { ...(created.object["spec"] as object), workloadRef } });
    expect(updated.causes).toEqual([]);
    expect(updated.object["spec"]).toEqual(created.object["spec"]);
    const template = pods.template({ workloadRef, containers: [{ ...C, lifecycle: { stopSignal: "x" } }] });
    expect(JSON.stringify(template.object["spec"])).not.toMatch(/workloadRef|lifecycle/);
  });

  test("KIND-All-23: what the stored object has stays", () => {
    const old = stored();
    const updated = bench.pod.change(old, {});
    expect(updated).toMatchObject({ causes: [], warnings: [] });
    expect(updated.object["spec"]).toEqual(old["spec"]);
    expect(old["spec"]).toMatchObject({ workloadRef, containers: [{ lifecycle: { stopSignal: "SIGTERM" } }] });
  });

  test("KIND-All-23: with the feature on, a group of pods has names", () => {
    const ref = (members: object) =>
      wrong(open.pod.create({ spec: { containers: [C], workloadRef: members } }), "spec.workloadRef.");
    expect(ref({ ...workloadRef, podGroupReplicaKey: "k" })).toEqual([]);
    expect(ref({})).toEqual(["Invalid name", "Invalid podGroup"]);
    expect(ref({ name: "a.b", podGroup: "a.b", podGroupReplicaKey: "A" })).toEqual([
      "Invalid podGroup",
      "Invalid podGroupReplicaKey",
    ]);
  });
});
