/**
 * Makes a driver known to the agent of its node, again and again as long as that does not want it.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { socketPath } from "../../csi/channel.ts";
import {
  type Registrar,
  type RegistrationStatus,
  registrationSocket,
  serveRegistration,
} from "../../csi/registration.ts";
import { backoff } from "../../util/backoff.ts";
import { type Clock, sleep, systemRandom } from "../../util/clock.ts";

/** What is needed for it. */
export interface RegistrationParts {
  readonly name: string;
  /** The socket of the driver. */
  readonly driver: string;
  /** In which directory the agent looks for sockets. */
  readonly registry: string;
  readonly clock: Clock;
  /** Called for every result that an agent reports. */
  readonly answered: (status: RegistrationStatus) => void;
  /** Told why no agent can ask; it is tried again. */
  readonly failed: (error: unknown) => void;
}

const AGAIN = { first: 1000, most: 60_000 };

/** Registers a driver until it is disposed of; then its socket goes, and the agent takes it off its list (CSIN-30). */
export function registered({ name, driver, clock, answered, failed, ...parts }: RegistrationParts): AsyncDisposable {
  const over = new AbortController();
  const registry = resolve(parts.registry);
  const info = { name, endpoint: socketPath(driver) };
  const serve = async (): Promise<Registrar | undefined> => {
    try {
      // The agent may start later.
      await mkdir(registry, { recursive: true, mode: 0o750 });
      return await serveRegistration(registrationSocket(registry, name), info, { clock, onStatus: answered });
    } catch (error) {
      failed(error);
      return undefined;
    }
  };
  const running = (async () => {
    for (let failures = 0; !over.signal.aborted; failures++) {
      const registrar = await serve();
      const isRefused = await Promise.race([refusal(registrar), aborted(over.signal)]);
      await registrar?.close();
      // An agent looks at a socket again only when it is a new one.
      if (isRefused) await sleep(clock, backoff(failures, AGAIN, systemRandom), over.signal);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await running;
    },
  };
}

/** Resolves to true when a registrar was refused, or could not be served; else never. */
async function refusal(registrar: Registrar | undefined): Promise<true> {
  try {
    await registrar?.registered;
  } catch {
    return true;
  }
  return registrar ? new Promise<true>(() => {}) : true;
}

const aborted = (signal: AbortSignal): Promise<false> =>
  new Promise((resolved) => {
    if (signal.aborted) resolved(false);
    else signal.addEventListener("abort", () => resolved(false), { once: true });
  });
