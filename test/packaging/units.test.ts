/**
 * The units of systemd: they are right for `systemd-analyze`, where it is there, and hold what the page says.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;
const units = globSync("packaging/systemd/*.{service,timer}", { cwd: root }).toSorted();
const scratch = mkdtempSync(join(tmpdir(), "keelson-units-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const settings = (unit: string): Map<string, string> =>
  new Map(
    [...readFileSync(join(root, unit), "utf8").matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key!, value!]),
  );

test("the server is not root, is ready before it counts as started, and has time to stop", () => {
  const found = settings("packaging/systemd/keelson.service");
  expect(Object.fromEntries(found)).toMatchObject({
    Type: "exec",
    User: "keelson",
    NoNewPrivileges: "true",
    ProtectSystem: "strict",
    StateDirectory: "keelson",
    ExecStartPost: expect.stringMatching(/keelson health --wait \d+s$/) as string,
    RestartPreventExitStatus: "2 72",
  });
  // The grace of running requests is 30 s.
  expect(Number(found.get("TimeoutStopSec"))).toBeGreaterThan(30);
  expect(found.has("MemoryDenyWriteExecute")).toBe(false);
});

describe.skipIf(spawnSync("systemd-analyze", ["--version"]).status !== 0)("systemd-analyze", () => {
  /** The units as they are, but for the program, which is not installed here. */
  const files = units.map((unit) => {
    const file = join(scratch, basename(unit));
    const text = readFileSync(join(root, unit), "utf8");
    writeFileSync(file, text.replaceAll("/usr/local/bin/keelson", "/bin/true"));
    return file;
  });

  test("finds nothing wrong", () => {
    expect(files.length).toBe(3);
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...files], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("finds a directive that does not exist: it reads the units", () => {
    const wrong = join(scratch, "wrong.service");
    writeFileSync(
      wrong,
      readFileSync(
        files.find((file) => file.endsWith("/keelson.service"))!,
        "utf8",
      ).replace("User=", "Usr="),
    );
    const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", wrong], { encoding: "utf8" });
    expect(stderr).toContain("Unknown key");
  });

  test.each(["keelson.service", "keelson-backup.service"])("finds %s well confined", (unit) => {
    const file = files.find((one) => one.endsWith(`/${unit}`))!;
    const { stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", file], { encoding: "utf8" });
    const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(stdout)!;
    expect(Number(exposure)).toBeLessThan(2.5);
  });
});
