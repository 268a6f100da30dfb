import { describe, expect, test } from "vitest";
import type { Fault } from "../contract/finding.ts";
import type { Plan } from "../contract/plan.ts";
import type { RunRecord } from "../contract/laboratory.ts";
import type { StoredObject } from "../contract/state.ts";
import type { TraceEntry } from "../contract/trace.ts";
import { makeJudge } from "./index.ts";
import { OPERATOR, operatorRun, type Variation } from "./testing/operator.ts";
import { RecordedRun } from "./testing/recorded-run.ts";

const clean = [1, 2, 3].map((seed) => operatorRun(seed).record());
const judge = makeJudge(clean);
const SEED = 9;

const played = (variation: Variation = {}): readonly Fault[] => judge.faults(operatorRun(SEED, variation).record());
const keys = (faults: readonly Fault[]): readonly string[] =>
  faults.map(({ key, severity }) => (severity === "notice" ? `notice: ${key}` : key));

/** Lets the operator leave out, or do otherwise, what it makes of a kind. */
const insteadOf = (kind: string, other: (run: RecordedRun, usual: () => void) => void): Variation => ({
  make: (run, sent, usual) => (sent.kind === kind ? other(run, usual) : usual()),
});
const inStep = (step: number, act: (run: RecordedRun) => void): Variation => ({
  beforeQuiet: (run, at) => (at === step ? act(run) : undefined),
});

const crashAfter = (kind: string, name: string): Plan => [
  {
    type: "crash",
    when: "after",
    downMillis: 1000,
    at: {
      actor: OPERATOR,
      protocol: "api",
      verb: "create",
      group: "",
      kind,
      namespace: "default",
      name,
      occurrence: 0,
    },
  },
];

test("runs with other seeds are alike, and clean runs show nothing", () => {
  for (const seed of [4, 5, 6, 7, 8, 9]) expect(judge.faults(operatorRun(seed).record())).toEqual([]);
  expect(judge.cleanFaults()).toEqual([]);
});

