/**
 * The drivers of a node: found by their sockets, registered, told so, and written down in the API (CSIN-22 to CSIN-31).
 *
 * @module
 */
import { openRegistration } from "../../../csi/registration.ts";
import type { Driver } from "../../../csi/driver.ts";
import { DriverError } from "../../../csi/driver-error.ts";
import { KeyedLock } from "../../../util/keyed-lock.ts";
import { WorkQueue } from "../../../util/work-queue.ts";
import type { NodeGround } from "../../contract.ts";
import { type NodeFacts, NodeObjects } from "./node-objects.ts";
import { type Applicant, PATIENCE_MS, applicantOf, connectionTo, factsOf } from "./registration.ts";
import { SocketWatch } from "./sockets.ts";
import { compareVersions } from "./versions.ts";

/** What a registry is made with. */
export interface RegistryOptions {
  readonly ground: NodeGround;
  /** The directory of the sockets. */
  readonly directory: string;
  /** Hears of a driver that can be called from now on, or not any more. */
  readonly changed: (driver: string) => void;
}

/** A socket whose driver was registered. */
interface Registered extends Applicant {
  readonly socket: string;
  /** Which socket of that path it was. */
  readonly identity: string;
  readonly driver: Driver;
  /** What it has said of the node last. */
  facts: NodeFacts;
}

const RETRY = { first: 500, most: 120_000 };
/** The key of the CSINode among the sockets, which are absolute paths. */
const CSI_NODE = "CSINode";
/** How often it is seen to that the API says what it has been told, in ms. */
const KEEP_MS = 60_000;

/** See the head of this file. */
export class DriverRegistry {
  readonly #options: RegistryOptions;
  readonly #objects: NodeObjects;
  readonly #sockets: SocketWatch;
  readonly #queue: WorkQueue;
  readonly #names = new KeyedLock();
  readonly #ended = new AbortController();
  readonly #registered = new Map<string, Registered>();
  /** Which of the registered ones of a name is called. */
  readonly #current = new Map<string, Registered>();

