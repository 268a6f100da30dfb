/** The few commands that a container knows without a handler of its script. */
import type { ExecResult, VolumeFiles } from "../contract.ts";

/** The view of the commands on their container. */
export interface CommandScope {
  readonly hostname: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: Readonly<Record<string, VolumeFiles>>;
}

const NOT_FOUND = 127;
/** The most characters that a command may write, expand and look at, and those that it runs together with it. */
const MAX_CHARACTERS = 4 << 20;
const MAX_COMMANDS = 1000;
/** The longest argument, as a kernel has it. */
const MAX_ARGUMENT = (128 << 10) - 1;
/** A shell may run a shell. */
const MAX_DEPTH = 8;

/** A command needs more than a container without a program has. */
class TooMuch extends Error {}

/** The remaining budget of one command of a client: a text may refer to itself, and double its length. */
class Budget {
  #characters = MAX_CHARACTERS;
  #commands = MAX_COMMANDS;
  #depth = 0;

  /** @throws TooMuch */
  characters(count: number): void {
    this.#characters -= count;
    if (this.#characters < 0) throw new TooMuch("expected a command of at most 4 MiB of text");
  }

  /** @throws TooMuch */
  command(): void {
    if (--this.#commands < 0) throw new TooMuch(`expected at most ${MAX_COMMANDS} commands`);
  }

  /** Runs the commands of a shell. @throws TooMuch */
  shell<T>(work: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new TooMuch(`expected at most ${MAX_DEPTH} shells, one in the other`);
    const result = work();
    this.#depth--;
    return result;
  }
}

/** A scope with the remaining budget of the command. */
interface Running extends CommandScope {
  readonly budget: Budget;
}

/** Runs a command; an unknown one ends with 127, and one over its budget with 1. */
export function runCommand(scope: CommandScope, command: readonly string[], stdin = ""): ExecResult {
  if (command.some(({ length }) => length > MAX_ARGUMENT)) return { stderr: "argument list too long\n", code: 126 };
  try {
    return run({ ...scope, budget: new Budget() }, command, stdin);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return { stderr: `${error.message}\n`, code: 1 };
  }
}

function run(scope: Running, command: readonly string[], stdin: string): ExecResult {
  const { budget } = scope;
  budget.command();
  const [program = "", ...words] = command;
  const name = program.slice(program.lastIndexOf("/") + 1);
  try {
    switch (name) {
      case "true":
      case "sleep":
        return {};
      case "false":
        return { code: 1 };
      case "hostname":
        return { stdout: `${scope.hostname}\n` };
      case "env":
      case "printenv":
        return words.length > 0
          ? printed(scope, words[0]!)
          : { stdout: lines(Object.entries(scope.env).map(([key, value]) => `${key}=${value}`)) };
      case "echo":
        return { stdout: words[0] === "-n" ? words.slice(1).join(" ") : `${words.join(" ")}\n` };
      case "cat":
        return words.length === 0 ? { stdout: stdin } : { stdout: words.map((path) => read(scope, path)).join("") };
      case "ls":
        return { stdout: lines(list(scope, words.findLast((word) => !word.startsWith("-")) ?? "/")) };
      case "rm":
        for (const path of words) if (!path.startsWith("-")) at(scope, path).files.delete(at(scope, path).path);
        return {};
      case "sh":
      case "bash":
        return words[0] === "-c" ? budget.shell(() => shell(scope, words[1] ?? "", stdin)) : { stdout: "" };
      default:
        return { stderr: `exec: "${program}": executable file not found in $PATH\n`, code: NOT_FOUND };
    }
  } catch (error) {
    if (error instanceof TooMuch) throw error;
    return { stderr: `${name}: ${error instanceof Error ? error.message : String(error)}\n`, code: 1 };
  }
}

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

const printed = ({ env }: CommandScope, name: string): ExecResult =>
  Object.hasOwn(env, name) ? { stdout: `${env[name]!}\n` } : { code: 1 };

/** The volume and the path in it of an absolute path. @throws Error where nothing is mounted */
function at({ mounts, budget }: Running, path: string): { readonly files: VolumeFiles; readonly path: string } {
  let best: string | undefined;
  const all = Object.keys(mounts);
  budget.characters(path.length + 16 * all.length);
  for (const mount of all) {
    const isIn = path === mount || path.startsWith(mount.endsWith("/") ? mount : `${mount}/`);
    if (isIn && mount.length > (best?.length ?? -1)) best = mount;
  }
  if (best === undefined) throw new Error(`${path}: No such file or directory`);
  return { files: mounts[best]!, path: path.slice(best.length).replace(/^\//, "") };
}

function read(scope: Running, path: string): string {
  const found = at(scope, path);
  const text = found.files.read(found.path);
  if (text === undefined) throw new Error(`${path}: No such file or directory`);
  scope.budget.characters(text.length);
  return text;
}

function list(scope: Running, path: string): readonly string[] {
  if (path === "/") return Object.keys(scope.mounts).toSorted();
  const { files, path: inside } = at(scope, path);
  const base = inside === "" ? "" : `${inside.replace(/\/$/, "")}/`;
  const known = files.list();
  scope.budget.characters(64 * known.length);
  const names = known.flatMap((file) => (file.startsWith(base) ? file.slice(base.length).split("/")[0]! : []));
  return [...new Set(names)];
}

/** Commands joined by `&&` and `;`, with words in quotes, variables, `>` and `>>`. */
function shell(scope: Running, text: string, stdin: string): ExecResult {
  let stdout = "";
  let stderr = "";
  let code = 0;
  for (const { words, to, appends, needs } of parse(text, scope)) {
    if (needs && code !== 0) continue;
    if (words[0] === "exit") return { stdout, stderr, code: words[1] === undefined ? code : exitCode(words[1]) };
    const result = run(scope, words, stdin);
    scope.budget.characters((result.stdout ?? "").length + (result.stderr ?? "").length);
    stderr += result.stderr ?? "";
    code = result.code ?? 0;
    if (to === undefined) {
      stdout += result.stdout ?? "";
      continue;
    }
    const target = at(scope, to);
    const before = appends ? (target.files.read(target.path) ?? "") : "";
    scope.budget.characters(before.length);
    target.files.write(target.path, before + (result.stdout ?? ""));
  }
  return { stdout, stderr, code };
}

/** The code of `exit`, of which a process has eight bits; 2 for one that is no number. */
function exitCode(text: string): number {
  const code = Number(text);
  return Number.isInteger(code) ? code & 255 : 2;
}

interface Parsed {
  words: string[];
  to?: string;
  appends: boolean;
  /** Whether it runs only where the one before has ended with 0. */
  readonly needs: boolean;
}

function parse(text: string, { env, budget }: Running): readonly Parsed[] {
  const commands: Parsed[] = [{ words: [], appends: false, needs: false }];
  let word: string | undefined;
  let quote = "";
  let redirects = false;
  budget.characters(text.length);
  /** The value of a variable. */
  const valueOf = (name: string): string => {
    const value = Object.hasOwn(env, name) ? env[name]! : "";
    budget.characters(value.length);
    return value;
  };
  const end = (): void => {
    const last = commands.at(-1)!;
    if (word === undefined) return;
    if (redirects) last.to = word;
    else last.words.push(word);
    word = undefined;
    redirects = false;
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (quote !== "") {
      if (character === quote) quote = "";
      else if (character === "$" && quote === '"') {
        const name = nameAt(text, i + 1);
        word = (word ?? "") + valueOf(name);
        i += lengthOf(text, i + 1, name);
      } else word = (word ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (character === " " || character === "\t") end();
    else if (character === ";" || character === "\n" || (character === "&" && text[i + 1] === "&")) {
      end();
      if (character === "&") i++;
      if (commands.at(-1)!.words.length === 0) commands.pop();
      if (commands.length > MAX_COMMANDS) throw new TooMuch(`expected at most ${MAX_COMMANDS} commands`);
      commands.push({ words: [], appends: false, needs: character === "&" });
    } else if (character === ">") {
      end();
      redirects = true;
      if (text[i + 1] === ">") {
        commands.at(-1)!.appends = true;
        i++;
      }
    } else if (character === "$") {
      const name = nameAt(text, i + 1);
      word = (word ?? "") + valueOf(name);
      i += lengthOf(text, i + 1, name);
    } else word = (word ?? "") + character;
  }
  end();
  return commands.filter(({ words }) => words.length > 0);
}

/** The name of a variable, with or without braces. */
function nameAt(text: string, from: number): string {
  const start = text[from] === "{" ? from + 1 : from;
  let end = start;
  while (end < text.length && /\w/.test(text[end]!)) end++;
  return text.slice(start, end);
}

const lengthOf = (text: string, from: number, name: string): number => name.length + (text[from] === "{" ? 2 : 0);
