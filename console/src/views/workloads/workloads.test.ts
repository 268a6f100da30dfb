import { describe, expect, test } from "vitest";
import { atOnce } from "../../../../src/util/steps.ts";
import { flatRows, rangeOf } from "./list.ts";
import { rowSteps, type WorkloadObjects } from "./model.ts";
import { podRow } from "./pod-row.ts";
import { endOf, type Row } from "./rows.ts";
import { marksOfEvents, marksOfHistory } from "./past.ts";
import { lengthText, MAX_RANGE, MIN_RANGE, moved, percentOf, ticksOf, zoomed } from "./scale.ts";

type Loose = Record<string, unknown>;

const START = Date.parse("2026-01-01T00:00:00Z");
/** The time some seconds after the start. */
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();
const NOW = START + 100_000;
const seconds = (time: number): number => (time - START) / 1000;

const meta = (name: string, created: number, more: Loose = {}): Loose => ({
  name,
  namespace: "team",
  uid: `uid-${name}`,
  resourceVersion: "1",
  creationTimestamp: at(created),
  generation: 1,
  ...more,
});
const ownedBy = (uid: string): Loose => ({
  ownerReferences: [{ uid, controller: true, kind: "x", name: "x", apiVersion: "x" }],
});

const objects = (some: Partial<Record<keyof WorkloadObjects, readonly unknown[]>>): WorkloadObjects =>
  ({
    deployments: [],
    replicaSets: [],
    statefulSets: [],
    daemonSets: [],
    revisions: [],
    pods: [],
    jobs: [],
    cronJobs: [],
    ...some,
  }) as WorkloadObjects;

const rowsOf = (some: WorkloadObjects, now: number): readonly Row[] => atOnce(rowSteps(some, now));
const one = (some: Parameters<typeof objects>[0]): Row => rowsOf(objects(some), NOW)[0]!;
const spansOf = ({ spans }: Row): unknown =>
  spans.map((span) => [seconds(span.from), seconds(endOf(span, NOW)), span.state]);

const pod = (status: Loose, spec: Loose = {}, metadata: Loose = {}): never =>
  ({ metadata: meta("p", 10, metadata), spec, status }) as never;
const condition = (type: string, status: string, since: number, more: Loose = {}): Loose => ({
  type,
  status,
  lastTransitionTime: at(since),
  ...more,
});

describe("the life of a Pod", () => {
  test("it waits for a node, starts and is ready", () => {
    const row = podRow(
      pod(
        { phase: "Running", conditions: [condition("PodScheduled", "True", 12), condition("Ready", "True", 20)] },
        { nodeName: "n1" },
      ),
    );
    expect(spansOf(row)).toEqual([
      [10, 12, "waits"],
      [12, 20, "waits"],
      [20, 100, "ready"],
    ]);
    expect([row.state, row.detail, row.says]).toEqual(["ready", "Running on n1", undefined]);
  });
  test("one that no node fits says why", () => {
    const row = podRow(
      pod({ phase: "Pending", conditions: [condition("PodScheduled", "False", 10, { message: "0/3 nodes fit" })] }),
    );
    expect([row.state, row.says, spansOf(row)]).toEqual(["waits", "0/3 nodes fit", [[10, 100, "waits"]]]);
  });
  test("one that has ended is done, or has failed, from then on", () => {
    const ended = (phase: string): Row =>
      podRow(
        pod(
          {
            phase,
            reason: "Error",
            conditions: [condition("PodScheduled", "True", 10)],
            containerStatuses: [{ name: "c", ready: false, state: { terminated: { finishedAt: at(30) } } }],
          },
          { nodeName: "n" },
        ),
      );
    expect([ended("Succeeded").state, spansOf(ended("Succeeded"))]).toEqual([
      "done",
      [
        [10, 30, "waits"],
        [30, 30, "done"],
      ],
    ]);
    expect([ended("Failed").state, ended("Failed").says]).toEqual(["failed", "Error"]);
  });
  test("one that is being deleted", () => {
    const row = podRow(
      pod(
        { phase: "Running", conditions: [condition("PodScheduled", "True", 10), condition("Ready", "True", 11)] },
        { nodeName: "n" },
        { deletionTimestamp: at(90) },
      ),
    );
    expect([row.state, spansOf(row)]).toEqual([
      "deleting",
      [
        [10, 11, "waits"],
        [11, 90, "ready"],
        [90, 100, "deleting"],
      ],
    ]);
  });
  test("a deletion begins with the grace period, at whose end its timestamp is", () => {
    const row = podRow(
      pod(
        { phase: "Running", conditions: [condition("PodScheduled", "True", 10), condition("Ready", "True", 11)] },
        { nodeName: "n" },
        { deletionTimestamp: at(120), deletionGracePeriodSeconds: 30 },
      ),
    );
    expect(spansOf(row)).toEqual([
      [10, 11, "waits"],
      [11, 90, "ready"],
      [90, 100, "deleting"],
    ]);
  });
  test("a container that waits says what for", () => {
    const row = podRow(
      pod(
        {
          phase: "Pending",
          conditions: [condition("PodScheduled", "True", 10)],
          containerStatuses: [{ name: "c", ready: false, state: { waiting: { reason: "ImagePullBackOff" } } }],
        },
        { nodeName: "n" },
      ),
    );
    expect(row.says).toBe("its container c: ImagePullBackOff");
  });
});

