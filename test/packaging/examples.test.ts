/**
 * The examples for CI: the steps of the action are run by a shell as a runner does, and the recipe for Testcontainers is compiled.
 *
 * @module
 */
import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { LONG } from "../../src/util/testing/amount.ts";
import { built } from "../clients/built.ts";
import { EXECUTABLE, Scratch, has, read, run, until } from "../serve/keelson.ts";

const root = new URL("../../", import.meta.url).pathname;
const scratch = new Scratch();
afterAll(() => scratch.remove());

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly id?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const action = parse(readFileSync(join(root, "examples/github-action/action.yml"), "utf8")) as Action;

describe("the GitHub Action", () => {
  /** Runs the steps with some inputs; what they wrote for later steps. */
  async function play(inputs: Readonly<Record<string, string>>) {
    const folder = scratch.fresh();
    const bin = join(folder, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "npm"), `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/npm\n`, { mode: 0o755 });
    writeFileSync(join(bin, "keelson"), `#!/bin/sh\nexec ${process.execPath} ${EXECUTABLE} "$@"\n`, { mode: 0o755 });
    const values = {
      ...Object.fromEntries(Object.entries(action.inputs).map(([name, one]) => [name, one.default])),
      ...inputs,
    };
    const files = { GITHUB_OUTPUT: join(folder, "output"), GITHUB_ENV: join(folder, "env") };
    for (const step of action.runs.steps) {
      if (step.run === undefined) continue;
      const env = Object.entries(step.env ?? {}).map(([name, text]) => {
        return [name, text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => values[input]!)];
      });
      const script = join(folder, "step.sh");
      writeFileSync(script, step.run);
      // As a runner does for `shell: bash`.
      await promisify(execFile)("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
        cwd: folder,
        env: {
          PATH: `${bin}:${process.env["PATH"]}`,
          HOME: folder,
          RUNNER_TEMP: folder,
          ...files,
          ...Object.fromEntries(env),
        },
      });
    }
    const server = JSON.parse(read(join(folder, "keelson"), "server.json")) as { pid: number };
    onTestFinished(async () => {
      process.kill(server.pid, "SIGTERM");
      await until(() => !has(join(folder, "keelson"), "server.json"));
    });
    const pairs = (name: string) =>
      Object.fromEntries(
        read(folder, name)
          .trim()
          .split("\n")
          .map((line) => line.split("=")),
      );
    return { folder, output: pairs("output"), env: pairs("env") };
  }

  test("installs the given version, starts a server, and names the kubeconfig for later steps", async () => {
    const { folder, output, env } = await play({ package: "./keelson-0.1.0.tgz" });
    expect(read(folder, "npm").trim().split("\n")).toEqual([
      "install",
      "--global",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "./keelson-0.1.0.tgz",
    ]);
    expect(env).toEqual({ KUBECONFIG: output["kubeconfig"] });
    const { code, stdout } = await run(["version", "--server"], { env });
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("server  v1.") as string });
    expect(readFileSync(output["log"]!, "utf8")).toContain("ready");
    for (const { value } of Object.values(action.outputs)) {
      const [, name] = /^\$\{\{ steps\.start\.outputs\.(\w+) \}\}$/.exec(value)!;
      expect(output).toHaveProperty(name!);
    }
  });

  test("takes further arguments as words, none of which the shell runs", async () => {
    const { folder } = await play({ arguments: "--history 1h --tls-san $(touch${IFS}pwned)" }).catch(
      (error: unknown) => ({
        folder: String(error),
      }),
    );
    expect(readdirSync(scratch.path, { recursive: true }).filter((name) => String(name).endsWith("pwned"))).toEqual([]);
    expect(folder).not.toBe("");
  });

  test("asks for a Node.js that is new enough, and writes no input into a script", () => {
    expect(action.runs.using).toBe("composite");
    expect(action.runs.steps[0]).toMatchObject({ uses: expect.stringMatching(/^actions\/setup-node@v\d+$/) as string });
    expect(action.runs.steps.filter((step) => step.run?.includes("${{"))).toEqual([]);
  });
});

const testcontainers = LONG
  ? await built({
      name: "testcontainers",
      folder: join(root, "examples/testcontainers"),
      files: [],
      commands: (output) => [
        ["npm", "install", "--prefix", output, "--ignore-scripts", "--no-audit", "--no-fund", "testcontainers@12.2.0"],
      ],
    })
  : undefined;

test.skipIf(testcontainers === undefined)("the recipe for Testcontainers compiles", { timeout: 120_000 }, () => {
  const file = join(testcontainers!, "keelson-container.ts");
  cpSync(join(root, "examples/testcontainers/keelson-container.ts"), file);
  const flags = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "es2024",
    "--lib",
    "esnext",
    "--typeRoots",
  ];
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const types = join(root, "node_modules/@types");
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...flags, types, "--types", "node", file], {
    cwd: testcontainers!,
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});
