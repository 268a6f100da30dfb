/** `keelson console`: the link that it asks for, and the browser that it opens, which is a program of the test. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Keelson } from "../serve/keelson.ts";
import { type TestServer, startServer } from "./kit/server.ts";

describe.skipIf(process.platform === "win32")("keelson console", () => {
  const home = mkdtempSync(join(tmpdir(), "keelson-command-"));
  const opened = join(home, "opened");
  let server: TestServer;
  let kubeconfig = "";

  beforeAll(async () => {
    server = await startServer();
    kubeconfig = join(home, "config");
    writeFileSync(kubeconfig, server.running.kubeconfig);
    mkdirSync(join(home, "bin"));
    for (const name of ["xdg-open", "open"]) {
      writeFileSync(
        join(home, "bin", name),
        `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > ${opened}\nexit \${OPEN_CODE:-0}\n`,
      );
      chmodSync(join(home, "bin", name), 0o755);
    }
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  const run = async (
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<Keelson & { code: number | null }> => {
    const PATH = `${join(home, "bin")}:${process.env["PATH"]}`;
    const keelson = new Keelson(["console", ...args], { env: { KUBECONFIG: kubeconfig, PATH, ...env }, cwd: home });
    const { code } = await keelson.ended;
    return Object.assign(keelson, { code });
  };

  /** Whether a link signs in. */
  const signsIn = async (link: string): Promise<boolean> => {
    const { pathname, search } = new URL(link);
    return (await server.ask("GET", pathname + search, { as: {} })).code === 303;
  };

  test("prints a link that signs in", async () => {
    const { code, stdout, stderr } = await run(["--print"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^${server.url}/console/login\\?code=[\\w-]+\n$`));
    expect(await signsIn(stdout.trim())).toBe(true);
    expect(existsSync(opened)).toBe(false);
  });

  test("hands the link to the browser as one argument, and does not print it", async () => {
    const { code, stdout, stderr } = await run([], { DISPLAY: ":0" });
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain(`The console of ${server.url} opens in the browser.`);
    expect(stderr).toContain("import the server's CA, pki/ca.crt");
    expect(stderr).not.toContain("code=");
    const [count, link] = readFileSync(opened, "utf8").trim().split("\n");
    expect(count).toBe("1");
    expect(await signsIn(link!)).toBe(true);
  });

  test.each<[string, Record<string, string>]>([
    ["there is no screen", process.platform === "darwin" ? { OPEN_CODE: "1" } : {}],
    ["the browser does not start", { DISPLAY: ":0", OPEN_CODE: "3" }],
  ])("prints the link where %s", async (_, env) => {
    const { code, stdout, stderr } = await run([], env);
    expect(code).toBe(0);
    expect(stderr).toContain("No browser could be opened here.");
    expect(await signsIn(stdout.trim())).toBe(true);
  });

  test("finds the server of a data directory on this machine", async () => {
    const { stdout } = await run(["--print", "--data-dir", server.dataDir], { KUBECONFIG: "" });
    expect(await signsIn(stdout.trim())).toBe(true);
  });

  test("says what is missing", async () => {
    const nowhere = await run(["--data-dir", join(home, "nowhere")]);
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("expected a running server for")]);
    const none = await run([], { KUBECONFIG: join(home, "none") });
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("none")]);
    await using off = await startServer({ console: false });
    const file = join(home, "off");
    writeFileSync(file, off.running.kubeconfig);
    const switched = await run(["--kubeconfig", file]);
    expect([switched.code, switched.stderr]).toEqual([
      1,
      expect.stringContaining("it is switched off (--console=false)"),
    ]);
  });
});