describe("states", () => {
  test("a missing object is one fault, with what follows from it", () => {
    const variation = insteadOf("ConfigMap", () => undefined);
    const [fault, ...others] = judge.faults(
      operatorRun(SEED, {
        ...variation,
        ...inStep(1, (run) => run.update(OPERATOR, run.get("Widget", "a"), { status: {} }, { subresource: "status" })),
      }).record(),
    );
    expect(others).toEqual([]);
    expect(fault).toMatchObject({
      kind: "missing",
      key: "missing ConfigMap default/a-config",
      object: { group: "", kind: "ConfigMap", namespace: "default", name: "a-config" },
      step: 0,
      severity: "fault",
      expected: expect.stringContaining("name: a-config"),
      found: expect.stringMatching(/^nothing\nalso stale-status Widget\.example\.com default\/a/),
    });
  });

  test("one of several with generated names is missing, or too many", () => {
    let pods = 0;
    expect(keys(played(insteadOf("Pod", (_, usual) => (pods++ === 0 ? undefined : usual()))))).toEqual([
      "missing Pod default/a-*",
    ]);
    expect(keys(played(insteadOf("Pod", (run, usual) => (usual(), run.all("Pod").length === 1 && usual()))))).toEqual([
      "leaked Pod default/a-*",
    ]);
  });

  test("the same for two objects that do not belong together is one fault", () => {
    const leak =
      (...names: readonly string[]) =>
      (run: RecordedRun) => {
        for (const name of names) run.create(OPERATOR, { apiVersion: "v1", kind: "Service", metadata: { name } });
      };
    expect(played(inStep(0, leak("y", "z")))).toMatchObject([
      { key: "leaked Service default/y", found: expect.stringContaining("also leaked Service default/z") },
    ]);
  });

  test("an object that clean runs lack is leaked", () => {
    const leak = (run: RecordedRun) =>
      run.create(OPERATOR, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a-old" }, data: {} });
    expect(played(inStep(0, leak))).toMatchObject([
      { key: "leaked ConfigMap default/a-old", found: expect.stringContaining("name: a-old"), expected: "nothing" },
    ]);
  });

  test("an object that remains in deletion is stuck, and its finalizer is named", () => {
    const stuck = (run: RecordedRun) =>
      run.update("user", run.get("Secret", "a-cert"), { metadata: { deletionTimestamp: run.time() } });
    expect(played(inStep(1, stuck))).toMatchObject([
      {
        key: "stuck-in-deletion Secret default/a-cert",
        sentence: expect.stringContaining("nobody removes the finalizer x.io/a and x.io/b"),
      },
    ]);
  });

  test("a member differs, whatever is random beside it", () => {
    const change = (run: RecordedRun) =>
      run.update(OPERATOR, run.get("Secret", "a-cert"), { data: { key: "another", fixed: "no" } });
    expect(played(inStep(1, change))).toMatchObject([
      { key: "differs Secret default/a-cert .data.fixed", expected: '"yes"', found: '"no"', step: 1 },
    ]);
  });

  test("a status that is behind is stale", () => {
    const behind = (run: RecordedRun) => {
      const status = run.get("Widget", "a")["status"] as object;
      run.update(
        OPERATOR,
        run.get("Widget", "a"),
        { status: { ...status, observedGeneration: 1 } },
        { subresource: "status" },
      );
    };
    expect(played(inStep(1, behind))).toMatchObject([
      {
        key: "stale-status Widget.example.com default/a .status.observedGeneration",
        expected: '"current"',
        found: '"behind by 1"',
      },
    ]);
  });

  test("a list of items without keys differs as one member", () => {
    const pods = (known: readonly string[]) => (run: RecordedRun) => {
      const { status } = run.get("Widget", "a") as unknown as { status: object };
      run.update(OPERATOR, run.get("Widget", "a"), { status: { ...status, known } }, { subresource: "status" });
    };
    const known = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, inStep(1, pods(["x", "y"]))).record()));
    const faults = (names: readonly string[]) => known.faults(operatorRun(SEED, inStep(1, pods(names))).record());
    const key = "stale-status Widget.example.com default/a .status.known";
    expect(faults([])).toMatchObject([{ key, expected: '["x", "y"]', found: "[]" }]);
    expect(faults(["x"])).toMatchObject([{ key, found: '["x"]' }]);
    expect(faults(["x", "y", "z"])).toMatchObject([{ key, found: '["x", "y", "z"]' }]);
  });

  test("what neither a program nor the user has decided is a notice, and follows from a fault beside it", () => {
    const bind = (actor: string, ...nodes: readonly string[]) =>
      inStep(0, (run) => {
        for (const [i, pod] of run.all("Pod").entries())
          run.update(actor, pod, { spec: { ...(pod["spec"] as object), nodeName: nodes[i] } });
      });
    const bound = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, bind("cluster", "n-1", "n-2")).record()));
    const faults = (variation: Variation) => bound.faults(operatorRun(SEED, variation).record());
    expect(faults(bind("cluster", "n-1", "n-2"))).toEqual([]);
    expect(keys(faults(bind("cluster", "n-2", "n-1")))).toEqual(["notice: differs Pod default/a-* .spec.nodeName"]);
    // Where the program has decided it, here or there, it is its fault.
    expect(keys(faults(bind(OPERATOR, "n-3", "n-2")))).toEqual(["differs Pod default/a-* .spec.nodeName"]);
    const [fault, ...others] = faults({
      ...bind("cluster", "n-2", "n-1"),
      ...insteadOf("ConfigMap", () => undefined),
    });
    expect(others).toEqual([]);
    expect(fault).toMatchObject({
      key: "missing ConfigMap default/a-config",
      found: expect.stringContaining("also differs Pod default/a-* .spec.nodeName"),
    });
    // Of several members the one that a program has decided is named.
    const both = (run: RecordedRun) => {
      for (const [i, pod] of run.all("Pod").entries()) {
        run.update("cluster", pod, { spec: { ...(pod["spec"] as object), nodeName: `n-${2 - i}` } });
        run.update(OPERATOR, pod, { metadata: { labels: { app: "b" } } });
      }
    };
    expect(faults(inStep(0, both))).toMatchObject([
      {
        key: "differs Pod default/a-* .metadata.labels.app",
        severity: "fault",
        found: expect.stringContaining(".spec.nodeName"),
      },
    ]);
  });

  test("the resourceVersion of a reference tells only when it was written", () => {
    const refer = (version: string, uid = "u-1") =>
      inStep(1, (run) =>
        run.update(OPERATOR, run.get("Secret", "a-cert"), {
          data: { fixed: "yes" },
          of: { kind: "Widget", name: "a", uid, resourceVersion: version },
        }),
      );
    const referring = makeJudge([operatorRun(1, refer("7")).record()]);
    expect(referring.faults(operatorRun(1, refer("9")).record())).toEqual([]);
    expect(keys(referring.faults(operatorRun(1, refer("9", "u-2")).record()))).toEqual([
      "differs Secret default/a-cert .of.uid",
    ]);
  });

  test("a reference to an owner of the same name that was deleted is dangling", () => {
    // The Widget is made anew; the ConfigMap still names the old one.
    const renew = (old: boolean) => (run: RecordedRun) => {
      const { metadata, ...rest } = run.get("Widget", "a");
      run.delete("user", run.get("Widget", "a"));
      const { uid: _uid, resourceVersion: _revision, ...kept } = metadata;
      const widget = run.create("user", { ...rest, metadata: kept });
      for (const kind of ["Secret", "ConfigMap", "Pod"])
        for (const object of run.all(kind)) {
          if (old && kind === "ConfigMap") continue;
          const ownerReferences = [{ ...object.metadata.ownerReferences![0]!, uid: widget.metadata.uid }];
          const data = object["data"] as object | undefined;
          run.update(OPERATOR, object, {
            metadata: { ownerReferences },
            ...(kind === "ConfigMap" && { data: { ...data, of: widget.metadata.uid } }),
          });
        }
    };
    const again = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, inStep(1, renew(false))).record()));
    expect(again.faults(operatorRun(SEED, inStep(1, renew(false))).record())).toEqual([]);
    expect(again.faults(operatorRun(SEED, inStep(1, renew(true))).record())).toMatchObject([
      { kind: "dangling", object: { name: "a-config" } },
    ]);
  });

  test("a resourceVersion that is stored is the same where it is that of the same object", () => {
    const pod = (run: RecordedRun) => run.all("Pod")[0]!;
    const note = (of: (run: RecordedRun) => StoredObject) => (run: RecordedRun) =>
      run.update(OPERATOR, run.get("ConfigMap", "a-config"), {
        data: { ...(run.get("ConfigMap", "a-config")["data"] as object), seen: of(run).metadata.resourceVersion },
      });
    // Clean runs alike, so that no mask covers it.
    const one = makeJudge([
      operatorRun(
        1,
        inStep(
          1,
          note((run) => run.get("Secret", "a-cert")),
        ),
      ).record(),
    ]);
    const other = (of: (run: RecordedRun) => StoredObject) => one.faults(operatorRun(2, inStep(1, note(of))).record());
    expect(keys(other((run) => run.get("Secret", "a-cert"))).filter((key) => key.includes("seen"))).toEqual([]);
    expect(
      other(pod)
        .map(({ found }) => found)
        .join("\n"),
    ).toContain(".data.seen");
  });

  test("what is ignored is not judged", () => {
    const variation = inStep(1, (run) => {
      run.update(OPERATOR, run.get("Secret", "a-cert"), { data: { key: "1", fixed: "no" } });
      run.create(OPERATOR, { apiVersion: "v1", kind: "Service", metadata: { name: "z" } });
    });
    const lenient = makeJudge(clean, [
      { kind: { group: "", kind: "Secret" }, path: ".data" },
      { kind: { group: "", kind: "Service" } },
    ]);
    expect(lenient.faults(operatorRun(SEED, variation).record())).toEqual([]);
    expect(played(variation)).toHaveLength(2);
  });

  test("what is put right after a later step is a notice; what is never put right before it is not expected any more, a fault", () => {
    const tardy = (wait: number): Variation => ({
      beforeQuiet: (run, step) => {
        const data = run.get("Secret", "a-cert")["data"] as object;
        if (step === 0) run.update(OPERATOR, run.get("Secret", "a-cert"), { data: { ...data, fixed: "not yet" } });
        if (step === 1) run.pass(wait);
        if (step === 1) run.update(OPERATOR, run.get("Secret", "a-cert"), { data: { ...data, fixed: "yes" } });
      },
    });
    expect(keys(played(tardy(200_000)))).toEqual(["notice: differs Secret default/a-cert .data.fixed"]);
    // At once when the user changes something.
    expect(keys(played(tardy(0)))).toEqual(["differs Secret default/a-cert .data.fixed"]);
    // A program of another process answers at once within seconds, however short a step is.
    const short = { ...tardy(1000), pauseMillis: 1500 };
    expect(keys(played(short))).toEqual(["differs Secret default/a-cert .data.fixed"]);
    const removed = (step: number, run: RecordedRun) =>
      step === 1 && run.all("ConfigMap").length > 0 ? run.delete("user", run.get("ConfigMap", "a-config")) : undefined;
    const brief = makeJudge(
      [1, 2, 3].map((seed) => operatorRun(seed, { beforeQuiet: (run, step) => removed(step, run) }).record()),
    );
    const never = {
      ...insteadOf("ConfigMap", () => undefined),
      beforeQuiet: (run: RecordedRun, step: number) => removed(step, run),
    };
    expect(keys(brief.faults(operatorRun(SEED, never).record()))).toEqual(["missing ConfigMap default/a-config"]);
    // A program that was down in the time of the step owes nothing yet.
    const down: Variation = {
      ...never,
      make: (run, sent, usual) => (sent.kind === "ConfigMap" ? run.life(OPERATOR, 0, "killed") : usual()),
      beforeQuiet: (run, step) => {
        if (step === 1) run.life(OPERATOR, 1, "started");
        removed(step, run);
      },
    };
    expect(brief.faults(operatorRun(SEED, down).record())).toEqual([]);
  });

  test("objects that only some clean runs have are masked, and nothing beside them", () => {
    const sometimes = (run: RecordedRun) =>
      run.create(OPERATOR, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a-lock" }, data: { n: "1" } });
    const mixed = makeJudge(
      [operatorRun(1, inStep(0, sometimes)), operatorRun(2), operatorRun(3)].map((run) => run.record()),
    );
    expect(mixed.faults(operatorRun(SEED).record())).toEqual([]);
    expect(mixed.faults(operatorRun(SEED, inStep(0, sometimes)).record())).toEqual([]);
    expect(
      mixed.faults(
        operatorRun(
          SEED,
          insteadOf("ConfigMap", () => undefined),
        ).record(),
      ),
    ).toHaveLength(1);
  });

  test("names that a program draws by itself are the same object in all runs", () => {
    const random = (count: number) => (run: RecordedRun) => {
      for (let i = 0; i < count; i++)
        run.create(OPERATOR, {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: `a-${run.suffix()}` },
          spec: { i },
        });
    };
    const drawn = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, inStep(0, random(2))).record()));
    expect(drawn.faults(operatorRun(SEED, inStep(0, random(2))).record())).toEqual([]);
    expect(keys(drawn.faults(operatorRun(SEED, inStep(0, random(3))).record()))).toEqual([
      "leaked Service default/a-*",
    ]);
  });
});

