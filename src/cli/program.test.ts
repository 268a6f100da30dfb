import { CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { ManualClock, systemClock } from "../util/clock.ts";
import type { Actions, DirectoryInfo, FlagSpec, StoreCheck, CertificateInfo, UserInfo } from "./actions.ts";
import { createProgram } from "./program.ts";

const flag = (key: string, more: Partial<FlagSpec>): FlagSpec => ({
  key,
  also: undefined,
  group: "Network",
  value: "",
  default: "",
  about: `What ${key} is.`,
  env: `X_${key}`,
  words: [],
  ...more,
});
const FLAGS = [
  flag("data-dir", { value: "DIR", group: "Store" }),
  flag("port", { value: "N", default: "6443", also: "secure-port" }),
  flag("dev", { words: [{ word: "true", about: undefined }] }),
  flag("gates", {
    value: "A,...",
    words: [
      { word: "Fast", about: "On by default." },
      { word: "X", about: "Off." },
    ],
  }),
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
  structureUnchecked: undefined,
  encrypted: [],
  findings: [],
};

const USERS: readonly UserInfo[] = [
  { name: "kim", groups: ["team"], kind: "token", made: "2026-01-01T00:00:00Z", ends: "2027-01-01T00:00:00Z" },
  {
    name: "pat",
    groups: [],
    kind: "certificate",
    made: "2026-01-01T00:00:00Z",
    ends: "2027-01-01T00:00:00Z",
    revoked: "2026-02-01T00:00:00Z",
  },
];

const CERTIFICATES: readonly CertificateInfo[] = [
  {
    name: "server",
    file: "pki/server.crt",
    subject: "CN=keelson",
    issuer: "CN=keelson-ca",
    serial: "0a",
    hosts: ["localhost", "127.0.0.1"],
    begins: "2026-01-01T00:00:00.000Z",
    ends: "2027-01-01T00:00:00.000Z",
    renewedFrom: "2026-12-02T00:00:00.000Z",
  },
];

const UNCHECKED = { ...CHECK, structureUnchecked: "disk I/O error" };

/** Runs a command line; returns its output, and the calls of the actions. */
async function run(args: readonly string[], actions: Partial<Actions> = {}) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const calls: unknown[][] = [];
  const program = createProgram({
    version: "1.2.3",
    kubernetesMinor: 35,
    flags: FLAGS,
    etcdState: async () => {
      throw new Error("expected no etcd");
    },
    settings: async () => ({ dataDir: "/data", bind: "127.0.0.1", port: 0, store: "memory", etcdServers: [] }),
    upgradeState: async () => ({
      path: "/data",
      dialect: "kubernetes",
      format: 1,
      newestFormat: 1,
      storeFormat: 1,
      newestStoreFormat: 1,
      closedInOrder: true,
    }),
    serve: async (...call) => void calls.push(["serve", ...call]),
    run: async (...call) => {
      calls.push(["run", ...call]);
      return 3;
    },
    node: async (...call) => void calls.push(["node", ...call]),
    csi: async (request) => void calls.push(["csi", { ...request, client: undefined }]),
    info: async (...call) => {
      calls.push(["info", ...call]);
      return INFO;
    },
    kubeconfig: async (...call) => {
      calls.push(["kubeconfig", ...call]);
      return "apiVersion: v1\n";
    },
    envtest: async (...call) => {
      calls.push(["envtest", ...call]);
      return { path: "/a path", kubectl: call[0] === "without" ? undefined : "/usr/bin/kubectl" };
    },
    files: {
      check: async (directory) => ({ ...(directory === "/full" ? UNCHECKED : CHECK) }),
      repair: () => Promise.reject(new Error("not asked for")),
      restore: () => Promise.reject(new Error("not asked for")),
      saveBackup: () => Promise.reject(new Error("not asked for")),
    },
    certificates: {
      show: async (...call) => {
        calls.push(["show", ...call]);
        return CERTIFICATES;
      },
      renew: async (...call) => void calls.push(["renew", ...call]),
    },
    users: {
      add: async (...call) => {
        calls.push(["add", ...call]);
        return "kubeconfig\n";
      },
      list: async () => USERS,
      revoke: async (_, name) => (name === "kim" ? 2 : 0),
      write: async (...call) => void calls.push(["write", ...call]),
    },
    driver: () => Promise.reject(new Error("not asked for")),
    driverFeatures: { stage: true, attach: false },
    validateDefinitions: () => Promise.reject(new Error("not asked for")),
    testPolicies: () => Promise.reject(new Error("not asked for")),
    explorer: {
      explore: () => Promise.reject(new Error("not asked for")),
      replay: () => Promise.reject(new Error("not asked for")),
      until: () => Promise.reject(new Error("not asked for")),
    },
    print: (text) => void printed.push(text),
    terminal: {
      env: {},
      input: process.stdin,
      isTerminal: false,
      columns: undefined,
      tell: (text) => void complaints.push(text),
    },
    exit: { done: 0, failed: 1 },
    clock: systemClock,
    ...actions,
  });
  const output = {
    writeOut: (text: string) => void printed.push(text),
    writeErr: (text: string) => void complaints.push(text),
  };
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)])
    command.configureOutput(output);
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
    [["--secure-port", "2"], { "secure-port": "2" }, undefined],
  ])("%j passes the given flags by their keys", async (args, flags, file) => {
    expect((await run(["serve", ...args])).calls).toEqual([["serve", flags, file]]);
  });

  test("help shows each flag once, in its group, with default and variable, and the names of lists", async () => {
    const { printed, error } = await run(["serve", "--help"]);
    expect(printed).toMatch(/\nStore:\n +--data-dir <DIR> +What data-dir is\. \[X_data-dir\]\n/);
    expect(printed).toMatch(
      /\nNetwork:\n +--port <N> +What port is\. Also --secure-port\. \(default: 6443\)\s+\[X_port\]\n/,
    );
    expect(printed).toMatch(/--dev \[true\|false\] +What dev is\. \[X_dev\]\n/);
    expect(printed).toContain("\nNames for --gates:\n  Fast  On by default.\n  X     Off.\n");
    expect(printed).not.toContain("Names for --dev");
    expect(error).toMatchObject({ exitCode: 0 });
  });

  test("an error of the server is an error of the command", async () => {
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
  ])("%j runs the command after the dashes, and ends with its exit code", async (args, expected) => {
    const exit = { done: 0, failed: 1 };
    const { calls, error } = await run(["run", ...args], { exit });
    expect([calls, error, exit.done]).toEqual([[["run", expected]], undefined, 3]);
  });

  test("refuses an empty command", async () => {
    const { complaints, error } = await run(["run", "--keep"]);
    expect(complaints).toContain("missing required argument 'command'");
    expect(error).toBeInstanceOf(CommanderError);
  });
});

