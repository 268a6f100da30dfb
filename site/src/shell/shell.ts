/**
 * Runs what is typed into the terminal of a page: pipes of programs over texts, with files and variables in memory.
 *
 * @module
 */
import { type Pipeline, type SimpleCommand, ShellError, type Word, parseScript } from "./parse.ts";

/** Where a program prints. */
export interface Streams {
  /** What the program before it has printed, or the file after `<`; empty by default. */
  readonly input: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly shell: ShellState;
}

/** A program: it gets its arguments, and resolves to its exit code. */
export type Program = (args: readonly string[], streams: Streams) => number | Promise<number>;

/** Files by their absolute path. */
export interface Files {
  read(path: string): string | undefined;
  /** @throws Error where there is no space for more */
  write(path: string, text: string): void;
  remove(path: string): boolean;
  list(): readonly string[];
}

/** Opens an editor. Resolves to what was saved; undefined where it was left without. */
export type Edit = (
  file: { readonly name: string; readonly text: string },
  signal: AbortSignal,
) => Promise<string | undefined>;

/** What programs read and change of the shell. */
export interface ShellState {
  readonly files: Files;
  readonly variables: Map<string, string>;
  /** Undefined where nobody can edit. */
  readonly edit?: Edit | undefined;
}

/** The most text that a program passes on or prints. */
const MAX_OUTPUT = 1 << 20;
/** The most variables, and the longest value of one. */
const MAX_VARIABLES = 200;
const MAX_VALUE = 1 << 16;
/** The exit code of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;
const NOT_FOUND = 127;

/** Runs texts one after the other. */
export class Shell {
  readonly state: ShellState;
  readonly #programs: ReadonlyMap<string, Program>;

  constructor(files: Files, programs: ReadonlyMap<string, Program>, edit?: Edit) {
    this.state = {
      files,
      edit,
      variables: new Map([
        ["HOME", "/home"],
        ["PWD", "/"],
      ]),
    };
    this.#programs = programs;
  }

  /** Runs a text; resolves to the exit code of the last program. Errors of the shell are printed. */
  async run(text: string, print: (text: string) => void, signal: AbortSignal): Promise<number> {
    let code = 0;
    const bounded = boundedPrint(print);
    try {
      for (const pipeline of parseScript(text)) {
        if (signal.aborted) return INTERRUPTED;
        const isDue = pipeline.runs === "always" || (pipeline.runs === "after success") === (code === 0);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        if (isDue) code = await this.#runPipeline(pipeline, bounded, signal);
        this.state.variables.set("?", String(code));
      }
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      bounded(`sh: ${error.message}\n`);
      code = 2;
    }
    return code;
  }

  async #runPipeline({ commands }: Pipeline, print: (text: string) => void, signal: AbortSignal): Promise<number> {
    let input = "";
    let code = 0;
    for (const [at, command] of commands.entries()) {
      const isLast = at === commands.length - 1;
      let output = "";
      const collect = (text: string): void => {
        if (output.length + text.length > MAX_OUTPUT) throw new ShellError("expected at most 1 MiB in a pipe");
        output += text;
      };
      // oxlint-disable-next-line no-await-in-loop -- each has the output of the one before
      code = await this.#runCommand(command, { input, out: isLast ? print : collect, err: print, signal });
      input = output;
    }
    return code;
  }

  async #runCommand(command: SimpleCommand, streams: Omit<Streams, "shell">): Promise<number> {
    const { files } = this.state;
    for (const { name, value } of command.assignments) this.set(name, this.#textOf(value));
    const words = command.words.flatMap((word) => {
      const text = this.#textOf(word);
      return text === "" && !word.isQuoted ? [] : [text];
    });
    let { input, out, err } = streams;
    const written: (() => void)[] = [];
    const toFile = (path: string, before: string): ((text: string) => void) => {
      let text = before;
      written.push(() => path === "/dev/null" || files.write(path, text));
      return (more) => {
        text += more;
      };
    };
    for (const { type, target } of command.redirects) {
      const name = this.#textOf(target);
      if (type === "<<") input = name;
      else if (type === "<") input = this.#read(name);
      else if (type === "2>&1") err = out;
      else if (type === "2>") err = toFile(name, "");
      else out = toFile(name, type === ">>" ? (files.read(name) ?? "") : "");
    }
    const [program, ...args] = words;
    let code = 0;
    if (program !== undefined) {
      const run = this.#programs.get(program);
      if (run) code = await this.#runProgram(run, args, { ...streams, input, out, err, shell: this.state });
      else {
        err(`sh: ${program}: not found; type help for what is here\n`);
        code = NOT_FOUND;
      }
    }
    for (const write of written) write();
    return code;
  }

  async #runProgram(run: Program, args: readonly string[], streams: Streams): Promise<number> {
    try {
      return await run(args, streams);
    } catch (error) {
      if (streams.signal.aborted) return INTERRUPTED;
      if (error instanceof ShellError) throw error;
      streams.err(`error: ${error instanceof Error ? error.message : String(error)}\n`);
      return 1;
    }
  }

  /** Sets a variable. @throws ShellError for more than there is space for */
  set(name: string, value: string): void {
    const { variables } = this.state;
    if (value.length > MAX_VALUE) throw new ShellError(`expected a value of at most ${MAX_VALUE} characters`);
    if (!variables.has(name) && variables.size >= MAX_VARIABLES)
      throw new ShellError(`expected at most ${MAX_VARIABLES} variables`);
    variables.set(name, value);
  }

  #read(path: string): string {
    const text = this.state.files.read(path);
    if (text === undefined) throw new ShellError(`${path}: no such file`);
    return text;
  }

  #textOf({ parts }: Word): string {
    const text = parts
      .map((part) => ("text" in part ? part.text : (this.state.variables.get(part.variable) ?? "")))
      .join("");
    if (text.length > MAX_OUTPUT) throw new ShellError("expected a word of at most 1 MiB");
    return text;
  }
}

/** Prints at most as much as a page can show. */
function boundedPrint(print: (text: string) => void): (text: string) => void {
  let left = MAX_OUTPUT;
  return (text) => {
    if (left <= 0) return;
    left -= text.length;
    print(text);
    if (left <= 0) print("\n... (more than 1 MiB is not shown)\n");
  };
}
