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

/** What the registration of a driver is built from. */
export interface RegistrationParts {
  readonly name: string;
  /** The socket of the driver. */
  readonly driver: string;
  /** The directory in which the agent looks for sockets. */
  readonly registry: string;
  readonly clock: Clock;
  /** Called for every result that an agent reports. */
  readonly onStatus: (status: RegistrationStatus) => void;
  /** Called if the registration cannot be served; it is retried. */
  readonly onError: (error: unknown) => void;
}

const RETRY = { first: 1000, most: 60_000 };

/**
 * Registers a driver with the agent of its node, and again while the agent refuses it. Disposal removes the socket, and the agent
 * unregisters the driver (CSIN-30).
 */
export function keepRegistered({
  name,
  driver,
  clock,
  onStatus,
  onError,
  ...parts
}: RegistrationParts): AsyncDisposable {
  const over = new AbortController();
  const registry = resolve(parts.registry);
  const info = { name, endpoint: socketPath(driver) };
  const serve = async (): Promise<Registrar | undefined> => {
    try {
      // The agent may start later and finds the directory then.
      await mkdir(registry, { recursive: true, mode: 0o750 });
      return await serveRegistration(registrationSocket(registry, name), info, { clock, onStatus });
    } catch (error) {
      onError(error);
      return undefined;
    }
  };
  const running = (async () => {
    for (let failures = 0; !over.signal.aborted; failures++) {
      const registrar = await serve();
      const isRefused = await Promise.race([refusal(registrar), aborted(over.signal)]);
      await registrar?.close();
      // An agent registers a socket again only if it is a new one.
      if (isRefused) await sleep(clock, backoff(failures, RETRY, systemRandom), over.signal);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await running;
    },
  };
}

/** Resolves to true if the registration was refused or could not be served; else never. */
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
