/**
 * The small programs of the terminal of a page: those that pages use beside kubectl and keelson.
 *
 * @module
 */
import type { Program, Streams } from "./shell.ts";

/** The texts of files, or the input without any. @returns undefined where one is missing, which is printed */
function textsOf(program: string, names: readonly string[], { input, err, shell }: Streams): string | undefined {
  if (names.length === 0) return input;
  let text = "";
  for (const name of names) {
    const found = name === "-" ? input : shell.files.read(name);
    if (found === undefined) {
      err(`${program}: ${name}: No such file or directory\n`);
      return undefined;
    }
    text += found;
  }
  return text;
}

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

const withLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

const echo: Program = (args, { out }) => {
  const [first, ...rest] = args;
  out(first === "-n" ? rest.join(" ") : `${args.join(" ")}\n`);
  return 0;
};

const cat: Program = (args, streams) => {
  const text = textsOf("cat", args, streams);
  if (text === undefined) return 1;
  streams.out(text);
  return 0;
};

/** A command `s/a/b/g` of sed, with any character in place of `/`. */
async function substitution(script: string): Promise<((line: string) => string) | undefined> {
  if (script[0] !== "s" || script.length < 4) return undefined;
  const [, mark] = script;
  const parts = [""];
  for (let at = 2; at < script.length; at++) {
    if (script[at] === "\\" && script[at + 1] === mark) parts.push(`${parts.pop()}${script[++at]}`);
    else if (script[at] === "\\") parts.push(`${parts.pop()}\\${script[++at] ?? ""}`);
    else if (script[at] === mark) parts.push("");
    else parts.push(`${parts.pop()}${script[at]}`);
  }
  const [pattern, replacement, flags] = parts;
  if (parts.length !== 3 || pattern === undefined || replacement === undefined || !/^[gi]*$/.test(flags ?? "")) {
    return undefined;
  }
  const { RE2JS } = await import("re2js");
  const compiled = RE2JS.compile(pattern, flags!.includes("i") ? RE2JS.CASE_INSENSITIVE : 0);
  // In sed `&` is the match, and `\1` a group of it.
  const text = replacement
    .replaceAll("$", "\\$")
    .replace(/\\&|&|\\(\d)/g, (found: string, group?: string) =>
      found === "\\&" ? "&" : group === undefined ? "$&" : `$${group}`,
    );
  return (line) => {
    const matcher = compiled.matcher(line);
    return flags!.includes("g") ? matcher.replaceAll(text) : matcher.replaceFirst(text);
  };
}

const sed: Program = async (args, streams) => {
  const given = args.filter((arg) => arg !== "-e" && arg !== "-E");
  const [script = "", ...names] = given;
  const change = await substitution(script);
  if (!change) {
    streams.err(`sed: expected a command such as s/a/b/, got ${script}\n`);
    return 1;
  }
  const text = textsOf("sed", names, streams);
  if (text === undefined) return 1;
  streams.out(withLines(linesOf(text).map(change)));
  return 0;
};

const grep: Program = async (args, streams) => {
  const flags = args.filter((arg) => /^-[ivcqEFo]+$/.test(arg)).join("");
  const [pattern = "", ...names] = args.filter((arg) => !/^-[ivcqEFo]+$/.test(arg));
  const text = textsOf("grep", names, streams);
  if (text === undefined) return 2;
  const { RE2JS } = await import("re2js");
  const source = flags.includes("F") ? RE2JS.quote(pattern) : pattern;
  const compiled = RE2JS.compile(source, flags.includes("i") ? RE2JS.CASE_INSENSITIVE : 0);
  const found = linesOf(text).filter((line) => compiled.matcher(line).find() !== flags.includes("v"));
  if (flags.includes("c")) streams.out(`${found.length}\n`);
  else if (!flags.includes("q")) streams.out(withLines(found));
  return found.length > 0 ? 0 : 1;
};

