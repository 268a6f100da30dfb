/**
 * Why an object is as it is, which the server serves at {@link WHY_PATH}. See docs/guides/why.md.
 *
 * @module
 */
import type { ReportedObject } from "./ownership-reports.ts";

/** The path of the endpoint. */
export const WHY_PATH = "/keelson/v1/why";

/** The source of a text that a reason quotes. */
export interface ReportedQuote {
  readonly in: "Event" | "condition" | "status";
  /** The reason of the Event or the condition, or the member of the status. */
  readonly reason: string;
  /** The component that recorded the Event, where it is one. */
  readonly from?: string;
  /** The time of the last occurrence, as it is in the source. */
  readonly time?: string;
}

/** One thing that an object waits for, or that blocks it. */
export interface ReportedReason {
  readonly says: string;
  /** The component or person that has to act; absent where none has to. */
  readonly who?: string;
  /** The object that the reason is about, where it is another one. */
  readonly about?: ReportedObject;
  /** The source of `says`, where it quotes another program. */
  readonly quotes?: ReportedQuote;
}

/** A candidate volume for a claim, and why it does not fit; empty where it fits. */
export interface ConsideredVolume {
  readonly volume: string;
  readonly lacks: readonly string[];
}

/** A candidate node for a Pod, and what it lacks; empty where it fits. */
export interface ConsideredNode {
  readonly node: string;
  readonly lacks: readonly string[];
}

/** The remaining objects of a resource in a namespace, or of a definition. */
export interface ReportedContent {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
  /** How many of the first five hundred each finalizer blocks. */
  readonly finalizers: Readonly<Record<string, number>>;
  /** The first of them that finalizers block, as `namespace/name`. */
  readonly objects?: readonly string[];
}

/** Why an object is as it is. */
export interface WhyReport {
  readonly kind: "Why";
  readonly apiVersion: string;
  readonly object: ReportedObject;
  /** `status.phase`, where the object has one. */
  readonly phase?: string;
  readonly isTerminating: boolean;
  /** Empty where no pending conditions or finalizers were found. */
  readonly reasons: readonly ReportedReason[];
  /** For a claim that waits: the volumes that fit best, those of its class first. */
  readonly considered?: readonly ConsideredVolume[];
  /** For a Pod without a node: the nodes that fit best. */
  readonly nodes?: readonly ConsideredNode[];
  /** For a claim, or a Pod, that waits: how many more volumes, or nodes, were considered and are left out. */
  readonly leftOut?: number;
  /** For a namespace, or a definition, that is being deleted: its remaining objects. */
  readonly content?: readonly ReportedContent[];
  /** A command that shows these objects. */
  readonly command?: string;
  /** True where the kind is unknown, and only finalizers, conditions and the last warning are reported; else absent. */
  readonly isUnknownKind?: boolean;
}
