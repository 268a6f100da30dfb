/**
 * The sources as `npm run build` compiles them, once for each state of them: modules, declarations and bundles.
 *
 * @module
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import { built } from "../clients/built.ts";

const root = new URL("../../", import.meta.url).pathname;
const SOURCES = [
  "src/**/*.ts",
  "src/**/*.js",
  "src/**/*.json",
  "bin/*.js",
  "tools/*.js",
  "tsconfig*.json",
  "package*.json",
  "console/{index.html,vite.config.ts,package.json}",
  "console/{public,src}/**/*.*",
];

/** Resolves to the compiled `dist` of this checkout; the first call after a change takes some ten seconds. */
export async function compiled(): Promise<string> {
  const tool = (name: string): string => join(root, "tools", name);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const dist = await built({
    name: "keelson",
    folder: root,
    files: globSync(SOURCES, { cwd: root })
      .filter((file) => !file.endsWith(".test.ts"))
      .map((file) => join(root, file)),
    commands: (output) => [
      // `npm run check` has found what is wrong with the types.
      [process.execPath, compiler, "-p", "tsconfig.build.json", "--noCheck", "--outDir", output],
      [process.execPath, tool("copy-generated.js"), output],
      [process.execPath, tool("prune-declarations.js"), output],
      [process.execPath, tool("bundle-small.js"), output],
      [process.execPath, tool("bundle.js"), output],
      [process.execPath, tool("console.js"), output],
    ],
  });
  if (dist === undefined) throw new Error("expected the sources to compile with no tool but those in node_modules");
  return dist;
}
