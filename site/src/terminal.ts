/**
 * A terminal with a cluster of its own: what a page shows beside its examples. It runs where it is called: in a worker of a page, or
 * in a test in Node.
 *
 * @module
 */
import "./node/disposables.ts";
import { type PageCluster, type PageClusterOptions, startPageCluster } from "./cluster/page-cluster.ts";
import { kubectl } from "./kubectl/kubectl.ts";
import { files, writeFileSync } from "./node/fs.ts";
import { resolve } from "./node/path.ts";
import { SMALL_PROGRAMS } from "./shell/programs.ts";
import { type Edit, type Files, type Program, Shell } from "./shell/shell.ts";

/** Runs what is typed. */
export interface Terminal extends AsyncDisposable {
  readonly page: PageCluster;
  /** Runs a text; resolves to the exit code. */
  run(text: string, print: (text: string) => void, signal?: AbortSignal): Promise<number>;
  /** Puts a file where programs find it. */
  write(path: string, text: string): void;
}

/** The files of the terminal, which the commands of `keelson` read as well. */
const FILES: Files = {
  read: (path) => files.get(resolve(path)),
  write: writeFileSync,
  remove: (path) => files.delete(resolve(path)),
  list: () => [...files.keys()].toSorted(),
};

const NEVER = new AbortController().signal;

/** What a terminal is made of. */
export interface TerminalOptions extends PageClusterOptions {
  /** Opens the editor of `kubectl edit`; without it there is none. */
  readonly edit?: Edit;
}

/** Starts a cluster with a terminal; it takes commands when this resolves. */
export async function openTerminal({ edit, ...options }: TerminalOptions): Promise<Terminal> {
  const page = await startPageCluster(options);
  const { transport, clock } = page;
  const small = kubectl(transport, clock, page.exec);
  const whole: Program = async (args, streams) => {
    const { keelson } = await import("./keelson/keelson.ts");
    return keelson({ transport, clock, version: options.version })(args, streams);
  };
  const programs = new Map<string, Program>([...SMALL_PROGRAMS, ["kubectl", small], ["k", small], ["keelson", whole]]);
  const shell = new Shell(FILES, programs, edit);
  return {
    page,
    run: (text, print, signal = NEVER) => shell.run(text, print, signal),
    write: (path, text) => FILES.write(path, text),
    async [Symbol.asyncDispose]() {
      await page[Symbol.asyncDispose]();
    },
  };
}
