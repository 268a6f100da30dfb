/**
 * `keelson blame` and `keelson resolve`: the executable against a server, with everything that a user types.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import type { ResourceClient } from "../../src/client/index.ts";
import { ConfigMap, StorageClass, neutral } from "../../src/client/kinds/index.ts";
import type { BlameReport } from "../../src/meta/ownership-reports.ts";
import { fresh } from "../rules/api.ts";

const EXECUTABLE = new URL("../../bin/keelson.js", import.meta.url).pathname;

let server: RunningServer;
let configMaps: ResourceClient<ConfigMap, "Namespaced">;
const folder = mkdtempSync(join(tmpdir(), "keelson-ownership-"));
const kubeconfig = join(folder, "kubeconfig");

beforeAll(async () => {
  server = await startServer({ dev: true, port: 0 });
  writeFileSync(kubeconfig, server.kubeconfig, { mode: 0o600 });
  configMaps = server.client("test").resource(ConfigMap);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command of the executable; `talk` hears everything that it says on standard error and may answer. */
async function keelson(
  args: readonly string[],
  {
    stdin = "",
    env = {},
    talk,
  }: { stdin?: string; env?: NodeJS.ProcessEnv; talk?: (said: string) => Promise<string> | undefined } = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [EXECUTABLE, ...args], {
    env: { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: kubeconfig, ...env },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    void talk?.(stderr)?.then((answer) => child.stdin.write(answer));
  });
  child.stdin.on("error", () => {});
  if (talk === undefined) child.stdin.end(stdin);
  const [code] = (await once(child, "close")) as [number];
  return { code, stdout, stderr };
}

let files = 0;

/** Writes a file for `-f`. */
function manifest(name: string, data: Readonly<Record<string, string>>): string {
  const path = join(folder, `file-${++files}.yaml`);
  const lines = Object.entries(data).map(([key, value]) => `  ${key}: ${value} # ${key}\n`);
  writeFileSync(path, `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${lines.join("")}`);
  return path;
}

/** A ConfigMap of which alice applied the colour and carol wrote the size. */
async function shared(): Promise<string> {
  const name = fresh("shared");
  const intent = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
  await configMaps.apply({ ...intent, data: { colour: "red" } }, { fieldManager: "alice" });
  await configMaps.apply({ ...intent, data: { size: "small" } }, { fieldManager: "carol" });
  return name;
}

const dataOf = async (name: string): Promise<unknown> => (await configMaps.get({ name, namespace: "default" })).data;

/** The owners of each member of `data`. */
async function ownersOf(name: string): Promise<Record<string, string[]>> {
  const { leaves } = await configMaps.blame({ name, namespace: "default" });
  const data = leaves.filter(({ field }) => field.startsWith(".data."));
  return Object.fromEntries(
    data.map(({ field, managers }) => [field.slice(6), managers.map(({ manager }) => manager).toSorted()]),
  );
}

