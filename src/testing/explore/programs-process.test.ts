import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { newSystemClock } from "../../util/clock.ts";
import { ProgramProcess, filledCommand, freePorts, portAdvice } from "./programs-process.ts";

const place = {
  kubeconfig: "/tmp/a kubeconfig",
  ports: [1234, 5678],
  env: { PATH: process.env["PATH"], MORE: "more" },
  clock: newSystemClock(),
};
const node = (text: string, ...args: readonly string[]): ProgramProcess =>
  new ProgramProcess({ name: "node", command: [process.execPath, "-e", text, ...args] }, place);

async function printed(program: ProgramProcess, text: string): Promise<string> {
  while (!program.output.some((line) => line.includes(text))) {
    if (program.isOver) throw new Error(`it ended: ${program.output.join("\n")}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return program.output.find((line) => line.includes(text))!;
}

test("placeholders are replaced in each argument", () => {
  expect(filledCommand(["./manager", "--kubeconfig", "{}", "--conf={}:{port2}", "{other}"], place)).toEqual([
    "./manager",
    "--kubeconfig",
    "/tmp/a kubeconfig",
    "--conf=/tmp/a kubeconfig:5678",
    "{other}",
  ]);
});

test("a process has a kubeconfig, ports and the environment; output and exit code are kept", async () => {
  const program = node(
    "console.log(process.env.KUBECONFIG, process.env.KEELSON_PORT_2, process.env.MORE, process.argv[1]); " +
      "process.stderr.write('the end'); process.exitCode = 3",
    "{port1}",
  );
  expect(await program.ended).toEqual({ code: 3, signal: undefined });
  expect(program.output.toSorted()).toEqual(["/tmp/a kubeconfig 5678 more 1234", "the end"]);
});

test("the output is bounded: the last lines are kept", async () => {
  const program = node("for (let i = 0; i < 500; i++) console.log('line', i); console.log('x'.repeat(1e5))");
  await program.ended;
  const { output } = program;
  expect([output.length, output[0], output[1]]).toEqual([201, "(301 lines before)", "line 301"]);
  expect(output.at(-1)).toHaveLength(2000);
});

test("a program that is not there says so", async () => {
  const program = new ProgramProcess({ name: "x", command: ["/nowhere/program"] }, place);
  expect(await program.ended).toMatchObject({ error: expect.stringContaining("ENOENT") as string });
  await program.kill();
});

const stateOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]![0]!;
  } catch {
    return "gone";
  }
};

test.skipIf(process.platform !== "linux")("a kill ends what it has started, too; a pause stops all of it", async () => {
  const program = node(`
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { stdio: "inherit" });
    console.log("child", child.pid);
    setInterval(() => 0, 1000);
  `);
  const pid = Number((await printed(program, "child")).split(" ")[1]);
  program.pause();
  await expect.poll(() => stateOf(pid)).toBe("T");
  program.resume();
  await expect.poll(() => stateOf(pid)).toBe("S");
  await program.kill();
  expect(await program.ended).toEqual({ code: undefined, signal: "SIGKILL" });
  await expect.poll(() => ["gone", "Z"].includes(stateOf(pid))).toBe(true);
});

test("a process of another group that holds the output does not hold up the end", async () => {
  const program = node(`
    const { spawn } = require("node:child_process");
    const other = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { stdio: "inherit", detached: true });
    console.log("other", other.pid);
    setInterval(() => 0, 1000);
  `);
  const pid = Number((await printed(program, "other")).split(" ")[1]);
  try {
    await program.kill();
    expect(await program.ended).toEqual({ code: undefined, signal: "SIGKILL" });
  } finally {
    process.kill(pid, "SIGKILL");
  }
});

test("free ports can be used, and a taken one is recognised", async () => {
  const [port, other] = await freePorts(2);
  expect(port).not.toBe(other);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const program = node(`require("node:net").createServer().listen(${port}, "127.0.0.1")`);
  expect((await program.ended).code).toBe(1);
  server.close();
  expect(portAdvice("manager", program.output)).toMatch(/^manager needs a port that is taken .*EADDRINUSE/);
  expect(portAdvice("manager", ["panic"])).toBeUndefined();
});
