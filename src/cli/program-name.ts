import { basename, extname } from "node:path";

/** Programs that run the actual program, such as interpreters. */
const INTERPRETERS: ReadonlySet<string> = new Set([
  "bun",
  "deno",
  "java",
  "node",
  "npx",
  "python",
  "python3",
  "ruby",
  "sh",
]);

/** The name of a program in reports: `./bin/manager --x` is `manager`, and so is `node manager.ts`; names of a trace are not for programs. */
export function programName([path, ...rest]: readonly [string, ...string[]]): string {
  const isScript = (word: string): boolean => !/^[-{]/.test(word) && extname(word) !== "";
  const script = INTERPRETERS.has(basename(path)) ? rest.find(isScript) : undefined;
  const name = script === undefined ? basename(path) : basename(script, extname(script));
  return ["user", "cluster", ""].includes(name) ? "program" : name;
}
