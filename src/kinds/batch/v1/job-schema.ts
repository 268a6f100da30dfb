/**
 * The members of a Job's spec, which a CronJob has in a template, too (KIND-Job-1).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import type { ApiContext, ApiObject } from "../../../schema/definition.ts";
import { LabelSelector, type LabelSelectorValue } from "../../../schema/validation/label-selector.ts";
import { type PodTemplate, PodTemplates } from "../../core/v1/pod/template.ts";
import { reportedCondition } from "../../rules/condition.ts";

const ExitCodes = t.struct("How a container has ended.", {
  containerName: t.pointer(t.text("One container; any of them without a name.")),
  operator: t.required(t.text("In or NotIn.")),
  values: t.requiredOrNull(t.setList(t.int32(), "The codes, in ascending order.")),
});

const PodCondition = t.struct("A condition that a Pod has.", {
  type: t.required(t.text("The type of the condition.")),
  status: t.always(t.text("Its status; True by default.")),
});

const FailurePolicy = t.struct("How the Job handles failed Pods.", {
  rules: t.requiredOrNull(
    t.atomicList(
      t.struct("How one sort of failure is handled.", {
        action: t.required(t.text("FailJob, FailIndex, Ignore or Count.")),
        onExitCodes: t.pointer(ExitCodes),
        onPodConditions: t.optional(t.atomicList(PodCondition, "Conditions of the Pod, one of which is enough.")),
      }),
      "The rules; the first that fits counts.",
    ),
  ),
});

const SuccessPolicy = t.struct("When the Job has succeeded before all of it is done.", {
  rules: t.requiredOrNull(
    t.atomicList(
      t.struct("The indexes that must have succeeded.", {
        succeededIndexes: t.pointer(t.text("Numbers of Pods and ranges of them, such as 0,2-4.")),
        succeededCount: t.pointer(t.int32("How many of them.")),
      }),
      "The rules; one that holds is enough.",
    ),
  ),
});

/** The schema of a Job's spec. */
export const jobSpecSchema = (ctx: ApiContext) =>
  t.struct("The desired state of the Job.", {
    parallelism: t.pointer(t.int32("How many Pods run at the same time at most.")),
    completions: t.pointer(t.int32("How many Pods are to succeed; without it, one that succeeds is the end of all.")),
    activeDeadlineSeconds: t.pointer(t.int64("How long the Job may run.")),
    podFailurePolicy: t.pointer(FailurePolicy),
    successPolicy: t.pointer(SuccessPolicy),
    backoffLimit: t.pointer(t.int32("How many failures are borne; 6 by default.")),
    backoffLimitPerIndex: t.pointer(t.int32("How many failures of one index are borne.")),
    maxFailedIndexes: t.pointer(t.int32("How many indexes may fail.")),
    selector: t.pointer(LabelSelector),
    manualSelector: t.pointer(t.bool("Whether the selector is the client's and not made by the server.")),
    template: t.required(PodTemplates.of(ctx).schema),
    ttlSecondsAfterFinished: t.pointer(t.int32("How long the Job is kept when it has ended.")),
    completionMode: t.pointer(t.text("NonIndexed, or Indexed: each Pod has a number.")),
    suspend: t.pointer(t.bool("Whether no Pod is to run for now.")),
    podReplacementPolicy: t.pointer(t.text("When a Pod is replaced: TerminatingOrFailed, or Failed.")),
    managedBy: t.pointer(t.text("The controller of the Job, where it is not that of the cluster.")),
  });

export type JobSpecSchema = ReturnType<typeof jobSpecSchema>;

/** A Job's spec in wire form. */
export type JobSpec = Omit<t.Static<JobSpecSchema>, "template" | "selector"> & {
  template: PodTemplate;
  selector?: LabelSelectorValue;
};

const Condition = reportedCondition(
  "A condition of the Job.",
  "The type of the condition: Complete, Failed, Suspended and others.",
  {
    lastProbeTime: t.nullable(t.time("When it was last looked at.")),
  },
);

const conditions = {
  ...t.atomicList(Condition, "A condition of the Job."),
  "x-kubernetes-patch-strategy": "merge",
  "x-kubernetes-patch-merge-key": "type",
};

/** The schema of a Job's status. */
export const JobStatus = t.struct("How far the Job is.", {
  conditions: t.optional(conditions),
  startTime: t.pointer(t.time("When it began.")),
  completionTime: t.pointer(t.time("When it had succeeded.")),
  active: t.optional(t.int32("Pods that run or wait.")),
  succeeded: t.optional(t.int32("Pods that have succeeded.")),
  failed: t.optional(t.int32("Pods that have failed.")),
  terminating: t.pointer(t.int32("Pods that are about to go.")),
  completedIndexes: t.optional(t.text("The indexes that have succeeded, such as 0,2-4.")),
  failedIndexes: t.pointer(t.text("The indexes that have failed.")),
  uncountedTerminatedPods: t.pointer(
    t.struct("Pods that have ended and are not counted yet, by their uids.", {
      succeeded: t.optional(t.setList(t.text(), "Those that have succeeded.")),
      failed: t.optional(t.setList(t.text(), "Those that have failed.")),
    }),
  ),
  ready: t.pointer(t.int32("Pods that are ready.")),
});

/** A Job in wire form. */
export type Job = ApiObject & { spec: JobSpec; status: t.Static<typeof JobStatus> };
