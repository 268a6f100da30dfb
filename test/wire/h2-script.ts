/**
 * Scripts of clients of HTTP/2: drawn by a seed against the protocol in this process, and the same whenever they are played.
 *
 * @module
 */
import { ClientDraw, type Temper } from "../../src/http2/testing/draw-client.ts";
import { Rig, type RigOptions } from "../../src/http2/testing/rig.ts";
import { type ClientStep, type HandlerStep, type SentField, requestFields } from "../../src/http2/testing/steps.ts";
import { Draw } from "../../src/util/testing/draw.ts";
import { type AskedName, asked, drawAsked } from "./catalog.ts";
import type { SocketStep } from "./line.ts";

/** A step of a client: what it asks for, where it is a request, and whether it waits for windows that permit it. */
export type H2Step = (ClientStep & { readonly asked?: AskedName; readonly within?: boolean }) | SocketStep;

/** What a client does on one connection. */
export interface H2Script {
  readonly as: "h2";
  readonly steps: readonly H2Step[];
}

/** What connections of the server may have (`server/http/listeners.ts`). */
export const OPTIONS: RigOptions = {
  limits: {
    streams: 250,
    streamWindow: 65_536,
    headerBytes: (1 << 20) + 320,
    headerFields: 32_768,
    resets: { burst: 500, perSecond: 33 },
  },
  headerMemory: 1 << 26,
};

const MOST_STEPS = 60;
const READS: readonly HandlerStep[] = [
  { do: "open", id: 0, whole: [{ do: "respond", id: 0, status: 200, bytes: 100 }] },
  { do: "allow", id: 0, bytes: 3 << 20 },
  { do: "start", id: 0 },
];
const ANSWERS: readonly HandlerStep[] = [{ do: "respond", id: 0, status: 200, bytes: 100 }];

/** Draws a script. */
export async function drawH2(seed: number): Promise<H2Script> {
  const draw = new Draw(seed);
  const isTrusted = draw.chance(0.75);
  const temper = draw.pick<Temper>(["honest", "honest", "careless", "wild"]);
  const rig = new Rig(OPTIONS);
  let name: AskedName | undefined;
  const client = new ClientDraw({
    draw,
    model: rig.model,
    temper,
    then: () => draw.pick([READS, READS, ANSWERS, undefined]),
    meant: () => {
      name = drawAsked(draw, isTrusted);
      const { method, path, headers, body } = asked(name);
      return { fields: requestFields(method, path, headers as readonly SentField[]), body };
    },
  });
  const steps: H2Step[] = [];
  const play = async (step: ClientStep): Promise<void> => {
    const { streams, window } = rig.model;
    const within = isBody(step) && windowBytes(step) <= Math.min(window, streams.get(step.id)?.window ?? 0);
    const { then: _, ...sent } = step as ClientStep & { readonly then?: unknown };
    const isAsked = name !== undefined && step.do === "headers";
    steps.push({ ...sent, ...(within ? { within } : {}), ...(isAsked ? { asked: name! } : {}) } as H2Step);
    name = undefined;
    await rig.do(step);
    await rig.do({ do: "flush" });
  };
  for (const step of client.begin()) await play(step);
  if (isTrusted) await rig.do({ do: "trust" });
  for (let i = 1 + draw.below(MOST_STEPS); i > 0; i--) {
    if (draw.chance(0.04)) steps.push(socketStep(draw, temper));
    else await play(client.step());
  }
  return { as: "h2", steps };
}

type BodyStep = ClientStep & { readonly do: "data" | "text" };

/** Whether a step sends part of a body. */
export const isBody = (step: ClientStep): step is BodyStep => step.do === "data" || step.do === "text";

/** The bytes of a window that a step takes. */
export function windowBytes(step: BodyStep): number {
  const body = step.do === "data" ? step.bytes : Buffer.byteLength(step.base64, "base64");
  return step.pad === undefined ? body : body + step.pad + 1;
}

function socketStep(draw: Draw, temper: Temper): SocketStep {
  const harmless: readonly SocketStep[] = [
    { do: "wait", millis: draw.small(30) },
    { do: "deaf", millis: draw.small(60) },
  ];
  if (temper === "honest" || draw.chance(0.7)) return draw.pick(harmless);
  return draw.pick<SocketStep>([{ do: "fin" }, { do: "rst" }]);
}
