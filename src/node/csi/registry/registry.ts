/**
 * The drivers of a node: finds their sockets, registers them, notifies them, and writes them into the API (CSIN-22 to
 * CSIN-31).
 *
 * @module
 */
import { openRegistration } from "../../../csi/registration.ts";
import type { Driver } from "../../../csi/driver.ts";
import { DriverError } from "../../../csi/driver-error.ts";
import { KeyedLock } from "../../../util/keyed-lock.ts";
import { WorkQueue } from "../../../util/work-queue.ts";
import type { PluginContext } from "../../contract.ts";
import { type NodeFacts, NodeObjects } from "./node-objects.ts";
import { type Applicant, REGISTRAR_TIMEOUT_MS, applicantOf, connectionTo, factsOf } from "./registration.ts";
import { SocketWatch } from "./sockets.ts";
import { compareVersions } from "./versions.ts";
import { messageOf } from "../../../util/error.ts";

/** Options of a registry. */
export interface RegistryOptions {
  readonly context: PluginContext;
  /** The directory of the sockets. */
  readonly directory: string;
  /** Called when a driver was registered, or is not registered any more. */
  readonly onChange: (driver: string) => void;
}

/** A socket with a registered driver. */
interface Registered extends Applicant {
  readonly socket: string;
  /** Distinguishes the socket from another one at the same path. */
  readonly identity: string;
  readonly driver: Driver;
  facts: NodeFacts;
}

const RETRY = { first: 500, most: 120_000 };
/** The key of the CSINode among those of sockets, which are absolute paths. */
const CSI_NODE = "CSINode";
/** How often the objects in the API are checked. */
const CHECK_INTERVAL_MS = 60_000;

/** See the head of this file. */
export class DriverRegistry {
  readonly #options: RegistryOptions;
  readonly #objects: NodeObjects;
  readonly #sockets: SocketWatch;
  readonly #queue: WorkQueue;
  readonly #names = new KeyedLock();
  readonly #ended = new AbortController();
  readonly #registered = new Map<string, Registered>();
  /** The driver to call, by its name. */
  readonly #current = new Map<string, Registered>();

  constructor(options: RegistryOptions) {
    const { context, directory } = options;
    const { clock, random, log, activity } = context;
    this.#options = options;
    this.#objects = new NodeObjects(context);
    this.#queue = new WorkQueue({
      clock,
      random,
      activity,
      name: "registrations of drivers",
      // Each may wait for a driver that does not respond.
      workers: 64,
      retry: RETRY,
      work: (key) => (key === CSI_NODE ? this.#keep() : this.#look(key)),
      failed: (key, error) => {
        const message = messageOf(error);
        if (key === CSI_NODE) log.warn("the drivers of the node were not written", { error: message });
        else log.warn("a driver is not registered", { socket: key, error: message }, key);
      },
    });
    this.#sockets = new SocketWatch({ directory, clock, log, onChange: (path) => this.#queue.add(path) });
  }

  /** Creates the CSINode, and registers drivers from now on. */
  async start(): Promise<void> {
    this.#queue.add(CSI_NODE);
    await this.#sockets.start();
  }

  /** A registered driver. */
  driver(name: string): Driver | undefined {
    return this.#current.get(name)?.driver;
  }

  /** Reads again how many volumes a driver takes, and writes a change (CSIN-32). */
  async updateCount(name: string): Promise<void> {
    const driver = this.driver(name);
    if (!driver) return;
    const end = this.#options.context.activity?.begin(`count of volumes of ${name}`);
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

  /** Ends; drivers stay registered. */
  async close(): Promise<void> {
    this.#ended.abort(new Error("the agent stops"));
    await this.#sockets.close();
    await this.#queue.close();
    await Promise.all([...this.#registered.values()].map(({ driver }) => driver.close()));
  }

  /** Repairs the objects in the API: a deleted Node takes its CSINode with it, and is created again without annotations. */
  async #keep(): Promise<number> {
    await this.#objects.ensure();
    for (const registered of this.#current.values()) {
      const { name, facts } = registered;
      const isStill = (): boolean => this.#current.get(name) === registered;
      await this.#names.run(name, async () => (isStill() ? this.#objects.add(name, facts) : undefined));
    }
    return CHECK_INTERVAL_MS;
  }

  /** Registers or removes the driver of a path, as its socket has changed. */
  async #look(socket: string): Promise<void> {
    const identity = this.#sockets.at(socket);
    const known = this.#registered.get(socket);
    if (known?.identity === identity) return;
    const unregister = async (): Promise<void> => {
      if (known) await this.#names.run(known.name, () => this.#unregister(known));
    };
    if (identity === undefined) return unregister();
    try {
      await this.#register(socket, identity);
    } catch (error) {
      await unregister();
      throw error;
    }
    // The new socket of the same path may belong to another driver.
    if (known && known.name !== this.#registered.get(socket)?.name) await unregister();
  }

  async #register(socket: string, identity: string): Promise<void> {
    const { clock, log } = this.#options.context;
    const { signal } = this.#ended;
    const registrar = openRegistration(socket, { clock });
    try {
      const applicant = await applicantOf(registrar, { socket, signal });
      await this.#names.run(applicant.name, () => this.#admit({ ...applicant, socket, identity }));
      const status = { pluginRegistered: true, error: "" };
      await registrar.calls
        .notifyRegistrationStatus(status, { signal, deadlineMs: REGISTRAR_TIMEOUT_MS })
        .catch((error: unknown) => {
          const facts = { driver: applicant.name, error: messageOf(error) };
          log.warn("a registrar was not notified that its driver is registered", facts);
        });
    } catch (error) {
      await notifyFailure(registrar, error, signal);
      throw error;
    } finally {
      await registrar.close();
    }
  }

  /** Registers a driver; replaces one of the same name only with a newer version (CSIN-31). */
  async #admit(applicant: Omit<Registered, "driver" | "facts">): Promise<void> {
    const { name, version, socket } = applicant;
    const before = this.#current.get(name);
    if (before && before.socket !== socket && compareVersions(before.version, version) >= 0) {
      throw new Error(`the driver ${name} is already registered by ${before.socket}, with a version that is as high`);
    }
    const driver = connectionTo(applicant, this.#options.context.clock);
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
    this.#options.context.log.info("a driver is registered", { driver: name, socket });
    this.#options.onChange(name);
    await before?.driver.close();
  }

  /** Removes a driver without a socket (CSIN-30), and registers one again that it had replaced. */
  async #unregister(gone: Registered): Promise<void> {
    const { name, socket } = gone;
    if (this.#current.get(name) === gone) {
      this.#current.delete(name);
      this.#options.onChange(name);
      this.#options.context.log.info("a driver is not registered any more", { driver: name, socket });
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

/** Notifies a registrar of the error, unless it does not respond. */
async function notifyFailure(
  { calls }: ReturnType<typeof openRegistration>,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (error instanceof DriverError && error.method === "GetInfo") return;
  const message = messageOf(error);
  await calls
    .notifyRegistrationStatus({ pluginRegistered: false, error: message }, { signal, deadlineMs: REGISTRAR_TIMEOUT_MS })
    .catch(() => {});
}
