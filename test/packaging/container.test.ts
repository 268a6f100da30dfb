/**
 * The image. No engine is needed: the Dockerfile is read, and what its steps make is started as it is in a container, as another
 * user with a root that cannot be written. Where an engine answers, the image is built and started, too (`LONG=1`).
 *
 * @module
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { LONG } from "../../src/util/testing/amount.ts";
import { installPackage } from "../docs/installed-package.ts";
import { Keelson, run } from "../serve/keelson.ts";
import { stagesOf } from "./dockerfile.ts";

const root = new URL("../../", import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const [before, build, image] = stagesOf(read("packaging/container/Dockerfile"));
const all = (name: string): string[] => image!.filter((one) => one.name === name).map(({ text }) => text);
const one = (name: string): string => {
  const found = all(name);
  expect(found).toHaveLength(1);
  return found[0]!;
};
const scratch = mkdtempSync(join(tmpdir(), "keelson-image-"));
let installing: Promise<string> | undefined;
const installed = (): Promise<string> => (installing ??= installPackage(scratch));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe("the Dockerfile", () => {
  test("begins with a pinned Node.js, which is new enough, in a slim image", () => {
    const [, major, minor] = /^NODE=docker\.io\/library\/node:(\d+)\.(\d+)\.\d+-\w+-slim$/.exec(before![0]!.text)!;
    expect(Number(major) * 1000 + Number(minor)).toBeGreaterThanOrEqual(24_009);
  });

  test("builds on the machine that builds, and gives the image of each architecture the same files", () => {
    expect(build![0]!.text).toBe("--platform=$BUILDPLATFORM ${NODE} AS build");
    expect(image![0]!.text).toBe("${NODE}");
    expect(one("COPY")).toBe("--from=build /opt/keelson /opt/keelson");
  });

  test("runs no script of a package, and takes the versions of the lock file", () => {
    const installs = build!.filter(({ text }) => /\bnpm (?:ci|install)\b/.test(text));
    expect(installs.map(({ text }) => text)).toHaveLength(2);
    expect(installs.filter(({ text }) => !/npm ci .*--ignore-scripts/.test(text))).toEqual([]);
  });

  test("ends as another user than root, with a signal that ends the server in order", () => {
    expect(one("USER")).toBe("1000:1000");
    expect(one("STOPSIGNAL")).toBe("SIGTERM");
    expect(one("VOLUME")).toBe("/var/lib/keelson");
    expect(one("EXPOSE")).toBe("6443");
    expect(image!.findIndex(({ name }) => name === "USER")).toBeGreaterThan(
      image!.findIndex(({ name }) => name === "RUN"),
    );
  });

  test("has a command of ours for the health check", () => {
    const [, command] = / CMD (\[.*\])$/.exec(one("HEALTHCHECK"))!;
    expect(JSON.parse(command!)).toEqual(["keelson", "health"]);
    expect([JSON.parse(one("ENTRYPOINT")), JSON.parse(one("CMD"))]).toEqual([["keelson"], ["serve"]]);
  });

  test("is built without what is secret or large, and with all that the build reads", () => {
    const ignored = read(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(ignored).toEqual(expect.arrayContaining([".git", "**/node_modules", "**/*.key", "**/*.token", "test"]));
    const { files, workspaces } = JSON.parse(read("package.json")) as { files: string[]; workspaces: string[] };
    const needed = [...files, ...workspaces, "src", "tools"].filter((path) => path !== "dist");
    expect(needed.filter((path) => ignored.includes(path))).toEqual([]);
  });
});

/** Whether a mount of its own can be made here: for root, where the system permits it. */
const canMount = process.getuid?.() === 0 && spawnSync("unshare", ["--mount", "true"]).status === 0;