describe("perturbations of the world", () => {
  const lost: Plan = [{ type: "node-lost", step: 0, node: "node-1", forMillis: 60_000 }];
  const nodes = (names: readonly string[], phase = "Running"): Variation =>
    inStep(0, (run) => {
      for (const [i, nodeName] of names.entries())
        run.create("cluster", {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: `p${i}` },
          spec: { nodeName },
          status: { phase },
        });
    });
  const withNodes = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, nodes(["node-1", "node-2"])).record()));

  test("a Pod may be on another node where one was lost, and nowhere else", () => {
    const moved = nodes(["node-2", "node-2"], "Pending");
    expect(withNodes.faults(operatorRun(SEED, { ...moved, plan: lost }).record())).toEqual([]);
    expect(withNodes.faults(operatorRun(SEED, moved).record())).not.toEqual([]);
  });

  test("a Pod that is missing is a fault even then", () => {
    const faults = withNodes.faults(operatorRun(SEED, { ...nodes(["node-2"]), plan: lost }).record());
    expect(keys(faults)).toEqual(["missing Pod default/p1"]);
  });

  test("the clock may jump past runs of a CronJob", () => {
    const job = (run: RecordedRun) =>
      run.create("cluster", {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "c-28", ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "c", uid: "u" }] },
      });
    const jump: Plan = [{ type: "clock-jump", step: 0, byMillis: 3_600_000 }];
    expect(played({ ...inStep(1, job), plan: jump })).toEqual([]);
    expect(played(inStep(1, job))).toHaveLength(1);
  });

  test("what remains of a state that a blind program never saw is no leak, unless a program made it", () => {
    const visit = (actor: string, blind: boolean): Variation => ({
      beforeQuiet: (run, step) => {
        const mark = (phase: "begun" | "ended") =>
          blind && run.add({ type: "perturbation", perturbation: 0, phase, detail: "" });
        if (step === 0) {
          mark("begun");
          run.create("user", { apiVersion: "v1", kind: "Service", metadata: { name: "s" } });
          run.create(actor, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "of-s" } });
        } else {
          run.delete("user", run.get("Service", "s"));
          if (!blind) run.delete(OPERATOR, run.get("ConfigMap", "of-s"), { sent: { preconditions: { uid: "u" } } });
          mark("ended");
        }
      },
      plan: blind
        ? [
            {
              type: "gap",
              at: { actor: OPERATOR, group: "", kind: "Service", name: "s", change: "ADDED", occurrence: 0 },
              untilStep: 1,
            },
          ]
        : [],
    });
    const faults = (actor: string) =>
      keys(
        makeJudge([1, 2, 3].map((seed) => operatorRun(seed, visit(actor, false)).record())).faults(
          operatorRun(SEED, visit(actor, true)).record(),
        ),
      );
    expect(faults("user")).toEqual([]);
    expect(faults(OPERATOR)).toEqual(["leaked ConfigMap default/of-s"]);
  });

  test("a program that was blind owes nothing for a state that the user has undone", () => {
    const backAndForth = (blind: boolean, undone: boolean): Variation => ({
      plan: [
        {
          type: "gap",
          at: {
            actor: OPERATOR,
            group: "example.com",
            kind: "Widget",
            namespace: "default",
            name: "a",
            change: "MODIFIED",
            occurrence: 0,
          },
        },
      ],
      beforeQuiet: (run, step) => {
        if (step === 0) {
          if (blind) run.add({ type: "perturbation", perturbation: 0, phase: "begun", detail: "" });
          run.update("user", run.get("Widget", "a"), { spec: { size: 2, colour: "green" } });
          if (!blind) run.create(OPERATOR, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a-green" } });
        }
        if (step === 1) {
          if (!undone) run.update("user", run.get("Widget", "a"), { spec: { size: 2, colour: "green" } });
          if (blind) run.add({ type: "perturbation", perturbation: 0, phase: "ended", detail: "" });
        }
      },
    });
    const same = (undone: boolean) =>
      makeJudge([1, 2, 3].map((seed) => operatorRun(seed, { ...backAndForth(false, undone), plan: [] }).record()));
    expect(same(true).faults(operatorRun(SEED, backAndForth(true, true)).record())).toEqual([]);
    expect(keys(same(false).faults(operatorRun(SEED, backAndForth(true, false)).record()))).toEqual([
      "missing ConfigMap default/a-green",
    ]);
  });
});

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
  /** The user makes a Service anew; a program deletes it by its name. */
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

