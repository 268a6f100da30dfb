import { expect, test } from "vitest";
import { newSystemClock } from "../../util/clock.ts";
import { ProgramHost } from "./programs-host.ts";
import { Quiet, QuietWindow } from "./programs-quiet.ts";

function host(text: string) {
  const events: string[] = [];
  const clock = newSystemClock();
  const window = new QuietWindow();
  window.learn(1);
  const quiet = new Quiet(clock, window, () => false);
  const place = { kubeconfig: "/kubeconfig", ports: [], env: process.env };
  const program = new ProgramHost({ name: "node", command: [process.execPath, "-e", text] }, place, {
    clock,
    quiet,
    events: {
      started: (life) => void events.push(`started ${life}`),
      killed: (life) => void events.push(`killed ${life}`),
      exited: (life, detail) => void events.push(`exited ${life}: ${detail}`),
      loops: (detail) => void events.push(`loops: ${detail}`),
    },
  });
  return { program, events, quiet };
}

const RUNS = "console.log('life'); setInterval(() => 0, 1000)";
const printed = { timeout: 10_000, interval: 20 };

test("a killed program starts again after its down time, and is expected until its first request", async () => {
  const { program, events, quiet } = host(RUNS);
  program.start();
  await expect.poll(() => program.outputs.at(-1)?.lines, printed).toEqual(["life"]);
  expect([await quiet.rest(600), program.isRunning]).toEqual(["restless", true]);
  program.seen();
  expect(await quiet.rest(5000)).toBe("quiet");
  await program.kill(100);
  expect([events, program.isRunning]).toEqual([["started 0", "killed 0"], false]);
  expect(quiet.isQuiet).toBe(false);
  await expect.poll(() => program.outputs.length, printed).toBe(2);
  expect([events.at(-1), program.life]).toEqual(["started 1", 1]);
  await program.close();
  expect(events).toEqual(["started 0", "killed 0", "started 1"]);
});

test("a program that is killed for good stays down", async () => {
  const { program, events } = host(RUNS);
  program.start();
  await program.kill(undefined);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(events).toEqual(["started 0", "killed 0"]);
});

test("a program that ends again and again is in a crash loop, with what it has printed", async () => {
  const { program, events } = host("console.error('no such flag'); process.exit(2)");
  program.start();
  await expect.poll(() => events.at(-1), { timeout: 20_000, interval: 20 }).toMatch(/^loops/);
  expect(events.filter((event) => event.startsWith("started"))).toHaveLength(5);
  expect(events.filter((event) => event.startsWith("exited"))[0]).toBe("exited 0: exit code 2");
  expect(events.at(-1)).toBe("loops: it ended 5 times, exit code 2\n  no such flag");
  expect(program.outputs.map(({ life }) => life)).toEqual([0, 1, 2, 3, 4]);
  await program.close();
});

test("a rest between two ends begins the count anew", async () => {
  const { program, events } = host("process.exit(0)");
  program.start();
  for (let life = 0; life < 4; life++) {
    await expect.poll(() => events.at(-1), printed).toBe(`exited ${life}: exit code 0`);
    program.rested();
  }
  await expect.poll(() => program.life, printed).toBe(6);
  await program.close();
  expect(events.filter((event) => event.startsWith("loops"))).toEqual([]);
});

test("a program that is not there loops, too", async () => {
  const events: string[] = [];
  const clock = newSystemClock();
  const quiet = new Quiet(clock, new QuietWindow(), () => false);
  const ignore = (): void => {};
  const program = new ProgramHost(
    { name: "x", command: ["/nowhere/x"] },
    { kubeconfig: "", ports: [], env: {} },
    {
      clock,
      quiet,
      events: { started: ignore, killed: ignore, exited: ignore, loops: (detail) => void events.push(detail) },
    },
  );
  program.start();
  await expect.poll(() => events[0], { timeout: 20_000 }).toContain("it did not start: spawn /nowhere/x ENOENT");
  await program.close();
});
