/**
 * Programs over HTTP, explored from the outside: a small one of Node with a fault, its mended twin, and a manager of
 * controller-runtime where `go` is there.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { fromKubeconfig } from "../../src/client/index.ts";
import { ConfigMap, Secret } from "../../src/client/kinds/index.ts";
import type { Finding } from "../../src/explore/contract/finding.ts";
import type { RunRecord } from "../../src/explore/contract/laboratory.ts";
import type { DeliveryPoint, Perturbation, Plan, RequestPoint } from "../../src/explore/contract/plan.ts";
import type { ChangeEntry, RequestEntry } from "../../src/explore/contract/trace.ts";
import { decodeFinding, encodeFinding } from "../../src/explore/finding-file.ts";
import { makeJudge } from "../../src/explore/judge/index.ts";
import { replayFinding } from "../../src/testing/explore/replay.ts";
import { ProgramsLaboratory } from "../../src/testing/explore/programs.ts";
import { readScenarioFile } from "../../src/testing/explore/scenario-file.ts";
import { sleep, systemClock } from "../../src/util/clock.ts";
import { built } from "../clients/built.ts";

const keelson = new URL("../../bin/keelson.js", import.meta.url).pathname;
const naive = [process.execPath, new URL("tickets.ts", import.meta.url).pathname] as const;
const folder = mkdtempSync(join(tmpdir(), "keelson-explore-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "tickets.yaml");
writeFileSync(
  file,
  `
name: tickets
steps:
  - apply: { apiVersion: v1, kind: ConfigMap, metadata: { name: one, labels: { wants: ticket } } }
eventually:
  - rule: each ticket is known
    for: { apiVersion: v1, kind: ConfigMap }
    expression: "!has(object.metadata.labels) || !('wants' in object.metadata.labels) || 'example.com/ticket' in object.metadata.annotations"
`,
);
const { scenario } = readScenarioFile(file);
const findings = join(folder, "findings");

async function keelsonExplore(...args: readonly string[]) {
  const child = spawn(process.execPath, [keelson, "explore", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, said };
}

const create: RequestPoint = {
  actor: "tickets",
  protocol: "api",
  verb: "create",
  group: "",
  kind: "Secret",
  namespace: "default",
  name: "one-*",
  occurrence: 0,
};
const CRASH: Perturbation = { type: "crash", at: create, when: "after", downMillis: 10_000 };

const laboratory = (...command: readonly [string, ...string[]]): Promise<ProgramsLaboratory> =>
  ProgramsLaboratory.of(scenario, { programs: [{ name: "tickets", command }], env: process.env, restartMillis: 200 });

const secrets = ({ states }: RunRecord): number =>
  states.at(-1)!.state.objects.filter(({ kind }) => kind === "Secret").length;

const ticketed = ({ states }: RunRecord): number =>
  states[0]!.state.objects.filter(({ metadata }) => metadata.annotations?.["example.com/ticket"] !== undefined).length;

test("a program that never asks the server is not explored in silence", { timeout: 60_000 }, async () => {
  const { code, said } = await keelsonExplore(file, "--workers", "1", "--", "sleep", "1000");
  expect([code, said]).toEqual([2, expect.stringContaining("expected sleep to send a request to the server")]);
});

test(
  "a signal ends a run that waits, with what it has started; nothing was found then",
  { timeout: 60_000 },
  async () => {
    const waits = join(folder, "waits.yaml");
    writeFileSync(waits, `name: waits\nsteps:\n  - wait: 1h\n`);
    const child = spawn(process.execPath, [keelson, "explore", waits, "--workers", "1", "--", ...naive], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TMPDIR: folder },
    });
    const ended = once(child, "close");
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const folders = (): readonly string[] => readdirSync(folder).filter((one) => one.startsWith("keelson-"));
    await expect.poll(folders, { timeout: 20_000 }).not.toEqual([]);
    await sleep(systemClock, 3000);
    child.kill("SIGINT");
    expect([await ended, folders()]).toEqual([[130, null], []]);
    expect(said).toContain("It was cancelled.");
  },
);

describe("a naive program", { timeout: 300_000 }, () => {
  test("its fault is found, written to a file, and found again from it", async () => {
    const limits = ["--only", "crash", "--plans", "3", "--budget", "5m", "--restart", "200ms", "--out", "findings"];
    const { code, said } = await keelsonExplore(file, ...limits, "--program", `tickets=${naive.join(" ")} --generate`);
    expect({ code, said }).toMatchObject({
      code: 1,
      said: expect.stringContaining("one Secret default/one-* too many"),
    });
    // What the program printed is shown.
    expect(said).toContain("tickets begins");
    const [name] = readdirSync(findings);
    const finding = decodeFinding(readFileSync(join(findings, name!), "utf8"));
    expect(finding).toMatchObject({
      scenario: { file: "../tickets.yaml" },
      command: [...naive, "--generate"],
      plan: [{ type: "crash", at: create }],
      fault: { kind: "leaked", severity: "fault" },
    } satisfies { [M in keyof Finding]?: unknown });
    const again = await keelsonExplore("--replay", `findings/${name}`, "--trust");
    expect({ again }).toMatchObject({ again: { code: 1, said: expect.stringContaining("too many") } });
  });

  test("a finding runs no program by itself; a named one has the name of the plan", async () => {
    const [name] = readdirSync(findings);
    const refused = await keelsonExplore("--replay", `findings/${name}`);
    const command = [...naive, "--generate"].join(" ");
    expect(refused).toMatchObject({ code: 2, said: expect.stringContaining(`  -- ${command}\n`) });
    expect(refused.said).not.toContain("tickets begins");
    const named = await keelsonExplore("--replay", `findings/${name}`, "--", ...naive, "--generate");
    expect({ named }).toMatchObject({ named: { code: 1, said: expect.stringContaining("too many") } });
  });

  test("a finding shows nine times of ten", async () => {
    const [name] = readdirSync(findings);
    const finding = decodeFinding(readFileSync(join(findings, name!), "utf8"));
    await using lab = await laboratory(...naive, "--generate");
    const { shown, of } = await replayFinding(lab, (clean) => makeJudge(clean), finding, { times: 10 });
    expect(of).toBe(10);
    expect(shown).toBeGreaterThanOrEqual(9);
  });

  test("a run stops before a write, and its cluster can be used", async () => {
    const [name] = readdirSync(findings);
    const found = decodeFinding(readFileSync(join(findings, name!), "utf8"));
    // The exploration may have shown it by another moment of the crash.
    const plan = [{ ...CRASH, downMillis: 200 }];
    const finding: Finding = { ...found, plan, scenario: { ...found.scenario, file: "tickets.yaml" } };
    writeFileSync(join(folder, "until.yaml"), encodeFinding(finding));
    const args = [keelson, "explore", "--replay", "until.yaml", "--until", "2", "--trust"];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    onTestFinished(() => void child.kill("SIGINT"));
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await expect.poll(() => said, { timeout: 60_000 }).toContain("export KUBECONFIG=");
    expect(said).toContain("stopped before write 2");
    using connection = await fromKubeconfig({ path: said.split("export KUBECONFIG=")[1]!.trim() });
    const { client } = connection;
    const { items } = await client.resource(Secret).list({ namespace: "default" });
    const one = await client.resource(ConfigMap).get({ namespace: "default", name: "one" });
    // The first write of the program was stored, and it was killed; its second one waits.
    expect([items.length, one.metadata.annotations]).toEqual([1, undefined]);
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([0, null]);
  });

  test("a program that is down for minutes misses what the user does next", async () => {
    const one = { apiVersion: "v1", kind: "ConfigMap", name: "one" };
    const steps = [...scenario.steps, { patch: { ...one, with: { data: { more: "1" } } } }];
    const programs = [{ name: "tickets", command: naive }];
    await using lab = await ProgramsLaboratory.of({ ...scenario, steps }, { programs, env: process.env });
    const at = { ...create, name: "one" };
    const { trace, met } = await lab.run({
      seed: 1,
      plan: [{ type: "crash", at, when: "after", downMillis: 600_000 }],
    });
    expect(met).toEqual([true]);
    const told = trace.flatMap((entry) =>
      entry.type === "life"
        ? `${entry.event} ${entry.life}`
        : entry.type === "change"
          ? `${entry.actor} ${entry.change} ${entry.object.kind}`
          : [],
    );
    expect(told).toEqual([
      "started 0",
      "user created ConfigMap",
      "tickets created Secret",
      "killed 0",
      "user updated ConfigMap",
      "started 1",
      "tickets updated ConfigMap",
    ]);
  });

  test("its mended twin is not accused", async () => {
    const limits = ["--only", "crash,answer-lost", "--plans", "4", "--budget", "5m", "--restart", "200ms"];
    const { code, said } = await keelsonExplore(file, ...limits, "--", ...naive);
    expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining("0 faults") });
  });
});

describe("what happens to a program over HTTP", { timeout: 120_000 }, () => {
  const added: DeliveryPoint = {
    actor: "tickets",
    group: "",
    kind: "ConfigMap",
    namespace: "default",
    name: "one",
    change: "ADDED",
    occurrence: 0,
  };
  const patch: RequestPoint = { ...create, verb: "patch", kind: "ConfigMap", name: "one" };
  const play = async (one: Perturbation, ...args: readonly string[]) => {
    await using lab = await laboratory(...naive, ...args);
    const run = await lab.run({ seed: 2, plan: [one], brief: true });
    expect([run.met, secrets(run), run.complaints]).toEqual([[true], 1, []]);
    return run.trace;
  };

  test("lag: a watch stands still until all else is at rest", async () => {
    const trace = await play({ type: "lag", at: added });
    const [stands, goesOn] = trace.filter(({ type }) => type === "perturbation");
    const delivered = trace.find(({ type }) => type === "delivery")!;
    expect([stands!.seq < delivered.seq, goesOn!.at - stands!.at >= 250]).toEqual([true, true]);
  });

  test("stale-restart: a program that lists any state gets one from before what it had seen, and then the rest", async () => {
    const trace = await play({ type: "stale-restart", at: patch, behind: added }, "--any-state");
    const made = trace.find((one) => one.type === "change" && one.object.kind === "ConfigMap") as ChangeEntry;
    const lists = trace.filter((one): one is RequestEntry => one.type === "request" && one.verb === "list");
    expect(lists.map(({ life }) => life)).toEqual([0, 1]);
    expect(lists[1]!.revision).toBeLessThan(made.revision);
    const seen = trace.filter((one) => one.type === "delivery" && one.life === 1 && one.object.kind === "ConfigMap");
    expect(seen.length).toBeGreaterThanOrEqual(1);
  });

  test("resync: its watch ends with 410, and it lists again", async () => {
    const trace = await play({ type: "resync", at: added });
    const lists = trace.filter((one): one is RequestEntry => one.type === "request" && one.verb === "list");
    expect(lists.map(({ life }) => life)).toEqual([0, 0]);
  });

  test("bookmark: it gets one that it would not have got", async () => {
    await using lab = await laboratory(...naive);
    const bookmarksOf = async (plan: Plan): Promise<number> => {
      const run = await lab.run({ seed: 2, plan, brief: true });
      expect([run.met, run.complaints]).toEqual([plan.map(() => true), []]);
      const lines = lab.outputOf(run).flatMap((one) => one.lines);
      return lines.filter((line) => line.includes("tickets gets a bookmark")).length;
    };
    expect([await bookmarksOf([]), await bookmarksOf([{ type: "bookmark", at: added }])]).toEqual([0, 1]);
  });

  test("overtaken: the request that it sends next is handled first", async () => {
    const at: RequestPoint = { ...create, name: "one" };
    const trace = await play({ type: "overtaken", at }, "--at-once");
    const changes = trace.filter((one) => one.type === "change" && one.actor === "tickets");
    expect(changes.map((one) => one.type === "change" && one.object.kind)).toEqual(["ConfigMap", "Secret"]);
  });

  test("slow-webhooks: each of its writes takes a time", async () => {
    const trace = await play({ type: "slow-webhooks", actor: "tickets", byMillis: 1000 });
    const seen = trace.find(({ type }) => type === "delivery")!;
    const [secret, marked] = trace.filter(
      (one): one is ChangeEntry => one.type === "change" && one.actor === "tickets",
    );
    expect(secret!.at - seen.at).toBeGreaterThanOrEqual(990);
    expect(marked!.at - secret!.at).toBeGreaterThanOrEqual(990);
  });

  test("there is no rest before a slow answer has come", async () => {
    await using lab = await laboratory(...naive);
    // From clean runs it knows that the program thinks for a shorter time.
    await lab.run({ seed: 1, plan: [], brief: true });
    const plan: Plan = [{ type: "slow", at: { ...create, name: "one" }, byMillis: 20_000 }];
    const run = await lab.run({ seed: 2, plan, brief: true });
    expect([run.met, run.complaints, ticketed(run)]).toEqual([[true], [], 1]);
  });
});

test("a program that cannot be started is no finding", { timeout: 120_000 }, async () => {
  const { code, said } = await keelsonExplore(file, "--", process.execPath, "-e", "throw new Error('no flag')");
  expect({ code, said }).toMatchObject({
    code: 2,
    said: expect.stringContaining("keelson: node could not be started: it ended 5 times"),
  });
  expect(said).toContain("no flag");
});

test("programs that need the same port get advice", { timeout: 120_000 }, async () => {
  const taken = `const net = require("node:net"); const one = net.createServer().listen(0, "127.0.0.1", () => net.createServer().listen(one.address().port, "127.0.0.1"))`;
  await using lab = await laboratory(process.execPath, "-e", taken);
  await expect(lab.run({ seed: 1, plan: [] })).rejects.toThrow("tickets needs a port that is taken");
});

const manager = await built({
  name: "explore-tickets",
  folder: new URL("go/", import.meta.url).pathname,
  commands: (output) => [["go", "build", "-o", `${output}/tickets`, "."]],
});

describe.skipIf(manager === undefined)("a manager of controller-runtime", { timeout: 300_000 }, () => {
  const program = `${manager}/tickets`;

  test("it makes a second Secret after a crash between its writes, and after a lost response", async () => {
    await using lab = await laboratory(program, "--generate");
    const clean = await lab.run({ seed: 1, plan: [] });
    expect([secrets(clean), clean.complaints]).toEqual([1, []]);
    const runs = [CRASH, { ...CRASH, when: "late" } as const, { type: "answer-lost", at: create } as const];
    for (const one of runs) {
      const run = await lab.run({ seed: 2, plan: [one], brief: true });
      expect([one.type, run.met, secrets(run)]).toEqual([one.type, [true], 2]);
    }
    const refused: Perturbation = { type: "refused", at: create, with: "too-many-requests", times: 2 };
    const run = await lab.run({ seed: 2, plan: [refused], brief: true });
    expect([run.met, secrets(run), run.complaints]).toEqual([[true], 1, []]);
  });

  test("a watch that ends with 410 is opened again before it counts as at rest", async () => {
    await using lab = await laboratory(program);
    const behind = { actor: "tickets", group: "", kind: "ConfigMap", namespace: "default", name: "one" };
    const gap: Perturbation = { type: "gap", at: { ...behind, change: "ADDED", occurrence: 0 } };
    const run = await lab.run({ seed: 2, plan: [gap], brief: true });
    expect([run.met, secrets(run), run.complaints]).toEqual([[true], 1, []]);
    const watches = run.trace.filter((entry) => entry.type === "request" && entry.verb === "watch");
    expect(watches.length).toBeGreaterThanOrEqual(2);
  });

  test("there is no rest before it has tried again after many refusals", async () => {
    await using lab = await laboratory(program);
    await lab.run({ seed: 1, plan: [], brief: true });
    const at = { ...create, name: "one" };
    const plan: Plan = [{ type: "refused", at, with: "internal-error", times: 12 }];
    const run = await lab.run({ seed: 2, plan, brief: true });
    expect([run.met, run.complaints, ticketed(run)]).toEqual([[true], [], 1]);
  });

  test("with an election another replica takes over while a request is on its way", async () => {
    await using lab = await laboratory(program, "--generate", "--leader-elect");
    expect(lab.perturbations.has("lead-changes")).toBe(false);
    await lab.run({ seed: 1, plan: [], brief: true });
    expect(lab.perturbations.has("lead-changes")).toBe(true);
    const run = await lab.run({ seed: 2, plan: [{ type: "lead-changes", at: create }], brief: true });
    const lives = run.trace.flatMap((entry) => (entry.type === "life" ? [`${entry.life} ${entry.event}`] : []));
    expect(lives).toEqual(expect.arrayContaining(["0 started", "1 started", "1 leading", "0 not leading"]));
    // Both replicas have made a Secret for the same ConfigMap.
    expect([run.met, secrets(run)]).toEqual([[true], 2]);
  });
});
