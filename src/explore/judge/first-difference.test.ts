import { describe, expect, test } from "vitest";
import { firstDifference, knowledge } from "./first-difference.ts";
import { OPERATOR, operatorRun } from "./testing/operator.ts";
import { RecordedRun } from "./testing/recorded-run.ts";

const clean = operatorRun(1).record().trace;
const otherClean = [operatorRun(2).record().trace];

describe("the first write that differs", () => {
  test("runs that are alike have none", () => {
    expect(firstDifference(clean, operatorRun(3).record().trace, otherClean)).toBeUndefined();
  });

  test("one that is missing, though later ones are other ones, too", () => {
    const run = operatorRun(3, { make: (_, sent, usual) => (sent.kind === "ConfigMap" ? undefined : usual()) });
    const { clean: seq, run: extra } = firstDifference(clean, run.record().trace, otherClean)!;
    expect(clean[seq!]).toMatchObject({ type: "change", change: "created", object: { name: "a-config" } });
    expect(extra).toBeUndefined();
  });

  test("one that is extra", () => {
    const twice = {
      make: (_: unknown, sent: { kind: string }, usual: () => void) => (usual(), sent.kind === "Pod" && usual()),
    };
    const { trace } = operatorRun(3, twice as never).record();
    const difference = firstDifference(clean, trace, otherClean)!;
    expect(trace[difference.run!]).toMatchObject({ type: "change", object: { kind: "Pod" } });
  });

  test("one of another content: both are named", () => {
    const run = operatorRun(3, {
      make: (it, sent, usual) =>
        sent.kind === "Secret" ? it.create(OPERATOR, { ...sent, data: { key: "k", fixed: "no" } }) : usual(),
    });
    const { trace } = run.record();
    const difference = firstDifference(clean, trace, otherClean)!;
    expect(clean[difference.clean!]).toMatchObject({ object: { kind: "Secret" } });
    expect(trace[difference.run!]).toMatchObject({ object: { kind: "Secret" } });
  });

  test("the order of writes to independent objects is no difference", () => {
    const inOrder = (names: readonly string[]) => {
      const run = new RecordedRun(1);
      for (const name of names) run.create(OPERATOR, { apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
      return run.record().trace;
    };
    expect(firstDifference(inOrder(["a", "b"]), inOrder(["b", "a"]))).toBeUndefined();
  });
});

describe("what a program knew", () => {
  const run = new RecordedRun(1);
  run.life(OPERATOR, 0, "started");
  run.list(OPERATOR, { group: "", kind: "ConfigMap" });
  run.list(OPERATOR, { group: "", kind: "Secret" });
  const map = run.create("user", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seen" } });
  run.deliver(OPERATOR, map);
  run.create("user", { apiVersion: "v1", kind: "Secret", metadata: { name: "late" } });
  run.create("user", { apiVersion: "v1", kind: "Service", metadata: { name: "of-another-kind" } });
  const changed = run.update("user", map, { data: { a: "1" } });
  const own = run.create(OPERATOR, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "own" } });
  const gone = run.create("user", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "gone" } });
  run.deliver(OPERATOR, gone);
  run.delete("user", gone);
  run.create(OPERATOR, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "now" } });
  const { trace } = run.record();
  const now = trace.find((it) => it.type === "change" && it.object.name === "now")!.seq;
  const revision = (object: { metadata: { resourceVersion: string } }) => Number(object.metadata.resourceVersion);

  test("of each object the last revision that it had seen, and what is newer", () => {
    const known = new Map(knowledge(trace, now).map((it) => [it.object.name, it]));
    expect([...known.keys()].toSorted()).toEqual(["gone", "late", "now", "own", "seen"]);
    expect(known.get("seen")).toMatchObject({
      seen: revision(map),
      current: revision(changed),
      currentChange: "updated",
    });
    expect(known.get("late")).not.toHaveProperty("seen");
    expect(known.get("own")).toMatchObject({ seen: revision(own), current: revision(own), currentChange: "created" });
    expect(known.get("gone")).toMatchObject({ seen: revision(gone), currentChange: "deleted" });
  });

  test("a new life knows nothing of what the one before has seen; a list tells it all at a revision", () => {
    run.life(OPERATOR, 1, "started");
    const start = run.record().trace.length - 1;
    expect(knowledge(run.record().trace, start).every(({ seen }) => seen === undefined)).toBe(true);
    run.list(OPERATOR, { group: "", kind: "ConfigMap" }, 1, revision(map));
    run.create(OPERATOR, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "z" } }, { life: 1 });
    const last = run.record().trace.length - 1;
    const seen = knowledge(run.record().trace, last).find(({ object }) => object.name === "seen");
    expect(seen).toMatchObject({ seen: revision(map), current: revision(changed) });
  });
});
