import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { makeEnvtestDirectory } from "./directory.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "keelson-assets-")));
afterAll(() => rmSync(scratch, { recursive: true }));

let count = 0;
let directory: string;
beforeEach(() => {
  directory = join(scratch, `it's ${++count}`, "assets");
});

/** A folder with a program that is called kubectl. */
function withKubectl(name: string, mode = 0o755): string {
  const folder = join(scratch, `${name}-${count}`);
  mkdirSync(folder);
  writeFileSync(join(folder, "kubectl"), "#!/bin/sh\necho it is\n");
  chmodSync(join(folder, "kubectl"), mode);
  return folder;
}

const ask = (program: string, ...args: string[]): string =>
  execFileSync(join(directory, program), args, { encoding: "utf8", env: {} });

test("creates two programs that every user may run", () => {
  expect(makeEnvtestDirectory(directory, "")).toEqual({ path: directory, kubectl: undefined });
  for (const name of ["etcd", "kube-apiserver"]) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o755);
});

test("the help has --unsafe-no-fsync and no --insecure-port, as envtest needs", () => {
  makeEnvtestDirectory(directory, "");
  expect(ask("etcd", "--help")).toMatch(/^\s*--unsafe-no-fsync\b/m);
  const help = ask("kube-apiserver", "--help");
  expect(help).not.toMatch(/^\s*--insecure-port\b/m);
  expect(help).toMatch(/^ +--secure-port +The port to listen on; 0 is any free port\.$/m);
});

test("the programs print the version that they emulate", () => {
  makeEnvtestDirectory(directory, "");
  expect(ask("kube-apiserver", "--version")).toMatch(/^Kubernetes v1\.35\.\d+\+keelson\./);
  expect(ask("etcd", "--version")).toMatch(/^etcd Version: 3\.6\.\d+\+keelson\./);
});

test("links the first kubectl of the path", () => {
  const [plain, found, other] = [withKubectl("plain", 0o644), withKubectl("found"), withKubectl("other")];
  const path = ["/nowhere", plain, found, other].join(":");
  expect(makeEnvtestDirectory(directory, path).kubectl).toBe(join(found, "kubectl"));
  expect(readlinkSync(join(directory, "kubectl"))).toBe(join(found, "kubectl"));
  expect(ask("kubectl")).toBe("it is\n");
});

test("links the programs in the folders of a version, also when they are created again", () => {
  const found = withKubectl("found");
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const layouts = ["", "k8s/"].map((folder) => `${folder}1.35.0-${process.platform}-${arch}`);
  for (let i = 0; i < 2; i++) {
    makeEnvtestDirectory(directory, found);
    for (const layout of layouts) {
      expect(ask(join(layout, "kube-apiserver"), "--version")).toMatch(/^Kubernetes v1\.35\.0/);
      expect(ask(join(layout, "etcd"), "--version")).toMatch(/^etcd Version/);
      expect(ask(join(layout, "kubectl"))).toBe("it is\n");
    }
  }
  makeEnvtestDirectory(directory, "");
  for (const layout of layouts) {
    expect(lstatSync(join(directory, layout, "kubectl"), { throwIfNoEntry: false })).toBeUndefined();
  }
});

test("creating the directory again has the same result", () => {
  const [first, second] = [withKubectl("first"), withKubectl("second")];
  makeEnvtestDirectory(directory, first);
  writeFileSync(join(directory, "etcd"), "# Made by keelson envtest, an older one\n");
  makeEnvtestDirectory(directory, [directory, second].join(":"));
  expect(readFileSync(join(directory, "etcd"), "utf8")).toMatch(/^#!\/bin\/sh\n/);
  expect(readlinkSync(join(directory, "kubectl"))).toBe(join(second, "kubectl"));
  expect(makeEnvtestDirectory(directory, directory).kubectl).toBeUndefined();
  expect(lstatSync(join(directory, "kubectl"), { throwIfNoEntry: false })).toBeUndefined();
});

test("an existing kubectl that is not a link stays", () => {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "kubectl"), "own");
  expect(makeEnvtestDirectory(directory, withKubectl("found")).kubectl).toBe(join(directory, "kubectl"));
  expect(readFileSync(join(directory, "kubectl"), "utf8")).toBe("own");
});

test("refuses to overwrite other programs, and writes nothing then", () => {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "etcd"), "a real one");
  expect(() => makeEnvtestDirectory(directory, "")).toThrow(
    `expected ${join(directory, "etcd")} not to exist, or to be created by this command: choose another directory`,
  );
  expect(readFileSync(join(directory, "etcd"), "utf8")).toBe("a real one");
  expect(statSync(join(directory, "kube-apiserver"), { throwIfNoEntry: false })).toBeUndefined();
});

test("reports a directory that cannot be created", () => {
  const file = join(scratch, "file");
  writeFileSync(file, "");
  expect(() => makeEnvtestDirectory(join(file, "in"), "")).toThrow(
    /^expected .*file\/in to be a directory that can be written to, found /,
  );
});