describe("what a run says itself", () => {
  const complain = (...complaints: RecordedRun["complaints"]): Variation =>
    inStep(1, (run) => void run.complaints.push(...complaints));

  test("complaints are faults", () => {
    expect(
      keys(
        played(
          complain(
            { type: "failed", actor: OPERATOR, step: 1, detail: "no such key 17" },
            { type: "always", rule: "one leader", seq: 3, detail: "" },
            { type: "eventually", rule: "ready", step: 2, detail: "" },
            { type: "step-failed", step: 1, detail: "refused" },
            { type: "leaked", object: { group: "csi", kind: "Volume", name: "v" }, detail: "" },
            { type: "deleted-in-use", object: { group: "csi", kind: "Volume", name: "w" }, detail: "" },
          ),
        ),
      ).toSorted(),
    ).toEqual([
      "always one leader",
      "data-lost Volume w in use",
      "eventually ready",
      "failed operator no such key #",
      "leaked Volume v",
      "step-failed step 1",
    ]);
  });

  test("a rule is judged as states are: nothing is owed by a program that is down, and what the quiet puts right is a notice", () => {
    const broken = (...steps: number[]): RecordedRun["complaints"] =>
      steps.map((step) => ({ type: "eventually", rule: "ready", step, detail: "" }));
    const judged = (complaints: RecordedRun["complaints"], down: readonly number[] = []) =>
      played({
        beforeQuiet: (run, step) => {
          if (step === 1) run.complaints.push(...complaints);
          if (down.includes(step)) run.life(OPERATOR, 0, "killed");
          else if (down.includes(step - 1)) run.life(OPERATOR, 1, "started");
        },
      }).map(({ key, severity, until }) => [key, severity, until]);
    expect(judged(broken(0))).toEqual([["eventually ready", "fault", 0]]);
    expect(judged(broken(0), [0])).toEqual([]);
    // It is up again, and still does not do it.
    expect(judged(broken(0, 1), [0])).toEqual([["eventually ready", "notice", undefined]]);
    expect(judged(broken(1))).toEqual([["eventually ready", "notice", undefined]]);
    expect(judged(broken(0, 1, 2))).toEqual([["eventually ready", "fault", undefined]]);
    expect(judged(broken(2))).toEqual([["eventually ready", "fault", undefined]]);
  });

  test("a step that is refused while a program is down, or blind, is one that the user would not have done yet", () => {
    const refused = (isDown: boolean): Variation => ({
      make: (run, sent, usual) => {
        if (sent.kind !== "ConfigMap") return usual();
        if (isDown) run.life(OPERATOR, 0, "killed");
      },
      beforeQuiet: (run, step) => {
        if (step === 0) return;
        run.complaints.push({ type: "step-failed", step: 1, detail: "refused" });
        if (isDown) run.life(OPERATOR, 1, "started");
      },
    });
    expect(keys(played(refused(false)))).toEqual(["step-failed step 1", "missing ConfigMap default/a-config"]);
    expect(played(refused(true))).toEqual([]);
    // What went wrong before is judged, all the same.
    const before = { ...refused(true), make: refused(false).make! };
    expect(
      keys(
        played({
          ...before,
          beforeQuiet: (run, step) => {
            if (step === 0) return void run.complaints.push({ type: "always", rule: "one leader", seq: 1, detail: "" });
            before.beforeQuiet!(run, step);
          },
        }),
      ),
    ).toContain("always one leader");
  });

  test("a complaint of a clean run is a finding of the clean run alone", () => {
    const failed = complain({ type: "failed", actor: OPERATOR, step: 1, detail: "no such key 1" });
    const failing = makeJudge([operatorRun(1, failed), operatorRun(2), operatorRun(3)].map((run) => run.record()));
    expect(keys(failing.cleanFaults())).toEqual(["failed operator no such key #"]);
    const again = complain({ type: "failed", actor: OPERATOR, step: 1, detail: "no such key 2" });
    expect(failing.faults(operatorRun(SEED, again).record())).toEqual([]);
  });

  test("a program that ends again and again is the root of what is missing", () => {
    const variation = {
      ...insteadOf("ConfigMap", () => undefined),
      ...complain({ type: "crash-loop", actor: OPERATOR, step: 0, detail: "TypeError: x" }),
    };
    expect(played(variation)).toMatchObject([
      { kind: "crash-loop", found: expect.stringContaining("also missing ConfigMap") },
    ]);
  });

  test("a run that never comes to rest is a fault, but a notice while watches are held until it does", () => {
    const unsettled = (held: boolean): Variation => ({
      plan: [
        {
          type: "lag",
          at: { actor: OPERATOR, group: "", kind: "Secret", name: "a-cert", change: "ADDED", occurrence: 0 },
        },
      ],
      make: (_, sent, usual) => (sent.kind === "ConfigMap" ? undefined : usual()),
      beforeQuiet: (run, step) => {
        if (step !== 1) return;
        if (held) run.add({ type: "perturbation", perturbation: 0, phase: "begun", detail: "" });
        run.complaints.push({ type: "unsettled", step, detail: "100 reconciles" });
      },
    });
    expect(keys(played(unsettled(false)))).toEqual(["unsettled"]);
    expect(keys(played(unsettled(true)))).toEqual(["notice: unsettled"]);
  });

  test("what a driver has is compared by the names that were asked for", () => {
    const volumes = (data: string, ...more: string[]) =>
      inStep(1, (run) => {
        run.driver = ["pvc-1", ...more].map((name) => ({ kind: "Volume", id: run.suffix(), name, data }));
      });
    const driven = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, volumes("d1")).record()));
    expect(driven.faults(operatorRun(SEED, volumes("d1")).record())).toEqual([]);
    expect(keys(driven.faults(operatorRun(SEED, volumes("d1", "pvc-2")).record()))).toEqual(["leaked Volume pvc-2"]);
    expect(keys(driven.faults(operatorRun(SEED, volumes("d2")).record()))).toEqual(["data-lost Volume pvc-1 .data"]);
  });
});

