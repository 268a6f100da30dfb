/**
 * Work that runs in worker threads.
 *
 * @module
 */

/** A job for a module that exports a function `run`, which takes the input and returns the result. */
export interface Job {
  /** The subject of the job, for messages: `the YAML document`. */
  readonly what: string;
  /** The absolute URL of the module. */
  readonly module: string;
  /** Any value that can be cloned. */
  readonly input: unknown;
}

/** Runs jobs in worker threads, fairly among their senders. */
export interface WorkerThreads {
  /** Returns the result of the module. Rejects with {@link JobError}. */
  run(job: Job, sender: object): Promise<unknown>;
}

/** The error of a job without a result: too many wait, it needs too much time or memory, its thread failed, or the pool is closed. */
export class JobError extends Error {
  readonly why: "crowded" | "slow" | "large" | "failed" | "closed";

  constructor(why: JobError["why"], what: string) {
    super(`${what} ${WORDS[why]}`);
    this.why = why;
  }
}

const WORDS: Readonly<Record<JobError["why"], string>> = {
  crowded: "has to wait for too many others; try again",
  slow: "takes longer than the ten seconds that it may take",
  large: "takes more memory than it may have",
  failed: "could not be worked on; try again",
  closed: "is not worked on: the server is shutting down",
};

/** Returns the URL of a module in the same folder as another one, in the sources and as built. */
export function siblingModule(url: string, name: string): string {
  return new URL(`./${name}.${url.endsWith(".ts") ? "ts" : "js"}`, url).href;
}
