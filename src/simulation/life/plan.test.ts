import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pod } from "../../client/kinds/index.ts";
import type { LifeFacts, LifePlan, ScriptFacts } from "./contract.ts";
import { planLife } from "./plan.ts";
import { probeOutcome, probeTimeAfter } from "./probes.ts";
import { isFinal } from "./summary.ts";
import { SECOND, pullTryAt, restartWait } from "./times.ts";

const START = Date.UTC(2026, 0, 1);
const TIME = "2026-01-01T00:00:00Z";

const podOf = (spec: object, metadata: object = {}): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", uid: "u", creationTimestamp: TIME, generation: 1, ...metadata },
    spec: { nodeName: "n", restartPolicy: "Always", containers: [{ name: "main", image: "web" }], ...spec },
    status: { phase: "Pending", qosClass: "BestEffort" },
  }) as unknown as Pod;

const factsOf = (facts: Partial<LifeFacts> = {}): LifeFacts => ({
  node: { name: "n", hostIP: "172.18.0.1" },
  podIP: "10.244.0.2",
  configProblem: () => undefined,
  pull: () => ({ delay: SECOND, isMissing: false }),
  isScripted: () => false,
  script: () => undefined,
  completeAfter: SECOND,
  ...facts,
});

/** Lives a Pod from plan to plan, for at most so long. */
function lived(
  first: Pod,
  facts: (pod: Pod, now: number) => LifeFacts,
  until: number,
  from = START,
): readonly { readonly at: number; readonly pod: Pod; readonly plan: LifePlan }[] {
  const steps: { at: number; pod: Pod; plan: LifePlan }[] = [];
  let pod = first;
  let now = from;
  for (let round = 0; round < 500 && now <= until; round++) {
    const plan = planLife(pod, facts(pod, now), now);
    if (plan.status) {
      const { annotations } = plan;
      pod = {
        ...pod,
        metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } },
        status: JSON.parse(JSON.stringify(plan.status)) as Pod["status"],
      };
      steps.push({ at: now, pod, plan });
      continue;
    }
    if (plan.isOver) {
      steps.push({ at: now, pod, plan });
      break;
    }
    if (plan.againAt === undefined) break;
    expect(plan.againAt).toBeGreaterThan(now);
    now = plan.againAt;
  }
  return steps;
}

test("a Pod without anything special is written once", () => {
  const steps = lived(podOf({}), () => factsOf(), START + 86_400_000);
  expect(steps.map(({ at }) => at - START)).toEqual([1000]);
  expect(steps[0]!.plan.events.map(({ reason }) => reason)).toEqual(["Pulling", "Pulled", "Created", "Started"]);
});

test("a Pod on a node is scheduled, also where a scheduler that does not know it says that it failed", () => {
  const said = { type: "PodScheduled", status: "False", reason: "SchedulerError", message: "no" };
  const pod = podOf({});
  const confused = { ...pod, status: { ...pod.status, conditions: [said] } } as unknown as Pod;
  const { pod: last } = lived(confused, () => factsOf(), START + 2000).at(-1)!;
  const found = last.status.conditions?.filter(({ type }) => type === "PodScheduled");
  expect(found).toEqual([
    {
      type: "PodScheduled",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: expect.any(String),
      observedGeneration: 1,
    },
  ]);
});

describe("waits of restarts and pulls", () => {
  test("are 0, 10, 20, 40, 80, 160, 300 seconds", () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 1000].map((restarts) => restartWait(restarts) / SECOND)).toEqual([
      0, 10, 20, 40, 80, 160, 300, 300, 300,
    ]);
  });

  test("are computed from the time alone", () => {
    const tries = new Set<number>();
    for (let now = 0; now < 1_600_000; now += 500) tries.add(pullTryAt(0, now).last / SECOND);
    expect([...tries]).toEqual([0, 10, 30, 70, 150, 310, 610, 910, 1210, 1510]);
  });
});

