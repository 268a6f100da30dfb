import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommanderError } from "commander";
import { afterAll, expect, test } from "vitest";
import { ManualClock } from "../util/clock.ts";
import type { Actions, ExploreOutcome, ExploreRequest, Explorer } from "./actions.ts";
import type { CliError } from "./cli-error.ts";
import { exploreCommand } from "./explore.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-explore-"));
afterAll(() => rmSync(folder, { recursive: true }));

const OUTCOME: ExploreOutcome = {
  files: [{ name: "leaked-secret.yaml", text: "format: 1\n" }],
  found: true,
  explored: true,
  cancelled: false,
  report: (form, { width, paints }) => `${form} ${width} ${paints}`,
};

async function run(args: readonly string[], outcome: Partial<ExploreOutcome> = {}, isTerminal = false) {
  const calls: { readonly name: string; readonly request: ExploreRequest; readonly more: readonly unknown[] }[] = [];
  const [printed, told]: [string[], string[]] = [[], []];
  const clock = new ManualClock();
  const exit = { done: 0, failed: 1 };
  const end = (name: string, request: ExploreRequest, ...more: readonly unknown[]): ExploreOutcome => {
    calls.push({ name, request, more });
    return { ...OUTCOME, ...outcome };
  };
  const explorer: Explorer = {
    async explore(request, progress) {
      progress("1 plan");
      clock.advance(10_000);
      progress("2 plans", "fault: a Secret is missing.");
      progress("not shown: too early");
      clock.advance(100);
      progress("3 plans");
      return end("explore", request);
    },
    replay: async (finding, request) => end("replay", request, finding),
    until: async (finding, write, request) => void end("until", request, finding, write),
  };
  const terminal = {
    env: {},
    isTerminal,
    columns: isTerminal ? 40 : undefined,
    tell: (text: string) => void told.push(text),
  };
  const actions = { explorer, terminal, exit, clock, print: (text: string) => void printed.push(text) };
  const command = exploreCommand(actions as unknown as Actions)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  const error = await command.parseAsync([...args], { from: "user" }).then(
    () => undefined,
    (failed: unknown) => failed as Error,
  );
  return { calls, printed, told, exit, error };
}

test("a program after -- is explored with the defaults", async () => {
  const { calls, printed, exit, error } = await run(["shop.yaml", "--", "./bin/manager", "--kubeconfig", "{}"]);
  expect(error).toBeUndefined();
  expect(calls).toEqual([
    {
      name: "explore",
      more: [],
      request: {
        file: "shop.yaml",
        programs: [{ name: "manager", command: ["./bin/manager", "--kubeconfig", "{}"] }],
        csi: undefined,
        driver: undefined,
        budgetMillis: 60_000,
        plans: undefined,
        seed: 1,
        workers: undefined,
        only: undefined,
        restartMillis: 500,
        trusts: false,
        directory: undefined,
      },
    },
  ]);
  expect([printed, exit]).toEqual([["text 120 false"], { done: 1, failed: 2 }]);
});

test("flags are read", async () => {
  const { calls } = await run([
    "shop.yaml",
    ..."--program=a=./a|--program|b=./b -x '{}'|--budget=10m|--plans=500".split("|"),
    ..."--seed 7 --workers 4 --only crash,gap --only lag --restart 200ms".split(" "),
  ]);
  expect(calls[0]?.request).toEqual({
    file: "shop.yaml",
    programs: [
      { name: "a", command: ["./a"] },
      { name: "b", command: ["./b", "-x", "{}"] },
    ],
    csi: undefined,
    driver: undefined,
    budgetMillis: 600_000,
    plans: 500,
    seed: 7,
    workers: 4,
    only: ["crash", "gap", "lag"],
    restartMillis: 200,
    trusts: false,
    directory: undefined,
  });
});

test("a driver is explored with its default scenario; names of actors are not those of programs", async () => {
  const { calls: ofDriver } = await run(["--csi", "unix:///csi.sock", "--driver", "./driver -v 5"]);
  expect(ofDriver[0]?.request).toMatchObject({
    file: undefined,
    csi: "unix:///csi.sock",
    driver: ["./driver", "-v", "5"],
    programs: [],
  });
  const { calls } = await run(["shop.yaml", "--", "/bin/user"]);
  expect(calls[0]?.request.programs).toEqual([{ name: "program", command: ["/bin/user"] }]);
  const { calls: ofScript } = await run(["shop.yaml", "--", "/usr/bin/python3", "-u", "src/manager.py", "{}"]);
  expect(ofScript[0]?.request.programs[0]?.name).toBe("manager");
});

test("nothing found is 0, and findings are 1; both are reported as wished", async () => {
  const [html, junit] = [join(folder, "report.html"), join(folder, "report.xml")];
  const out = join(folder, "findings");
  const { exit, printed } = await run(
    ["shop.yaml", "-o", "json", "-o", `html=${html}`, "-o", `junit=${junit}`, "--out", out],
    { found: false },
  );
  expect([exit.done, printed]).toEqual([0, ["json 120 false"]]);
  expect([readFileSync(html, "utf8"), readFileSync(junit, "utf8")]).toEqual(["html 120 false\n", "junit 120 false\n"]);
  expect(readFileSync(join(out, "leaked-secret.yaml"), "utf8")).toBe("format: 1\n");
});

