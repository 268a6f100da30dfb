/**
 * Runs that have found a defect once, each as short as possible.
 *
 * @module
 */
import type { RigOptions } from "./rig.ts";
import { type HandlerStep, type SentField, type Step, requestFields } from "./steps.ts";

/** The limits of most runs: those of the server, except for the number of resets. */
const USUAL: RigOptions = {
  limits: {
    streams: 250,
    streamWindow: 65_536,
    headerBytes: 1 << 20,
    headerFields: 1000,
    resets: { burst: 500, perSecond: 33 },
  },
  headerMemory: 1 << 26,
};

/** A run that has found a defect. */
export interface Found {
  readonly name: string;
  readonly options: RigOptions;
  readonly steps: readonly Step[];
}

const found = (name: string, steps: readonly Step[], limits: Partial<RigOptions["limits"]> = {}): Found => ({
  name,
  options: { ...USUAL, limits: { ...USUAL.limits, ...limits } },
  steps,
});

const begin = (...values: readonly (readonly [number, number])[]): Step[] => [
  { do: "preface" },
  { do: "settings", values },
  { do: "flush" },
];
const post = (id: number, then: readonly HandlerStep[] = [], more: readonly SentField[] = []): Step => ({
  do: "headers",
  id,
  parts: requestFields("POST", "/", more),
  then,
});
const get = (id: number, then: readonly HandlerStep[] = []): Step => ({
  do: "headers",
  id,
  parts: requestFields("GET"),
  end: true,
  then,
});
const data = (id: number, bytes: number, more: { readonly end?: boolean; readonly pad?: number } = {}): Step => ({
  do: "data",
  id,
  bytes,
  ...more,
});
const respond = (id: number, bytes = 10): HandlerStep => ({ do: "respond", id, status: 200, bytes });
const reset = (id: number): HandlerStep => ({ do: "resetStream", id, code: 8 });
const open = (
  id: number,
  reactions: { readonly [when in "data" | "whole" | "broken"]?: readonly HandlerStep[] } = {},
): HandlerStep => ({
  do: "open",
  id,
  ...reactions,
});
const start = (id: number): HandlerStep => ({ do: "start", id });
const THROW: HandlerStep = { do: "throw" };

/** See the head of this file. */
export const FOUND: readonly Found[] = [
  found("a handler that fails after the end of its stream ends nothing else", [
    ...begin(),
    get(1, [respond(1)]),
    { do: "flush" },
    { do: "onOver", id: 1, over: [THROW] },
  ]),
  found("a client with a header table of size 0 gets an update to size 0", [
    ...begin([1, 0]),
    get(1, [{ do: "interim", id: 1 }, respond(1)]),
    get(3, [respond(3)]),
  ]),
  found("the smallest size of a header table counts, also between two settings", [
    ...begin(),
    get(1, [respond(1)]),
    { do: "settings", values: [[1, 100]] },
    { do: "settings", values: [[1, 4096]] },
    get(3, [respond(3)]),
  ]),
  found("a complete body without a reader returns its bytes to the window of the connection", [
    ...begin(),
    post(1),
    data(1, 10_000, { end: true }),
    respond(1),
  ]),
  found("a complete body of a stream that the client resets does so, too", [
    ...begin(),
    post(1),
    data(1, 10_000, { end: true }),
    { do: "cancel", id: 1, code: 8 },
  ]),
  found("padding opens no window on a stream that its reader has just reset", [
    ...begin(),
    post(1, [open(1, { data: [reset(1)] }), start(1)]),
    data(1, 10, { pad: 3 }),
  ]),
  found("padding opens no window on a stream whose reader has just responded", [
    ...begin(),
    post(1, [open(1, { data: [respond(1)] }), start(1)]),
    data(1, 10, { pad: 3 }),
  ]),
  found("a stream that its reader has reset is not reset again for a wrong content-length", [
    ...begin(),
    post(1, [open(1, { data: [reset(1)] }), start(1)], [["content-length", "20"]]),
    data(1, 10, { end: true }),
  ]),
  found("a handler that has reset a stream is not notified of the end of its body", [
    ...begin(),
    post(1, [open(1, { data: [reset(1)] })]),
    data(1, 10),
    data(1, 2000),
    start(1),
  ]),
  found("a reader that fails in the callback of a reset ends its stream, and neither the connection nor the process", [
    ...begin(),
    post(1, [open(1, { broken: [THROW] })]),
    post(3),
    { do: "cancel", id: 1, code: 8 },
    respond(3),
  ]),
  found("a reader that fails in the callback of a reset by its own response does so, too", [
    ...begin(),
    post(1, [open(1, { broken: [THROW] }), respond(1)]),
    get(3, [respond(3)]),
  ]),
  found("a reader that responds and then fails does not end the connection", [
    ...begin(),
    post(1, [open(1, { data: [respond(1), THROW] }), start(1)]),
    data(1, 10),
    get(3, [respond(3)]),
  ]),
  found("streams of a server are idle: a frame on one is an error of the connection", [
    ...begin(),
    get(5, [respond(5)]),
    data(2, 0),
  ]),
  found("a window update on a stream of the server is an error of the connection, too", [
    ...begin(),
    get(5),
    { do: "window", id: 2, more: 1 },
  ]),
  found("no ping follows the end", [{ do: "settingsAck" }, { do: "pingPeer" }, { do: "flush" }, { do: "pingPeer" }]),
  found("no response follows the GOAWAY of an error, in any callback", [
    ...begin(),
    post(1, [open(1, { broken: [respond(3)] })]),
    get(3),
    data(0, 10),
  ]),
];
