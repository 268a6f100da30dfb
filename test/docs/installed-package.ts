/**
 * The package as it is installed, for tests: built, with the files that it says it has and its dependencies beside it.
 *
 * @module
 */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compiled } from "./compiled.ts";

const root = new URL("../../", import.meta.url).pathname;

/** Puts the package of this checkout into `node_modules` of a folder; resolves to its command. */
export async function installPackage(folder: string): Promise<string> {
  const { bin, dependencies, files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    bin: { keelson: string };
    dependencies: Record<string, string>;
    files: readonly string[];
  };
  const installed = join(folder, "node_modules/keelson");
  cpSync(await compiled(), join(installed, "dist"), { recursive: true });
  for (const file of ["package.json", ...files.filter((name) => name !== "dist" && !name.startsWith("!"))]) {
    cpSync(join(root, file), join(installed, file), { recursive: true });
  }
  for (const name of Object.keys(dependencies)) linkPackage(folder, name);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return join(installed, bin.keelson);
}

/** Makes a package of this checkout one of a folder. */
export function linkPackage(folder: string, name: string): void {
  const link = join(folder, "node_modules", name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(root, "node_modules", name), link);
}
