/** The Pods that a Job creates. */
import type { NewObject } from "../../client/kind.ts";
import type { Job, Pod } from "../../client/kinds/index.ts";
import { podFromTemplate } from "../common/template.ts";
import { verdictOn } from "./failure-policy.ts";
import { COMPLETION_INDEX, INDEX_FAILURES, INDEX_IGNORED_FAILURES, TRACKING_FINALIZER, countIn } from "./pods.ts";

/** The maximum length of the prefix of a generated name. */
const MAX_PREFIX = 58;
const INDEX_VARIABLE = "JOB_COMPLETION_INDEX";

type Containers = Job["spec"]["template"]["spec"]["containers"];

/** Creates a Pod of a Job without indexes (WL-JOB-1). */
export function podOfJob(job: Job): NewObject<Pod> {
  const pod = podFromTemplate(job.spec.template, job);
  const { finalizers = [] } = pod.metadata;
  if (finalizers.includes(TRACKING_FINALIZER)) return pod;
  return { ...pod, metadata: { ...pod.metadata, finalizers: [...finalizers, TRACKING_FINALIZER] } };
}

/**
 * Returns a function that creates the Pod of an index (WL-JOB-20, WL-JOB-23): its second argument is the replaced Pod, with
 * backoffLimitPerIndex. The Pods share their containers, so a large template is not copied for each of them.
 */
export function indexedPodsOf(job: Job): (index: number, failed?: Pod) => NewObject<Pod> {
  const pod = podOfJob(job);
  const { labels, annotations } = pod.metadata;
  const { containers, initContainers } = job.spec.template.spec;
  const spec = {
    ...job.spec.template.spec,
    ...(initContainers ? { initContainers: withIndex(initContainers) } : {}),
    containers: withIndex(containers)!,
  };
  return (index, failed) => {
    const mark = { [COMPLETION_INDEX]: `${index}` };
    return {
      ...pod,
      metadata: {
        ...pod.metadata,
        generateName: prefixOf(job.metadata.name, index),
        labels: { ...labels, ...mark },
        annotations: { ...annotations, ...mark, ...failureCounts(job, failed) },
      },
      spec: { ...spec, hostname: `${job.metadata.name}-${index}` },
    } as NewObject<Pod>;
  };
}

function prefixOf(name: string, index: number): string {
  const end = `-${index}-`;
  return name.slice(0, MAX_PREFIX - end.length) + end;
}

/** How often the index has failed so far, from the replaced Pod. */
function failureCounts(job: Job, failed: Pod | undefined): Readonly<Record<string, string>> {
  if (job.spec.backoffLimitPerIndex === undefined) return {};
  const isCounted = failed !== undefined && verdictOn(failed, job).isCounted;
  const counted = failed ? countIn(failed, INDEX_FAILURES) + Number(isCounted) : 0;
  const ignored = failed ? countIn(failed, INDEX_IGNORED_FAILURES) + Number(!isCounted) : 0;
  return { [INDEX_FAILURES]: `${counted}`, ...(ignored > 0 ? { [INDEX_IGNORED_FAILURES]: `${ignored}` } : {}) };
}

/** Adds the index to the environment, from the label. */
const withIndex = (containers: Containers): Containers =>
  containers?.map((container) => {
    const { env = [] } = container;
    if (env.some(({ name }) => name === INDEX_VARIABLE)) return container;
    const fieldRef = { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` };
    return { ...container, env: [...env, { name: INDEX_VARIABLE, valueFrom: { fieldRef } }] } as typeof container;
  }) ?? null;
