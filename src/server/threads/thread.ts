/**
 * A thread that does jobs: it loads the module of each, and answers with what its `run` returns. See `pool.ts`.
 *
 * @module
 */
import { parentPort } from "node:worker_threads";
import type { Job } from "../../util/worker-threads.ts";

/** What a module of jobs exports. */
interface JobModule {
  run(input: unknown): unknown;
}

const port = parentPort;

port?.on("message", ({ module, input }: Pick<Job, "module" | "input">) => {
  void import(module).then((jobs: JobModule) => port.postMessage(jobs.run(input)));
});