describe("a Pod that is deleted", () => {
  const running = (spec: object): Pod => lived(podOf(spec), () => factsOf(), START + 2000).at(-1)!.pod;
  const deleted = (pod: Pod, at: number, grace: number): Pod => {
    const deletionTimestamp = new Date(START + (at + grace) * SECOND).toISOString();
    return { ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: grace } };
  };
  const plan = (pod: Pod, seconds: number, facts: LifeFacts) => planLife(pod, facts, START + seconds * SECOND);

  test("is not ended by a deadline that passes afterwards", () => {
    const pod = running({ activeDeadlineSeconds: 20 });
    const reason = (at: number): unknown => {
      const going = deleted(pod, at, 60);
      const held = { ...going, metadata: { ...going.metadata, finalizers: ["example.com/x"] } };
      return plan(held, 25, factsOf()).status?.reason;
    };
    expect(reason(10)).toBeUndefined();
    expect(reason(22)).toBe("DeadlineExceeded");
  });

  test("ends at the end of its grace period, however long its hook sleeps", () => {
    const lifecycle = { preStop: { sleep: { seconds: 300 } } };
    const pod = deleted(running({ containers: [{ name: "main", image: "web", lifecycle }] }), 10, 30);
    expect(plan(pod, 39, factsOf())).toMatchObject({ isOver: false, againAt: START + 40 * SECOND });
    expect(plan(pod, 40, factsOf()).isOver).toBe(true);
  });
});

test("the outcome of a probe follows from when its value changed", () => {
  const probe = { initialDelaySeconds: 3, periodSeconds: 5, failureThreshold: 2 };
  expect(probeTimeAfter(probe, 0, 0)).toBe(3000);
  expect(probeTimeAfter(probe, 0, 3001)).toBe(8000);
  expect(probeOutcome(probe, 0, { value: true, since: 4000 }, false, 7999)).toEqual({ value: false, changesAt: 8000 });
  expect(probeOutcome(probe, 0, { value: true, since: 4000 }, false, 8000)).toEqual({ value: true });
  expect(probeOutcome(probe, 0, { value: false, since: 4000 }, true, 12_999)).toEqual({
    value: true,
    changesAt: 13_000,
  });
});

/** Sample Pods: init containers, sidecars, probes, policies, ends, and what their scripts say. */
const samples = fc.record({
  policy: fc.constantFrom("Always", "OnFailure", "Never"),
  init: fc.array(fc.record({ isSidecar: fc.boolean(), code: fc.constantFrom(0, 0, 0, 1), runs: fc.nat(20) }), {
    maxLength: 3,
  }),
  main: fc.array(
    fc.record({ code: fc.constantFrom(0, 1, 137), runs: fc.nat(900), ready: fc.nat(30), isProbed: fc.boolean() }),
    { minLength: 1, maxLength: 3 },
  ),
  deletedAfter: fc.option(fc.nat(2000), { nil: undefined }),
  deadline: fc.option(fc.integer({ min: 1, max: 2000 }), { nil: undefined }),
  isJob: fc.boolean(),
  missingUntil: fc.nat(200),
});

const statusesOf = ({ status }: Pod) => [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];

/** What is wrong with a write of a status. */
function* faultsOf(before: Pod, after: Pod, at: number): Generator<string> {
  const { phase } = after.status;
  if (JSON.stringify(after.status) === JSON.stringify(before.status)) yield "nothing has changed";
  if (isFinal(before.status.phase) && phase !== before.status.phase) yield `${before.status.phase} became ${phase}`;
  for (const { name, state, restartCount, ready } of statusesOf(after)) {
    const was = statusesOf(before).find((one) => one.name === name)?.restartCount ?? 0;
    if (restartCount < was || restartCount > was + 1) yield `${name} was restarted ${was}, then ${restartCount} times`;
    if (Object.keys(state).length !== 1) yield `${name} has several states`;
    if (ready && !state.running && !state.terminated) yield `${name} is ready and does not run`;
    const startedAt = Date.parse(state.running?.startedAt ?? "");
    if (startedAt > at) yield `${name} was started later than now`;
    const { startedAt: began, finishedAt } = state.terminated ?? {};
    if (Date.parse(finishedAt ?? "") > at) yield `${name} ended later than now`;
    if (Date.parse(finishedAt ?? "") < Date.parse(began ?? "")) yield `${name} ended before it began`;
  }
  const isReady = after.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  const areReady = after.status.containerStatuses?.every((one) => one.ready);
  if (isReady !== (areReady && !isFinal(phase) && isReady)) yield "it is ready, and its containers are not";
}

