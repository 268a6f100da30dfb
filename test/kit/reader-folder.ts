/**
 * A folder of a user of this package: its files import `keelson/...`, which are the compiled modules and their declarations.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compiled } from "../docs/compiled.ts";

const root = new URL("../../", import.meta.url).pathname;
const ENTRIES = ["client", "controller", "kinds", "testing", "testing/vitest"];

/** The files of the exports of this package, below a `dist`. */
function exportsIn(dist: string, extension: string): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    exports: Record<string, { default: string }>;
  };
  const file = (entry: string): string =>
    join(dist, exports[`./${entry}`]!.default.replace("./dist/", "").replace(/\.js$/, extension));
  return Object.fromEntries(ENTRIES.map((entry) => [`keelson/${entry}`, file(entry)]));
}

/** The folder, until it is disposed of. */
export class ReaderFolder implements Disposable {
  readonly path: string;

  /** Makes a folder. */
  static async make(name: string): Promise<ReaderFolder> {
    return new ReaderFolder(name, await compiled());
  }

  private constructor(name: string, dist: string) {
    this.path = mkdtempSync(join(tmpdir(), `keelson-${name}-`));
    symlinkSync(`${root}node_modules`, join(this.path, "node_modules"));
    const write = (file: string, value: unknown): void => writeFileSync(join(this.path, file), JSON.stringify(value));
    write("package.json", { type: "module" });
    const declared = exportsIn(dist, ".d.ts");
    const paths = Object.fromEntries(Object.entries(declared).map(([entry, path]) => [entry, [path]]));
    write("tsconfig.json", { extends: `${root}tsconfig.json`, compilerOptions: { paths }, include: ["*.ts"] });
    const modules = exportsIn(dist, ".js");
    const alias = Object.entries(modules).map(([entry, path]) => ({ find: `^${entry}$`, replacement: path }));
    writeFileSync(
      join(this.path, "vitest.config.mjs"),
      `const alias = ${JSON.stringify(alias)}.map((one) => ({ ...one, find: new RegExp(one.find) }));
     // As a package below node_modules, it is no source of the reader's.
     const external = [new RegExp(RegExp.escape(${JSON.stringify(dist)}))];
     export default { resolve: { alias }, server: { fs: { strict: false } }, test: { server: { deps: { external } } } };`,
    );
    writeFileSync(
      join(this.path, "alias.mjs"),
      `import { registerHooks } from "node:module";
     import { pathToFileURL } from "node:url";
     const modules = ${JSON.stringify(modules)};
     registerHooks({
       resolve: (name, context, next) =>
         modules[name] ? { url: pathToFileURL(modules[name]).href, shortCircuit: true } : next(name, context),
     });`,
    );
  }

  /** Runs a program of Node in the folder; what it said, where it did not succeed. */
  async complaint(...args: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, args, { cwd: this.path, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const code = await new Promise((resolve) => child.on("close", resolve));
    return code === 0 ? "" : said;
  }

  /** What TypeScript says of the files of the folder. */
  typeFaults(): Promise<string> {
    return this.complaint(`${root}node_modules/typescript/bin/tsc`, "-p", ".");
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}
