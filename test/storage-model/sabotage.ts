/**
 * Faults that are put into the way of requests, each of which the model has to find: a model that finds nothing proves nothing.
 *
 * @module
 */
import type { Transport, TransportResponse } from "../../src/client/index.ts";
import type { Step } from "./steps.ts";
import type { Actor, Sabotage } from "./world.ts";

/** A fault, and a history that shows it. */
export interface Planted {
  readonly name: string;
  readonly sabotage: Sabotage;
  readonly steps: readonly Step[];
  /** What the model has to say. */
  readonly finds: string;
}

type Change = (text: string) => string;

/** Changes what one actor sees below a path. */
const tells =
  (who: Actor, below: string, change: Change): Sabotage =>
  (actor) =>
    actor === who ? (transport) => (request) => told(transport, request, below, change) : undefined;

async function told(
  transport: Transport,
  request: Parameters<Transport>[0],
  below: string,
  change: Change,
): Promise<TransportResponse> {
  const answer = await transport(request);
  return request.path.startsWith(below) ? { ...answer, body: pieces(answer.body, change) } : answer;
}

async function* pieces(body: AsyncIterable<Uint8Array>, change: Change): AsyncGenerator<Uint8Array> {
  for await (const piece of body) yield Buffer.from(change(Buffer.from(piece).toString("utf8")));
}

/** The faults that are planted. */
export const PLANTED: readonly Planted[] = [
  {
    name: "a controller that does not see that two volumes are one disk",
    sabotage: tells("attaching", "/api/v1/persistentvolumes", (text) =>
      text.replaceAll(/("name":"copy-of-.*?"volumeHandle":")(disk-)/g, "$1/$2"),
    ),
    steps: [
      { do: "claim", claim: "a" },
      { do: "claim", claim: "copy" },
      { do: "pod", pod: "p0", claim: "a", node: "n0" },
      { do: "pod", pod: "p1", claim: "copy", node: "n1" },
    ],
    finds: "disk-1 is attached to n1 while n0 has it",
  },
  {
    name: "a controller that does not hear what a node uses",
    sabotage: tells("attaching", "/api/v1/nodes", (text) =>
      text.replaceAll(/"volumesInUse":\[[^\]]*\]/g, '"volumesInUse":[]'),
    ),
    steps: [
      { do: "claim", claim: "a" },
      { do: "pod", pod: "p0", claim: "a", node: "n0" },
      { do: "crash", who: "n0" },
      { do: "drop", pod: "p0" },
    ],
    finds: "disk-1 is detached from n0 while it is mounted there",
  },
  {
    name: "a provisioner that takes a volume that is bound for one that is released",
    sabotage: tells("sidecars", "/api/v1/persistentvolumes", (text) =>
      text.replaceAll('"phase":"Bound"', '"phase":"Released"'),
    ),
    steps: [{ do: "claim", claim: "a" }],
    finds: "disk-1 is deleted while the claim a has it",
  },
  {
    name: "an agent that takes every attachment of a disk for the same",
    sabotage: tells("n0", "/apis/storage.k8s.io/v1/volumeattachments", (text) =>
      text.replaceAll(/"uid":"[^"]*"/g, '"uid":"the-same"'),
    ),
    steps: [
      { do: "claim", claim: "a" },
      { do: "pod", pod: "p0", claim: "a", node: "n0" },
      { do: "unready", node: "n0" },
      { do: "drop", pod: "p0" },
      { do: "pass", ms: 420_000 },
      { do: "pod", pod: "p1", claim: "a", node: "n0" },
      { do: "start", who: "n0" },
    ],
    finds: "disk-1 is published on n0 from where it was staged for an attachment that is over",
  },
  {
    name: "an agent that is told that tokens are good for longer than they are",
    sabotage: tells("n0", "/api/v1/namespaces/default/serviceaccounts", (text) =>
      text
        .replaceAll('"expirationSeconds":600', '"expirationSeconds":6000')
        .replaceAll(/"expirationTimestamp":"2026/g, '"expirationTimestamp":"2027'),
    ),
    steps: [
      { do: "claim", claim: "a" },
      { do: "pod", pod: "p0", claim: "a", node: "n0" },
      { do: "pass", ms: 700_000 },
    ],
    finds: "a token is used",
  },
];
