/**
 * Random runs: the limits of a connection, and the steps on it.
 *
 * @module
 */
import { Draw } from "../../util/testing/draw.ts";
import { ClientDraw, type Temper, choose } from "./draw-client.ts";
import { Violation } from "./model.ts";
import { Rig, type RigOptions } from "./rig.ts";
import type { HandlerStep, SocketStep, Step } from "./steps.ts";

/** A run: the limits of a connection, and its steps. */
export interface Run {
  readonly options: RigOptions;
  readonly steps: readonly Step[];
}

/** The result of a run. */
export interface Outcome extends Run {
  /** The violation, if any. */
  readonly violation: string | undefined;
}

const MOST_STEPS = 120;

/** Draws a run by a seed and runs it. */
export async function drawRun(seed: number): Promise<Outcome> {
  const draw = new Draw(seed);
  const options = drawOptions(draw);
  const steps: Step[] = [];
  const violation = await violationOf(async () => {
    const rig = new Rig(options);
    const temper = draw.pick<Temper>(["honest", "honest", "careless", "careless", "wild"]);
    const server = new ServerDraw(draw, rig);
    const client = new ClientDraw({ draw, model: rig.model, temper, then: () => server.then() });
    const play = async (step: Step): Promise<void> => {
      steps.push(step);
      await rig.do(step);
    };
    for (const step of client.begin()) await play(step);
    // Some run as long as possible.
    if (draw.chance(0.15)) for (const step of GREEDY) await play(step);
    const busy = draw.pick([2, 5, 10]);
    for (let i = 1 + draw.below(MOST_STEPS); i > 0 && !rig.isOver; i--) {
      await play(draw.below(14) < busy ? client.step() : server.step());
    }
    await rig.finish();
  });
  return { options, steps, violation };
}

/** Repeats a run and returns the violation, if any. */
export function playRun({ options, steps }: Run): Promise<string | undefined> {
  return violationOf(async () => {
    const rig = new Rig(options);
    for (const step of steps) await rig.do(step);
    await rig.finish();
  });
}

async function violationOf(play: () => Promise<void>): Promise<string | undefined> {
  try {
    await play();
    return undefined;
  } catch (error) {
    return error instanceof Violation ? error.message : `${error instanceof Error ? error.stack : String(error)}`;
  }
}

function drawOptions(draw: Draw): RigOptions {
  return {
    limits: {
      streams: draw.pick([1, 2, 3, 5, 8, 100]),
      streamWindow: draw.pick([1, 10, 100, 1000, 16_384, 65_535, 65_536]),
      headerBytes: draw.pick([200, 1000, 5000, 30_000, 1 << 20]),
      headerFields: draw.pick([5, 10, 100]),
      resets: { burst: draw.pick([1, 3, 10, 500]), perSecond: draw.pick([0, 33]) },
    },
    headerMemory: draw.pick([100, 1000, 1 << 26]),
  };
}

const GREEDY: readonly Step[] = [
  { do: "settings", values: [[4, 2 ** 28]] },
  { do: "window", id: 0, more: 2 ** 28 },
];

const BYTES = [0, 1, 10, 1000, 20_000, 70_000];
const MUCH = 400_000;
/** The share of runs whose handler does many things; in others it does few. */
const REACTS = 0.15;

/** Draws the steps of a handler, the socket and the loop. */
class ServerDraw {
  readonly #draw: Draw;
  readonly #rig: Rig;
  /** How the handler of this run usually responds. */
  readonly #isPrompt: boolean;

  constructor(draw: Draw, rig: Rig) {
    this.#draw = draw;
    this.#rig = rig;
    this.#isPrompt = draw.chance(0.3);
  }

