/**
 * A shell that stays while a page is played, so that what one command has begun or set is there for the next.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";

/** Where commands are run, and as whom. */
export interface ShellOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** With mounts of its own, which needs root. */
  readonly ownMounts?: boolean;
  readonly uid?: number;
}

/** See the head of this file. */
export class Shell {
  readonly #process: ChildProcess;
  #printed = "";
  #commands = 0;
  #heard = (): void => {};

  constructor({ cwd, env, ownMounts = false, uid }: ShellOptions) {
    const [program, args] = ownMounts
      ? ["unshare", ["--mount", "--propagation", "private", "bash"]]
      : (["bash", []] as const);
    const more = uid === undefined ? {} : { uid, gid: uid };
    this.#process = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"], ...more });
    this.#process.stdout!.on("data", (chunk: Buffer) => {
      this.#printed += chunk.toString();
      this.#heard();
    });
  }

  /** What a command prints, on both streams. */
  run(command: string): Promise<string> {
    const end = `end of command ${++this.#commands}\n`;
    this.#process.stdin!.write(
      `{ ${command.replace(/&$/, "& }")}${command.endsWith("&") ? "" : "; }"} 2>&1\necho "${end.trimEnd()}"\n`,
    );
    return new Promise((resolve) => {
      this.#heard = () => {
        const at = this.#printed.indexOf(end);
        if (at < 0) return;
        const printed = this.#printed.slice(0, at);
        this.#printed = "";
        resolve(printed);
      };
    });
  }

  /** Ends what was begun in the background, the last one first, then the shell. */
  async close(): Promise<void> {
    await this.run("for job in $(jobs -p | tac); do kill $job; wait $job; done");
    this.#process.stdin!.end();
    await new Promise((resolve) => this.#process.once("close", resolve));
  }
}
