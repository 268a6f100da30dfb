/** Deletes Jobs some time after they have finished, in the foreground, with their Pods (WL-JOB-14). */
import { Job } from "../../client/kinds/index.ts";
import { type Controller, defineController } from "../../runtime/index.ts";
import { deleteObject } from "../../runtime/writes.ts";
import { leftToLive } from "../../workloads/ttl/plan.ts";
import { workloadJobs } from "./job-memory.ts";

/** The controller named `ttl-after-finished`. */
export const ttlAfterFinished: Controller = defineController({
  name: "keelson-ttl-after-finished",
  eventSource: "ttl-after-finished-controller",
  for: workloadJobs,
  predicate: ({ object }) => leftToLive(object, 0) !== undefined,
  backoff: { first: "5ms", most: "1000s" },
  async reconcile({ object, client, clock }) {
    const left = leftToLive(object, clock.now());
    if (left === undefined) return undefined;
    if (left > 0) return { requeueAfter: left };
    await deleteObject(client, Job, object, {
      propagationPolicy: "Foreground",
      resourceVersion: object.metadata.resourceVersion,
    });
    return undefined;
  },
});
