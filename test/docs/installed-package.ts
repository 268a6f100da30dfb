/**
 * The package as it is installed, for tests: built, with the files that it says it has and its dependencies beside it.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const root = new URL("../../", import.meta.url).pathname;

/** Builds the package of this checkout into `node_modules` of a folder; resolves to its command. Takes some ten seconds. */
export async function installPackage(folder: string): Promise<string> {
  const { bin, dependencies, files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    bin: { keelson: string };
    dependencies: Record<string, string>;
    files: readonly string[];
  };
  const installed = join(folder, "node_modules/keelson");
  const node = (...args: readonly string[]) => promisify(execFile)(process.execPath, args, { cwd: folder });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const build = ["-p", join(root, "tsconfig.build.json"), "--outDir", join(installed, "dist"), "--noCheck"];
  await node(compiler, ...build, "--declaration", "false");
  await node(join(root, "tools/copy-generated.js"), join(installed, "dist"));
  await node(join(root, "tools/bundle-small.js"), join(installed, "dist"));
  await node(join(root, "tools/bundle.js"), join(installed, "dist"));
  for (const file of ["package.json", ...files.filter((name) => name !== "dist")]) {
    cpSync(join(root, file), join(installed, file), { recursive: true });
  }
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return join(installed, bin.keelson);
}
