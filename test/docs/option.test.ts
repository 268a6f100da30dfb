/**
 * The passage of CONTRIBUTING.md about a new option, followed to the letter in a copy of the sources: its row is put under its
 * heading, and nothing else is changed.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CopiedSources, passageOf } from "./copied-sources.ts";

const passage = passageOf("CONTRIBUTING.md", "Adding an option");
const table = /`(src\/\S+\.ts)`/.exec(passage)![1]!;
const [, heading = "", row = ""] = /^```ts\n\/\/ (.*)\n([^]*?)^```$/m.exec(passage)!;
const [, key = "", preset = "", about = "", property = ""] =
  /^"(\S+)": option\(\w+, "(\S+)", "(.*)", \{ as: "(\w+)" \}\),\n$/.exec(row)!;

const variable = `KEELSON_${key.toUpperCase().replaceAll("-", "_")}`;

/** One start of the program of the copy, and what it prints: help, the page, or the value of the new option in place of a server. */
interface Start {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the program of the copy once for each start, all in one process, and prints what each has printed. */
const PROGRAM = `
import { serveFlags } from "./src/app/options/flags.ts";
import { readOptions } from "./src/app/program/read-options.ts";
import { createProgram } from "./src/cli/program.ts";
import { configurationPage } from "./tools/reference/configuration.ts";

async function run({ args, env = {} }) {
  if (args[0] === "page") return configurationPage()[1];
  Object.assign(process.env, env);
  let output = "";
  const program = createProgram({
    version: "",
    flags: serveFlags(),
    terminal: { env: {} },
    driverFeatures: {},
    async serve(flags, file) {
      output += (await readOptions(flags, file, () => {}))["${property}"];
    },
  });
  const serve = program.commands.find((command) => command.name() === "serve");
  serve.configureOutput({ writeOut: (text) => void (output += text) });
  await program.parseAsync(args, { from: "user" }).catch((error) => void (output += error.message));
  for (const name of Object.keys(env)) delete process.env[name];
  return output;
}

const outputs = [];
for (const start of JSON.parse(process.argv[2])) outputs.push(await run(start));
process.stdout.write(JSON.stringify(outputs));
`;

const copy = new CopiedSources(["src", "tools", "package.json"]);
const file = copy.path("options.yaml");
afterAll(() => copy.remove());

const starts: Readonly<Record<string, Start>> = {
  help: { args: ["serve", "--help"] },
  nothing: { args: ["serve"] },
  file: { args: ["serve", "--config", file] },
  environment: { args: ["serve", "--config", file], env: { [variable]: "2s" } },
  flag: { args: ["serve", "--config", file, `--${key}`, "1s"], env: { [variable]: "2s" } },
  wrong: { args: ["serve", `--${key}`, "soon"] },
  wrongVariable: { args: ["serve"], env: { [variable]: "soon" } },
  page: { args: ["page"] },
};
let outputs: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  const [place] = new RegExp(`section\\("${heading}", "[\\d.]+", \\{\n`).exec(copy.read(table)) ?? [""];
  if (place === "") throw new Error(`expected ${table} to have the heading ${heading}`);
  copy.write(table, copy.read(table).replace(place, `${place}    ${row}`));
  copy.write("options.yaml", `${key}: 3s\n`);
  const printed = (await copy.run(PROGRAM, [JSON.stringify(Object.values(starts))])) as string[];
  outputs = Object.fromEntries(Object.keys(starts).map((name, i) => [name, printed[i]!]));
});

describe("a new option is one row", () => {
  test("the passage names what follows from the row", () => {
    for (const name of [`--${key}`, variable, `options.${property}`]) expect(passage).toContain(`\`${name}\``);
    expect([key, preset, about, property]).not.toContain("");
  });

  test("help shows it under its heading, with its default and its variable", () => {
    const group = outputs["help"]!.slice(outputs["help"]!.indexOf(`\n${heading}:\n`));
    const shown = group.slice(group.indexOf(`--${key} `), group.indexOf(`--${key} `) + 400).replaceAll(/\s+/g, " ");
    expect(shown).toContain(about);
    expect(shown).toContain(`(default: ${preset}) [${variable}]`);
  });

  test("its value comes from flag, environment and file, in this order, and else is the default", () => {
    const { nothing, file: inFile, environment, flag } = outputs;
    expect({ nothing, inFile, environment, flag }).toEqual({
      nothing: "5000",
      inFile: "3000",
      environment: "2000",
      flag: "1000",
    });
  });

  test("a wrong value is refused by the name that it has where it was given", () => {
    expect(outputs["wrong"]).toContain(`expected --${key} to be a duration`);
    expect(outputs["wrongVariable"]).toContain(`expected ${variable} to be a duration`);
  });

  test("the page has its row", () => {
    const line = outputs["page"]!.split("\n").find((one) => one.includes(`\`--${key}\``));
    for (const part of [variable, "duration", `\`${preset}\``, about]) expect(line).toContain(part);
  });
});
