import { expect, test } from "vitest";
import type { Job, Pod } from "../../client/kinds/index.ts";
import { leastCpu } from "../../util/testing/cpu-time.ts";
import { verdictOn } from "./failure-policy.ts";

const jobOf = (rules: readonly object[]): Job => ({ spec: { podFailurePolicy: { rules } } }) as unknown as Job;
const podOf = (status: object): Pod => ({ metadata: { name: "p", namespace: "n" }, status }) as unknown as Pod;
const exited = (name: string, exitCode: number) => ({ name, state: { terminated: { exitCode } } });

test("WL-JOB-30: the first rule that fits decides, by one of the statuses of a type and by exit codes", () => {
  const job = jobOf([
    {
      action: "Ignore",
      onPodConditions: [
        { type: "A", status: "True" },
        { type: "A", status: "Unknown" },
      ],
    },
    { action: "FailIndex", onExitCodes: { containerName: "c", operator: "In", values: [3, 4] } },
    { action: "FailJob", onExitCodes: { operator: "NotIn", values: [5] } },
  ]);
  expect(verdictOn(podOf({ conditions: [{ type: "A", status: "Unknown" }] }), job).isCounted).toBe(false);
  expect(verdictOn(podOf({ conditions: [{ type: "A", status: "False" }] }), job)).toEqual({
    isCounted: true,
    failsIndex: false,
  });
  const failed = podOf({ containerStatuses: [exited("d", 5), exited("c", 4)] });
  expect(verdictOn(failed, job).failsIndex).toBe(true);
  expect(verdictOn(failed, jobOf([])).failsIndex).toBe(false);
  expect(verdictOn(podOf({ initContainerStatuses: [exited("d", 4)] }), job).failsJob).toBe(
    "Container d for pod n/p failed with exit code 4 matching FailJob rule at index 2",
  );
});

test("a Pod is looked at once, however often a plan asks for it", () => {
  let looks = 0;
  const pod = {
    metadata: { name: "p", namespace: "n" },
    get status() {
      looks++;
      return { conditions: [{ type: "A", status: "True" }] };
    },
  } as unknown as Pod;
  const ignores = jobOf([{ action: "Ignore", onPodConditions: [{ type: "A", status: "True" }] }]);
  expect([verdictOn(pod, ignores), verdictOn(pod, ignores)].map(({ isCounted }) => isCounted)).toEqual([false, false]);
  expect(looks).toBe(1);
  expect(verdictOn(pod, jobOf([{ action: "Count", onPodConditions: [{ type: "A", status: "True" }] }])).isCounted).toBe(
    true,
  );
});

test("the largest policy looks at the exit codes of thousands of containers in milliseconds", async () => {
  const onExitCodes = { operator: "In", values: Array.from({ length: 255 }, (_, i) => i + 1000) };
  const job = jobOf(Array.from({ length: 20 }, () => ({ action: "Ignore", onExitCodes })));
  const containerStatuses = Array.from({ length: 20_000 }, (_, i) => exited(`c${i}`, 1));
  expect(await leastCpu(() => void verdictOn(podOf({ containerStatuses }), job), 40)).toBeLessThan(40);
});
