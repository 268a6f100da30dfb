/**
 * Sidecars in other processes as the programs of a run: each one calls the driver at a socket of its own, by which it is known.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Actor } from "../../../explore/contract/trace.ts";
import { ActivityCount, runCounted } from "../../../util/activity.ts";
import type { ProgramCommand } from "../programs-process.ts";
import { type ProgramsSettings, ProgramsWorld } from "../programs-world.ts";
import type { ProgramLife, StaleState } from "../identity.ts";
import type { RunContext } from "../world.ts";
import type { ComingCall, Received } from "./call-player.ts";
import type { CallGate } from "./csi-world.ts";
import { type CsiProxy, type ProxiedCall, serveProxy } from "./proxy.ts";

/** The place of the socket in a command. */
export const CSI_PLACE = "{csi}";
/** How long a program may take to react after a call: it is not at rest meanwhile. */
const THINKS_MS = 500;

/** Says which programs cannot reach the driver. @throws RangeError */
export function checkCommands(programs: readonly ProgramCommand[]): void {
  if (programs.some(({ command }) => command.some((part) => part.includes(CSI_PLACE)))) return;
  throw new RangeError(
    `expected a command with ${CSI_PLACE} in the place of the driver's socket, such as csi-provisioner --csi-address={csi} --kubeconfig={}`,
  );
}

/** Programs whose calls to the driver pass a proxy. */
export class ProxiedPrograms extends ProgramsWorld {
  readonly #folder: string;
  readonly #context: RunContext;
  readonly #gate: CallGate;
  readonly #driver: string;
  readonly #actors: readonly Actor[];
  readonly #proxies = new Map<Actor, CsiProxy>();

  /** @param driver the endpoint of the driver */
  static open(
    settings: ProgramsSettings,
    driver: string,
    parts: { readonly context: RunContext; readonly gate: CallGate },
  ): ProxiedPrograms {
    const folder = mkdtempSync(join(tmpdir(), "keelson-csi-"));
    const programs = settings.programs.map(({ name, command }, i): ProgramCommand => {
      const [file, ...args] = command;
      const filled = (text: string): string => text.replaceAll(CSI_PLACE, socketIn(folder, i));
      return { name, command: [filled(file), ...args.map(filled)] };
    });
    return new ProxiedPrograms({ ...settings, programs }, { folder, driver, ...parts });
  }

  private constructor(
    settings: ProgramsSettings,
    {
      folder,
      driver,
      context,
      gate,
    }: { readonly folder: string; readonly driver: string; readonly context: RunContext; readonly gate: CallGate },
  ) {
    super(settings, context);
    this.#folder = folder;
    this.#driver = driver;
    this.#context = context;
    this.#gate = gate;
    this.#actors = settings.programs.map(({ name }) => name);
  }

  override async begin(): Promise<void> {
    for (const [i, actor] of this.#actors.entries()) {
      const play = (call: ProxiedCall) => this.#play(actor, call);
      const proxy = await serveProxy({ socket: socketIn(this.#folder, i), driver: this.#driver, play });
      this.#proxies.set(actor, proxy);
    }
    await super.begin();
  }

  override kill(life: ProgramLife, downMillis: number, stale?: StaleState): void {
    super.kill(life, downMillis, stale);
    this.#proxies.get(life.actor)?.breakConnections();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    for (const proxy of this.#proxies.values()) await proxy[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #play<T>(actor: Actor, call: Omit<ComingCall<T>, "actor" | "life">): Promise<Received<T>> {
    const { cluster } = this.#context;
    const count = new ActivityCount(() => cluster.inside.activity.begin(`${call.method} of ${actor}`));
    try {
      return await runCounted(count, () => this.#gate.play({ actor, life: this.#lifeOf(actor), ...call }));
    } finally {
      cluster.clock.after(THINKS_MS, () => count.end(), { owner: `${actor} after ${call.method}` });
    }
  }

  /** The number of the present start of a program. */
  #lifeOf(actor: Actor): number {
    const started = this.#context.trace.entries.findLast(
      (one) => one.type === "life" && one.event === "started" && one.actor === actor,
    );
    return started?.type === "life" ? started.life : 0;
  }
}

const socketIn = (folder: string, i: number): string => join(folder, `${i}.sock`);