describe("keelson blame", () => {
  test("prints the object with manager, operation and age before each line", async () => {
    const name = await shared();
    const { code, stdout, stderr } = await keelson(["blame", "configmap", name]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^MANAGER {2}OPERATION {2}AGE\n/);
    expect(stdout).toMatch(/^alice +Apply +\d+s +colour: red$/m);
    expect(stdout).toMatch(/^carol +Apply +\d+s +size: small$/m);
    expect(stdout).toMatch(/^- +name: shared/m);
    expect(stdout).not.toContain("\u001b");
  });

  test.each([["cm"], ["ConfigMap"], ["configmaps"]])("knows the kind as %s", async (kind) => {
    expect((await keelson(["blame", `${kind}/${await shared()}`, "-n", "default"])).code).toBe(0);
  });

  test("knows kinds of groups, and objects of the cluster", async () => {
    const name = fresh("class");
    const classes = server.client("maker").resource(neutral(StorageClass));
    await classes.create({ metadata: { name }, provisioner: "a.example" });
    const { stdout } = await keelson(["blame", "storageclass.storage", name]);
    expect(stdout).toMatch(/^maker .* provisioner: a.example$/m);
  });

  test("prints the report as JSON", async () => {
    const name = await shared();
    const { stdout } = await keelson(["blame", "cm", name, "-o", "json"]);
    const report = JSON.parse(stdout) as BlameReport;
    expect(report.kind).toBe("Blame");
    expect(report.leaves.find(({ field }) => field === ".data.colour")?.managers[0]?.manager).toBe("alice");
  });

  test("uses colours where they are requested, and never against NO_COLOR", async () => {
    const name = await shared();
    expect((await keelson(["blame", "cm", name], { env: { FORCE_COLOR: "1" } })).stdout).toContain("\u001b[36malice");
    const env = { FORCE_COLOR: "1", NO_COLOR: "1" };
    expect((await keelson(["blame", "cm", name], { env })).stdout).not.toContain("\u001b");
  });

  test("uses the kubeconfig, context and namespace that flags name", async () => {
    const name = await shared();
    const env = { KUBECONFIG: "/nonexistent" };
    expect((await keelson(["blame", "cm", name, "--kubeconfig", kubeconfig], { env })).code).toBe(0);
    expect((await keelson(["blame", "cm", name, "--context", "nowhere"])).stderr).toContain(
      'expected "nowhere" among the contexts',
    );
    expect((await keelson(["blame", "cm", name, "-n", "elsewhere"])).stderr).toBe(
      `keelson: configmaps "${name}" not found (GET /api/v1/namespaces/elsewhere/configmaps/${name})\n`,
    );
  });

  test.each<[string, string[], number, string]>([
    ["no name", ["cm"], 2, "expected a kind and a name"],
    ["an unknown kind", ["unicorn", "x"], 1, 'no kind called "unicorn"'],
    ["an object that is not there", ["cm", "nobody"], 1, 'configmaps "nobody" not found'],
    ["an unknown form", ["cm", "x", "-o", "xml"], 2, "Allowed choices are text, json"],
  ])("with %s says what was expected, without a stack", async (_what, args, code, message) => {
    const outcome = await keelson(["blame", ...args]);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr).not.toContain("    at ");
  });

  test("without a server says which one did not respond, and what to do", async () => {
    const dead = join(folder, "dead");
    writeFileSync(dead, server.kubeconfig.replace(/server: .*/, "server: https://127.0.0.1:1"));
    const { code, stderr } = await keelson(["blame", "cm", "x", "--kubeconfig", dead]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      "keelson: no response from https://127.0.0.1:1 to GET /api: connect ECONNREFUSED 127.0.0.1:1; " +
        "nothing listens there: start the server, or use the kubeconfig of another one\n",
    );
  });

  test("does not trust a server whose authority it does not know", async () => {
    const untrusting = join(folder, "untrusting");
    writeFileSync(untrusting, server.kubeconfig.replace(/ *certificate-authority-data: .*\n/, ""));
    const { code, stderr } = await keelson(["blame", "cm", "x", "--kubeconfig", untrusting]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/no response from .*certificate/);
    const careless = join(folder, "careless");
    writeFileSync(
      careless,
      server.kubeconfig.replace(/certificate-authority-data: .*/, "insecure-skip-tls-verify: true"),
    );
    expect((await keelson(["blame", "cm", await shared(), "--kubeconfig", careless])).code).toBe(0);
  });
});

