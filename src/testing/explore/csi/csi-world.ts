/**
 * The world between programs and a storage driver: calls of the programs are perturbed by the plan, and the driver is inspected when
 * everything is at rest.
 *
 * @module
 */
import type { Perturbation, Plan } from "../../../explore/contract/plan.ts";
import type { DriverObject } from "../../../explore/contract/state.ts";
import type { Actor } from "../../../explore/contract/trace.ts";
import { NormalNames } from "../../../explore/names.ts";
import { Player } from "../../../explore/player.ts";
import type { ServerRequest } from "../../../server/index.ts";
import { CODES } from "../../../csi/driver-error.ts";
import type { ProgramLife, StaleState } from "../identity.ts";
import type { KeptRequest } from "../interposer.ts";
import type { RunContext, World } from "../world.ts";
import type { ReturnedObjects } from "./call.ts";
import { CallPlayer } from "./call-player.ts";
import type { DriverSubject } from "./subject.ts";

/** Calls of a program that pass the plan. */
export type CallGate = Pick<CallPlayer, "play">;

/** The parts of a world of drivers. */
export interface CsiWorldParts {
  readonly subject: DriverSubject;
  readonly returned: ReturnedObjects;
  /** The programs, whose calls pass a gate. */
  readonly programs: (context: RunContext, gate: CallGate) => World;
  /** How long a call continues after its program has died, and how long one waits to be overtaken, when everything else is at rest. */
  readonly holdMillis: { readonly late: number; readonly overtaken: number };
}

/** The state of the driver from an entry of the trace on. */
export interface DriverMoment {
  readonly seq: number;
  readonly objects: readonly DriverObject[];
}

/** Data that was written into a volume in place of a Pod, before an entry of the trace. */
export interface Written {
  readonly seq: number;
  readonly id: string;
  readonly text: string;
}

/** The perturbations of calls to drivers, with their places in the whole plan. A driver that is not ours to start is not killed. */
function callsOf(
  plan: Plan,
  { restart }: Pick<DriverSubject, "restart">,
): readonly { readonly index: number; readonly perturbation: Perturbation }[] {
  return plan.flatMap((perturbation, index) => {
    const isCall = "at" in perturbation && "protocol" in perturbation.at && perturbation.at.protocol === "csi";
    const isPlayed = perturbation.type !== "crash" || perturbation.victim !== "driver" || restart !== undefined;
    return isCall && isPlayed ? [{ index, perturbation }] : [];
  });
}

/** The world of programs and a storage driver. */
export class CsiWorld implements World {
  readonly #inner: World;
  readonly #context: RunContext;
  readonly #parts: CsiWorldParts;
  readonly #player: Player;
  readonly #indexes: readonly number[];
  readonly #calls: CallPlayer;
  /** The starts of programs that have sent requests. */
  readonly #lives = new Map<string, ProgramLife>();
  /** Calls that wait until everything else is at rest. */
  #ready: { readonly actor: Actor; readonly work: () => void }[] = [];
  #driverIsDownUntil = 0;
  /** Whether calls have reached the driver since it was inspected. */
  #isStale = true;
  #looked = 0;
  readonly moments: DriverMoment[] = [];
  readonly written: Written[] = [];