test("random lives: each write changes something, ends stay, restarts and times only grow", () => {
  fc.assert(
    fc.property(samples, ({ policy, init, main, deletedAfter, deadline, isJob, missingUntil }) => {
      const scripts = new Map<string, { readonly code: number; readonly runs: number; readonly ready: number }>([
        ...init.map(({ code, runs }, i) => [`init-${i}`, { code, runs, ready: 0 }] as const),
        ...main.map(({ code, runs, ready }, i) => [`main-${i}`, { code, runs, ready }] as const),
      ]);
      const pod = podOf(
        {
          restartPolicy: policy,
          terminationGracePeriodSeconds: 30,
          ...(deadline === undefined ? {} : { activeDeadlineSeconds: deadline }),
          initContainers: init.map(({ isSidecar }, i) => ({
            name: `init-${i}`,
            image: "script",
            ...(isSidecar ? { restartPolicy: "Always" } : {}),
          })),
          containers: main.map(({ isProbed }, i) => ({
            name: `main-${i}`,
            image: i === 0 ? "web" : "script",
            ...(isProbed ? { readinessProbe: { httpGet: { path: "/", port: 1 }, periodSeconds: 7 } } : {}),
          })),
        },
        isJob
          ? { ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: "j", controller: true }] }
          : {},
      );
      const facts = (of: Pod, now: number): LifeFacts =>
        factsOf({
          isScripted: (image) => image === "script",
          pull: (image) => ({ delay: image === "web" ? SECOND : 0, isMissing: now < START + missingUntil * SECOND }),
          script: (name): ScriptFacts | undefined => {
            const status = [...(of.status.initContainerStatuses ?? []), ...(of.status.containerStatuses ?? [])].find(
              (one) => one.name === name,
            );
            const startedAt = Date.parse(status?.state.running?.startedAt ?? "");
            const { code, runs, ready } = scripts.get(name)!;
            if (Number.isNaN(startedAt)) return undefined;
            const deletion = Date.parse(of.metadata.deletionTimestamp ?? "");
            const term = Number.isNaN(deletion) || deletion - 30 * SECOND > now ? undefined : deletion - 30 * SECOND;
            const end = Math.min(
              startedAt + runs * SECOND,
              term === undefined ? Infinity : Math.max(term + 2 * SECOND, startedAt),
            );
            const readySince = startedAt + ready * SECOND;
            return {
              ...(end <= now ? { exit: { at: end, code } } : {}),
              ready: readySince <= now,
              readySince: Math.min(readySince, Math.max(now, startedAt)),
              // SIGTERM of a deadline is not played here.
              terminatedAt: term ?? (of.spec.activeDeadlineSeconds === undefined ? undefined : now),
            };
          },
        });
      let steps = lived(pod, facts, START + (deletedAfter ?? 3000) * SECOND);
      const last = steps.at(-1)?.pod ?? pod;
      if (deletedAfter !== undefined) {
        const at = START + deletedAfter * SECOND;
        const deletionTimestamp = new Date(at + 30 * SECOND).toISOString().replace(".000", "");
        const going = {
          ...last,
          metadata: { ...last.metadata, deletionTimestamp, deletionGracePeriodSeconds: 30 },
        } as Pod;
        steps = [...steps, ...lived(going, facts, at + 60 * SECOND, at)];
      }
      const wrong: string[] = [];
      let before = pod;
      for (const { pod: after, at, plan } of steps) {
        if (plan.status) wrong.push(...faultsOf(before, after, at));
        before = after;
      }
      expect(wrong).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
