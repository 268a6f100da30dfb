/**
 * The steps of a connection: a client sends a frame, a handler responds, the socket accepts writes.
 * Each step is valid, or does nothing, in every state, so that a list of them can be shortened.
 *
 * @module
 */
import type { How } from "./hpack.ts";

/** A field and its form; see `hpack.ts`. */
export type SentField = readonly [name: string, value: string, how?: How];

/** A part of a header block. */
export type BlockPart = SentField | { readonly size: number } | { readonly raw: string };

/** How a client sends bytes. */
export interface Leaving {
  /** They wait for those of its next step. */
  readonly hold?: boolean;
  /** So many bytes at their end wait. */
  readonly keep?: number;
}

/** Frames that a client may send very often. */
export type FloodKind =
  | "ping"
  | "settings"
  | "window"
  | "table"
  | "priority"
  | "unknown"
  | "get"
  | "post"
  | "takenBack"
  | "byte"
  | "nothing";

/** A step of a client. */
export type ClientStep = Leaving &
  (
    | { readonly do: "preface" }
    /** Any bytes, in hexadecimal digits. */
    | { readonly do: "bytes"; readonly hex: string }
    | { readonly do: "frame"; readonly type: number; readonly flags: number; readonly id: number; readonly hex: string }
    | {
        readonly do: "headers";
        readonly id: number;
        readonly parts: readonly BlockPart[];
        readonly end?: boolean;
        readonly pad?: number;
        /** The stream on which it depends. */
        readonly on?: number;
        /** The bytes of each part of the block but the last one. */
        readonly cuts?: readonly number[];
        /** Whether the last part is missing. */
        readonly open?: boolean;
        /** The steps of the handler when the request arrives. */
        readonly then?: readonly HandlerStep[];
      }
    | {
        readonly do: "data";
        readonly id: number;
        readonly bytes: number;
        readonly end?: boolean;
        readonly pad?: number;
      }
    /** The bytes of a meaningful body in base64. */
    | {
        readonly do: "text";
        readonly id: number;
        readonly base64: string;
        readonly end?: boolean;
        readonly pad?: number;
      }
    | { readonly do: "settings"; readonly values: readonly (readonly [name: number, value: number])[] }
    | { readonly do: "settingsAck" }
    | { readonly do: "ping"; readonly ack?: boolean }
    | { readonly do: "window"; readonly id: number; readonly more: number }
    | { readonly do: "cancel"; readonly id: number; readonly code: number }
    | { readonly do: "goAway"; readonly code: number }
    | { readonly do: "priority"; readonly id: number; readonly on: number }
    /** Repeats a frame on one stream after the other from `id` on. */
    | {
        readonly do: "flood";
        readonly of: FloodKind;
        readonly id: number;
        readonly times: number;
        readonly then?: readonly HandlerStep[];
      }
    /** Opens the windows so far that every response fits, from the view of the client. */
    | { readonly do: "openWindows" }
  );

/** A step of a handler for a stream, or of the server. */
export type HandlerStep =
  | {
      readonly do: "respond";
      readonly id: number;
      readonly status: number;
      readonly bytes: number;
      readonly bad?: boolean;
      readonly pieces?: number;
      /** The bytes of one more header. */ readonly headers?: number;
    }
  | { readonly do: "begin"; readonly id: number; readonly status: number }
  | { readonly do: "write"; readonly id: number; readonly bytes: number; readonly taken?: readonly HandlerStep[] }
  | { readonly do: "end"; readonly id: number }
  | { readonly do: "interim"; readonly id: number }
  | {
      readonly do: "open";
      readonly id: number;
      /** The steps at the first piece of the body, at its end, and at a reset. */
      readonly data?: readonly HandlerStep[];
      readonly whole?: readonly HandlerStep[];
      readonly broken?: readonly HandlerStep[];
    }
  | { readonly do: "start"; readonly id: number }
  | { readonly do: "allow"; readonly id: number; readonly bytes: number }
  | { readonly do: "resetStream"; readonly id: number; readonly code: number }
  | { readonly do: "onOver"; readonly id: number; readonly over: readonly HandlerStep[] }
  | { readonly do: "trust" }
  | { readonly do: "close" }
  | { readonly do: "pingPeer" }
  | { readonly do: "fail"; readonly code: number }
  | { readonly do: "destroy" }
  /** It throws in its callback. */
  | { readonly do: "throw" };

/** A step of the socket, or of the loop. */
export type SocketStep =
  /** The socket accepts so many writes; all by default. */
  | { readonly do: "sent"; readonly writes?: number }
  /** The end of the pass. */
  | { readonly do: "later" }
  /** All steps of both, until nothing is left. */
  | { readonly do: "flush" }
  | { readonly do: "closed" }
  | { readonly do: "time"; readonly millis: number };

/** A step of the client, the handler, the socket or the loop. */
export type Step = ClientStep | HandlerStep | SocketStep;

/** A step in the short form of test tables. */
export const show = (step: Step): string => JSON.stringify(step).replaceAll(/"(\w+)":/g, "$1: ");

/** Returns the fields of a request over TLS. */
export const requestFields = (method: string, path = "/", more: readonly SentField[] = []): SentField[] => [
  [":method", method],
  [":scheme", "https"],
  [":path", path],
  [":authority", "x"],
  ...more,
];

/** Simpler forms of a step. */
export function simpler(step: Step): Step[] {
  const made: Step[] = [];
  for (const [name, value] of Object.entries(step)) {
    if (OPTIONAL.has(name)) made.push(Object.fromEntries(Object.entries(step).filter(([n]) => n !== name)) as Step);
    if (NUMBERS.has(name) && typeof value === "number" && value > 0) {
      for (const less of [0, 1, 10, value >> 1, value - 1])
        if (less < value) made.push({ ...step, [name]: less } as Step);
    }
    if (Array.isArray(value) && value.length > 1) {
      value.forEach((_, i) => made.push({ ...step, [name]: value.toSpliced(i, 1) } as Step));
    }
  }
  if (step.do === "headers") made.push(...simplerFields(step));
  return made;
}

const NUMBERS = new Set(["bytes", "times", "more", "writes", "millis"]);
const OPTIONAL = new Set([
  "bad",
  "headers",
  "hold",
  "keep",
  "pad",
  "on",
  "cuts",
  "then",
  "data",
  "whole",
  "broken",
  "taken",
  "end",
  "pieces",
]);

/** Returns literal fields. */
function simplerFields(step: Step & { do: "headers" }): Step[] {
  return step.parts.flatMap((part, i) =>
    Array.isArray(part)
      ? [
          ...(part[2] ? [{ ...step, parts: step.parts.with(i, [part[0], part[1]]) }] : []),
          ...(part[1].length > 1
            ? [{ ...step, parts: step.parts.with(i, [part[0], part[1].slice(part[1].length >> 1), part[2]]) }]
            : []),
        ]
      : [],
  );
}