describe("writes without end", () => {
  const write = (values: readonly unknown[], actors: readonly string[]): Variation => ({
    inQuiet: (run) => {
      for (const [i, value] of values.entries()) {
        run.pass(1000);
        const actor = actors[i % actors.length]!;
        const { data } = run.get("ConfigMap", "a-config") as unknown as { data: object };
        run.update(
          actor,
          run.get("ConfigMap", "a-config"),
          { data: { ...data, at: value } },
          { fieldManager: `${actor}-manager` },
        );
        run.restlessWrites++;
      }
    },
  });

  test("two programs that undo each other's writes fight", () => {
    const fighting = makeJudge(
      [1, 2, 3].map((seed) => operatorRun(seed, write(["1", "2", "1", "2", "1"], [OPERATOR, "other"])).record()),
    );
    expect(fighting.cleanFaults()).toMatchObject([
      {
        key: "fight ConfigMap default/a-config .data.at",
        severity: "fault",
        sentence:
          "Without any perturbation, operator (operator-manager) and other (other-manager) undo each other's writes of .data.at of ConfigMap default/a-config.",
      },
    ]);
  });

  test("in a quiet of seconds one write is a late retry, and several of one member are not", () => {
    const short = (values: readonly string[]): Variation => ({
      ...write(values, [OPERATOR]),
      halfMillis: 8000,
    });
    expect(keys(played(write(["x"], [OPERATOR])))).toContain("restless ConfigMap default/a-config .data.at");
    expect(played(short(["x"])).filter(({ kind }) => kind === "restless")).toEqual([]);
    expect(keys(played(short(["x", "y"])))).toContain("restless ConfigMap default/a-config .data.at");
  });

  test("what a program writes that starts late in the quiet is what it has missed", () => {
    const late = write(["x", "y"], [OPERATOR]);
    const restarted: Variation = {
      inQuiet: (run) => {
        run.pass(10_000);
        run.life(OPERATOR, 1, "started");
        late.inQuiet!(run);
      },
    };
    expect(keys(played(late))).toContain("restless ConfigMap default/a-config .data.at");
    expect(played(restarted).filter(({ kind }) => kind === "restless")).toEqual([]);
  });

  test("a member that only grows is a heartbeat; one that takes any values is not", () => {
    const times = [1, 2, 3, 4].map((n) => `2030-01-01T00:00:0${n}Z`);
    expect(keys(played(write(times, [OPERATOR])))).toEqual(["notice: restless ConfigMap default/a-config .data.at"]);
    expect(keys(played(write(["x", "y", "z"], [OPERATOR])))).toContain("restless ConfigMap default/a-config .data.at");
  });
});