test("a file that cannot be written does not take the report with it; a directory is tried before", async () => {
  const missing = join(folder, "missing/report.html");
  const { error, printed, exit } = await run(["shop.yaml", "-o", `html=${missing}`]);
  expect([error?.message, printed, exit]).toEqual([
    expect.stringContaining("ENOENT"),
    ["text 120 false"],
    { done: 0, failed: 2 },
  ]);
  const { error: taken, calls } = await run(["shop.yaml", "--out", import.meta.filename]);
  expect([taken?.message, calls]).toEqual([expect.stringContaining("EEXIST"), []]);
});

test("what a signal has ended does not say that nothing is wrong", async () => {
  expect((await run(["shop.yaml"], { found: false, cancelled: true })).exit.done).toBe(130);
  expect((await run(["shop.yaml"], { found: true, cancelled: true })).exit.done).toBe(1);
  expect((await run(["shop.yaml"], { found: false, explored: false })).exit.done).toBe(2);
});

test("what could not go on is an error behind its report and its files", async () => {
  const out = join(folder, "findings");
  const failed = await run(["shop.yaml", "--out", out], { found: true, failure: "no such program" });
  expect([failed.error?.message, failed.printed, failed.exit]).toEqual([
    "no such program",
    ["text 120 false"],
    { done: 0, failed: 2 },
  ]);
  expect(readdirSync(out)).toEqual(["leaked-secret.yaml"]);
});

test("the name of a finding stays in the directory", async () => {
  const out = join(folder, "inner/findings");
  await run(["shop.yaml", "--out", out], { files: [{ name: "../../escaped.yaml", text: "" }] });
  expect([readdirSync(out), existsSync(join(folder, "escaped.yaml"))]).toEqual([["escaped.yaml"], false]);
});

test("progress is one line on a terminal, and a line now and then in a log; what was found stays", async () => {
  const found = "fault: a Secret is missing.\n";
  expect((await run(["shop.yaml"])).told).toEqual([found, "2 plans\n"]);
  const { told, printed } = await run(["shop.yaml"], {}, true);
  expect(told).toEqual(["1 plan", `${found}1 plan`, "2 plans", "3 plans", ""].map((text) => `\r\u001b[K${text}`));
  expect(printed).toEqual(["text 40 true"]);
});

test("a finding is played again, with or without its scenario, or until a write", async () => {
  expect((await run(["--replay", "f.yaml"])).calls[0]).toMatchObject({
    name: "replay",
    more: ["f.yaml"],
    request: { trusts: false },
  });
  expect((await run(["--replay", "f.yaml", "--trust"])).calls[0]?.request).toMatchObject({ trusts: true });
  expect((await run(["--replay", "f.yaml", "--", "./a", "-x"])).calls[0]?.request).toMatchObject({
    file: undefined,
    programs: [{ name: "a", command: ["./a", "-x"] }],
  });
  const { calls, printed, exit } = await run(["shop.yaml", "--replay", "f.yaml", "--until", "3"]);
  expect(calls[0]).toMatchObject({ name: "until", more: ["f.yaml", 3], request: { file: "shop.yaml" } });
  expect([printed, exit.done]).toEqual([[], 0]);
});

test.each([
  [[], "expected the file of a scenario"],
  [["a.yaml", "--driver", "./driver"], "expected --csi"],
  [["--csi", "unix:///a", "--driver", "'"], "Expected a command"],
  [["a.yaml", "--until", "3"], "expected --replay"],
  [["a.yaml", "--trust"], "expected --replay"],
  [["a.yaml", "--program", "a=./a", "--", "./b"], "either a command after -- or --program"],
  [["a.yaml", "--budget", "soon"], "Expected a duration"],
  [["a.yaml", "--plans", "0"], "Expected a number from 1 on"],
  [["a.yaml", "--workers", "100000"], "Expected a number from 1 to 256"],
  [["a.yaml", "--seed", "-1"], "Expected a number from 0"],
  [["a.yaml", "--only", "crash,flood"], "Expected some of crash, answer-lost"],
  [["a.yaml", "--program", "./a"], "Expected a name and a command"],
  [["a.yaml", "--program", "a='./a"], "Expected a name and a command"],
  [["a.yaml", "--program", "user=./a"], "Expected another name than user"],
  [["a.yaml", "--program", "a=./a", "--program", "a=./b"], "Expected another name than a"],
  [["a.yaml", "-o", "yaml"], "Expected one of text, json"],
  [["a.yaml", "-o", "html="], "Expected one of text, json"],
  [["a.yaml", "-o", "text", "-o", "json"], "Expected one form to print"],
])("%j is no command line", async (args, message) => {
  const { error, calls, exit } = await run(args);
  expect(error?.message).toContain(message);
  const isUsage = (error as CliError).usage || (error as CommanderError).exitCode === 1;
  expect([calls, isUsage, exit.done]).toEqual([[], true, 0]);
});
