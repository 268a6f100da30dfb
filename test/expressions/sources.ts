/**
 * The modules that ship: those of `src/`, of the console and of the site without tests, and of `bin/`.
 *
 * @module
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A module by its path from the root of the project. */
export interface SourceModule {
  readonly path: string;
  readonly text: string;
}

const ROOT = new URL("../..", import.meta.url).pathname;
/** As in `tsconfig.build.json`. */
const NOT_SHIPPED = /\.test\.ts$|^(?:console\/|site\/)?src\/[^/]+\/(?:.*\/)?testing\//;

/** All of them. */
export const shippedModules = (): SourceModule[] =>
  ["src", "bin", "console/src", "site/src"].flatMap((directory) =>
    readdirSync(join(ROOT, directory), { recursive: true, encoding: "utf8" })
      .map((path) => join(directory, path))
      .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !path.endsWith(".d.ts") && !NOT_SHIPPED.test(path))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") })),
  );