describe("csi", () => {
  const SERVER = ["--driver", "/run/csi.sock", "--server", "http://127.0.0.1:1"];
  const SETTINGS = {
    timeout: "10s",
    retry: { first: "1s", most: "5m" },
    workers: 100,
    extraCreateMetadata: false,
    extraModifyMetadata: false,
    strictTopology: false,
    immediateTopology: true,
    controllerPublishReadOnly: false,
    volumeNamePrefix: "pvc",
    snapshotNamePrefix: "snapshot",
    capacity: undefined,
  };
  const REQUEST = {
    namespace: "default",
    driver: "/run/csi.sock",
    only: undefined,
    agentDir: undefined,
    node: undefined,
    leaderElection: false,
    verbose: false,
  };

  test("runs all parts with default settings", async () => {
    const { calls } = await run(["csi", ...SERVER]);
    expect(calls).toEqual([["csi", { ...REQUEST, settings: SETTINGS }]]);
  });

  test("passes the flags", async () => {
    const more = ["-n", "disks", "--only", "provisioner, attacher", "--capacity", "--capacity-poll-interval", "10s"];
    const tuned = ["--timeout", "1m", "--workers", "5", "--default-fstype", "xfs", "--no-immediate-topology"];
    const { calls } = await run(["csi", ...SERVER, ...more, ...tuned]);
    const capacity = { namespace: "disks", pollInterval: 10_000, forImmediateBinding: false };
    const settings = {
      ...SETTINGS,
      timeout: 60_000,
      workers: 5,
      defaultFsType: "xfs",
      immediateTopology: false,
      capacity,
    };
    const only = ["provisioner", "attacher"];
    expect(calls).toEqual([["csi", { ...REQUEST, namespace: "disks", only, settings }]]);
  });
});

