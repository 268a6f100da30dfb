/**
 * Plans of manifests, which the server makes at {@link PLAN_PATH}. See docs/guides/plan.md.
 *
 * @module
 */
import type { Value } from "../value/value.ts";
import type { ReportedChange } from "./history-report.ts";
import { REPORT_GROUP, REPORT_VERSION, type ReportedObject } from "./ownership-reports.ts";
import type { Status } from "./status.ts";

/** The path of the endpoint. */
export const PLAN_PATH = "/keelson/v1/plan";

/** The apiVersion of requests and reports. */
export const PLAN_VERSION = `${REPORT_GROUP}/${REPORT_VERSION}`;

/** Documents that are planned, or applied, as one. */
export interface PlanRequest {
  readonly kind: "PlanRequest";
  readonly apiVersion: string;
  readonly documents: readonly Value[];
  /** The manager that applies them. */
  readonly fieldManager: string;
  /** Whether it takes over fields that others own; false by default. */
  readonly force?: boolean;
  /** `Warn` by default. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** The namespace of documents that name none; `default` by default. */
  readonly namespace?: string;
  /** Whether the result is stored, all or none; false by default. */
  readonly commit?: boolean;
  /** Whether the report contains the objects; false by default. */
  readonly objects?: boolean;
  /** Which objects are deleted that are not among the documents; none by default. */
  readonly prune?: PrunedBySelector | PrunedBySet;
}

/** Deletes objects of the manager that a label selector selects. */
export interface PrunedBySelector {
  readonly selector: string;
}

/** Deletes objects of an ApplySet (KEP-3659), which is created where it does not exist. */
export interface PrunedBySet {
  readonly set: {
    readonly name: string;
    /** `default`, or that of the request, by default. */
    readonly namespace?: string;
    /** The kind of its parent; a Secret by default. */
    readonly kind?: "ConfigMap" | "Secret";
  };
}

/** One difference, with the managers of the field: after the change, and before it for a removed field. */
export interface PlannedChange extends ReportedChange {
  readonly managers: readonly string[];
}

/** The fields that a manager no longer owns. */
export interface LostFields {
  readonly manager: string;
  readonly fields: readonly string[];
}

/** Why a document is applied before others that come before it in the manifest. */
export interface PlannedMove {
  /** What would fail otherwise. */
  readonly rule: "namespace" | "definition" | "class" | "role" | "serviceAccount";
  /** The position of the document that needs it, from 0. */
  readonly before: number;
}

/** The result of one document, or of a pruned object. */
export interface PlannedDocument {
  /** The position of the document, from 0; absent for a pruned object. */
  readonly document?: number;
  /** Absent where the document does not name its kind and name. */
  readonly object?: ReportedObject;
  readonly result: "created" | "changed" | "unchanged" | "deleted" | "refused";
  /** Absent where nothing was moved. */
  readonly moved?: PlannedMove;
  /** For a change; in the order of the object. */
  readonly changes?: readonly PlannedChange[];
  /** Whether changes were left out, since the report would be too large. */
  readonly changesLeftOut?: boolean;
  /** The fields that other managers lose. */
  readonly lost?: readonly LostFields[];
  /** The source of a refusal: `authorization`, `ownership`, `validation`, `registry`, or the name of a step of admission. */
  readonly refusedBy?: string;
  /** For a refusal. */
  readonly status?: Status;
  readonly warnings: readonly string[];
  /** The object as it would be; only where it was requested. */
  readonly value?: Value;
}

/** A problem that the documents would cause together. */
export interface PlanFinding {
  readonly kind: "quota" | "budget" | "claim";
  readonly namespace: string;
  readonly name: string;
  readonly message: string;
}

/** Which Pods a changed workload would replace; a workload that replaces none and keeps none of an older template is left out. */
export interface PlannedRestart {
  readonly object: ReportedObject;
  readonly strategy: "RollingUpdate" | "Recreate" | "OnDelete";
  /** The number of Pods that are replaced. */
  readonly count: number;
  /** Their names, in the order of their deletion; at most 100 of a workload, and 1,000 in a report. */
  readonly pods: readonly string[];
  /** The number of names that are left out; absent for none. */
  readonly podsLeftOut?: number;
  /** The maximum number of unavailable Pods at a time. */
  readonly maxUnavailable: number;
  /** The maximum number of Pods beyond the desired number. */
  readonly maxSurge: number;
  /** The number of Pods of an older template that stay: below the partition, or until they are deleted; absent for none. */
  readonly stays?: number;
  /** Whether the workload is paused, so that nothing is replaced before it is resumed; absent where it is not. */
  readonly isPaused?: boolean;
}

/** The result for all documents. */
export interface PlanReport {
  readonly kind: "Plan";
  readonly apiVersion: string;
  /** `planned` where nothing was stored, `committed` where all was, `refused` where nothing could be. */
  readonly outcome: "planned" | "committed" | "refused";
  /** The revision at which the documents were evaluated; of stored documents, the one at which all can be read. */
  readonly resourceVersion: string;
  /** In the order in which they are applied. */
  readonly documents: readonly PlannedDocument[];
  readonly pruned: readonly PlannedDocument[];
  /** Of a plan without refusals. */
  readonly findings: readonly PlanFinding[];
  /** Of a plan without refusals: the workloads whose template changes, in the order of the documents. */
  readonly restarts: readonly PlannedRestart[];
  /** Why nothing was stored, where the result was to be stored. */
  readonly status?: Status;
}
