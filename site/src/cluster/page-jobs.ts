/**
 * What stands for the threads of a server in a page: jobs run in the thread of the cluster, which is not that of the page. They are
 * those of the reader alone.
 *
 * @module
 */
import { type Job, JobError, type WorkerThreads } from "../../../src/util/worker-threads.ts";

interface JobModule {
  run(input: never): unknown;
}

/** The modules of jobs by the name of their file. */
const MODULES: Readonly<Record<string, () => Promise<JobModule>>> = {
  "rules-job": () => import("../../../src/kinds/apiextensions/v1/rules-job.ts"),
  "configuration-job": () => import("../../../src/kinds/admissionregistration/configuration-job.ts"),
  "selectors-job": () => import("../../../src/kinds/resource/v1/selectors-job.ts"),
  "yaml-job": () => import("../../../src/server/body/yaml-job.ts"),
  "validation-job": () => import("../../../src/extension/validation-job.ts"),
  "policy-job": () => import("../../../src/admission/policies/policy-job.ts"),
};

/** Runs jobs one after the other, with the interface of the pool of a server. */
export class ThreadPool implements WorkerThreads {
  readonly threads = 0;

  async run({ what, module, input }: Job): Promise<unknown> {
    const name = module.slice(module.lastIndexOf("/") + 1).replace(/\.[jt]s$/, "");
    if (!Object.hasOwn(MODULES, name)) throw new JobError("failed", what);
    const jobs = await MODULES[name]!();
    return jobs.run(input as never);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