const set = (name: string, created: number, revision: number, replicas: number): unknown => ({
  metadata: meta(name, created, {
    ...ownedBy("uid-web"),
    annotations: { "deployment.kubernetes.io/revision": String(revision) },
  }),
  spec: {},
  status: { replicas },
});
const deployment = (status: Loose, spec: Loose = {}, metadata: Loose = {}): unknown => ({
  metadata: meta("web", 0, metadata),
  spec: { replicas: 3, ...spec },
  status: { observedGeneration: 1, ...status },
});

describe("a Deployment", () => {
  const complete = { replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
  test("revisions follow each other, and the newest is rolled out until its condition says so", () => {
    const row = one({
      deployments: [
        deployment({
          ...complete,
          conditions: [
            { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", lastUpdateTime: at(60) },
          ],
        }),
      ],
      replicaSets: [set("web-1", 0, 1, 0), set("web-2", 50, 2, 3)],
    });
    expect(spansOf(row)).toEqual([
      [0, 50, "old"],
      [50, 60, "waits"],
      [60, 100, "ready"],
    ]);
    expect([row.state, row.says, row.children.map(({ name }) => name)]).toEqual([
      "ready",
      undefined,
      ["web-2", "web-1"],
    ]);
  });
  test("a rollout that goes on says how far it is", () => {
    const row = one({
      deployments: [deployment({ replicas: 4, updatedReplicas: 2, availableReplicas: 2 })],
      replicaSets: [set("web-1", 0, 1, 2), set("web-2", 80, 2, 2)],
    });
    expect([row.state, row.says]).toEqual([
      "waits",
      "2 of 3 Pods of the current template exist, 2 are available; 2 Pods of older templates still exist",
    ]);
    expect(spansOf(row)).toEqual([
      [0, 80, "old"],
      [80, 100, "waits"],
    ]);
  });
  test("a rollback makes an old ReplicaSet the newest, and no span has a negative length", () => {
    const row = one({ deployments: [deployment(complete)], replicaSets: [set("a", 0, 3, 3), set("b", 50, 2, 0)] });
    expect(row.spans.every(({ from, to }) => to >= from)).toBe(true);
    expect(row.children[0]!.name).toBe("a");
  });
  test.each([
    ["it is paused", deployment({ updatedReplicas: 1 }, { paused: true })],
    ["its controller has not handled it yet", deployment({}, {}, { generation: 2 })],
    [
      "its progress deadline has passed",
      deployment({ conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }] }),
    ],
  ])("one that does not go on: %s", (says, object) => {
    expect(one({ deployments: [object] }).says).toContain(says);
  });
});

