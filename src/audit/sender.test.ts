import { expect, test } from "vitest";
import { bytesInUse } from "../util/testing/heap.ts";
import { agentOf, sourcesOf } from "./sender.ts";

test("AUDIT-22: a long name of a program is cut", () => {
  expect(agentOf("kubectl/v1.35")).toBe("kubectl/v1.35");
  expect(agentOf("x".repeat(1024))).toBe("x".repeat(1024));
  expect(agentOf("x".repeat(1025))).toBe(`${"x".repeat(1024)}...TRUNCATED`);
});

test("events that wait keep nothing of the headers that their senders were cut from", () => {
  const before = bytesInUse();
  const kept = Array.from({ length: 40 }, (_, i) => [
    agentOf(`${i} ${"x".repeat(1_000_000)}`),
    sourcesOf(`2001:db8::aaaa:${i}, ${"y".repeat(1_000_000)}`, "", "10.0.0.1"),
  ]);
  expect(bytesInUse() - before).toBeLessThan(2_000_000);
  expect(kept[7]![1]).toEqual(["2001:db8::aaaa:7", "10.0.0.1"]);
});