const ends =
  (program: "head" | "tail"): Program =>
  (args, streams) => {
    const at = args.indexOf("-n");
    const short = args.find((arg) => /^-\d+$/.test(arg));
    const count = at >= 0 ? Number(args[at + 1]) : short === undefined ? 10 : Number(short.slice(1));
    const names = args.filter((arg, i) => arg !== short && (at < 0 || (i !== at && i !== at + 1)));
    const text = textsOf(program, names, streams);
    if (text === undefined) return 1;
    const lines = linesOf(text);
    streams.out(withLines(program === "head" ? lines.slice(0, count) : count === 0 ? [] : lines.slice(-count)));
    return 0;
  };

const wc: Program = (args, streams) => {
  const text = textsOf(
    "wc",
    args.filter((arg) => !arg.startsWith("-")),
    streams,
  );
  if (text === undefined) return 1;
  const lines = linesOf(text).length;
  const words = text.split(/\s+/).filter(Boolean).length;
  streams.out(args.includes("-l") ? `${lines}\n` : `${lines} ${words} ${text.length}\n`);
  return 0;
};

const sort: Program = (args, streams) => {
  const text = textsOf(
    "sort",
    args.filter((arg) => !arg.startsWith("-")),
    streams,
  );
  if (text === undefined) return 1;
  const lines = linesOf(text).toSorted();
  streams.out(withLines(args.includes("-u") ? [...new Set(lines)] : args.includes("-r") ? lines.toReversed() : lines));
  return 0;
};

const ls: Program = (args, { out, shell }) => {
  const [folder = "/"] = args.filter((arg) => !arg.startsWith("-"));
  const start = folder === "/" || folder === "." ? "/" : `/${folder.replace(/^\/|\/$/g, "")}/`;
  out(
    withLines(
      shell.files
        .list()
        .filter((name) => name.startsWith(start))
        .map((name) => name.slice(start.length)),
    ),
  );
  return 0;
};

const rm: Program = (args, { err, shell }) => {
  let code = 0;
  for (const name of args.filter((arg) => !arg.startsWith("-"))) {
    if (shell.files.remove(name) || args.includes("-f")) continue;
    err(`rm: cannot remove '${name}': No such file or directory\n`);
    code = 1;
  }
  return code;
};

const exporting: Program = (args, { shell }) => {
  for (const arg of args) {
    const at = arg.indexOf("=");
    if (at > 0) shell.variables.set(arg.slice(0, at), arg.slice(at + 1));
  }
  return 0;
};

const MAX_SLEEP_MS = 3_600_000;

const sleep: Program = ([time = "0"], { signal }) =>
  new Promise((resolve) => {
    const millis = Math.min(Number.parseFloat(time) * 1000 || 0, MAX_SLEEP_MS);
    const timer = setTimeout(() => resolve(0), millis);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve(130);
    });
  });

const HELP = `This terminal has a cluster of its own: it runs in this page, and nothing leaves it.

  kubectl   get, describe, create, apply, diff, patch, label, annotate, scale, set image, rollout, wait,
            logs, explain, delete, api-resources, version and others; kubectl --help
  keelson   blame, history, diff, undelete, why, plan, apply, admission, who-can and others; keelson --help
  files     cat, echo, ls, rm, sed, grep, head, tail, wc, sort; the files of the page are there
  shell     pipes, > and <, <<EOF, &&, ||, variables

Ctrl-C ends a command, the up arrow brings back the one before. The button "Link" makes a link to this state.
`;

/** The programs by name. */
export const SMALL_PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ["echo", echo],
  ["cat", cat],
  ["sed", sed],
  ["grep", grep],
  ["head", ends("head")],
  ["tail", ends("tail")],
  ["wc", wc],
  ["sort", sort],
  ["ls", ls],
  ["rm", rm],
  // Folders are there with their first file.
  ["mkdir", () => 0],
  ["export", exporting],
  ["sleep", sleep],
  ["true", () => 0],
  ["false", () => 1],
  [":", () => 0],
  ["help", (_, { out }) => (out(HELP), 0)],
]);
