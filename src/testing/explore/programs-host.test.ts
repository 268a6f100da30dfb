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
  const place = { kubeconfig: "/kubeconfig", ports: [], env: process.env, clock };
  const program = new ProgramHost({ name: "node", command: [process.execPath, "-e", text] }, place, {
    clock,
    quiet,
    events: {
      started: () => void events.push("started"),
      killed: (output) => void events.push(`killed: ${output.join()}`),
      exited: (detail, output) => void events.push(`exited: ${detail}: ${output.join()}`),
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
  await expect.poll(() => program.output, printed).toEqual(["life"]);
  expect([await quiet.rest(600), program.isRunning]).toEqual(["restless", true]);
  program.seen();
  expect(await quiet.rest(5000)).toBe("quiet");
  await program.kill(100);
  expect([events, program.isRunning]).toEqual([["started", "killed: life"], false]);
  expect(quiet.isQuiet).toBe(false);
  await expect.poll(() => program.output, printed).toEqual(["life"]);
  await program.close();
  expect([events, program.isRunning]).toEqual([["started", "killed: life", "started"], false]);
});

test("a program that is killed for good stays down", async () => {
  const { program, events } = host(RUNS);
  program.start();
  await program.kill(undefined);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(events).toEqual(["started", "killed: "]);
});

test("a program that ends again and again is in a crash loop, with what it has printed", async () => {
  const { program, events } = host("console.error('no such flag'); process.exit(2)");
  program.start();
  await expect.poll(() => events.at(-1), { timeout: 20_000, interval: 20 }).toMatch(/^loops/);
  expect(events.filter((event) => event.startsWith("started"))).toHaveLength(5);
  expect(events.filter((event) => event.startsWith("exited"))[0]).toBe("exited: exit code 2: no such flag");
  expect(events.at(-1)).toBe("loops: it ended 5 times, exit code 2\n  no such flag");
  await program.close();
});

test("a rest between two ends begins the count again", async () => {
  const { program, events } = host("process.exit(0)");
  program.start();
  const count = (what: string): number => events.filter((event) => event.startsWith(what)).length;
  for (let ends = 1; ends < 5; ends++) {
    await expect.poll(() => count("exited"), printed).toBe(ends);
    program.rested();
  }
  await expect.poll(() => count("started"), printed).toBe(7);
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
    { kubeconfig: "", ports: [], env: {}, clock },
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