  constructor(options: RegistryOptions) {
    const { ground, directory } = options;
    const { clock, random, log, activity } = ground;
    this.#options = options;
    this.#objects = new NodeObjects(ground);
    this.#queue = new WorkQueue({
      clock,
      random,
      activity,
      name: "registrations of drivers",
      // Each may wait for a driver that does not answer.
      workers: 64,
      retry: RETRY,
      work: (key) => (key === CSI_NODE ? this.#keep() : this.#look(key)),
      failed: (key, error) => {
        const { message } = error as Error;
        if (key === CSI_NODE) log.warn("what the node says of its drivers was not written", { error: message });
        else log.warn("a driver is not registered", { socket: key, error: message }, key);
      },
    });
    this.#sockets = new SocketWatch({ directory, clock, log, changed: (path) => this.#queue.add(path) });
  }

  /** Begins: makes the CSINode, and registers what is there and what comes. */
  async start(): Promise<void> {
    this.#queue.add(CSI_NODE);
    await this.#sockets.start();
  }

  /** A driver that is registered. */
  driver(name: string): Driver | undefined {
    return this.#current.get(name)?.driver;
  }

  /** The names of those that are registered. */
  names(): readonly string[] {
    return [...this.#current.keys()];
  }

  /** Asks a driver anew how many volumes it takes, and writes that down where it has changed (CSIN-32). */
  async updateCount(name: string): Promise<void> {
    const driver = this.driver(name);
    if (!driver) return;
    const end = this.#options.ground.activity?.begin(`count of volumes of ${name}`);
    try {
      const { count } = await factsOf(driver, this.#ended.signal);
      const registered = this.#current.get(name);
      if (registered?.driver !== driver) return;
      await this.#objects.count(name, count);
      registered.facts = { ...registered.facts, count };
    } finally {
      end?.();
    }
  }

  /** Looks through the directory now. */
  look(): Promise<void> {
    return this.#sockets.look();
  }

  /** Ends; drivers stay registered. */
  async close(): Promise<void> {
    this.#ended.abort(new Error("the agent ends"));
    await this.#sockets.close();
    await this.#queue.close();
    await Promise.all([...this.#registered.values()].map(({ driver }) => driver.close()));
  }

  /** Sees that the API says what it was told: a Node that was deleted takes its CSINode with it, and is made again without. */
  async #keep(): Promise<number> {
    await this.#objects.ensure();
    for (const registered of this.#current.values()) {
      const { name, facts } = registered;
      const isStill = (): boolean => this.#current.get(name) === registered;
      await this.#names.run(name, async () => (isStill() ? this.#objects.add(name, facts) : undefined));
    }
    return KEEP_MS;
  }

  /** Brings what is registered of a path in line with what stands there. */
  async #look(socket: string): Promise<void> {
    const identity = this.#sockets.at(socket);
    const known = this.#registered.get(socket);
    if (known?.identity === identity) return;
    const takeOut = async (): Promise<void> => {
      if (known) await this.#names.run(known.name, () => this.#takeOut(known));
    };
    if (identity === undefined) return takeOut();
    try {
      await this.#register(socket, identity);
    } catch (error) {
      await takeOut();
      throw error;
    }
    // A socket of the same path may be of another driver.
    if (known && known.name !== this.#registered.get(socket)?.name) await takeOut();
  }

  async #register(socket: string, identity: string): Promise<void> {
    const { clock, log } = this.#options.ground;
    const { signal } = this.#ended;
    const registrar = openRegistration(socket, { clock });
    try {
      const applicant = await applicantOf(registrar, { socket, signal });
      await this.#names.run(applicant.name, () => this.#admit({ ...applicant, socket, identity }));
      const answer = { pluginRegistered: true, error: "" };
      await registrar.calls
        .notifyRegistrationStatus(answer, { signal, deadlineMs: PATIENCE_MS })
        .catch((error: unknown) => {
          const facts = { driver: applicant.name, error: (error as Error).message };
          log.warn("a registrar did not hear that its driver is registered", facts);
        });
    } catch (error) {
      await tellFailure(registrar, error, signal);
      throw error;
    } finally {
      await registrar.close();
    }
  }

  /** Takes a driver in; one of the same name only where this one is newer (CSIN-31). */
  async #admit(applicant: Omit<Registered, "driver" | "facts">): Promise<void> {
    const { name, version, socket } = applicant;
    const before = this.#current.get(name);
    if (before && before.socket !== socket && compareVersions(before.version, version) >= 0) {
      throw new Error(`the driver ${name} is registered already by ${before.socket}, with a version that is as high`);
    }
    const driver = connectionTo(applicant, this.#options.ground.clock);
    let facts: NodeFacts;
    try {
      facts = await factsOf(driver, this.#ended.signal);
      await this.#objects.add(name, facts);
    } catch (error) {
      await driver.close();
      throw error;
    }
    const registered = { ...applicant, driver, facts };
    this.#registered.set(socket, registered);
    this.#current.set(name, registered);
    this.#options.ground.log.info("a driver is registered", { driver: name, socket });
    this.#options.changed(name);
    await before?.driver.close();
  }

  /** Takes a driver out whose socket has gone (CSIN-30); one that it had replaced gets its turn. */
  async #takeOut(gone: Registered): Promise<void> {
    const { name, socket } = gone;
    if (this.#current.get(name) === gone) {
      this.#current.delete(name);
      this.#options.changed(name);
      this.#options.ground.log.info("a driver is not registered any more", { driver: name, socket });
    }
    if (!this.#current.has(name)) await this.#objects.remove(name);
    await gone.driver.close();
    if (this.#registered.get(socket) === gone) this.#registered.delete(socket);
    if (this.#current.has(name)) return;
    for (const other of [...this.#registered.values()].filter((one) => one.name === name)) {
      this.#registered.delete(other.socket);
      this.#queue.add(other.socket);
    }
  }
}

/** Tells a registrar why not; who does not answer cannot be told. */
async function tellFailure(
  { calls }: ReturnType<typeof openRegistration>,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (error instanceof DriverError && error.method === "GetInfo") return;
  const { message } = error as Error;
  await calls
    .notifyRegistrationStatus({ pluginRegistered: false, error: message }, { signal, deadlineMs: PATIENCE_MS })
    .catch(() => {});
}
