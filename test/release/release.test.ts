/**
 * The steps of a release judge what they are given, and the package has the files that it needs and no other ones.
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { BUNDLED_PACKAGES } from "../../tools/bundled-packages.ts";
import { changelogStep, sectionsOf } from "../../tools/release/changelog.ts";
import {
  type Manifest,
  branchStep,
  distTagOf,
  lockStep,
  provenanceStep,
  registryStep,
  tagStep,
  tarballVersion,
  treeStep,
  versionStep,
} from "../../tools/release/checks.ts";
import { type Packed, contentsStep, wrongContents } from "../../tools/release/contents.ts";
import { type LockFile, billOf } from "../../tools/release/sbom.ts";
import { exitCodeOf, linesOf } from "../../tools/release/step.ts";
import { installPackage } from "../docs/installed-package.ts";

const root = new URL("../../", import.meta.url).pathname;
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const manifest = JSON.parse(read("package.json")) as Manifest & { dependencies: Record<string, string> };
const lock = JSON.parse(read("package-lock.json")) as LockFile;
const folder = mkdtempSync(join(tmpdir(), "keelson-release-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the package", () => {
  test("has the files that are needed, and nothing else", { timeout: 180_000 }, async () => {
    await installPackage(folder);
    const args = ["pack", "--dry-run", "--ignore-scripts", "--json"];
    const packageFolder = join(folder, "node_modules/keelson");
    const options = { cwd: packageFolder, encoding: "utf8", maxBuffer: 64 * 1024 ** 2 } as const;
    const [packed] = JSON.parse(execFileSync("npm", args, options)) as [Packed];
    expect(packed.files.length).toBeGreaterThan(1000);
    expect(wrongContents(packed)).toEqual([]);
  });

  test.each([
    ["dist/app/index.js.map", "dist/app/index.js.map is not needed"],
    ["dist/app/start/server.test.js", "dist/app/start/server.test.js is not needed"],
    ["test/serve/start.test.ts", "test/serve/start.test.ts is not needed"],
    ["dist/program/0123456789abcdef/code/x", "dist/program/0123456789abcdef/code/x is not needed"],
    ["examples/go/admin.token", "examples/go/admin.token is not needed"],
    ["docs/.env", "docs/.env is not needed"],
  ])("may not have %s", (path, message) => {
    const packed = packedOf([...NEEDED, path]);
    expect(wrongContents(packed)).toEqual([message]);
    expect(contentsStep(packed)).toMatchObject({ verdict: "wrong", next: message });
  });

  test("has a bound in bytes, one program, and what it needs", () => {
    expect(wrongContents(packedOf(NEEDED))).toEqual([]);
    expect(wrongContents({ ...packedOf(NEEDED), size: 2 ** 24, unpackedSize: 2 ** 25 })).toEqual([
      "expected at most 8.0 MiB packed, found 16.0 MiB",
      "expected at most 28.0 MiB unpacked, found 32.0 MiB",
    ]);
    expect(wrongContents(packedOf([...NEEDED, "dist/program/ffffffffffffffff/main.js"]))).toEqual([
      "expected one program in dist/program, found 2",
    ]);
    expect(wrongContents(packedOf(NEEDED.slice(1)))).toEqual(["bin/keelson.js is missing"]);
  });
});

const NEEDED = [
  "bin/keelson.js",
  "bin/program.js",
  "bin/run.js",
  "dist/program/current.json",
  "dist/program/0123456789abcdef/main.js",
  "dist/app/index.d.ts",
  "dist/console/index.js",
  "dist/page/index.html",
  "dist/small/small-main.js",
  "LICENSE",
  "README.md",
];

const packedOf = (paths: readonly string[]): Packed => ({
  filename: "keelson-0.1.0.tgz",
  size: 1,
  unpackedSize: 1,
  files: paths.map((path) => ({ path, size: 1 })),
});

describe("the changelog", () => {
  const changelog = "# Changes\n\n## 1.1.0 (2030-01-31)\n\n- New.\n\n## 1.0.0 (2029-01-31)\n\n- First.\n";

  test("gives the notes of each version", () => {
    expect(sectionsOf(changelog)).toEqual([
      { version: "1.1.0", date: "2030-01-31", notes: "- New.\n" },
      { version: "1.0.0", date: "2029-01-31", notes: "- First.\n" },
    ]);
  });

  test.each([
    ["1.1.0", changelog, "ready"],
    ["1.2.0", changelog, "wrong"],
    ["1.1.0", changelog.replace("2030-01-31", "not released yet"), "needed"],
    ["1.1.0", changelog.replace("- New.", ""), "wrong"],
    ["1.1.0", "", "wrong"],
  ] as const)("for %s is judged", (version, text, verdict) => {
    expect(changelogStep(text, version).verdict).toBe(verdict);
  });

  test("of this project has a section of the version of package.json", () => {
    expect(changelogStep(read("CHANGELOG.md"), manifest.version).verdict).not.toBe("wrong");
  });
});

describe("a release", () => {
  const sound = {
    name: "keelson",
    version: "1.0.0",
    repository: { type: "git", url: "git+https://git.example/a/b.git" },
    publishConfig: { access: "public", provenance: true },
  };

  test("has one version in all files, which has no tag yet", () => {
    expect(versionStep(sound, { "console/package.json": "1.0.0" }, ["v0.9.0"]).verdict).toBe("ready");
    expect(versionStep(sound, { "console/package.json": "0.9.0" }, [])).toMatchObject({
      verdict: "wrong",
      found: "console/package.json has 0.9.0",
    });
    expect(versionStep(sound, {}, ["v1.0.0"]).verdict).toBe("needed");
    expect(versionStep({ ...sound, version: "1.0" }, {}, []).verdict).toBe("wrong");
  });

  test("finds pages that name the tarball of another version", () => {
    expect(tarballVersion("npm install ./keelson-1.0.0.tgz, later ./keelson-1.1.0.tgz", sound)).toBe("1.0.0");
    expect(tarballVersion("npm install ./keelson-0.9.0.tgz", sound)).toBe("0.9.0");
    expect(tarballVersion("npm install ./other-0.9.0.tgz", sound)).toBeUndefined();
  });

  test.each([
    ['["0.9.0"]', "ready", "1 other versions"],
    ['"0.9.0"', "ready", "1 other versions"],
    ['{"error":{"code":"E404"}}', "ready", "no version yet"],
    ['["0.9.0","1.0.0"]', "needed", "1.0.0 is published already"],
    ['"1.0.0"', "needed", "1.0.0 is published already"],
    ['{"error":{"code":"ECONNREFUSED"}}', "needed", "the registry did not respond (ECONNREFUSED)"],
    ["", "needed", "the registry did not respond"],
  ])("asks whether the version is published: %s", (printed, verdict, found) => {
    expect(registryStep(sound, printed)).toMatchObject({ verdict, found });
  });

  test.each([
    ["main", "ready"],
    ["release-1.0", "ready"],
    ["feature", "needed"],
    ["main-2", "needed"],
    [undefined, "needed"],
  ])("of the branch %s is judged", (branch, verdict) => {
    expect(branchStep(branch).verdict).toBe(verdict);
  });

  test("needs someone to be named in its tag", () => {
    expect(tagStep(sound, "A <a@example.com> 0 +0000").verdict).toBe("ready");
    expect(tagStep(sound, undefined)).toMatchObject({ verdict: "needed", found: "v1.0.0" });
  });

  test("is not what npm installs by default where it is one before a release", () => {
    expect([distTagOf("1.0.0"), distTagOf("1.1.0-rc.1")]).toEqual(["latest", "next"]);
  });

  test("is made of a commit", () => {
    expect(treeStep([], "0123456789abcdef").verdict).toBe("ready");
    expect(treeStep([" M README.md"], "0123456789abcdef").verdict).toBe("needed");
    expect(treeStep(undefined, undefined).verdict).toBe("needed");
  });

  test("asks for what npm needs for provenance, and makes up no repository", () => {
    const inCi = { ACTIONS_ID_TOKEN_REQUEST_URL: "https://ci.example" };
    expect(provenanceStep(sound, inCi).verdict).toBe("ready");
    expect(provenanceStep(sound, {})).toMatchObject({ verdict: "needed", found: "this machine has no ID token" });
    const { repository: _, ...unknown } = sound;
    expect(provenanceStep(unknown, inCi)).toMatchObject({
      verdict: "needed",
      found: "package.json names no repository",
    });
    expect(provenanceStep({ ...sound, repository: "https://git.example" }, inCi).verdict).toBe("wrong");
    expect(provenanceStep({ ...sound, publishConfig: { access: "public" } }, inCi).verdict).toBe("wrong");
    expect(provenanceStep(manifest, {}).verdict).not.toBe("wrong");
  });

  test("has a lock file with checksums", () => {
    expect(lockStep(lock, manifest.dependencies).verdict).toBe("ready");
    expect(lockStep(lock, { ...manifest.dependencies, ws: "0.0.1" })).toMatchObject({
      verdict: "wrong",
      found: "package-lock.json has other versions of ws",
    });
  });

  test("fails where something is wrong, and where something is needed unless it is a dry run", () => {
    const step = { name: "x", found: "", next: "" };
    const codes = (verdict: "ready" | "wrong" | "needed"): number[] =>
      [true, false].map((isDryRun) => exitCodeOf([{ ...step, verdict }], isDryRun));
    expect([codes("ready"), codes("needed"), codes("wrong")]).toEqual([
      [0, 0],
      [0, 1],
      [1, 1],
    ]);
    expect(linesOf([{ ...step, verdict: "ready", found: "a", next: "b" }])).toEqual([
      "STEP  VERDICT  FOUND  NEXT",
      "x     ready    a      b",
    ]);
  });
});

describe("the bill of materials", () => {
  const options = {
    name: "keelson",
    bundles: BUNDLED_PACKAGES,
    time: "2030-01-01T00:00:00.000Z",
  };

  test("has every dependency, with checksum and license, and what is bundled", () => {
    const { components, dependencies } = billOf(lock, options);
    const names = components.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([...Object.keys(manifest.dependencies), "preact", "@codemirror/view"]),
    );
    expect(names).not.toContain("vitest");
    expect(components.filter(({ hashes, licenses }) => !hashes || !licenses)).toEqual([]);
    const form = (name: string): string | undefined =>
      components.find((one) => one.name === name)?.properties.find((one) => one.name === "keelson:form")?.value;
    expect([form("yaml"), form("preact"), form("ws")]).toEqual(["bundled", "bundled", "installed"]);
    const known = new Set(components.map((one) => one["bom-ref"]));
    expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !known.has(ref))).toEqual([]);
  });

  test("is the same for the same commit, and another one for another time", () => {
    expect(JSON.stringify(billOf(lock, options))).toBe(JSON.stringify(billOf(lock, options)));
    const other = billOf(lock, { ...options, time: "2030-01-02T00:00:00.000Z" });
    expect(other.serialNumber).not.toBe(billOf(lock, options).serialNumber);
    expect(other.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  test("names the package that a lock file lacks", () => {
    const { "node_modules/ws": _, ...packages } = lock.packages as Record<string, object>;
    expect(() => billOf({ ...lock, packages } as LockFile, options)).toThrow(
      "expected package-lock.json to have ws, which keelson needs",
    );
  });
});
