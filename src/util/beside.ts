/**
 * Work beside the event loop, in threads.
 *
 * @module
 */

/** Something that a module does: one that exports a function `run`, which takes `input` and returns what becomes of it. */
export interface Job {
  /** What the job is about, for messages: `the YAML document`. */
  readonly what: string;
  /** Where the module is; an absolute URL. */
  readonly module: string;
  /** Anything that can be cloned. */
  readonly input: unknown;
}

/** Does jobs in other threads. Those of one `sender` do not keep others waiting. */
export interface Beside {
  /** What the module returns. Rejects with {@link NotDone}. */
  run(job: Job, sender: object): Promise<unknown>;
}

/** Why a job was not done: too many wait, it takes too long or too much memory, the thread failed, or all are closed. */
export class NotDone extends Error {
  readonly why: "crowded" | "slow" | "large" | "failed" | "closed";

  constructor(why: NotDone["why"], what: string) {
    super(`${what} ${WORDS[why]}`);
    this.why = why;
  }
}

const WORDS: Readonly<Record<NotDone["why"], string>> = {
  crowded: "has to wait for too many others; try again",
  slow: "takes longer than the ten seconds that it may take",
  large: "takes more memory than it may have",
  failed: "could not be worked on; try again",
  closed: "is not worked on: the server is shutting down",
};

/** The URL of a module next to another one, in source and as built. */
export function moduleBeside(url: string, name: string): string {
  return new URL(`./${name}.${url.endsWith(".ts") ? "ts" : "js"}`, url).href;
}