test("a StatefulSet has its revisions, and the Pods of each below it", () => {
  const revision = (name: string, created: number, number: number): unknown => ({
    metadata: meta(name, created, ownedBy("uid-db")),
    revision: number,
  });
  const own = (name: string, hash: string): unknown => ({
    metadata: { ...meta(name, 20, ownedBy("uid-db")), labels: { "controller-revision-hash": hash } },
    spec: {},
    status: {},
  });
  const row = one({
    statefulSets: [
      {
        metadata: meta("db", 0),
        spec: { replicas: 2 },
        status: {
          observedGeneration: 1,
          updatedReplicas: 1,
          availableReplicas: 1,
          currentRevision: "db-a",
          updateRevision: "db-b",
        },
      },
    ],
    revisions: [revision("db-a", 0, 1), revision("db-b", 50, 2)],
    pods: [own("db-0", "db-a"), own("db-1", "b"), own("db-2", "other")],
  });
  expect([row.says, row.children.map(({ name, children }) => [name, children.map((pod_) => pod_.name)])]).toEqual([
    "1 of 2 Pods have the current template, 1 are available",
    [
      ["db-b", ["db-1"]],
      ["db-a", ["db-0"]],
      ["db-2", []],
    ],
  ]);
});

describe("Jobs", () => {
  test.each([
    [
      "runs",
      { startTime: at(5), active: 1 },
      [
        [0, 5, "waits"],
        [5, 100, "runs"],
      ],
      "1 Pod runs, 0 of 1 succeeded",
    ],
    [
      "done",
      { startTime: at(0), completionTime: at(40), succeeded: 1, conditions: [condition("Complete", "True", 40)] },
      [[0, 40, "done"]],
      undefined,
    ],
    [
      "failed",
      {
        startTime: at(0),
        failed: 2,
        conditions: [condition("Failed", "True", 30, { reason: "BackoffLimitExceeded" })],
      },
      [[0, 30, "failed"]],
      "BackoffLimitExceeded",
    ],
    ["waits", {}, [[0, 100, "waits"]], "its controller has not started it yet"],
  ])("a Job that %s", (state, status, spans, says) => {
    const row = one({ jobs: [{ metadata: meta("job", 0), spec: {}, status }] });
    expect([row.state, spansOf(row), row.says]).toEqual([state, spans, says]);
  });
  test("a CronJob has the spans of its Jobs, and a mark where it is due next", () => {
    const row = one({
      cronJobs: [{ metadata: meta("tick", 0), spec: { schedule: "* * * * *" }, status: { lastScheduleTime: at(60) } }],
      jobs: [
        {
          metadata: meta("tick-1", 60, ownedBy("uid-tick")),
          spec: {},
          status: { startTime: at(60), completionTime: at(70), conditions: [condition("Complete", "True", 70)] },
        },
      ],
    });
    expect([spansOf(row), row.marks.map(({ time, kind }) => [seconds(time), kind]), row.children.length]).toEqual([
      [[60, 70, "done"]],
      [
        [120, "due"],
        [60, "change"],
      ],
      1,
    ]);
  });
  test.each([
    [{ schedule: "0 0 * * *" }, {}, "idle", undefined],
    [{ schedule: "0 0 * * *" }, { active: [{ name: "x" }] }, "runs", undefined],
    [{ schedule: "0 0 * * *", suspend: true }, {}, "waits", "it is suspended"],
  ] as const)("a CronJob %j with the status %j is %s", (spec, status, state, says) => {
    const row = one({ cronJobs: [{ metadata: meta("c", 0), spec, status }] });
    expect([row.state, row.says]).toEqual([state, says]);
  });
  test("a Job that is being deleted says so, and its time stays that of its run", () => {
    const row = one({
      jobs: [{ metadata: meta("j", 0, { deletionTimestamp: at(50) }), spec: {}, status: { startTime: at(5) } }],
    });
    expect([row.state, row.says, spansOf(row)]).toEqual([
      "deleting",
      "it is being deleted",
      [
        [0, 5, "waits"],
        [5, 100, "runs"],
      ],
    ]);
  });
  test.each(["not a schedule", "0 0 31 2 *"])("the schedule %s is never due", (schedule) => {
    const row = one({ cronJobs: [{ metadata: meta("c", 0), spec: { schedule }, status: {} }] });
    expect(row.says).toBe("its schedule is never due");
  });
  test("a zone that is not known is no failure of the page", () => {
    const row = one({
      cronJobs: [{ metadata: meta("c", 0), spec: { schedule: "* * * * *", timeZone: "No/Where" }, status: {} }],
    });
    expect(row.says).toBe("its schedule is never due");
  });
});

