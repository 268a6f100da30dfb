import { CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { systemClock } from "../util/clock.ts";
import type { Actions, DirectoryInfo, StoreCheck } from "./actions.ts";
import { createProgram } from "./program.ts";

const FLAGS = [
  { key: "data-dir", value: "DIR", default: "", about: "where things are" },
  { key: "port", value: "N", default: "6443", about: "where to listen" },
  { key: "dev", value: "", default: "false", about: "keep nothing" },
];

const INFO: DirectoryInfo = {
  path: "/data",
  version: "1.2.3",
  dialect: "neutral",
  format: 1,
  kubeconfig: "/data/admin.kubeconfig",
  running: { pid: 42, version: "1.2.0", addresses: ["https://127.0.0.1:6443", "https://[::1]:6443"] },
  storeBytes: 10_240,
};

const CHECK: StoreCheck = {
  directory: "/data/store",
  format: 1,
  revision: 12,
  compactedRevision: 3,
  records: 4,
  history: 5,
  bytes: 678,
  findings: [],
};

/** Runs a command line; what it printed, and with what the actions were called. */
async function run(args: readonly string[], actions: Partial<Actions> = {}) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const calls: unknown[][] = [];
  const program = createProgram({
    version: "1.2.3",
    flags: FLAGS,
    serve: async (...call) => void calls.push(["serve", ...call]),
    run: async (...call) => {
      calls.push(["run", ...call]);
      return 3;
    },
    info: async (...call) => {
      calls.push(["info", ...call]);
      return INFO;
    },
    kubeconfig: async (...call) => {
      calls.push(["kubeconfig", ...call]);
      return "apiVersion: v1\n";
    },
    files: {
      check: async () => ({ ...CHECK }),
      repair: () => Promise.reject(new Error("not asked for")),
      restore: () => Promise.reject(new Error("not asked for")),
      saveBackup: () => Promise.reject(new Error("not asked for")),
    },
    print: (text) => void printed.push(text),
    terminal: { env: {}, input: process.stdin, isTerminal: false, tell: (text) => void complaints.push(text) },
    exit: { done: 0, failed: 1 },
    clock: systemClock,
    ...actions,
  });
  const output = {
    writeOut: (text: string) => void printed.push(text),
    writeErr: (text: string) => void complaints.push(text),
  };
  for (const command of [program, ...program.commands]) command.configureOutput(output);
  const error = await program.parseAsync([...args], { from: "user" }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { printed: printed.join("\n"), complaints: complaints.join(""), calls, error };
}

describe("serve", () => {
  test.each([
    [[], {}, undefined],
    [["--data-dir", "/x", "--port=1"], { "data-dir": "/x", port: "1" }, undefined],
    [["--dev"], { dev: "true" }, undefined],
    [["--dev", "false"], { dev: "false" }, undefined],
    [["--config", "f.yaml", "--port", "2"], { port: "2" }, "f.yaml"],
  ])("%j hands on the flags that were given, by their keys", async (args, flags, file) => {
    expect((await run(["serve", ...args])).calls).toEqual([["serve", flags, file]]);
  });

  test("help shows each flag with its default, and none for switches", async () => {
    const { printed, error } = await run(["serve", "--help"]);
    expect(printed).toMatch(/--port <N> +where to listen \(default: 6443\)/);
    expect(printed).toMatch(/--data-dir <DIR> +where things are\n/);
    expect(printed).toMatch(/--dev \[true\|false\] +keep nothing\n/);
    expect(error).toMatchObject({ exitCode: 0 });
  });

  test("what fails in the server fails the command", async () => {
    const failure = new Error("no");
    expect((await run(["serve"], { serve: () => Promise.reject(failure) })).error).toBe(failure);
  });
});

describe("run", () => {
  const request = { fixtures: [], dialect: "kubernetes", keep: false, control: false };

  test.each([
    [["--", "go", "test", "./..."], { ...request, command: ["go", "test", "./..."] }],
    [
      ["--fixtures", "crds", "--fixtures", "more.yaml", "--", "make"],
      { ...request, fixtures: ["crds", "more.yaml"], command: ["make"] },
    ],
    [
      ["--neutral", "--keep", "--control", "--", "pytest", "--keep", "-x"],
      { dialect: "neutral", keep: true, control: true, fixtures: [], command: ["pytest", "--keep", "-x"] },
    ],
  ])("%j runs what stands after the dashes, and ends with its code", async (args, expected) => {
    const exit = { done: 0, failed: 1 };
    const { calls, error } = await run(["run", ...args], { exit });
    expect([calls, error, exit.done]).toEqual([[["run", expected]], undefined, 3]);
  });

  test("without a command it is refused", async () => {
    const { complaints, error } = await run(["run", "--keep"]);
    expect(complaints).toContain("missing required argument 'command'");
    expect(error).toBeInstanceOf(CommanderError);
  });
});

describe("info", () => {
  test("prints what is known, aligned", async () => {
    const { printed, calls } = await run(["info", "--data-dir", "/data"]);
    expect(calls).toEqual([["info", "/data"]]);
    expect(printed.split("\n")).toEqual([
      "keelson         1.2.3",
      "data directory  /data",
      "dialect         neutral",
      "format          1",
      "store           10 KiB",
      "kubeconfig      /data/admin.kubeconfig",
      "server          1.2.0, pid 42, https://127.0.0.1:6443, https://[::1]:6443",
    ]);
  });

  test("prints JSON when asked", async () => {
    expect(JSON.parse((await run(["info", "-o", "json"])).printed)).toEqual(INFO);
  });

  test("says what is not there", async () => {
    const nothing = {
      ...INFO,
      dialect: undefined,
      format: undefined,
      kubeconfig: undefined,
      running: undefined,
      storeBytes: 0,
    };
    const { printed } = await run(["info"], { info: () => Promise.resolve(nothing) });
    expect(printed).toMatch(
      /dialect +none yet: nothing was started here\nformat +-\nstore +0 KiB\nkubeconfig +-\nserver +not running/,
    );
  });

  test("another form is refused with those that there are", async () => {
    const { complaints, error } = await run(["info", "-o", "yaml"]);
    expect(complaints).toContain("Allowed choices are text, json");
    expect(error).toBeInstanceOf(CommanderError);
  });
});

describe("kubeconfig", () => {
  test("prints the text as it is", async () => {
    const { printed, calls } = await run(["kubeconfig", "--data-dir", "/data"]);
    expect([printed, calls]).toEqual(["apiVersion: v1", [["kubeconfig", "/data"]]]);
  });
});

describe("completion", () => {
  test("bash completes commands first, then the flags of the command", async () => {
    const { printed } = await run(["completion", "bash"]);
    expect(printed).toContain(
      'compgen -W "serve run info kubeconfig blame resolve history diff undelete backup restore check repair completion"',
    );
    expect(printed).toContain('serve) COMPREPLY=($(compgen -W "--config --data-dir --port --dev" -- "$word"))');
    expect(printed).toMatch(/complete .* keelson$/);
  });

  test("zsh and fish know the same words", async () => {
    expect((await run(["completion", "zsh"])).printed).toContain(
      "serve) compadd -- --config --data-dir --port --dev ;;",
    );
    const fish = (await run(["completion", "fish"])).printed;
    expect(fish).toContain(
      '-a "serve run info kubeconfig blame resolve history diff undelete backup restore check repair completion"',
    );
    expect(fish).toContain('complete -c keelson -n "__fish_seen_subcommand_from serve" -l data-dir');
  });
});

describe("the program", () => {
  test("--version and -v print name and version", async () => {
    for (const flag of ["--version", "-v"]) {
      const { printed, error } = await run([flag]);
      expect([printed, (error as CommanderError).exitCode]).toEqual(["keelson 1.2.3\n", 0]);
    }
  });

  test.each([
    [["sevre"], "unknown command 'sevre'\n(Did you mean serve?)"],
    [["serve", "--prot", "1"], "unknown option '--prot'\n(Did you mean --port?)"],
    [["info", "--data-dri", "x"], "(Did you mean --data-dir?)"],
    [["serve", "--port"], "argument missing"],
    [["serve", "more"], "too many arguments"],
    [["completion"], "missing required argument 'shell'"],
  ])("%j is refused and says how it would be right, without ending the process", async (args, message) => {
    const { complaints, error, calls } = await run(args);
    expect(complaints).toContain(message);
    expect(error).toBeInstanceOf(CommanderError);
    expect((error as CommanderError).exitCode).not.toBe(0);
    expect(calls).toEqual([]);
  });
});
