import { expect, test } from "vitest";
import { Faults } from "./faults.ts";

test("a failure is logged with its stack and counted by what it ended", async () => {
  const lines: unknown[] = [];
  const faults = new Faults({ error: (...line) => void lines.push(line) });
  faults.report("request", new Error("a mistake"), { route: "/livez" });
  faults.report("request", "a text");
  faults.report("process", undefined);
  const stacks = [expect.stringMatching(/^Error: a mistake\n +at /), "a text", "undefined"];
  expect(lines).toEqual([
    [expect.stringContaining("a request was broken off"), { route: "/livez", stack: stacks[0] }, stacks[0]],
    [expect.stringContaining("a request was broken off"), { stack: "a text" }, "a text"],
    [expect.stringContaining("nothing waited for it"), { stack: "undefined" }, "undefined"],
  ]);
  const [metric] = await faults.metrics();
  expect(metric!.samples.map(({ labels, value }) => [labels!["of"], value])).toEqual([
    ["request", 2],
    ["connection", 0],
    ["process", 1],
  ]);
});
