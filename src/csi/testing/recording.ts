/**
 * The services of any driver with a record of their calls, and with faults on demand: errors, responses that are lost after
 * the work was done, delays, and calls that hang. For tests, in their process, over the real socket.
 *
 * @module
 */
import { type Clock, sleep } from "../../util/clock.ts";
import type { CallContext } from "../calls.ts";
import { type CodeName, DriverError } from "../driver-error.ts";
import { HIDDEN } from "../secrets.ts";
import { type DriverServices, type SocketServer, serveDriver } from "../serve.ts";

/** A recorded call. */
export interface RecordedCall {
  /** The name in the protocol, such as `NodePublishVolume`. */
  readonly method: string;
  /** The request with the field names of the messages (`volumeId`); values of secrets are hidden by default. */
  readonly request: Readonly<Record<string, unknown>>;
  /** `OK`, or the code of the error; undefined while the call runs. */
  outcome: CodeName | "OK" | undefined;
}

/** An error for calls of a method. */
export interface Fault {
  readonly code: CodeName;
  readonly reason?: string;
  /** Which call from now on fails, from 1. Default 1: the next one. */
  readonly nth?: number;
  /** How many calls in a row fail. Default 1; `Infinity` for all later ones. */
  readonly times?: number;
  /** Whether the work is done and only the response is lost. Default false. */
  readonly afterWork?: boolean;
}

interface Pending {
  readonly fault: Fault;
  /** Calls until it begins, including the first one that fails. */
  wait: number;
  left: number;
}

type Method = (request: object, context: CallContext) => Promise<object>;

/** See the head of this file. */
export class RecordedDriver {
  /** All calls, in order. */
  readonly calls: RecordedCall[] = [];
  readonly services: DriverServices;
  readonly #clock: Clock;
  readonly #keepsSecrets: boolean;
  readonly #faults = new Map<string, Pending[]>();
  readonly #delays = new Map<string, number>();
  readonly #held = new Map<string, Promise<void>>();

  constructor(
    services: DriverServices,
    { clock, secrets = false }: { readonly clock: Clock; readonly secrets?: boolean },
  ) {
    this.#clock = clock;
    this.#keepsSecrets = secrets;
    const wrapped = Object.entries(services).map(([name, service]) => [name, this.#wrap(service as object)]);
    this.services = Object.fromEntries(wrapped) as DriverServices;
  }

  /** The calls of one method. */
  of(method: string): RecordedCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  /** The methods in the order of their calls, without those that request name, readiness and capabilities. */
  methods(): string[] {
    return this.calls
      .map(({ method }) => method)
      .filter((method) => !/^(Probe|GetPlugin|.*GetCapabilities$)/.test(method));
  }

  /** Makes calls of a method fail. Several faults of one method apply in the order in which they were added. */
  fail(method: string, fault: Fault): void {
    const pending = { fault, wait: fault.nth ?? 1, left: fault.times ?? 1 };
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), pending]);
  }

  /** Delays every call of a method. */
  delay(method: string, ms: number): void {
    this.#delays.set(method, ms);
  }

  /** Makes calls of a method wait before their work until the returned function is called. */
  hold(method: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(method, promise);
    return () => {
      this.#held.delete(method);
      resolve();
    };
  }

  /** Removes faults, delays and the record. */
  clear(): void {
    this.#faults.clear();
    this.#delays.clear();
    this.calls.length = 0;
  }

  #wrap(service: object): object {
    const methods = Object.entries(service as Record<string, Method | undefined>).flatMap(([name, method]) =>
      method ? [[name, this.#wrapMethod(name.charAt(0).toUpperCase() + name.slice(1), method)] as const] : [],
    );
    return Object.fromEntries(methods);
  }

  #wrapMethod(name: string, method: Method): Method {
    return async (request, context) => {
      const call: RecordedCall = { method: name, request: this.#shown(request), outcome: undefined };
      this.calls.push(call);
      const fault = this.#faultFor(name);
      try {
        const response = await this.#respond(name, () => method(request, context), fault, context);
        call.outcome = "OK";
        return response;
      } catch (error) {
        call.outcome = error instanceof DriverError ? error.code : "Internal";
        throw error;
      }
    };
  }

  async #respond(
    name: string,
    work: () => Promise<object>,
    fault: Fault | undefined,
    { signal }: CallContext,
  ): Promise<object> {
    const delay = this.#delays.get(name);
    if (delay !== undefined) await sleep(this.#clock, delay, signal);
    await until(this.#held.get(name), signal);
    if (fault && !fault.afterWork) throw errorOf(fault);
    const response = await work();
    if (fault) throw errorOf(fault);
    return response;
  }

  #faultFor(name: string): Fault | undefined {
    const pending = this.#faults.get(name) ?? [];
    for (const one of pending) if (one.wait > 0) one.wait--;
    const found = pending.find(({ wait, left }) => wait === 0 && left > 0);
    if (found) found.left--;
    return found?.fault;
  }

  #shown(request: object): Record<string, unknown> {
    const shown = plain(request) as Record<string, unknown>;
    const { secrets } = shown;
    if (this.#keepsSecrets || secrets === undefined) return shown;
    return { ...shown, secrets: Object.fromEntries(Object.keys(secrets as object).map((key) => [key, HIDDEN])) };
  }
}

/** Serves a driver and records its calls. */
export async function serveRecorded(
  endpoint: string,
  services: DriverServices,
  { clock, secrets = false }: { readonly clock: Clock; readonly secrets?: boolean },
): Promise<SocketServer & { readonly driver: RecordedDriver }> {
  const driver = new RecordedDriver(services, { clock, secrets });
  return { ...(await serveDriver(endpoint, driver.services, { clock, graceMs: 100 })), driver };
}

const errorOf = ({ code, reason = "a fault of the test" }: Fault): DriverError => new DriverError(code, reason);

/** Waits until the calls are released. Rejects with `Canceled` when the caller has gone first. */
async function until(held: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  if (!held) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (signal.aborted) resolve();
  await Promise.race([held, aborted]);
  if (signal.aborted) throw new DriverError("Canceled", "the caller does not wait any more");
}

/** A message without the members that its library has added. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "$typeName" && key !== "$unknown");
  return Object.fromEntries(entries.map(([key, inner]) => [key, plain(inner)]));
}
