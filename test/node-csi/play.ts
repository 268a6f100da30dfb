/**
 * An agent that is played by chance over the plugin of drivers: Pods come and go and share volumes, calls fail or are never
 * answered, volumes are attached and detached, and the agent is killed between any two steps and begins anew from disk.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Pod } from "../../src/client/kinds/index.ts";
import { CODES, type CodeName } from "../../src/csi/driver-error.ts";
import type { FoundVolume, NeededVolume } from "../../src/node/contract.ts";
import { type SeededRandom, seededRandom } from "../../src/util/clock.ts";
import type { Fault, ModelDriver } from "./model-driver.ts";
import type { NodeWorld } from "./node-world.ts";

/** What a schedule did. */
export interface Played {
  readonly kills: number;
  readonly faults: number;
  readonly operations: number;
}

/** One Pod's use of one volume. */
interface Use {
  readonly needed: NeededVolume;
  readonly key: string;
}

interface Running {
  readonly handle: string;
  readonly done: Promise<void>;
}

const ALL_CODES = Object.keys(CODES) as CodeName[];
const STEPS = 100;
/** Rounds without faults after which everything has to be as it should. */
const MOST_ROUNDS = 50;

/** See the head of this file. */
export class Play {
  readonly #node: NodeWorld;
  readonly #driver: ModelDriver;
  readonly #random: SeededRandom;
  readonly #seed: number;
  readonly #wanted = new Map<string, Use>();
  readonly #ready = new Set<string>();
  readonly #running = new Map<string, Running>();
  readonly #handles = new Map<string, string>();
  readonly #held = new Set<string>();
  #agent = new AbortController();
  #isKilling = false;
  #failing = true;
  #pods = 0;
  #kills = 0;
  #faults = 0;
  #operations = 0;

  constructor(node: NodeWorld, driver: ModelDriver, seed: number) {
    this.#node = node;
    this.#driver = driver;
    this.#seed = seed;
    this.#random = seededRandom(seed);
    driver.attached = new Set();
    driver.fault = (_method, { volumeId }) => this.#fault(volumeId);
    node.holdAt = (path) => this.#hold(path);
  }

