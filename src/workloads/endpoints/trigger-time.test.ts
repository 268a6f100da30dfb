import { expect, test } from "vitest";
import type { Pod, Service } from "../../client/kinds/index.ts";
import { triggerTimeOf } from "./trigger-time.ts";

const service = (creationTimestamp: string): Service => ({ metadata: { creationTimestamp } }) as Service;
const pod = (name: string, lastTransitionTime: string): Pod =>
  ({
    metadata: { name },
    status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime }] },
  }) as unknown as Pod;

test("WL-EP-6: the time is that of the first change, with the fraction that it has", () => {
  const created = service("2026-01-01T00:10:00Z");
  const first = triggerTimeOf(created, [], undefined);
  expect(first.text).toBe("2026-01-01T00:10:00Z");
  const pods = [pod("a", "2026-01-01T00:20:00.1Z"), pod("b", "2026-01-01T00:20:00.05Z")];
  const second = triggerTimeOf(created, pods, first.seen);
  expect(second.text).toBe("2026-01-01T00:20:00.05Z");
  expect(triggerTimeOf(created, pods, second.seen).text).toBeUndefined();
});
