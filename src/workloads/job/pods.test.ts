import { describe, expect, test } from "vitest";
import type { Job, Pod } from "../../client/kinds/index.ts";
import { failuresOf, waitAfter, withEnded } from "./backoff.ts";
import { endOf, failuresBefore, indexOf } from "./pods.ts";
import { podsToRemove } from "./removal.ts";

const at = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
const podOf = (
  name: string,
  { metadata = {}, spec = {}, status = {} }: { metadata?: object; spec?: object; status?: object } = {},
): Pod =>
  ({
    metadata: { name, uid: name, creationTimestamp: at(10), ...metadata },
    spec,
    status: { phase: "Pending", ...status },
  }) as unknown as Pod;
const terminated = (seconds: number, name = "c") => ({
  name,
  restartCount: 0,
  state: { terminated: { exitCode: 1, finishedAt: at(seconds) } },
});
const running = { name: "d", restartCount: 0, state: { running: {} } };
const ended = (name: string, phase: string, seconds: number, more: object = {}): Pod =>
  podOf(name, { status: { phase, containerStatuses: [terminated(seconds)] }, metadata: more });

describe("when a Pod ended", () => {
  const notReady = { type: "Ready", status: "False", lastTransitionTime: at(30) };
  const going = { deletionTimestamp: at(60), deletionGracePeriodSeconds: 20 };

  test.each([
    [
      "when its last container did",
      podOf("p", { status: { containerStatuses: [terminated(20), terminated(50)], conditions: [notReady] } }),
      50,
    ],
    [
      "when it ceased to be ready",
      podOf("p", { status: { containerStatuses: [terminated(20), running], conditions: [notReady] } }),
      30,
    ],
    [
      "when it was deleted, without the grace",
      podOf("p", { metadata: going, status: { containerStatuses: [running] } }),
      40,
    ],
    ["when it was made", podOf("p"), 10],
  ])("WL-JOB-5: %s", (_, pod, seconds) => {
    expect(endOf(pod)).toBe(seconds * 1000);
  });

  test("WL-JOB-5: a sidecar counts, an init container does not", () => {
    const spec = { initContainers: [{ name: "side", restartPolicy: "Always" }, { name: "init" }] };
    const initContainerStatuses = [terminated(70, "side"), terminated(90, "init")];
    expect(endOf(podOf("p", { spec, status: { containerStatuses: [terminated(20)], initContainerStatuses } }))).toBe(
      70_000,
    );
  });
});

describe("the wait", () => {
  test("WL-JOB-5: from 10 s doubled to 10 minutes", () => {
    const waits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 2000].map((count) => waitAfter({ count, lastEnd: 0 }, 0) / 1000);
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 320, 600, 600, 600]);
    expect(waitAfter({ count: 1, lastEnd: 0 }, 4000)).toBe(6000);
    expect(waitAfter({ count: 1, lastEnd: 0 }, 3_600_000)).toBe(0);
  });

  test("WL-JOB-5: failures count since the last success", () => {
    const none = { count: 0, lastEnd: 0 };
    const [early, late] = [ended("a", "Failed", 10), ended("b", "Failed", 30)];
    expect(withEnded(none, [], [late, early])).toEqual({ count: 2, lastEnd: 30_000 });
    expect(withEnded({ count: 3, lastEnd: 5000 }, [], [late])).toEqual({ count: 4, lastEnd: 30_000 });
    expect(withEnded({ count: 3, lastEnd: 5000 }, [ended("s", "Succeeded", 20)], [early, late])).toEqual({
      count: 1,
      lastEnd: 30_000,
    });
    expect(withEnded({ count: 3, lastEnd: 5000 }, [ended("s", "Succeeded", 20)], [])).toEqual(none);
  });

  test("WL-JOB-5: those that were counted before are read from the Pods", () => {
    const finalizers = ["batch.kubernetes.io/job-tracking"];
    const pods = [
      ended("counted", "Failed", 10),
      ended("uncounted", "Failed", 20, { finalizers }),
      ended("new", "Failed", 30, { finalizers }),
      ended("scaled", "Failed", 40, { deletionTimestamp: at(39) }),
    ];
    expect(failuresOf(pods, new Set(["uncounted"]))).toEqual({ count: 2, lastEnd: 20_000 });
  });
});

test("WL-JOB-20, WL-JOB-23: numbers in annotations that are none are no numbers", () => {
  const INDEX = "batch.kubernetes.io/job-completion-index";
  const FAILURES = "batch.kubernetes.io/job-index-failure-count";
  const noted = (annotations: object): Pod => podOf("p", { metadata: { annotations } });
  expect(["7", "-1", "x", "", "1e3"].map((text) => indexOf(noted({ [INDEX]: text })))).toEqual([
    7,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(["2", "-1", "x", "9999999999"].map((text) => failuresBefore(noted({ [FAILURES]: text })))).toEqual([
    2, 0, 0, 0,
  ]);
});

describe("who goes first", () => {
  const plain = { spec: { completionMode: "NonIndexed" } } as Job;
  const bound = { nodeName: "n" };
  const ready = (since: number) => ({
    phase: "Running",
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: at(since) }],
  });
  const restarted = (restartCount: number) => ({ phase: "Running", containerStatuses: [{ ...running, restartCount }] });

  test("WL-JOB-2: not bound, not begun, not ready, ready for a shorter time, restarted more often, newer", () => {
    const pods = [
      podOf("ready long", { spec: bound, status: ready(10) }),
      podOf("ready", { spec: bound, status: ready(20) }),
      podOf("old", { spec: bound, status: restarted(0) }),
      podOf("new", { spec: bound, status: restarted(0), metadata: { creationTimestamp: at(50) } }),
      podOf("restarted", { spec: bound, status: restarted(3) }),
      podOf("pending", { spec: bound }),
      podOf("unbound"),
    ];
    const order = podsToRemove(plain, pods, pods.length).map(({ metadata }) => metadata.name);
    expect(order).toEqual(["unbound", "pending", "restarted", "new", "old", "ready", "ready long"]);
  });

  test("WL-JOB-20: of several Pods of an index all but the last go, and those of no index", () => {
    const indexed = { spec: { completionMode: "Indexed", completions: 2 } } as Job;
    const of = (name: string, index: string, status: object = {}): Pod =>
      podOf(name, { metadata: { annotations: { "batch.kubernetes.io/job-completion-index": index } }, status });
    const pods = [of("a", "0"), of("b", "0", ready(10)), of("c", "1"), of("d", "2"), podOf("e")];
    expect(
      podsToRemove(indexed, pods, 0)
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    ).toEqual(["a", "d", "e"]);
  });
});
