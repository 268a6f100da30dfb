import { describe, expect, test } from "vitest";
import type { StoredObject } from "../contract/state.ts";
import { makeJudge } from "./index.ts";
import { SEED, played, keys, inStep } from "./testing/judged.ts";
import { OPERATOR, operatorRun } from "./testing/operator.ts";
import type { RecordedRun } from "./testing/recorded-run.ts";

describe("deletions", () => {
  const recreate = (actor: string) => (run: RecordedRun) => {
    const { metadata, ...rest } = run.get("ConfigMap", "a-config");
    const { uid: _uid, resourceVersion: _revision, ...kept } = metadata;
    run.delete(actor, run.get("ConfigMap", "a-config"), { sent: { preconditions: { uid: metadata.uid } } });
    run.create(OPERATOR, { ...rest, metadata: kept });
  };

  test("a fixed object that a program deletes and makes again was deleted needlessly", () => {
    expect(played(inStep(0, recreate(OPERATOR)))).toMatchObject([
      { key: "deleted-needlessly ConfigMap default/a-config", severity: "fault", step: 0, seq: expect.any(Number) },
    ]);
  });

  test("what the user deletes, or the collector deletes in clean runs, may be made again", () => {
    expect(played(inStep(0, recreate("user")))).toEqual([]);
    const collected = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, inStep(0, recreate("cluster"))).record()));
    expect(collected.faults(operatorRun(SEED, inStep(0, recreate(OPERATOR))).record())).toEqual([]);
  });

  test("one of several that was made twice and removed again is a notice", () => {
    const twice = (run: RecordedRun) => {
      const { metadata, ...rest } = run.all("Pod")[0]!;
      const { uid: _uid, resourceVersion: _revision, name: _name, ...kept } = metadata;
      const pod = run.create(OPERATOR, { ...rest, metadata: kept });
      run.delete(OPERATOR, pod);
    };
    expect(keys(played(inStep(0, twice)))).toEqual(["notice: made-twice Pod default/a-*"]);
  });

  test("one of several that was made twice is a notice, also where there are as many in another step, and others are made later", () => {
    const one = (run: RecordedRun): StoredObject => {
      const { metadata, ...rest } = run.all("Pod")[0]!;
      const { uid: _uid, resourceVersion: _revision, name: _name, ...kept } = metadata;
      return run.create(OPERATOR, { ...rest, metadata: kept });
    };
    const grown = (before: (run: RecordedRun) => void) => ({
      beforeQuiet: (run: RecordedRun, step: number): void => {
        if (step === 0) return before(run);
        run.delete(OPERATOR, run.all("Pod")[0]!);
        one(run);
        one(run);
      },
    });
    const judge = makeJudge(
      [1, 2, 3].map((seed) =>
        operatorRun(
          seed,
          grown(() => {}),
        ).record(),
      ),
    );
    const judged = (variation: (run: RecordedRun) => void): readonly string[] =>
      keys(judge.faults(operatorRun(SEED, grown(variation)).record()));
    expect(judged((run) => run.delete(OPERATOR, one(run)))).toEqual(["notice: made-twice Pod default/a-*"]);
    // It was none too many.
    expect(judged((run) => (run.delete(OPERATOR, run.all("Pod")[0]!), one(run)))).toContain(
      "deleted-needlessly Pod default/a-*",
    );
  });

  test("a claim that a program deletes is lost data, also if it is made again", () => {
    const claim = (run: RecordedRun) =>
      run.create("user", { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" }, spec: {} });
    const claims = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, inStep(0, claim)).record()));
    const lose = (actor: string) => (run: RecordedRun) => {
      const made = claim(run);
      run.deliver(OPERATOR, made);
      run.delete(actor, made);
      claim(run);
    };
    expect(keys(claims.faults(operatorRun(SEED, inStep(0, lose(OPERATOR))).record()))).toEqual([
      "data-lost PersistentVolumeClaim default/data",
    ]);
    expect(claims.faults(operatorRun(SEED, inStep(0, lose("user"))).record())).toEqual([]);
  });
});

describe("objects that were never seen", () => {
  /** The user deletes and creates a Service again; a program deletes it by its name. */
  const story = (act: (run: RecordedRun, anew: StoredObject) => void) => (run: RecordedRun) => {
    const sent = { apiVersion: "v1", kind: "Service", metadata: { name: "s" } };
    const first = run.create("user", sent);
    run.deliver(OPERATOR, first);
    run.delete("user", first);
    act(run, run.create("user", sent));
  };
  const kinds = (act: (run: RecordedRun, anew: StoredObject) => void): readonly string[] =>
    played(inStep(1, story(act))).map(({ kind }) => kind);
  const services = { group: "", kind: "Service" };

  test("a delete by name of an object that was not delivered", () => {
    expect(kinds((run, anew) => run.delete(OPERATOR, anew))).toEqual(["deleted-unseen"]);
    expect(kinds((run, anew) => (run.deliver(OPERATOR, anew), run.delete(OPERATOR, anew)))).toEqual([]);
    // Another life saw it.
    expect(
      kinds((run, anew) => (run.deliver(OPERATOR, anew, "ADDED", 0), run.delete(OPERATOR, anew, { life: 1 }))),
    ).toEqual(["deleted-unseen"]);
  });

  test("a list shows what is there at its revision", () => {
    expect(kinds((run, anew) => (run.list(OPERATOR, services), run.delete(OPERATOR, anew)))).toEqual([]);
    expect(
      kinds((run, anew) => (run.list(OPERATOR, services, 0, run.revision - 1), run.delete(OPERATOR, anew))),
    ).toEqual(["deleted-unseen"]);
  });

  test("a precondition is safe", () => {
    expect(
      kinds((run, anew) => run.delete(OPERATOR, anew, { sent: { preconditions: { uid: anew.metadata.uid } } })),
    ).toEqual([]);
  });

  test("an update or a patch without a precondition hits it, too", () => {
    const write = (verb: string, sent: unknown) =>
      kinds((run, anew) => {
        run.update(OPERATOR, anew, { metadata: { labels: { x: "1" } } }, { verb, sent });
        run.delete("user", run.get("Service", "s"));
      });
    expect(write("patch", { metadata: { labels: { x: "1" } } })).toEqual(["deleted-unseen"]);
    expect(write("patch", { metadata: { uid: "u", labels: { x: "1" } } })).toEqual([]);
    expect(write("patch", [{ op: "add", path: "/metadata/labels/x", value: "1" }])).toEqual(["deleted-unseen"]);
    expect(write("patch", [{ op: "test", path: "/metadata/uid", value: "u" }])).toEqual([]);
    expect(write("update", { metadata: { name: "s" } })).toEqual(["deleted-unseen"]);
    expect(write("update", { metadata: { resourceVersion: "5" } })).toEqual([]);
    expect(write("apply", { metadata: { name: "s" } })).toEqual([]);
  });

  test("a program may delete what it made itself, by a name that was never another object's", () => {
    const own = inStep(1, (run) => {
      const made = run.create(OPERATOR, { apiVersion: "v1", kind: "Service", metadata: { name: "own" } });
      run.delete(OPERATOR, made, { life: 1 });
    });
    expect(played(own)).toEqual([]);
  });
});