describe("keelson resolve", () => {
  test("applies a file that has no conflicts", async () => {
    const name = fresh("new");
    const { code, stdout, stderr } = await keelson(["resolve", "-f", manifest(name, { a: "x" })]);
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: "", stdout: `configmap/${name} in default applied\n` });
    expect(await ownersOf(name)).toEqual({ a: ["keelson"] });
  });

  test.each<[string, "keep" | "take" | "share", object, object]>([
    [
      "OWN-16",
      "keep",
      { colour: "red", size: "small", mine: "x" },
      { colour: ["alice"], size: ["carol"], mine: ["dave"] },
    ],
    [
      "OWN-15",
      "take",
      { colour: "blue", size: "big", mine: "x" },
      { colour: ["dave"], size: ["dave"], mine: ["dave"] },
    ],
    [
      "OWN-17",
      "share",
      { colour: "red", size: "small", mine: "x" },
      { colour: ["alice", "dave"], size: ["carol", "dave"], mine: ["dave"] },
    ],
  ])("%s: --yes %s settles every conflict so, without asking", async (_rule, choice, data, owners) => {
    const name = await shared();
    const file = manifest(name, { colour: "blue", size: "big", mine: "x" });
    const before = readFileSync(file, "utf8");
    const { code, stdout, stderr } = await keelson(["resolve", "-f", file, "--field-manager", "dave", "--yes", choice]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const words = { keep: "kept theirs", take: "taken over", share: "shared" };
    expect(stdout).toBe(`configmap/${name} in default applied (2 ${words[choice]})\n`);
    expect(await dataOf(name)).toEqual(data);
    expect(await ownersOf(name)).toEqual(owners);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("asks for each field, showing values, owner and age, and follows the choices", async () => {
    const name = await shared();
    const file = manifest(name, { colour: "blue", size: "big", mine: "x" });
    const { code, stdout, stderr } = await keelson(["resolve", "-f", file, "--field-manager", "dave"], {
      stdin: "t\nwhat?\nk\n",
    });
    expect(code).toBe(0);
    expect(stdout).toBe(`configmap/${name} in default applied (1 kept theirs, 1 taken over)\n`);
    expect(stderr).toContain(`ConfigMap ${name}: others own 2 fields that you would change`);
    expect(stderr).toMatch(
      /\.data\.colour\n {2}now {7}"red"\n {2}proposed {2}"blue"\n {2}owned by {2}alice \(Apply, \d+s ago\)\n/,
    );
    expect(stderr.match(/a capital letter for all: .*\n/g)).toEqual(
      ["t", "what?", "k"].map((answer) => `a capital letter for all: ${answer}\n`),
    );
    // Who answers in other words is asked again.
    expect(stderr.match(/\[k\]eep theirs, \[t\]ake over, \[s\]hare/g)).toHaveLength(3);
    expect(await ownersOf(name)).toEqual({ colour: ["dave"], size: ["carol"], mine: ["dave"] });
  });

  test("a capital letter answers for all fields of the object", async () => {
    const name = await shared();
    const file = manifest(name, { colour: "blue", size: "big" });
    const { stdout } = await keelson(["resolve", "-f", file, "--field-manager", "dave"], { stdin: "S\n" });
    expect(stdout).toContain("(2 shared)");
    expect(await ownersOf(name)).toEqual({ colour: ["alice", "dave"], size: ["carol", "dave"] });
  });

  test.each([
    ["q", "q\n", /was not applied/],
    ["the end of the input", "t\n", /the input has ended/],
  ])("OWN-3: %s leaves everything as it was", async (_what, stdin, message) => {
    const name = await shared();
    const file = manifest(name, { colour: "blue", size: "big" });
    const { code, stderr } = await keelson(["resolve", "-f", file], { stdin });
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(await dataOf(name)).toEqual({ colour: "red", size: "small" });
  });

  test("what is taken over is what was asked about: a change in between is asked about again", async () => {
    const name = await shared();
    const file = manifest(name, { colour: "blue", size: "small" });
    const intent = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default" },
      data: { colour: "green" },
    };
    let asked = 0;
    const talk = (said: string): Promise<string> | undefined => {
      const questions = said.split("for all: ").length - 1;
      if (questions === asked) return undefined;
      asked = questions;
      if (asked > 1) return Promise.resolve("k\n");
      // Another client writes while the user decides.
      return configMaps.apply(intent, { fieldManager: "erin", force: true }).then(() => "t\n");
    };
    const { code, stderr } = await keelson(["resolve", "-f", file, "--field-manager", "dave"], { talk });
    expect({ code, asked }).toEqual({ code: 0, asked: 2 });
    expect(stderr).toMatch(/now {7}"green"/);
    expect(await ownersOf(name)).toMatchObject({ colour: ["erin"] });
  });

  test("--write writes the file as it was applied, comments kept", async () => {
    const name = await shared();
    const file = manifest(name, { colour: "blue", size: "big", mine: "x" });
    const { code } = await keelson(["resolve", "-f", file, "--write"], { stdin: "k\ns\n" });
    expect(code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  size: small # size\n  mine: x # mine\n`,
    );
    expect((await keelson(["resolve", "-f", file])).stdout).toBe(`configmap/${name} in default applied\n`);
  });

  test("standard input needs --yes, and several objects are applied in turn", async () => {
    const [one, two] = [await shared(), fresh("second")];
    const text = [one, two].map((name) => readFileSync(manifest(name, { colour: "blue" }), "utf8")).join("---\n");
    expect((await keelson(["resolve", "-f", "-"], { stdin: text })).code).toBe(2);
    const { code, stdout } = await keelson(["resolve", "-f", "-", "--yes", "keep", "-o", "json"], { stdin: text });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { kind: "ConfigMap", name: one, namespace: "default", decisions: [{ field: ".data.colour", choice: "keep" }] },
      { kind: "ConfigMap", name: two, decisions: [] },
    ]);
  });

  test.each<[string, string, string]>([
    ["a kind that is not served", "apiVersion: v9\nkind: X\nmetadata: {name: a}\n", "v9"],
    ["no name", "apiVersion: v1\nkind: ConfigMap\n", "metadata.name"],
    ["data of the wrong type", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: 1\n", ".data"],
  ])("a file with %s is refused in words", async (_what, text, message) => {
    const file = join(folder, "bad.yaml");
    writeFileSync(file, text);
    const { code, stderr } = await keelson(["resolve", "-f", file, "--yes", "keep"]);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
  });
});