describe("two orders of operations", () => {
  const comparison = { name: ".spec.size set to 3, then unset", changed: [0, 1], fresh: [2] };

  test("the end must be the same; generations and histories may differ", () => {
    const fresh = operatorRun(4).record();
    const more = inStep(1, (run) => {
      const { spec } = run.get("Widget", "a") as unknown as { spec: object };
      run.update("user", run.get("Widget", "a"), { spec });
      const { status } = run.get("Widget", "a") as unknown as { status: object };
      run.update(OPERATOR, run.get("Widget", "a"), { status: { ...status, observedGeneration: 3 } });
      run.create("cluster", {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { name: "old" },
        spec: { replicas: 0 },
      });
    });
    expect(judge.compare(fresh, operatorRun(5, more).record(), comparison)).toEqual([]);
    const leftover = inStep(1, (run) =>
      run.update(OPERATOR, run.get("Secret", "a-cert"), { data: { key: "x", fixed: "old" } }),
    );
    expect(judge.compare(fresh, operatorRun(5, leftover).record(), comparison)).toMatchObject([
      {
        kind: "remembers",
        key: "remembers Secret default/a-cert .data.fixed",
        sentence:
          'After the operation ".spec.size set to 3, then unset", .data.fixed of Secret default/a-cert is "old" instead of "yes": the result depends on what the object was before.',
      },
    ]);
  });

  test("a step that is refused compares nothing", () => {
    const refused = operatorRun(5, {
      ...insteadOf("ConfigMap", () => undefined),
      ...inStep(1, (run) => void run.complaints.push({ type: "step-failed", step: 1, detail: "" })),
    });
    expect(judge.compare(operatorRun(4).record(), refused.record(), comparison)).toEqual([]);
  });
});

