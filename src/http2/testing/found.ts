/**
 * Runs that have found something once, each as short as it could be made.
 *
 * @module
 */
import type { RigOptions } from "./rig.ts";
import { type HandlerStep, type SentField, type Step, requestFields } from "./steps.ts";

/** What connections of most runs may have: what those of the server have, but for how often streams are reset. */
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

/** A run that has found something. */
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
  found("who asks too late whether a stream is over, and fails, ends nothing", [
    ...begin(),
    get(1, [respond(1)]),
    { do: "flush" },
    { do: "onOver", id: 1, over: [THROW] },
  ]),
  found("a client that remembers no headers is told that there are none to remember", [
    ...begin([1, 0]),
    get(1, [{ do: "interim", id: 1 }, respond(1)]),
    get(3, [respond(3)]),
  ]),
  found("a table that was small for a moment counts, also between two settings", [
    ...begin(),
    get(1, [respond(1)]),
    { do: "settings", values: [[1, 100]] },
    { do: "settings", values: [[1, 4096]] },
    get(3, [respond(3)]),
  ]),
  found("a body that came whole and that nobody read gives its bytes back to the window of the connection", [
    ...begin(),
    post(1),
    data(1, 10_000, { end: true }),
    respond(1),
  ]),
  found("a body that came whole, on a stream that the client takes back, does too", [
    ...begin(),
    post(1),
    data(1, 10_000, { end: true }),
    { do: "cancel", id: 1, code: 8 },
  ]),
  found("no window is opened for padding on a stream that its reader has just reset", [
    ...begin(),
    post(1, [open(1, { data: [reset(1)] }), start(1)]),
    data(1, 10, { pad: 3 }),
  ]),
  found("nor on one that its reader has just answered", [
    ...begin(),
    post(1, [open(1, { data: [respond(1)] }), start(1)]),
    data(1, 10, { pad: 3 }),
  ]),
  found("a stream that its reader has reset is not reset again for a body of another length than it says", [
    ...begin(),
    post(1, [open(1, { data: [reset(1)] }), start(1)], [["content-length", "20"]]),
    data(1, 10, { end: true }),
  ]),
  found("who has broken off a body is told of no end", [
    ...begin(),
    post(1, [open(1, { data: [reset(1)] })]),
    data(1, 10),
    data(1, 2000),
    start(1),
  ]),
  found("a reader that fails when it hears of a break ends its stream, and neither the connection nor the process", [
    ...begin(),
    post(1, [open(1, { broken: [THROW] })]),
    post(3),
    { do: "cancel", id: 1, code: 8 },
    respond(3),
  ]),
  found("likewise when the break comes with its own answer", [
    ...begin(),
    post(1, [open(1, { broken: [THROW] }), respond(1)]),
    get(3, [respond(3)]),
  ]),
  found("a reader that answers and then fails does not end the connection", [
    ...begin(),
    post(1, [open(1, { data: [respond(1), THROW] }), start(1)]),
    data(1, 10),
    get(3, [respond(3)]),
  ]),
  found("streams of a server have not begun: who sends on one breaks the connection", [
    ...begin(),
    get(5, [respond(5)]),
    data(2, 0),
  ]),
  found("a window of a stream of the server, likewise", [...begin(), get(5), { do: "window", id: 2, more: 1 }]),
  found("no ping goes behind the end", [
    { do: "settingsAck" },
    { do: "pingPeer" },
    { do: "flush" },
    { do: "pingPeer" },
  ]),
  found("nothing is answered behind the GOAWAY of an error, whoever hears of the break", [
    ...begin(),
    post(1, [open(1, { broken: [respond(3)] })]),
    get(3),
    data(0, 10),
  ]),
];
