/**
 * What the server tells of why an object is as it is, at {@link WHY_PATH}. See docs/guides/why.md.
 *
 * @module
 */
import type { ReportedObject } from "./ownership-reports.ts";

/** Where the server answers. */
export const WHY_PATH = "/keelson/v1/why";

/** Where words come from that a reason repeats. */
export interface ReportedQuote {
  readonly in: "Event" | "condition" | "status";
  /** The reason of the Event or the condition, or the member of the status. */
  readonly reason: string;
  /** The component that recorded the Event, where it is one. */
  readonly from?: string;
  /** When it was said last, as it is written there. */
  readonly time?: string;
}

/** One thing that an object waits for, or that holds it. */
export interface ReportedReason {
  readonly says: string;
  /** Who would have to act; absent where nobody has to. */
  readonly who?: string;
  /** The object that it is about, where it is another one. */
  readonly about?: ReportedObject;
  /** Whose words `says` repeats, where they are those of another program. */
  readonly quotes?: ReportedQuote;
}

/** A volume that a claim could have had, and what keeps it from it: nothing where it fits. */
export interface ConsideredVolume {
  readonly volume: string;
  readonly lacks: readonly string[];
}

/** A node that a Pod could have had, and what it lacks: nothing where it fits. */
export interface ConsideredNode {
  readonly node: string;
  readonly lacks: readonly string[];
}

/** What is left of a kind in a namespace, or of a definition. */
export interface ReportedContent {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
  /** How many of them each finalizer keeps, of the first five hundred. */
  readonly finalizers: Readonly<Record<string, number>>;
  /** The first of them that finalizers keep, as `namespace/name`. */
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
  /** For a claim that waits: the volumes that come nearest, those of its class first. */
  readonly considered?: readonly ConsideredVolume[];
  /** For a Pod without a node: the nodes that come nearest. */
  readonly nodes?: readonly ConsideredNode[];
  /** For a claim, or a Pod, that waits: so many more volumes, or nodes, were considered and are left out. */
  readonly leftOut?: number;
  /** For a namespace, or a definition, that is being deleted: what is left of its objects. */
  readonly content?: readonly ReportedContent[];
  /** A command that shows these objects. */
  readonly command?: string;
  /** Absent, or true where only what is true of all kinds is told: finalizers, conditions, the last warning. */
  readonly isUnknownKind?: boolean;
}
