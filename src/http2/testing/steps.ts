/**
 * What can happen on a connection, step by step: a client sends a frame, a handler answers, the socket takes what was written.
 * Each step makes sense, or nothing at all, in every state, so that a list of them can be shortened.
 *
 * @module
 */
import type { How } from "./hpack.ts";

/** A field as a client writes it: how, see `hpack.ts`. */
export type SentField = readonly [name: string, value: string, how?: How];

/** Part of a header block. */
export type BlockPart = SentField | { readonly size: number } | { readonly raw: string };

/** How bytes leave a client. */
export interface Leaving {
  /** They wait for those of the next step of the client. */
  readonly hold?: boolean;
  /** All but so many bytes at their end leave; the others wait likewise. */
  readonly keep?: number;
}

/** What a client may send very often. */
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

/** What a client does. */
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
        /** The stream that it depends on. */
        readonly on?: number;
        /** Bytes of each part of the block but the last one. */
        readonly cuts?: readonly number[];
        /** Whether its last part is missing. */
        readonly open?: boolean;
        /** What the handler does when the request is there. */
        readonly then?: readonly HandlerStep[];
      }
    | {
        readonly do: "data";
        readonly id: number;
        readonly bytes: number;
        readonly end?: boolean;
        readonly pad?: number;
      }
    /** Bytes of a body that say something, in base64. */
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
    /** The same again and again, on one stream after the other from `id` on. */
    | {
        readonly do: "flood";
        readonly of: FloodKind;
        readonly id: number;
        readonly times: number;
        readonly then?: readonly HandlerStep[];
      }
    /** Opens windows so far that every answer fits, as far as the client knows. */
    | { readonly do: "openWindows" }
  );

/** What a handler does about a stream, and what else happens in the server. */
export type HandlerStep =
  | {
      readonly do: "respond";
      readonly id: number;
      readonly status: number;
      readonly bytes: number;
      readonly bad?: boolean;
      readonly pieces?: number;
      /** Bytes of one more header. */ readonly headers?: number;
    }
  | { readonly do: "begin"; readonly id: number; readonly status: number }
  | { readonly do: "write"; readonly id: number; readonly bytes: number; readonly taken?: readonly HandlerStep[] }
  | { readonly do: "end"; readonly id: number }
  | { readonly do: "interim"; readonly id: number }
  | {
      readonly do: "open";
      readonly id: number;
      /** What it does at the first piece of the body, at its end, and when it breaks off. */
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
  /** It fails, inside of whatever calls it. */
  | { readonly do: "throw" };

/** What the socket does, and the loop. */
export type SocketStep =
  /** Takes so many of what was written; all by default. */
  | { readonly do: "sent"; readonly writes?: number }
  /** The end of the turn. */
  | { readonly do: "later" }
  /** All of both, until nothing is left. */
  | { readonly do: "flush" }
  | { readonly do: "closed" }
  | { readonly do: "time"; readonly millis: number };

/** One of them. */
export type Step = ClientStep | HandlerStep | SocketStep;

/** A step as it is written in a table of tests. */
export const show = (step: Step): string => JSON.stringify(step).replaceAll(/"(\w+)":/g, "$1: ");

/** The fields of a request over TLS. */
export const requestFields = (method: string, path = "/", more: readonly SentField[] = []): SentField[] => [
  [":method", method],
  [":scheme", "https"],
  [":path", path],
  [":authority", "x"],
  ...more,
];

/** Ways in which a step says less. */
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

/** Fields spelt out. */
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
