/**
 * The page about exploring is played as its reader types it: with the package installed in an empty folder, each file written when the
 * page shows it, the later ones over the earlier ones. The page about reports shows what comes of the first of them.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findKubectls } from "../kubectl/kubectl.ts";
import { installPackage, linkPackage } from "./installed-package.ts";
import { asSaidExactly, firstMissing, partsOf, run } from "./played.ts";

const root = new URL("../../", import.meta.url).pathname;
const kubectl = findKubectls().at(-1);
const folder = mkdtempSync(join(tmpdir(), "keelson-sites-"));
const bin = join(folder, "node_modules/.bin");
const env: NodeJS.ProcessEnv = {
  PATH: [bin, process.env["PATH"]].join(delimiter),
  HOME: folder,
  NO_COLOR: "1",
};
const stopped: ChildProcess[] = [];
afterAll(async () => {
  for (const child of stopped) {
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGINT");
    await ended;
  }
  rmSync(folder, { recursive: true });
});

beforeAll(async () => {
  const command = await installPackage(folder);
  linkPackage(folder, "vitest");
  mkdirSync(bin);
  const program = (name: string, ...words: readonly string[]): void =>
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, { mode: 0o755 });
  program("keelson", process.execPath, command);
  program("vitest", process.execPath, join(root, "node_modules/vitest/vitest.mjs"));
  program("node", process.execPath);
  program("npx");
  if (kubectl !== undefined) symlinkSync(kubectl, join(bin, "kubectl"));
}, 900_000);

const pageOf = (name: string): string => readFileSync(join(root, `docs/guides/${name}.md`), "utf8");

/** Starts a command that stays, until it has printed where its cluster is; the commands that follow are for that cluster. */
async function stay(command: string): Promise<string> {
  const child = spawn("bash", ["-c", `exec ${command} 2>&1`], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  stopped.push(child);
  let printed = "";
  await new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const [, path] = /^export KUBECONFIG=(.*)\n/m.exec(printed) ?? [];
      if (path === undefined) return;
      env["KUBECONFIG"] = path;
      resolve();
    });
  });
  return printed;
}

test("prints what it says", { timeout: 600_000 }, async () => {
  let commands = 0;
  for (const part of partsOf(pageOf("explore"))) {
    if ("file" in part) {
      writeFileSync(join(folder, part.file), part.text);
      continue;
    }
    const { command, says } = part;
    if (command.startsWith("kubectl ") && kubectl === undefined) continue;
    commands++;
    // One after the other, as they are typed.
    const printed = command.includes(" --until ") ? await stay(command) : await run(command, folder, env);
    expect(`$ ${command}\n${asSaidExactly(says, printed)}`).toBe(`$ ${command}\n${says}`);
  }
  expect(commands).toBeGreaterThan(8);
});

test("the page about reports shows what the first controller brings about", { timeout: 300_000 }, async () => {
  const first = Map.groupBy(
    partsOf(pageOf("explore")).filter((part) => "file" in part),
    ({ file }) => file,
  );
  for (const [file, [part]] of first) writeFileSync(join(folder, file), part!.text);
  await run("npx keelson types definition.yaml -o kind.ts", folder, env);
  const printed = [
    (await run("npx vitest run explore", folder, env)).replace(/^Error: /m, ""),
    await run("npx keelson explore sites.explore.ts --plans 57", folder, env),
  ];
  const blocks = [...pageOf("explore-reports").matchAll(/^```text\n([^]*?)^```$/gm)].map(([, text]) => text!);
  expect(blocks.length).toBeGreaterThan(3);
  for (const block of blocks) {
    const missing = printed.map((text) => firstMissing(block, text));
    expect(missing.includes(undefined), `${missing.join("\n")}\nis not in\n${printed.join("\n")}`).toBe(true);
  }
});

test("the types of its files are right", { timeout: 300_000 }, async () => {
  for (const name of ["@types/node", "undici-types"]) linkPackage(folder, name);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: "esnext",
    module: "nodenext",
    types: ["node"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  expect(await run(`node ${root}node_modules/typescript/bin/tsc -p .`, folder, env)).toBe("");
});