  step(): Step {
    return choose<Step>(this.#draw, [
      [40, () => this.#onSome()],
      [12, () => ({ do: "flush" })],
      [10, () => ({ do: "later" })],
      [10, () => this.#socket()],
      [2, () => ({ do: "trust" })],
      [1, () => ({ do: "pingPeer" })],
      [this.#draw.chance(0.1) ? 1 : 0, () => this.#rare()],
    ]);
  }

  /** Draws what it does at once with a request, on stream 0; the client sets the real stream. */
  then(): readonly HandlerStep[] | undefined {
    const draw = this.#draw;
    if (!this.#isPrompt && draw.chance(0.6)) return undefined;
    if (draw.chance(0.4)) return this.#reader();
    return draw.many(1 + draw.small(3), () => (draw.chance(0.05) ? this.#reaction(0) : this.#handler(0, REACTS * 2)));
  }

  /** Draws a reader of the body and its reactions. */
  #reader(): readonly HandlerStep[] {
    const react = (): readonly HandlerStep[] => this.#draw.many(this.#draw.below(3), () => this.#reaction(0));
    return [
      { do: "open", id: 0, data: react(), whole: react(), broken: react() },
      { do: "start", id: 0 },
    ];
  }

  #socket(): SocketStep {
    const draw = this.#draw;
    return draw.one<SocketStep>(
      () => ({ do: "sent", writes: 1 + draw.small(3) }),
      () => ({ do: "time", millis: draw.pick([1, 100, 10_000]) }),
    );
  }

  #rare(): Step {
    return this.#draw.one<Step>(
      () => ({ do: "close" }),
      () => ({ do: "fail", code: 2 }),
      () => ({ do: "destroy" }),
      () => ({ do: "closed" }),
    );
  }

  #onSome(): HandlerStep | undefined {
    const ids = [...this.#rig.served.values()].filter(({ hasResponded }) => !hasResponded || this.#draw.chance(0.1));
    return ids.length === 0 ? undefined : this.#handler(this.#draw.pick(ids).stream.id, REACTS);
  }

  #handler(id: number, reacts: number): HandlerStep {
    const draw = this.#draw;
    const react = (): readonly HandlerStep[] | undefined =>
      draw.chance(reacts) ? draw.many(1 + draw.small(2), () => this.#reaction(id)) : undefined;
    const bytes = (): number => (draw.chance(0.05) ? draw.below(MUCH) : draw.pick(BYTES) + draw.below(10));
    const some = <K extends string>(name: K, steps: readonly HandlerStep[] | undefined) =>
      steps ? ({ [name]: steps } as Record<K, readonly HandlerStep[]>) : {};
    return choose<HandlerStep>(draw, [
      [
        10,
        () => ({ do: "respond", id, status: draw.pick([200, 201, 404, 599]), bytes: bytes(), ...this.#oddResponse() }),
      ],
      [6, () => ({ do: "begin", id, status: 200 })],
      [16, () => ({ do: "write", id, bytes: bytes(), ...some("taken", react()) })],
      [5, () => ({ do: "end", id })],
      [10, () => ({ do: "open", id, ...some("data", react()), ...some("whole", react()), ...some("broken", react()) })],
      [14, () => ({ do: "start", id })],
      [6, () => ({ do: "allow", id, bytes: draw.pick([1, 100, 70_000, 1 << 20]) })],
      [2, () => ({ do: "resetStream", id, code: draw.pick([2, 8, 0]) })],
      [2, () => ({ do: "interim", id })],
      [2, () => ({ do: "onOver", id, over: react() ?? [] })],
    ]);
  }

  #oddResponse(): object {
    const draw = this.#draw;
    if (draw.chance(0.9)) return {};
    return draw.pick([{ pieces: 1 + draw.below(5) }, { bad: true }, { headers: draw.below(40_000) }]);
  }

  /** Draws what it does in a callback: anything, also the end of the stream or the connection. */
  #reaction(id: number): HandlerStep {
    const draw = this.#draw;
    const others = [...this.#rig.served.keys()];
    const some = others.length > 0 && draw.chance(0.2) ? draw.pick(others) : id;
    return choose<HandlerStep>(draw, [
      [10, () => this.#handler(some, 0)],
      [4, () => ({ do: "resetStream", id: some, code: 8 })],
      [4, () => ({ do: "respond", id: some, status: 200, bytes: draw.pick(BYTES) })],
      [2, () => ({ do: "throw" })],
      [1, () => ({ do: "close" })],
      [draw.chance(0.2) ? 1 : 0, () => ({ do: "fail", code: 2 })],
      [draw.chance(0.2) ? 1 : 0, () => ({ do: "destroy" })],
    ]);
  }
}
