import type { Random } from "../../../../src/util/clock.ts";
import {
  type Frame,
  type Freshness,
  type Get,
  type History,
  type List,
  type Outcome,
  type Put,
  type Stream,
  isPut,
} from "../../history.ts";

/** A value that may be changed. */
export type Draft<T> = T extends object ? { -readonly [K in keyof T]: Draft<T[K]> } : T;

/** Picks one, or nothing when there is none. */
export type Draw = <T>(values: readonly T[]) => T | undefined;

export const drawFrom =
  (random: Random): Draw =>
  (values) =>
    values[Math.floor(random.next() * values.length)];

export type Op = Draft<History["operations"][number]>;
type Of<R, O extends Outcome["is"]> = Op & { request: Draft<R>; outcome: Draft<Extract<Outcome, { is: O }>> };
type Change = Draft<Extract<Frame, { object: unknown }>>;

/** Whether an operation wrote a new value and its client got that result. */
export const wrote = (op: Op): op is Of<Put, "object"> =>
  isPut(op.request) && !op.request.same && op.outcome.is === "object";

/** Whether an operation is a get that found something. */
export const read = (op: Op, fresh: Freshness["is"]): op is Of<Get, "object"> =>
  op.request.verb === "get" && op.request.fresh.is === fresh && op.outcome.is === "object";

/** Whether an operation is a list that succeeded. */
export const listed = (op: Op, fresh?: Freshness["is"]): op is Of<List, "list"> =>
  op.request.verb === "list" && (fresh ?? op.request.fresh.is) === op.request.fresh.is && op.outcome.is === "list";

/** Whether a watch began after a revision. */
export const resumed = ({ from }: Draft<Stream>): boolean => from !== "initial";

/** Whether a line of a watch is of an object. */
export const showed = (frame: Draft<Frame> | undefined): frame is Change => frame !== undefined && "object" in frame;

/** The revision of a line, if it has one. */
export const revisionOf = (frame: Draft<Frame>): number | undefined =>
  frame.type === "ERROR" ? undefined : frame.type === "BOOKMARK" ? frame.revision : frame.object.revision;

/** All events of the requested watches. */
export const changes = (
  draft: Draft<History>,
  of: (stream: Draft<Stream>) => boolean,
): { stream: Draft<Stream>; index: number; frame: Change }[] =>
  draft.streams
    .filter(of)
    .flatMap((stream) => stream.frames.flatMap((frame, index) => (showed(frame) ? [{ stream, index, frame }] : [])));

/** The revisions of all writes that were acknowledged. */
export const acknowledged = (draft: Draft<History>): Set<number> =>
  new Set(draft.operations.filter(wrote).map(({ outcome }) => outcome.object.revision));

/** Whether the version in a get was written before it and no other client wrote to the key from then to its end. */
export function isQuiet(draft: Draft<History>, op: Of<Get, "object">): boolean {
  const { key } = op.request;
  const author = draft.operations.find((w) => wrote(w) && w.outcome.object.revision === op.outcome.object.revision);
  if (!author || author.return >= op.call) return false;
  return draft.operations.every(({ request, outcome, call, return: end }) => {
    if (request.verb === "list" || request.verb === "get" || request.key !== key) return true;
    if (request === author.request || outcome.is === "refused") return true;
    return call > op.return || (end < author.call && outcome.is !== "unknown");
  });
}
