/**
 * Rows of the time line, and what all of them are made with.
 *
 * @module
 */

/** How a workload, a revision or a Pod is, or was for some time. */
export type SpanState = "waits" | "runs" | "ready" | "done" | "idle" | "failed" | "old" | "deleting";

/** The end of what has not ended: it is drawn up to now, so that rows do not depend on the time. */
export const GOES_ON = Infinity;

/** A part of the life of an object. */
export interface Span {
  readonly from: number;
  /** {@link GOES_ON} for what has not ended. */
  readonly to: number;
  readonly state: SpanState;
  readonly text: string;
}

/** When a span ends, or now for one that goes on. */
export const endOf = ({ to }: Span, now: number): number => Math.min(to, now);

/** A moment in the life of an object. */
export interface Mark {
  readonly time: number;
  readonly text: string;
  readonly kind: "change" | "event" | "warning" | "due";
}

/** A row of the time line. */
export interface Row {
  /** `Deployment/team/web`; unique. */
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** `3 of 4 Pods available`. */
  readonly detail: string;
  /** How it is now. */
  readonly state: SpanState;
  /** What it waits for, by its status; absent for what is as it should be. */
  readonly says?: string;
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
  readonly children: readonly Row[];
}

/** The milliseconds of a time; undefined where it is absent or no time. */
export function timeOf(text: string | null | undefined): number | undefined {
  const time = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** An object with conditions. */
export interface Conditioned {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
      readonly lastTransitionTime?: string | null;
      readonly lastUpdateTime?: string | null;
    }[];
  };
}

/** A condition of an object. */
export type Condition = NonNullable<NonNullable<Conditioned["status"]>["conditions"]>[number];

/** The condition of a type. */
export const conditionOf = ({ status }: Conditioned, type: string): Condition | undefined =>
  status?.conditions?.find((one) => one.type === type);

/** Since when a condition is true; undefined while it is not. */
export const trueSince = (object: Conditioned, type: string): number | undefined => {
  const condition = conditionOf(object, type);
  return condition?.status === "True" ? timeOf(condition.lastTransitionTime) : undefined;
};

/** `1 Pod`, `2 Pods`. */
export const countNoun = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** An object, as far as its row has it. */
export interface Named {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
}

/** What a row has of its object. */
export const headOf = (
  kind: string,
  { metadata }: Named,
): Pick<Row, "id" | "kind" | "namespace" | "name" | "uid" | "resourceVersion"> => ({
  id: `${kind}/${metadata.namespace ?? ""}/${metadata.name}`,
  kind,
  namespace: metadata.namespace ?? "",
  name: metadata.name,
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion,
});

/** When an object was created; every stored object has that time. */
export const createdAt = ({ metadata }: Named): number => timeOf(metadata.creationTimestamp) ?? 0;
/** The sentence of a row, if there is one. */
export const says = (text: string | undefined): { readonly says?: string } =>
  text === undefined ? {} : { says: text };

/** Orders texts by their code units. */
export const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Orders rows: the one that began last is first. */
export const byStart = (a: Row, b: Row): number =>
  (b.spans[0]?.from ?? 0) - (a.spans[0]?.from ?? 0) || order(a.name, b.name);
