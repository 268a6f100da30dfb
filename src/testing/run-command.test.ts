/**
 * `keelson run` (rule 21 of the kit), from within a process and as a command.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ApplyError, type RunCommandOptions } from "./index.ts";
import { runCommand } from "./run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-run-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A script that asks the cluster for something; `ask(method, path, body)` returns code and JSON. */
function script(name: string, text: string): string {
  const path = join(folder, `${name}.mjs`);
  const head = `
    import https from "node:https";
    import { readFileSync, writeFileSync } from "node:fs";
    const { KUBECONFIG, KEELSON_URL, KEELSON_TOKEN, USE_EXISTING_CLUSTER } = process.env;
    const ca = Buffer.from(/certificate-authority-data: (\\S+)/.exec(readFileSync(KUBECONFIG, "utf8"))[1], "base64");
    const ask = (method, path, body) => new Promise((resolve, reject) => {
      const headers = { authorization: "Bearer " + KEELSON_TOKEN, "content-type": "application/json" };
      const request = https.request(KEELSON_URL + path, { method, ca, headers }, async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        resolve([response.statusCode, text.startsWith("{") ? JSON.parse(text) : text]);
      });
      request.on("error", reject).end(body && JSON.stringify(body));
    });
    const tell = (value) => writeFileSync(${JSON.stringify(join(folder, name))}, JSON.stringify(value));
  `;
  writeFileSync(path, head + text);
  return path;
}
const told = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"));

async function run(command: readonly [string, ...string[]], options: RunCommandOptions = {}) {
  let said = "";
  const code = await runCommand(command, options, { tell: (text) => void (said += text) });
  return { code, said };
}

describe("runCommand", () => {
  test("the command finds the cluster by its environment, with the fixtures in it", async () => {
    const fixtures = join(folder, "fixtures.yaml");
    writeFileSync(fixtures, "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n");
    const path = script(
      "fixtures",
      `const [code, { items }] = await ask("GET", "/api/v1/namespaces/team/serviceaccounts");
       tell([code, items.map(({ metadata }) => metadata.name), USE_EXISTING_CLUSTER, KEELSON_URL]);`,
    );
    expect(await run(["node", path], { fixtures: [fixtures] })).toEqual({ code: 0, said: "" });
    expect(told("fixtures")).toEqual([200, ["default"], "true", expect.stringMatching(/^https:\/\/127\.0\.0\.1:/)]);
  });

  test("it speaks the kubernetes dialect by default", async () => {
    const path = script("dialect", `tell((await ask("GET", "/apis"))[1].groups.map(({ name }) => name));`);
    await run(["node", path]);
    expect(told("dialect")).toContain("storage.k8s.io");
    await run(["node", path], { dialect: "neutral" });
    expect(told("dialect")).toContain("storage.svc.io");
  });

  test("with control the command marks, disturbs and resets; without it there is nothing of it", async () => {
    const path = script(
      "control",
      `const made = { metadata: { name: "a" } };
       const maps = "/api/v1/namespaces/default/configmaps";
       const codes = [];
       const [marked] = await ask("POST", "/keelson/v1/testing/mark");
       await ask("POST", "/keelson/v1/testing/faults", { match: { verb: "create" }, fault: "conflict" });
       for (let i = 0; i < 2; i++) codes.push((await ask("POST", maps, made))[0]);
       await ask("POST", "/keelson/v1/testing/reset");
       codes.push((await ask("GET", maps + "/a"))[0]);
       tell([marked, ...codes]);`,
    );
    await run(["node", path], { control: true });
    expect(told("control")).toEqual([200, 409, 201, 404]);
    await run(["node", path]);
    expect(told("control")).toEqual([404, 201, 409, 200]);
  });

  test.each([
    [["node", "-e", "process.exit(7)"], 7],
    [["node", "-e", "process.kill(process.pid, 'SIGTERM')"], 143],
    [["node", "-e", "process.kill(process.pid, 'SIGKILL')"], 137],
  ] as const)("%j ends with %i", async (command, code) => {
    expect((await run(command)).code).toBe(code);
  });

  test("a missing command is 127, one that cannot be run 126, both with a message", async () => {
    expect(await run(["no-such-command-here"])).toMatchObject({ code: 127, said: expect.stringContaining("ENOENT") });
    const plain = join(folder, "plain.txt");
    writeFileSync(plain, "no program");
    expect(await run([plain])).toMatchObject({ code: 126, said: expect.stringContaining("EACCES") });
  });

  test("the server's log is shown when the command fails, and only then", async () => {
    const disturb = `await ask("POST", "/keelson/v1/testing/faults", { match: { verb: "list" }, fault: "internalError" });
      await ask("GET", "/api/v1/pods");`;
    const fails = script("fails", `${disturb} process.exit(1);`);
    const passes = script("passes", disturb);
    expect((await run(["node", fails], { control: true })).said).toMatch(
      /the log of the server:\n {2}error: a request has failed/,
    );
    expect((await run(["node", passes], { control: true })).said).toBe("");
  });

  test("a refused fixture is reported, and the command is not run", async () => {
    const wrong = join(folder, "wrong.yaml");
    writeFileSync(wrong, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Bad_Name}\n");
    await expect(run(["node", script("never", "tell(1)")], { fixtures: [wrong] })).rejects.toBeInstanceOf(ApplyError);
    expect(() => told("never")).toThrow("ENOENT");
  });
});

describe("keelson run", () => {
  const bin = new URL("../../bin/keelson.js", import.meta.url).pathname;

  test("ends with the code of the command, and passes its output through", async () => {
    const child = spawn("node", [bin, "run", "--", "node", "-e", "console.log('hello'); process.exit(5)"]);
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, out]).toEqual([5, "hello\n"]);
  });

  test("passes signals on, and waits for what the command makes of them", async () => {
    const waits = "process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('ready')";
    const child = spawn("node", [bin, "run", "--", "node", "-e", waits]);
    child.stdout.once("data", () => child.kill("SIGTERM"));
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(9);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "--keep keeps the cluster until %s, ends with the code of the command and leaves no kubeconfig",
    async (signal) => {
      const child = spawn("node", [bin, "run", "--keep", "--", "node", "-e", "process.exit(4)"]);
      let said = "";
      child.stderr.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes("export KUBECONFIG=") && said.endsWith("\n")) child.kill(signal);
      });
      expect(await new Promise((resolve) => child.on("close", resolve))).toBe(4);
      expect(said).toMatch(/the cluster stays at https:\/\/127\.0\.0\.1:\d+ until it is interrupted/);
      expect(existsSync(/export KUBECONFIG=(.*)/.exec(said)![1]!)).toBe(false);
    },
  );
});