  constructor(context: RunContext, parts: CsiWorldParts) {
    this.#context = context;
    this.#parts = parts;
    const calls = callsOf(context.plan, parts.subject);
    this.#indexes = calls.map(({ index }) => index);
    this.#player = new Player(
      calls.map(({ perturbation }) => perturbation),
      new NormalNames(),
    );
    this.#calls = this.#callPlayer();
    this.#inner = parts.programs(context, this.#gate());
  }

  /** The perturbations of calls that were met, by their index in the plan. */
  get met(): readonly number[] {
    return this.#indexes.filter((_, i) => this.#player.met[i]);
  }

  readonly find = (request: ServerRequest): ProgramLife | undefined => {
    const life = this.#inner.find(request);
    if (life) this.#lives.set(`${life.actor} ${life.life}`, life);
    return life;
  };

  begin(): Promise<void> {
    return this.#inner.begin();
  }

  isRunning(actor: Actor): boolean {
    return this.#inner.isRunning(actor);
  }

  kill(program: ProgramLife, downMillis: number, stale?: StaleState): void {
    this.#inner.kill(program, downMillis, stale);
  }

  leadChanges(program: ProgramLife, index: number): Promise<void> {
    return this.#inner.leadChanges(program, index);
  }

  resend(request: KeptRequest): void {
    this.#inner.resend(request);
  }

  delays(millis: number): () => void {
    return this.#inner.delays(millis);
  }

  async rest(): Promise<void> {
    await this.#inner.rest();
    await this.#look();
  }

  goOn(): boolean {
    const next = this.#ready.find(({ actor }) => this.isRunning(actor));
    if (!next) return this.#inner.goOn();
    this.#ready = this.#ready.filter((one) => one !== next);
    next.work();
    return true;
  }

  pass(millis: number): Promise<void> {
    return this.#inner.pass(millis);
  }

  jump(millis: number): Promise<void> {
    return this.#inner.jump(millis);
  }

  quietMillis(asked: number): number {
    return this.#inner.quietMillis(asked);
  }

  stop(): void {
    this.#inner.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inner[Symbol.asyncDispose]();
  }

  #callPlayer(): CallPlayer {
    const { cluster, trace } = this.#context;
    const { subject, returned } = this.#parts;
    const { clock } = cluster;
    return new CallPlayer(
      {
        clock,
        meet: (call) => {
          const met = this.#player.request(call)[0];
          return met && { index: this.#indexes[met.index]!, perturbation: met.perturbation };
        },
        record: (entry) => void trace.add(entry),
        kill: ({ actor, life }, downMillis) => {
          const program = this.#lives.get(`${actor} ${life}`);
          if (program) this.#inner.kill(program, downMillis);
        },
        ...(subject.restart && {
          killDriver: async (downMillis: number) => {
            await subject.restart!();
            this.#driverIsDownUntil = clock.steady() + downMillis;
          },
        }),
        atRest: (why, actor, work) => {
          const ready = (): void => void this.#ready.push({ actor, work });
          clock.after(this.#parts.holdMillis[why], ready, { owner: `a call of ${actor} to the driver` });
        },
      },
      returned,
    );
  }

  /** The player in front of the driver, which may be down. */
  #gate(): CallGate {
    const { clock } = this.#context.cluster;
    return {
      play: (call) =>
        this.#calls.play({
          ...call,
          send: async () => {
            if (clock.steady() < this.#driverIsDownUntil)
              return { code: CODES.Unavailable, message: "the driver does not run" };
            this.#isStale = true;
            return call.send();
          },
        }),
    };
  }

  /** Looks at the driver after calls, and writes into volumes that can be used for the first time. */
  async #look(): Promise<void> {
    const { trace } = this.#context;
    const { subject } = this.#parts;
    const { write } = subject;
    for (; write && this.#looked < trace.entries.length; this.#looked++) this.#writeAt(this.#looked, write);
    if (!this.#isStale) return;
    this.#isStale = false;
    this.moments.push({ seq: trace.entries.length, objects: await subject.objects() });
  }

  #writeAt(seq: number, write: NonNullable<DriverSubject["write"]>): void {
    const entry = this.#context.trace.entries[seq]!;
    if (entry.type !== "change" || entry.object.kind !== "PersistentVolumeClaim" || entry.object.group !== "") return;
    const { spec, status, metadata } = entry.after as unknown as {
      readonly spec: { readonly volumeName?: string; readonly dataSource?: unknown; readonly dataSourceRef?: unknown };
      readonly status?: { readonly phase?: string };
      readonly metadata: { readonly namespace: string; readonly name: string };
    };
    if (!spec.volumeName || status?.phase !== "Bound" || spec.dataSource || spec.dataSourceRef) return;
    const id = this.#handleOf(spec.volumeName, seq);
    if (id === undefined || this.written.some((one) => one.id === id)) return;
    const text = `written by ${metadata.namespace}/${metadata.name}`;
    write(id, text);
    this.written.push({ seq: this.#context.trace.entries.length, id, text });
    this.#isStale = true;
  }

  /** The ID of the volume that a PersistentVolume names, as the trace has it. */
  #handleOf(name: string, before: number): string | undefined {
    const { entries } = this.#context.trace;
    for (let i = before; i >= 0; i--) {
      const entry = entries[i]!;
      if (entry.type !== "change" || entry.object.kind !== "PersistentVolume" || entry.object.name !== name) continue;
      const { csi } = entry.after["spec"] as {
        readonly csi?: { readonly driver?: string; readonly volumeHandle?: string };
      };
      return csi?.driver === this.#parts.subject.driver.name ? csi.volumeHandle : undefined;
    }
    return undefined;
  }
}
