/**
 * The members of a Job's spec, which a CronJob has in a template, too (KIND-Job-1).
 *
 * @module
 */
import {
  type Static,
  always,
  atomicList,
  bool,
  int32,
  int64,
  nullable,
  optional,
  pointer,
  required,
  requiredOrNull,
  setList,
  struct,
  text,
  time,
} from "../../../meta/types.ts";
import type { ApiContext, ApiObject } from "../../../schema/definition.ts";
import { LabelSelector, type LabelSelectorValue } from "../../../schema/validation/label-selector.ts";
import { type PodTemplate, PodTemplates } from "../../core/v1/pod/template.ts";

const ExitCodes = struct("How a container has ended.", {
  containerName: pointer(text("One container; any of them without a name.")),
  operator: required(text("In or NotIn.")),
  values: requiredOrNull(setList(int32(), "The codes, in ascending order.")),
});

const PodCondition = struct("A condition that a Pod has.", {
  type: required(text("The type of the condition.")),
  status: always(text("Its status; True by default.")),
});

const FailurePolicy = struct("What becomes of the Job when a Pod fails.", {
  rules: requiredOrNull(
    atomicList(
      struct("What is done about one sort of failure.", {
        action: required(text("FailJob, FailIndex, Ignore or Count.")),
        onExitCodes: pointer(ExitCodes),
        onPodConditions: optional(atomicList(PodCondition, "Conditions of the Pod, one of which is enough.")),
      }),
      "The rules; the first that fits counts.",
    ),
  ),
});

const SuccessPolicy = struct("When the Job has succeeded before all of it is done.", {
  rules: requiredOrNull(
    atomicList(
      struct("What must have succeeded.", {
        succeededIndexes: pointer(text("Numbers of Pods and ranges of them, such as 0,2-4.")),
        succeededCount: pointer(int32("How many of them.")),
      }),
      "The rules; one that holds is enough.",
    ),
  ),
});

/** The schema of a Job's spec. */
export const jobSpecSchema = (ctx: ApiContext) =>
  struct("What is to be done.", {
    parallelism: pointer(int32("How many Pods run at the same time at most.")),
    completions: pointer(int32("How many Pods are to succeed; without it, one that succeeds is the end of all.")),
    activeDeadlineSeconds: pointer(int64("How long the Job may run.")),
    podFailurePolicy: pointer(FailurePolicy),
    successPolicy: pointer(SuccessPolicy),
    backoffLimit: pointer(int32("How many failures are borne; 6 by default.")),
    backoffLimitPerIndex: pointer(int32("How many failures of one index are borne.")),
    maxFailedIndexes: pointer(int32("How many indexes may fail.")),
    selector: pointer(LabelSelector),
    manualSelector: pointer(bool("Whether the selector is the client's and not made by the server.")),
    template: required(PodTemplates.of(ctx).schema),
    ttlSecondsAfterFinished: pointer(int32("How long the Job is kept when it has ended.")),
    completionMode: pointer(text("NonIndexed, or Indexed: each Pod has a number.")),
    suspend: pointer(bool("Whether no Pod is to run for now.")),
    podReplacementPolicy: pointer(text("When a Pod is replaced: TerminatingOrFailed, or Failed.")),
    managedBy: pointer(text("Who works on the Job, where it is not the cluster's own controller.")),
  });

export type JobSpecSchema = ReturnType<typeof jobSpecSchema>;

/** A Job's spec in wire form. */
export type JobSpec = Omit<Static<JobSpecSchema>, "template" | "selector"> & {
  template: PodTemplate;
  selector?: LabelSelectorValue;
};

const Condition = struct("What is known of the Job.", {
  type: required(text("What it is about: Complete, Failed, Suspended and others.")),
  status: required(text("True, False or Unknown.")),
  lastProbeTime: nullable(time("When it was last looked at.")),
  lastTransitionTime: nullable(time("When the status last changed.")),
  reason: optional(text("Why, for programs.")),
  message: optional(text("Why, for people.")),
});

const conditions = {
  ...atomicList(Condition, "What is known of the Job."),
  "x-kubernetes-patch-strategy": "merge",
  "x-kubernetes-patch-merge-key": "type",
};

/** The schema of a Job's status. */
export const JobStatus = struct("How far the Job is.", {
  conditions: optional(conditions),
  startTime: pointer(time("When it began.")),
  completionTime: pointer(time("When it had succeeded.")),
  active: optional(int32("Pods that run or wait.")),
  succeeded: optional(int32("Pods that have succeeded.")),
  failed: optional(int32("Pods that have failed.")),
  terminating: pointer(int32("Pods that are about to go.")),
  completedIndexes: optional(text("The indexes that have succeeded, such as 0,2-4.")),
  failedIndexes: pointer(text("The indexes that have failed.")),
  uncountedTerminatedPods: pointer(
    struct("Pods that have ended and are not counted yet, by their uids.", {
      succeeded: optional(setList(text(), "Those that have succeeded.")),
      failed: optional(setList(text(), "Those that have failed.")),
    }),
  ),
  ready: pointer(int32("Pods that are ready.")),
});

/** A Job in wire form. */
export type Job = ApiObject & { spec: JobSpec; status: Static<typeof JobStatus> };
