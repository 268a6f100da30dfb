/**
 * What policies would have done to stored objects and to the writes of the history, which the server reports at {@link TRY_PATH}. See
 * docs/guides/admission-policies.md.
 *
 * @module
 */
import type { ReportedChange } from "./history-report.ts";
import type { ReportedObject } from "./ownership-reports.ts";

/** The path of the endpoint. */
export const TRY_PATH = "/keelson/v1/policies/try";

/** What a policy would have done to a write: `fail` where it could not be evaluated. */
export type TrialEffect = "refuse" | "warn" | "audit" | "change" | "fail";

/** One write that a policy would have refused or changed. */
export interface TrialFinding {
  readonly policy: string;
  readonly binding: string;
  readonly would: TrialEffect;
  /** Whether it is an object as it is stored, or a write of the history. */
  readonly of: "object" | "write";
  readonly operation: string;
  readonly object: ReportedObject;
  /** The authors of the write: the managers of the version. */
  readonly managers: readonly string[];
  readonly message?: string;
  /** The differences that a mutation would make. */
  readonly changes?: readonly ReportedChange[];
}

/** How many writes a policy was evaluated for, and what it would have done to them. */
export interface TrialCounts {
  readonly judged: number;
  readonly refuse: number;
  readonly warn: number;
  readonly audit: number;
  readonly change: number;
  readonly fail: number;
}

/** The results of one policy. */
export interface TrialOfPolicy {
  readonly kind: string;
  readonly policy: string;
  readonly bindings: readonly string[];
  readonly objects: TrialCounts;
  readonly writes: TrialCounts;
  /** By resource, `deployments.apps`. */
  readonly resources: readonly (TrialCounts & { readonly resource: string })[];
  /** By manager, those with findings; a write of several managers counts for each of them. */
  readonly managers: readonly (Omit<TrialCounts, "judged"> & { readonly manager: string })[];
  /** How long all evaluations took, in ms. */
  readonly millis: number;
  /** The sum of the costs of all expressions. */
  readonly cost: number;
  /** The object with the highest cost; absent where all costs are 0. */
  readonly mostExpensive?: { readonly object: ReportedObject; readonly cost: number };
}

/** The results of all policies. */
export interface TrialReport {
  readonly kind: "PolicyTrial";
  readonly apiVersion: string;
  readonly policies: readonly TrialOfPolicy[];
  /** The first findings, those of stored objects before those of writes. */
  readonly findings: readonly TrialFinding[];
  /** The number of further findings. */
  readonly furtherFindings: number;
  /** The resources that were left out, as the caller may not list them or they could not be read. */
  readonly skipped: readonly { readonly resource: string; readonly why: string }[];
  /** The history that was read. */
  readonly history: {
    /** Writes after this revision were read. */
    readonly since: string;
    readonly until: string;
    /** The number of updates that were left out, since the version before them is not kept. */
    readonly withoutBefore: number;
    /** Why later writes were not read; absent where all were. */
    readonly stopped?: string;
  };
}
