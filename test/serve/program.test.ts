/**
 * The program that is put together of all modules: it runs only where it is what the sources say, and nothing that it keeps beside
 * itself can make it wrong.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

interface Program {
  open(name: string, command: string): Record<string, () => unknown>;
  keep(): void;
}

interface Programs {
  readonly cacheFolder: () => string | undefined;
  readonly openProgram: (root: string) => Program | undefined;
  readonly stateOf: (file: string) => string | undefined;
  readonly keepNewest: (folder: string) => void;
}

const file = new URL("../../bin/program.js", import.meta.url).href;
const { cacheFolder, openProgram, stateOf, keepNewest } = (await import(file)) as Programs;

let root = "";
const at = (path: string): string => join(root, path);
const code = (): readonly string[] =>
  readdirSync(at("dist/program/one/code"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );

beforeEach(() => {
  root = `${mkdtempSync(join(tmpdir(), "keelson-program-"))}/`;
  for (const folder of ["src", "dist/program/one"]) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at("src/main.ts"), "export const answer = (): number => 42;");
  const main = 'const other=require("./other.js");exports.answer=()=>other.half()*2;exports.where=()=>__filename;';
  writeFileSync(at("dist/program/one/main.js"), main);
  writeFileSync(at("dist/program/one/other.js"), 'exports.half=()=>21;exports.path=()=>require("node:path").sep;');
  const sources = { "src/main.ts": stateOf(at("src/main.ts")) };
  writeFileSync(at("dist/program/current.json"), JSON.stringify({ id: "one", sources }));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

test("runs what was put together, each chunk once, and keeps what was compiled", () => {
  const program = openProgram(root)!;
  const main = program.open("main.js", "serve");
  expect([main["answer"]!(), main["where"]!()]).toEqual([42, at("dist/program/one/main.js")]);
  expect(program.open("main.js", "serve")).toBe(main);
  expect(program.open("other.js", "serve")["path"]!()).toBe("/");
  program.keep();
  expect(code()).toHaveLength(2);
  const again = openProgram(root)!;
  expect(again.open("main.js", "serve")["answer"]!()).toBe(42);
  const before = code().map((name) => readFileSync(at(`dist/program/one/code/${name}`)));
  again.keep();
  expect(code().map((name) => readFileSync(at(`dist/program/one/code/${name}`)))).toEqual(before);
});

test("compiled code that was cut or changed is created again", () => {
  const program = openProgram(root)!;
  program.open("main.js", "serve");
  program.keep();
  const read = (): readonly Buffer[] => code().map((name) => readFileSync(at(`dist/program/one/code/${name}`)));
  const spoilt = read().map((whole, index) => {
    const copy = Buffer.from(whole);
    copy[copy.length - 9]! ^= 1;
    return index === 0 ? copy.subarray(0, 99) : copy;
  });
  for (const [index, name] of code().entries()) writeFileSync(at(`dist/program/one/code/${name}`), spoilt[index]!);
  const again = openProgram(root)!;
  expect(again.open("main.js", "serve")["answer"]!()).toBe(42);
  again.keep();
  for (const [index, made] of read().entries()) expect(made).not.toEqual(spoilt[index]);
});

test("a server saves the compiled code while it runs", async () => {
  cpSync(new URL("../../bin", import.meta.url), at("bin"), { recursive: true });
  writeFileSync(at("package.json"), '{ "type": "module" }');
  writeFileSync(at("dist/program/one/main.js"), "exports.main=()=>new Promise((resolve)=>setTimeout(resolve,60000));");
  const server = spawn(process.execPath, [at("bin/keelson.js"), "serve"], { stdio: "ignore" });
  const ended = once(server, "exit");
  await expect.poll(() => existsSync(at("dist/program/one/code")) && code().length).toBe(1);
  server.kill("SIGKILL");
  expect(await ended).toEqual([null, "SIGKILL"]);
});

test("sources that were changed, touched or removed run themselves", () => {
  expect(openProgram(root)).toBeDefined();
  writeFileSync(at("src/main.ts"), "export const answer = (): number => 4;");
  expect(openProgram(root)).toBeUndefined();
  writeFileSync(at("src/main.ts"), "export const answer = (): number => 43;");
  utimesSync(at("src/main.ts"), 1, 1);
  expect(openProgram(root)).toBeUndefined();
  rmSync(at("src/main.ts"));
  expect(openProgram(root)).toBeUndefined();
});

test("a package has no sources, and its program is the one that was built", () => {
  rmSync(at("src"), { recursive: true });
  expect(openProgram(root)!.open("main.js", "serve")["answer"]!()).toBe(42);
  rmSync(at("dist/program/current.json"));
  expect(openProgram(root)).toBeUndefined();
});

test("a user without a home directory runs the program, and has no cache folder", () => {
  vi.spyOn(process, "getuid").mockReturnValue(12_345);
  vi.stubEnv("XDG_CACHE_HOME", undefined);
  vi.spyOn(process.getBuiltinModule("node:os"), "homedir").mockImplementation(() => {
    throw new Error("uv_os_homedir returned ENOENT");
  });
  expect(cacheFolder()).toBeUndefined();
  const program = openProgram(root)!;
  expect(program.open("main.js", "serve")["answer"]!()).toBe(42);
  program.keep();
  expect(code()).toHaveLength(2);
});

test("the compile cache of a package is in a folder of the user, that of root beside the program", async () => {
  cpSync(new URL("../../bin", import.meta.url), at("bin"), { recursive: true });
  writeFileSync(at("package.json"), '{ "type": "module" }');
  rmSync(at("src"), { recursive: true });
  writeFileSync(at("dist/program/one/main.js"), "exports.main=()=>console.log(process.env.NODE_COMPILE_CACHE);");
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const child = spawn(process.execPath, [at("bin/keelson.js"), "version"], {
    env: { ...env, XDG_CACHE_HOME: at("cache") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const folder = process.getuid?.() === 0 ? "dist/compiled" : "cache/keelson-node";
  expect(await text(child.stdout)).toBe(`${at(folder)}\n`);
});

test("of programs the four that were made last are kept", () => {
  for (const [index, name] of ["a", "b", "c", "d", "e", "f"].entries()) {
    mkdirSync(at(`src/${name}`));
    utimesSync(at(`src/${name}`), index, index);
  }
  keepNewest(at("src"));
  expect(readdirSync(at("src")).sort()).toEqual(["c", "d", "e", "f", "main.ts"]);
});