describe.skipIf(!canMount)("the package, where root cannot be written (needs root)", { timeout: 180_000 }, () => {
  test("starts as another user, is healthy, and stops in order", async () => {
    const command = await installed();
    const data = join(scratch, "volume");
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, 1000, 1000);
    // As in a container: all is read-only but the volume, and there is no home.
    const start = join(scratch, "start");
    const others = ["/", "/tmp"].map(
      (folder) => `if mountpoint -q ${folder}; then mount -o remount,bind,ro ${folder}; fi`,
    );
    const inside = [
      `mount --bind ${data} ${data}`,
      ...others,
      `if touch ${scratch}/x; then exit 99; fi 2>/dev/null`,
      `exec setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs ${process.execPath} "$@"`,
    ];
    const line = `exec unshare --mount --propagation private sh -euc '${inside.join("; ")}' sh "$@"`;
    writeFileSync(start, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    execFileSync("chmod", ["-R", "a+rX", scratch]);
    const env = { KEELSON_DATA_DIR: data, KEELSON_BIND: "0.0.0.0", KEELSON_DIALECT: "kubernetes" };
    const server = new Keelson(["serve", "--port", "0"], { node: start, executable: command, env });
    onTestFinished(async () => void (await server.stop("SIGKILL")));
    await server.ready();
    const health = await run(["health", "--data-dir", data]);
    expect(health).toMatchObject({ code: 0, stdout: expect.stringContaining("readyz check passed") as string });
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(server.stderr).not.toContain("EROFS");
    const after = await run(["health", "--data-dir", data]);
    expect(after).toMatchObject({ code: 1, stderr: `keelson: expected a server to run on ${data}, found none\n` });
  });
});

describe.skipIf(!LONG)("the steps of the Dockerfile", { timeout: 600_000 }, () => {
  test("install what the package needs, by the lock file, and nothing of the console", async () => {
    await installed();
    const folder = join(scratch, "opt");
    mkdirSync(folder);
    const step = build!.find(({ text }) => text.includes("--workspaces=false"))!.text;
    const packed = join(scratch, "packed");
    mkdirSync(packed);
    execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", packed], {
      cwd: join(scratch, "node_modules/keelson"),
    });
    const line = step.replaceAll("/source/", root).replaceAll("/tmp/", `${packed}/`);
    execFileSync("sh", ["-euc", line], { cwd: folder, stdio: "pipe" });
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
    expect(Object.keys(dependencies).filter((name) => !existsSync(join(folder, "node_modules", name)))).toEqual([]);
    expect(
      ["preact", "vitest", "keelson-console"].filter((name) => existsSync(join(folder, "node_modules", name))),
    ).toEqual([]);
    const said = execFileSync(process.execPath, [join(folder, "bin/keelson.js"), "--version"], { encoding: "utf8" });
    expect(said).toMatch(/^keelson \d/);
    expect(dirname(folder)).toBe(scratch);
  });
});

/** Whether an engine answers. */
const engine = ["docker", "podman"].find((name) => spawnSync(name, ["info"], { timeout: 10_000 }).status === 0);

describe.skipIf(!LONG || engine === undefined)("an image (needs an engine)", { timeout: 900_000 }, () => {
  test("is built, starts with a read-only root, and is healthy", async () => {
    const name = `keelson-test-${process.pid}`;
    const call = (...args: readonly string[]): string => execFileSync(engine!, args, { cwd: root, encoding: "utf8" });
    // Images of OCI have no health check.
    const format = engine === "podman" ? ["--format", "docker"] : [];
    call("build", ...format, "--file", "packaging/container/Dockerfile", "--tag", name, ".");
    onTestFinished(() => void spawnSync(engine!, ["rm", "--force", name]));
    call("run", "--detach", "--name", name, "--read-only", "--cap-drop", "ALL", name);
    await expect
      .poll(() => spawnSync(engine!, ["exec", name, "keelson", "health"]).status, { timeout: 60_000 })
      .toBe(0);
    call("stop", name);
    expect(call("inspect", "--format", "{{.State.ExitCode}}", name).trim()).toBe("0");
  });
});