describe("envtest", () => {
  test("creates the directory and prints the shell command", async () => {
    expect(await run(["envtest", "here"])).toMatchObject({
      printed: "export KUBEBUILDER_ASSETS='/a path'",
      complaints: "",
      calls: [["envtest", "here"]],
    });
  });

  test("reports a missing kubectl", async () => {
    const { printed, complaints } = await run(["envtest", "without"]);
    expect(printed).toBe("export KUBEBUILDER_ASSETS='/a path'");
    expect(complaints).toBe("no kubectl was found on PATH: suites that run it will not find one\n");
  });
});

describe("info", () => {
  test("prints an aligned description", async () => {
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

  test("prints JSON with -o json", async () => {
    expect(JSON.parse((await run(["info", "-o", "json"])).printed)).toEqual(INFO);
  });

  test("prints missing facts", async () => {
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

  test("refuses another output format with the valid ones", async () => {
    const { complaints, error } = await run(["info", "-o", "yaml"]);
    expect(complaints).toContain("Allowed choices are text, json");
    expect(error).toBeInstanceOf(CommanderError);
  });
});

describe("check", () => {
  test("prints why the structure could not be checked, and only then", async () => {
    expect((await run(["check", "/data"])).printed).not.toContain("structure");
    const { printed, error } = await run(["check", "/full"]);
    expect(printed).toMatch(
      /^structure {5}not checked by SQLite itself, only read: disk I\/O error\nresult {8}valid$/m,
    );
    expect(error).toBeUndefined();
  });
});

describe("kubeconfig", () => {
  test("prints the text unchanged", async () => {
    const { printed, calls } = await run(["kubeconfig", "--data-dir", "/data"]);
    expect([printed, calls]).toEqual(["apiVersion: v1", [["kubeconfig", "/data"]]]);
  });
});

describe("version", () => {
  test("prints the version of the program", async () => {
    expect((await run(["version"])).printed).toBe("keelson 1.2.3");
    expect(JSON.parse((await run(["version", "-o", "json"])).printed)).toEqual({
      version: "1.2.3",
      node: process.version,
    });
  });
});

describe("complete", () => {
  const completed = async (...words: string[]): Promise<string[]> =>
    (await run(["complete", "--", ...words])).printed.split("\n").filter((word) => word !== "");

  test("commands, as help shows them", async () => {
    expect(await completed("")).toEqual(expect.arrayContaining(["serve", "blame", "version", "help"]));
    expect(await completed("")).not.toContain("complete");
    expect(await completed("re")).toEqual(["resolve", "rebind", "restore", "repair"]);
    expect(await completed("sevre", "")).toEqual([]);
  });

  test("flags of the command, by their first names", async () => {
    expect(await completed("serve", "-")).toEqual(["--config", "--data-dir", "--port", "--dev", "--gates", "--help"]);
    expect(await completed("info", "--o")).toEqual(["--output"]);
  });

  test.each([
    ["words of a flag", ["info", "-o", "j"], ["json"]],
    ["words after an equals sign", ["info", "--output=t"], ["--output=text"]],
    ["words where bash has cut at the equals sign", ["info", "--output", "=", "t"], ["text"]],
    ["words of a list", ["serve", "--gates", ""], ["Fast", "X"]],
    ["the last word of a list", ["serve", "--gates", "X,F"], ["X,Fast"]],
    ["words of an argument", ["completion", "z"], ["zsh"]],
    ["nothing where a number belongs", ["serve", "--port", ""], []],
    ["nothing for a flag that is not there", ["serve", "--nothing=", ""], []],
    ["nothing of what another command takes", ["run", "--", "keelson", "-"], []],
    ["nothing after the last argument", ["completion", "zsh", ""], []],
  ])("%s", async (_, words, expected) => {
    expect(await completed(...words)).toEqual(expected);
  });

  test("nothing without a kubeconfig", async () => {
    expect(await completed("blame", "--kubeconfig", "/no/such/file", "")).toEqual([]);
    expect(await completed("blame", "--kubeconfig", "/no/such/file", "--context", "")).toEqual([]);
  });
});

describe("help", () => {
  const COMMANDS = createProgram({ flags: FLAGS, driverFeatures: {} } as unknown as Actions).commands.filter(
    (command) => command.name() !== "complete",
  );

  test.each(COMMANDS.map((command) => [command.name(), command] as const))(
    "%s: whole sentences, and examples that are command lines of ours",
    async (name, command) => {
      const { printed } = await run([name, "--help"]);
      const texts = [command.description(), command.summary()].filter((text) => text !== "");
      const abouts = [...command.registeredArguments, ...command.options.filter(({ hidden }) => !hidden)];
      for (const text of [...texts, ...abouts.map(({ description }) => description)]) {
        expect(text).toMatch(/^[A-Z][^]*\.( \(default: .*\))?( \[\w[\w-]*\])?$/);
      }
      const examples =
        printed.slice(printed.indexOf("\nExamples:\n")).match(/^ {2}\$ keelson [a-z]+(?:-[a-z]+)*/gm) ?? [];
      expect(new Set(examples)).toEqual(new Set([`  $ keelson ${name}`]));
    },
  );
});

describe("the program", () => {
  test("--version and -v print name and version", async () => {
    for (const asked of ["--version", "-v"]) {
      const { printed, error } = await run([asked]);
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
  ])("%j is refused with a suggestion, without ending the process", async (args, message) => {
    const { complaints, error, calls } = await run(args);
    expect(complaints).toContain(message);
    expect(error).toBeInstanceOf(CommanderError);
    expect((error as CommanderError).exitCode).not.toBe(0);
    expect(calls).toEqual([]);
  });
});

describe("user", () => {
  test("add creates a token for a year by default, and prints or writes a kubeconfig", async () => {
    const made = await run(["user", "add", "kim", "--group", "team", "-g", "ops", "--data-dir", "/data"]);
    expect(made.calls).toEqual([["add", "/data", { name: "kim", groups: ["team", "ops"], kind: "token", days: 365 }]]);
    expect(made.printed).toBe("kubeconfig");
    const written = await run(["user", "add", "k", "--certificate", "--days", "7", "--server", "https://a", "-o", "f"]);
    expect(written.calls).toEqual([
      ["add", undefined, { name: "k", groups: [], kind: "certificate", days: 7, server: "https://a" }],
      ["write", "f", "kubeconfig\n"],
    ]);
    expect(written.printed).toBe("");
  });

  test.each([
    ["--days", "0"],
    ["--days", "x"],
    ["--days", "3651"],
    ["--token", "--certificate"],
  ])("add %s %s is refused", async (...flags) => {
    expect((await run(["user", "add", "kim", ...flags])).complaints).not.toBe("");
  });

  test("list shows when credentials expire or were revoked", async () => {
    expect((await run(["user", "list"])).printed).toBe(
      [
        "NAME   GROUPS   KIND          CREATED      EXPIRES",
        "kim    team     token         2026-01-01   2027-01-01",
        "pat    -        certificate   2026-01-01   revoked 2026-02-01",
      ].join("\n"),
    );
    expect(JSON.parse((await run(["user", "list", "-o", "json"])).printed)).toEqual(USERS);
  });

  test("revoke prints the number of credentials, and fails without any", async () => {
    expect((await run(["user", "revoke", "kim"])).printed).toBe("2 credentials of kim revoked");
    expect(String((await run(["user", "revoke", "joe"])).error)).toContain(
      'expected a user with credentials, "joe" has none',
    );
  });
});

describe("certs", () => {
  const clock = new ManualClock(Date.parse("2026-12-31T00:00:00Z"));

  test("shows when certificates expire and are renewed, and their hosts", async () => {
    const { printed, calls } = await run(["certs", "--data-dir", "/data"], { clock });
    expect(calls).toEqual([["show", "/data"]]);
    expect(printed).toBe(
      [
        "NAME     FILE             ENDS                  RENEWED FROM   SUBJECT",
        "server   pki/server.crt   2027-01-01 (in 1 d)   2026-12-02     CN=keelson",
        "server is valid for localhost, 127.0.0.1",
      ].join("\n"),
    );
    expect(JSON.parse((await run(["certs", "-o", "json"])).printed)).toEqual(CERTIFICATES);
  });

  test.each([
    [[], ["server", "admin"], []],
    [["ca"], ["ca"], []],
    [
      ["admin", "--san", "a.example.com", "--san", "::1"],
      ["admin", "server"],
      ["a.example.com", "::1"],
    ],
  ])("renew %j renews %j, then shows them", async (args, names, sans) => {
    const { calls } = await run(["certs", "--data-dir", "/data", "renew", ...args]);
    expect(calls).toEqual([
      ["renew", "/data", names, sans],
      ["show", "/data"],
    ]);
  });

  test("renew of an unknown name is refused with the valid names", async () => {
    expect((await run(["certs", "renew", "key"])).complaints).toContain("server, admin, ca, token");
  });
});