  /** Whether the driver stages volumes: one in four does not. */
  get #stages(): boolean {
    return this.#seed % 4 !== 0;
  }

  /** Plays to the end; throws where something is not as it has to be. */
  async run(): Promise<Played> {
    this.#driver.capabilities = this.#stages ? ["STAGE_UNSTAGE_VOLUME"] : [];
    await this.#node.restart();
    for (let step = 0; step < STEPS; step++) await this.#step();
    await this.#settle();
    this.#expectMounted();
    this.#wanted.clear();
    this.#failing = true;
    for (let step = 0; step < 10; step++) await this.#step();
    this.#wanted.clear();
    await this.#settle();
    await this.#expectGone();
    return { kills: this.#kills, faults: this.#faults, operations: this.#operations };
  }

  async #step(): Promise<void> {
    const lot = this.#random.next();
    if (lot < 0.15) this.#addPod();
    else if (lot < 0.25) this.#removePod();
    else if (lot < 0.31) await this.#kill();
    else if (lot < 0.36) await this.#node.pass(this.#below(130_000));
    else if (lot < 0.7) await this.#attachOrDetach();
    this.#look();
    if (this.#random.next() < 0.8) await this.#pause();
  }

  /** What the agent does at a look: what is wanted is set up, what is found and not wanted is taken down. */
  #look(): void {
    for (const { key, needed } of this.#wanted.values()) {
      if (this.#ready.has(key) && this.#random.next() < 0.7) continue;
      this.#begin(key, handleOf(needed), async (signal) => {
        await this.#node.plugin.setUp(this.#withAttachment(needed), signal);
        this.#ready.add(key);
      });
    }
    for (const found of this.#node.foundVolumes()) {
      const key = keyOf(found);
      if (this.#wanted.has(key)) continue;
      this.#begin(key, this.#handles.get(key)!, (signal) => this.#node.plugin.tearDown(found, signal));
    }
  }

  /** One operation at a time for one volume of a Pod. */
  #begin(key: string, handle: string, work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#running.has(key)) return;
    const { signal } = this.#agent;
    this.#operations++;
    const running: Running = {
      handle,
      done: work(signal)
        .catch((error: unknown) => {
          if ((error as Error).name !== "VolumeError") throw error;
        })
        .finally(() => {
          if (this.#running.get(key) === running) this.#running.delete(key);
        }),
    };
    this.#running.set(key, running);
    running.done.catch((error: unknown) => this.#driver.broken.push(`not a VolumeError: ${(error as Error).stack}`));
  }

  #addPod(): void {
    if (this.#pods > 30) return;
    const pod = this.#node.pod({ uid: `s${this.#seed}-${this.#pods++}`, spec: this.#below(3) === 0 ? GROUP : {} });
    const volumes = 1 + this.#below(2);
    for (let i = 0; i < volumes; i++) this.#want(this.#volumeOf(pod));
  }

  /** One of a few volumes that Pods share, two of which are devices of one disk, or one of its own. */
  #volumeOf(pod: Pod): NeededVolume {
    const number = this.#below(5);
    const csi = { driver: this.#driver.name };
    if (number === 3) return this.#node.inline(pod, csi, "own");
    const name = `s${this.#seed}-v${number}`;
    if (number < 2) return this.#node.persistent(pod, { name, csi, mode: "Filesystem" });
    const disk = { ...csi, volumeHandle: `s${this.#seed}-disk` };
    return this.#node.persistent(pod, { name, csi: disk, mode: "Block" });
  }

  #want(needed: NeededVolume): void {
    const name = needed.persistent?.volume.metadata.name ?? needed.volume.name;
    const key = keyOf({ podUid: needed.pod.metadata.uid, name, mode: needed.mode });
    this.#wanted.set(key, { key, needed });
    this.#handles.set(key, handleOf(needed));
  }

  #removePod(): void {
    const uids = [...new Set([...this.#wanted.values()].map(({ needed }) => needed.pod.metadata.uid))];
    const uid = uids[this.#below(uids.length)];
    for (const { key, needed } of this.#wanted.values()) {
      if (needed.pod.metadata.uid !== uid) continue;
      this.#wanted.delete(key);
      this.#ready.delete(key);
    }
  }

  /** The agent is killed where it is, and another begins from what lies on disk. */
  async #kill(): Promise<void> {
    this.#kills++;
    this.#isKilling = true;
    this.#agent.abort(new Error("killed"));
    await this.#node.plugin.close!();
    const running = [...this.#running.values()];
    for (const { handle, done } of running) await this.#overOrHeld(handle, done);
    this.#running.clear();
    this.#held.clear();
    this.#ready.clear();
    this.#isKilling = false;
    this.#agent = new AbortController();
    // Pods may be deleted while no agent runs.
    while (this.#wanted.size > 0 && this.#random.next() < 0.6) this.#removePod();
    await this.#node.start();
  }

  async #overOrHeld(handle: string, done: Promise<void>): Promise<void> {
    let isOver = false;
    const over = (): void => void (isOver = true);
    void done.then(over, over);
    while (!isOver && !this.#held.has(handle)) await new Promise((resolve) => setImmediate(resolve));
  }

  /** While an agent is being killed, what it has asked of the machine is never answered: it ends between two steps. */
  #hold(path: string): Promise<void> | undefined {
    if (!this.#isKilling) return undefined;
    for (const { handle } of this.#running.values())
      if (isPathOf(path, handle, this.#keysOf(handle))) this.#held.add(handle);
    return new Promise(() => {});
  }

  #keysOf(handle: string): readonly string[] {
    return [...this.#handles].filter(([, of]) => of === handle).map(([key]) => key);
  }

  #fault(volumeId: string | undefined): Fault | undefined {
    if (!this.#failing || this.#isKilling || volumeId === undefined) return undefined;
    if (this.#random.next() > 0.35) return undefined;
    this.#faults++;
    const when = this.#random.next() < 0.5 ? "before" : "after";
    return { when, code: this.#random.next() < 0.05 ? "never" : ALL_CODES[this.#below(ALL_CODES.length)]! };
  }

  /** What the control plane does: it attaches what is wanted, and detaches what is neither wanted nor in use. */
  async #attachOrDetach(): Promise<void> {
    const { attached, staged, published, broken } = this.#driver;
    const persistent = [...this.#wanted.values()].filter(({ needed }) => needed.persistent);
    const wanted = new Set(persistent.map(({ needed }) => handleOf(needed)));
    for (const handle of wanted) if (this.#random.next() < 0.7 || !this.#failing) attached!.add(handle);
    const inUse = await this.#node.plugin.inUse!();
    for (const handle of attached!) {
      const isUsed = inUse.some((entry) => entry.endsWith(`^${handle}`));
      if (isUsed || wanted.has(handle) || this.#isBusy(handle)) continue;
      if (staged.has(handle) || published.has(handle)) broken.push(`says that ${handle} is not in use, which it is`);
      attached!.delete(handle);
    }
  }

  /** What is about to be set up is listed as in use before (NODE-11). */
  #isBusy(handle: string): boolean {
    return [...this.#running.values()].some((running) => running.handle === handle);
  }

  #withAttachment(needed: NeededVolume): NeededVolume {
    const handle = handleOf(needed);
    const disk = { driver: this.#driver.name, handle };
    const attachment = this.#node.attachment(disk, { attached: this.#driver.attached!.has(handle) });
    return needed.persistent ? { ...needed, attachment } : needed;
  }

  async #pause(): Promise<void> {
    const one = [...this.#running.values()][0];
    if (one) await Promise.race([one.done.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 3))]);
  }

  /** Without faults everything comes to be as it is wanted. */
  async #settle(): Promise<void> {
    this.#failing = false;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      await this.#attachOrDetach();
      // Whatever is never answered is given up after two minutes.
      await this.#node.pass(121_000);
      this.#look();
      await Promise.all([...this.#running.values()].map(({ done }) => done.catch(() => {})));
      if (this.#isSettled()) return;
    }
    throw new Error(`expected seed ${this.#seed} to come to rest: ${JSON.stringify([...this.#wanted.keys()])}`);
  }

  #isSettled(): boolean {
    const isWanted = this.#node.foundVolumes().every((found) => this.#wanted.has(keyOf(found)));
    return isWanted && [...this.#wanted.keys()].every((key) => this.#ready.has(key)) && this.#running.size === 0;
  }

  /** What is wanted is staged once for the node and published once for each Pod, and nothing else is. */
  #expectMounted(): void {
    const wanted = Map.groupBy(this.#wanted.values(), ({ needed }) => handleOf(needed));
    const targets = [...this.#wanted.values()].map(({ needed }) => this.#targetOf(needed));
    const published = [...this.#driver.published.values()].flatMap((found) => [...found.keys()]);
    this.#same("published", published.toSorted(), targets.toSorted());
    const staged = [...wanted.keys()].filter((handle) => this.#stages && !handle.startsWith("csi-"));
    this.#same("staged", [...this.#driver.staged.keys()].toSorted(), staged.toSorted());
    this.#same("broken", this.#driver.broken, []);
  }

  async #expectGone(): Promise<void> {
    const { published, staged, mounted, broken } = this.#driver;
    this.#same("gone", [published.size, staged.size, mounted.size], [0, 0, 0]);
    this.#same("left", this.#node.left(), []);
    this.#same("in use", await this.#node.plugin.inUse!(), []);
    this.#same("broken", broken, []);
  }

  #targetOf({ pod, mode, path, persistent }: NeededVolume): string {
    if (mode === "Filesystem") return path;
    const name = persistent!.volume.metadata.name;
    return join(this.#node.root, "plugins/kubernetes.io/csi/volumeDevices/publish", name, pod.metadata.uid);
  }

  #same(what: string, actual: unknown, expected: unknown): void {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== should) throw new Error(`SEED=${this.#seed}: ${what}: expected ${should}, got ${is}`);
  }

  #below(most: number): number {
    return Math.floor(this.#random.next() * most);
  }
}

const GROUP = { securityContext: { fsGroup: 2000 } };

const keyOf = ({ podUid, name, mode }: Pick<FoundVolume, "podUid" | "name" | "mode">): string =>
  `${podUid} ${mode} ${name}`;

function handleOf({ pod, volume, persistent }: NeededVolume): string {
  const inline = createHash("sha256").update(`${pod.metadata.uid}${volume.name}`).digest("hex");
  return persistent?.volume.spec.csi?.volumeHandle ?? `csi-${inline}`;
}

/** Whether a path is one of those of a volume: where it is staged, or where Pods have it. */
function isPathOf(path: string, handle: string, keys: readonly string[]): boolean {
  const hash = createHash("sha256").update(handle).digest("hex");
  if (path.includes(hash)) return true;
  return keys.some((key) => {
    const [uid, mode, name] = key.split(" ");
    if (mode === "Block") return path.endsWith(`/publish/${name}/${uid}`);
    return path.includes(`/${uid}/volumes/`) && path.includes(`/${name}/`);
  });
}