describe("sentences", () => {
  test("a crash between two writes, after which the first one is taken for the whole", () => {
    const run = operatorRun(SEED, {
      plan: crashAfter("Secret", "a-cert"),
      make: (it, sent, usual) => {
        if (sent.kind === "Secret") {
          const secret = it.create(OPERATOR, sent, { lost: true, perturbation: 0 });
          it.life(OPERATOR, 0, "killed");
          it.life(OPERATOR, 1, "started");
          it.deliver(OPERATOR, secret, "ADDED", 1);
        } else if (sent.kind !== "ConfigMap") usual();
      },
    });
    expect(judge.faults(run.record())).toMatchObject([
      {
        sentence:
          "After operator was killed between its create of Secret default/a-cert and its create of ConfigMap default/a-config, " +
          "operator never made ConfigMap default/a-config: it takes the existence of Secret default/a-cert for the work being done.",
      },
    ]);
  });

  test("a lost answer of a create with a generated name", () => {
    let first = true;
    const run = operatorRun(SEED, {
      plan: [
        {
          type: "answer-lost",
          at: {
            actor: OPERATOR,
            protocol: "api",
            verb: "create",
            group: "",
            kind: "Pod",
            namespace: "default",
            name: "a-*",
            occurrence: 0,
          },
        },
      ],
      make: (it, sent, usual) => {
        if (sent.kind === "Pod" && first) it.create(OPERATOR, sent, { lost: true, perturbation: 0 });
        if (sent.kind === "Pod") first = false;
        usual();
      },
    });
    expect(judge.faults(run.record())).toMatchObject([
      {
        kind: "leaked",
        sentence:
          "After the answer to the create of Pod default/a-* by operator was lost, operator made one Pod default/a-* too many, " +
          "and nobody removes it: it does not look for what its first create made, and makes another one.",
      },
    ]);
  });

  test("nothing is guessed where the trace does not show why", () => {
    const run = operatorRun(SEED, {
      plan: crashAfter("Pod", "a-*"),
      ...inStep(1, (it) => it.update("cluster", it.get("ConfigMap", "a-config"), { data: {} })),
    });
    expect(judge.faults(run.record())[0]!.sentence).toMatch(
      /^After operator was killed .*, \.data.* of ConfigMap default\/a-config is .* instead of .*[^:]*\.$/,
    );
  });
});

