/**
 * A thread that runs jobs: it loads the module of each, and sends back the result of its `run`. See `pool.ts`.
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