test("times that are missing or malformed give no NaN", () => {
  const bad = { name: "p", namespace: "", uid: "u", resourceVersion: "1", creationTimestamp: "never" };
  const rows = rowsOf(
    objects({
      jobs: [{ metadata: bad, spec: {}, status: { startTime: "x" } }],
      deployments: [{ metadata: bad, spec: {}, status: {} }],
    }),
    NOW,
  );
  for (const span of rows.flatMap(({ spans }) => spans))
    expect([span.from, endOf(span, NOW)].every(Number.isFinite)).toBe(true);
});

test("rows pass the filter, and children stand below an open row", () => {
  const rows = rowsOf(
    objects({
      deployments: [deployment({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 })],
      replicaSets: [set("web-1", 0, 1, 3)],
      jobs: [{ metadata: meta("Job-One", 0), spec: {}, status: {} }],
    }),
    NOW,
  );
  const names = (filter: Parameters<typeof flatRows>[2], open: string[] = []): string[] =>
    flatRows(rows, new Set(open), filter).map(({ row, depth }) => `${depth} ${row.name}`);
  expect(names({})).toEqual(["0 web", "0 Job-One"]);
  expect(names({}, ["Deployment/team/web"])).toEqual(["0 web", "1 web-1", "0 Job-One"]);
  expect(names({ unfinished: true })).toEqual(["0 Job-One"]);
  expect(names({ text: "job-o" })).toEqual(["0 Job-One"]);
  expect(names({ kind: "CronJob" })).toEqual([]);
  expect(names({ namespace: "other" })).toEqual([]);
});

describe("the axis", () => {
  const range = { from: START, to: START + 60_000 };
  test("is enlarged around a time, which keeps its place, within its bounds", () => {
    const next = zoomed(range, 0.5, START + 15_000);
    expect(percentOf(next, START + 15_000)).toBe(25);
    expect(next.to - next.from).toBe(30_000);
    const lengths = [0, 1e9].map((factor) => zoomed(range, factor, START)).map(({ from, to }) => to - from);
    expect(lengths).toEqual([MIN_RANGE, MAX_RANGE]);
  });
  test("is moved by a share of its length", () => {
    expect(moved(range, 0.5)).toEqual({ from: START + 30_000, to: START + 90_000 });
  });
  test.each([
    [60_000, ["00:00:00", "00:00:10", "00:00:20", "00:00:30", "00:00:40", "00:00:50", "00:01:00"]],
    [7_200_000, ["01-01", "00:15", "00:30", "00:45", "01:00", "01:15", "01:30", "01:45", "02:00"]],
  ])("has few marks at round times over %d ms", (length, texts) => {
    const most = 9;
    expect(ticksOf({ from: START, to: START + length }, most).map(({ text }) => text)).toEqual(texts);
  });
  test("has a bounded number of marks over any range", () => {
    expect(ticksOf({ from: 0, to: 1e15 }, 8).length).toBeLessThan(11);
  });
  test("fits what there is, and an empty list has the last hour", () => {
    const hour = rangeOf([], NOW);
    expect(Math.round((hour.to - hour.from) / 3_600_000)).toBe(1);
  });
  test.each([
    [0, "0s"],
    [65_000, "1m5s"],
    [3_600_000, "1h"],
    [90_061_000, "1d1h"],
  ])("a length of %d ms is printed as %s", (millis, text) => {
    expect(lengthText(millis)).toBe(text);
  });
});

test("marks of the past are changes below spec, creations and deletions, with who made them", () => {
  const version = (event: string, pointer: string, after: unknown): unknown => ({
    event,
    time: at(1),
    managers: [{ manager: "kubectl" }],
    changes: [{ op: "replace", pointer, after }],
  });
  const versions = [
    version("updated", "/spec/replicas", 3),
    version("updated", "/status/x", 1),
    version("created", "/spec", {}),
  ];
  expect(marksOfHistory({ versions } as never).map(({ text }) => text)).toEqual([
    "spec.replicas = 3 by kubectl",
    "created by kubectl",
  ]);
  const events = [
    { metadata: { name: "a" }, type: "Warning", reason: "Failed", message: "no", count: 3, lastTimestamp: at(5) },
    { metadata: { name: "b" }, reason: "X", message: "no time" },
  ];
  expect(marksOfEvents(events)).toEqual([{ time: START + 5000, kind: "warning", text: "Failed: no (3 times)" }]);
});
