/**
 * The part of Node's `process` and of its globals that the cluster uses, for a browser.
 *
 * @module
 */

const channel = new MessageChannel();
const waiting: (() => void)[] = [];
channel.port1.onmessage = (): void => waiting.shift()?.();

/** Runs work after the events that are ready, as Node's `setImmediate`. */
function setImmediate(work: () => void): void {
  waiting.push(work);
  channel.port2.postMessage(0);
}

/** A timer as Node's: it says that it does not keep the process, which a page need not know. */
class PageTimer {
  readonly #id: ReturnType<typeof globalThis.setTimeout>;

  constructor(id: ReturnType<typeof globalThis.setTimeout>) {
    this.#id = id;
  }

  get id(): ReturnType<typeof globalThis.setTimeout> {
    return this.#id;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

const { setTimeout: after, clearTimeout: cancel } = globalThis;

/** Gives a realm the globals that it lacks; in Node there is nothing to do. */
export function addGlobals(realm: typeof globalThis): void {
  if ("setImmediate" in realm) return;
  Object.assign(realm, {
    setImmediate,
    setTimeout: (work: () => void, ms?: number) => new PageTimer(after(work, ms)),
    clearTimeout: (timer: unknown) => cancel(timer instanceof PageTimer ? timer.id : (timer as number)),
  });
}

addGlobals(globalThis);

/** What the cluster reads of `process`. */
export const process = {
  env: { NODE_ENV: "production" } as Record<string, string | undefined>,
  argv: [] as string[],
  execArgv: [] as string[],
  platform: "browser",
  version: "v24.0.0",
  versions: { node: "24.0.0" },
  pid: 1,
  stdout: { columns: undefined, isTTY: false, write: () => true },
  stderr: { columns: undefined, isTTY: false, write: () => true },
  cwd: (): string => "/",
  on: () => process,
  off: () => process,
  emitWarning: (message: string): void => console.warn(message),
  /** Work runs when all microtasks have, which in a page is a task of its own. */
  nextTick: (work: () => void): void => setImmediate(work),
  getBuiltinModule: () => ({}),
  memoryUsage: Object.assign(() => ({ rss: 0, heapUsed: 0, heapTotal: 0, external: 0 }), { rss: () => 0 }),
  cpuUsage: () => ({ user: 0, system: 0 }),
  hrtime: { bigint: (): bigint => BigInt(Math.round(performance.now() * 1e6)) },
  exit: (): never => {
    throw new Error("expected no end of the process in a page");
  },
  uptime: (): number => performance.now() / 1000,
};

export const { arch, platform, version } = { ...process, arch: "browser" };
export const { exit } = process;
export default { ...process };