describe("objects that were there before the scenario, which runs leave out while they are unchanged", () => {
  const stored = (size: string, revision: string): StoredObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "a",
      namespace: "default",
      uid: "5e1f1d34-0000-4000-8000-000000000000",
      resourceVersion: revision,
    },
    data: { size },
  });
  const run = (seed: number, after: StoredObject | undefined): RunRecord => {
    const object = { group: "", kind: "ConfigMap", namespace: "default", name: "a" };
    const before = stored("1", "1");
    const changes: Unplaced[] = after
      ? [
          {
            type: "change",
            actor: OPERATOR,
            revision: 2,
            change: "updated",
            object,
            uid: after.metadata.uid,
            before,
            after,
          },
        ]
      : [];
    const entries: Unplaced[] = [
      { type: "step", step: 0, name: "s", phase: "begun" },
      ...changes,
      { type: "step", step: 0, name: "s", phase: "quiet" },
    ];
    return {
      order: { seed, plan: [] },
      trace: entries.map((entry, seq) => ({ ...entry, seq, at: 0 }) as TraceEntry),
      states: [{ step: 0, state: { objects: after ? [after] : [] } }],
      complaints: [],
      met: [],
      restlessWrites: 0,
    };
  };
  type Unplaced = TraceEntry extends infer E ? (E extends TraceEntry ? Omit<E, "seq" | "at"> : never) : never;

  test("one that is not changed as in clean runs differs, and is not missing", () => {
    const changes = makeJudge([1, 2].map((seed) => run(seed, stored("2", "2"))));
    expect(keys(changes.faults(run(SEED, undefined)))).toEqual(["differs ConfigMap default/a .data.size"]);
  });

  test("one that is changed beside clean runs differs, and has not leaked; one that is changed back does not", () => {
    const leaves = makeJudge([1, 2].map((seed) => run(seed, undefined)));
    expect(keys(leaves.faults(run(SEED, stored("3", "4"))))).toEqual(["differs ConfigMap default/a .data.size"]);
    expect(keys(leaves.faults(run(SEED, stored("1", "4"))))).toEqual([]);
  });
});

test("a run with a shorter quiet is judged by what clean runs were like then", () => {
  const HOUR = 3_600_000;
  /** A Secret that goes an hour after the last step, if the quiet lasts so long. */
  const run = (seed: number, quietMillis: number, name = "a"): RunRecord => {
    const recorded = new RecordedRun(seed);
    recorded.begin();
    recorded.create("user", { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default" } });
    recorded.quiet();
    recorded.begin("the quiet in the end");
    const isLong = quietMillis > HOUR;
    if (isLong) {
      recorded.pass(HOUR);
      recorded.delete(OPERATOR, recorded.get("Secret", name));
    }
    recorded.quiet(isLong ? quietMillis - HOUR : quietMillis);
    return recorded.record();
  };
  const ages = makeJudge([1, 2].map((seed) => run(seed, 24 * HOUR)));
  expect(keys(ages.faults(run(SEED, HOUR / 6)))).toEqual([]);
  expect(keys(ages.faults(run(SEED, HOUR / 6, "b")))).toContain("missing Secret default/a");
});
