/**
 * What pages and unit files tell a reader to type: commands and flags that there are, scripts and files that there are,
 * options that a server takes.
 *
 * @module
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resolveOptions } from "../../src/app/options/options.ts";
import { fromEnvironment, fromFile } from "../../src/app/options/sources.ts";
import { decodeYaml } from "../../src/value/yaml.ts";
import { documented } from "../../tools/reference/commands.ts";

const root = new URL("../../", import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const pages = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: root });
const units = globSync("packaging/systemd/*.service", { cwd: root });

interface Typed {
  readonly where: string;
  readonly line: string;
}

/** The lines of a page that are typed: those of `sh` blocks, those after `$` in `console` blocks, those set off by blanks. */
function linesOf(page: string): Typed[] {
  const text = read(page).replaceAll("\\\n", "");
  const blocks = [...text.matchAll(/^```(sh|console)\n([^]*?)^```$/gm)].flatMap(([, language, block]) =>
    language === "sh" ? block!.split("\n") : [...block!.matchAll(/^\$ (.*)$/gm)].map(([, line]) => line!),
  );
  const indented = [...text.replace(/^```[^]*?^```$/gm, "").matchAll(/^ {4}(\S.*)$/gm)].map(([, line]) => line!);
  return [...blocks, ...indented].map((line) => ({ where: page, line }));
}

const started = (unit: string): Typed[] =>
  [...read(unit).matchAll(/^ExecStart(?:Post)?=(.*)$/gm)].map(([, line]) => ({ where: unit, line: line! }));

const lines = [...pages.flatMap(linesOf), ...units.flatMap(started)];
const tell = ({ where, line }: Typed): string => `${where}: ${line}`;
const program = documented();

/** What a line says to `keelson`, from the name of a command on, up to what it runs or where it is piped. */
const told = (line: string): readonly string[] =>
  /(?:^|npx |\| |(?:^|exec )\/\S*\/)keelson ((?:(?! -- | \| |;|&).)*)/.exec(line)?.[1]?.trim().split(/\s+/) ?? [];

/** The words that no command or flag of the program is. */
function unknownIn(line: string): string[] {
  const [name = "", ...rest] = told(line);
  if (name === "" || name.startsWith("-")) return [];
  const parent = program.commands.find((one) => one.name() === name);
  if (parent === undefined) return [name];
  const command = parent.commands.find((one) => one.name() === rest[0]) ?? parent;
  const flags = rest.filter((word) => word.startsWith("--")).map((word) => word.split("=")[0]!);
  return flags.filter((flag) => !command.options.some(({ long }) => long === flag) && flag !== "--help");
}

test("every keelson command and flag is one of the program's", () => {
  expect(lines.filter(({ line }) => told(line).length > 0).length).toBeGreaterThan(30);
  expect(lines.filter(({ line }) => unknownIn(line).length > 0).map(tell)).toEqual([]);
});

test("every script and every file that node or npm is to run exists", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const missing = lines.filter(({ line }) => {
    const script = /\bnpm run ([\w:-]+)/.exec(line)?.[1];
    const file = /\bnode ((?:bench|tools|test|examples)\/\S+)/.exec(line)?.[1];
    return (
      (script !== undefined && scripts[script] === undefined) || (file !== undefined && !existsSync(join(root, file)))
    );
  });
  expect(missing.map(tell)).toEqual([]);
});

test("the configuration file of the service is one that a server takes", () => {
  const said = fromFile(decodeYaml(Buffer.from(read("packaging/systemd/keelson.yaml"))).value, "keelson.yaml");
  expect(resolveOptions(said)).toMatchObject({ port: 6443, dialect: { name: "kubernetes" } });
});

test("the environment of the image is one that a server takes", () => {
  const words = /^ENV (.*)$/m.exec(read("packaging/container/Dockerfile"))![1]!.split(" ");
  const said = fromEnvironment(Object.fromEntries(words.map((word) => word.split("=") as [string, string])));
  expect(resolveOptions(said)).toMatchObject({ bind: "0.0.0.0", dataDir: "/var/lib/keelson" });
});
