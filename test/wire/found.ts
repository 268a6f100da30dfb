/**
 * Scripts that have found something once, each as short as it could be made.
 *
 * @module
 */
import type { Script } from "./play.ts";

/** A script that has found something. */
export interface Found {
  readonly name: string;
  readonly script: Script;
}

/** See the head of this file. */
export const FOUND: readonly Found[] = [
  {
    name: "what is no request does not end up in the answer before it",
    script: {
      as: "h1",
      steps: [
        { do: "ask", asked: "a watch" },
        { do: "wait", millis: 200 },
        { do: "wrong", what: "two lengths" },
      ],
    },
  },
  {
    name: "what is no request is refused behind the answers before it",
    script: {
      as: "h1",
      steps: [
        { do: "ask", asked: "a large object in YAML", hold: true },
        { do: "ask", asked: "create", hold: true },
        { do: "wrong", what: "a bare CR" },
      ],
    },
  },
  {
    name: "nothing is answered behind the last answer, whatever the client sends",
    script: {
      as: "h1",
      steps: [
        { do: "ask", asked: "list", close: true, hold: true },
        { do: "wrong", what: "a folded header" },
      ],
    },
  },
  {
    name: "a body is asked for behind the answers before it",
    script: {
      as: "h1",
      steps: [
        { do: "ask", asked: "list", hold: true },
        { do: "ask", asked: "create", expect: true, hold: true },
        { do: "ask", asked: "livez" },
      ],
    },
  },
  {
    name: "requests that come while large answers wait are requests",
    script: {
      as: "h1",
      steps: [
        { do: "ask", asked: "a large object", keep: 1 },
        { do: "ask", asked: "half an object", body: { form: "chunked", cuts: [5] } },
        { do: "ask", asked: "list" },
        { do: "ask", asked: "livez" },
      ],
    },
  },
  {
    name: "the refusal of a request for a head has no body",
    script: {
      as: "h1",
      steps: [{ do: "ask", asked: "the head of readyz", body: { form: "broken", how: "no number" } }],
    },
  },
  {
    name: "whoever leaves in the middle of a body ends the watch that it came with",
    script: {
      as: "h1",
      steps: [{ do: "ask", asked: "a watch without an end", body: { form: "short", missing: 9 }, keep: 3 }],
    },
  },
  {
    name: "what comes behind an upgrade while answers wait is read by the WebSocket",
    script: {
      as: "h1",
      steps: [
        { do: "ask", asked: "the head of a list", keep: 2 },
        { do: "ask", asked: "a large object in YAML", keep: 1 },
        { do: "ask", asked: "create in YAML" },
        { do: "ask", asked: "half an object", keep: 48 },
        { do: "ask", asked: "a watch without an end", upgrade: "watch" },
        { do: "frame", op: 9, base64: "" },
        { do: "frame", op: 9, base64: "SUxZ", keep: 2 },
        { do: "frame", op: 9, base64: "" },
      ],
    },
  },
];
