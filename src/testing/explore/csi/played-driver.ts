/**
 * A driver that sidecars of this process call, and whose calls a plan may meet.
 *
 * @module
 */
import { CODES, DriverError, codeName } from "../../../csi/driver-error.ts";
import type { Actor } from "../../../explore/contract/trace.ts";
import type { Call, DriverCalls, StorageDriver } from "../../../sidecars/contract.ts";
import { messageOf } from "../../../util/error.ts";
import type { CallRequest } from "./call.ts";
import type { CallPlayer, Outcome } from "./call-player.ts";

type AnyCall = (request: object, call: Call) => Promise<object>;

/** The calls that sidecars make; those of a driver behind a socket are not listed by itself. */
const METHODS = Object.keys({
  createVolume: true,
  deleteVolume: true,
  controllerPublishVolume: true,
  controllerUnpublishVolume: true,
  controllerExpandVolume: true,
  controllerModifyVolume: true,
  getCapacity: true,
  createSnapshot: true,
  deleteSnapshot: true,
  listSnapshots: true,
} satisfies Record<keyof DriverCalls, true>) as readonly (keyof DriverCalls)[];

const NEVER = new AbortController().signal;

/** The calls of one start of a program, which a plan may meet. */
export function playedDriver(
  driver: StorageDriver,
  player: Pick<CallPlayer, "play">,
  program: { readonly actor: Actor; readonly life: number },
): StorageDriver {
  const played = (name: string, method: AnyCall): AnyCall => {
    return async (request, { signal }) => {
      const received = await player.play<object>({
        ...program,
        service: "Controller",
        method: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
        request: request as CallRequest,
        signal,
        // Where the caller has left before, the driver does not get the call.
        send: () => outcomeOf(method(request, { signal: signal.aborted ? NEVER : signal })),
      });
      if (received === "killed") return new Promise<never>(() => {});
      if (received === "broken") throw new DriverError("Unavailable", "the connection was lost");
      if ("value" in received) return received.value;
      throw new DriverError(codeName(received.code), received.message);
    };
  };
  const calls = METHODS.map((name) => [name, played(name, (...call) => (driver.calls[name] as AnyCall)(...call))]);
  return { ...driver, calls: Object.fromEntries(calls) as unknown as DriverCalls };
}

async function outcomeOf(response: Promise<object>): Promise<Outcome<object>> {
  try {
    const value = await response;
    return { code: 0, value, response: value };
  } catch (error) {
    const code = error instanceof DriverError ? CODES[error.code] : CODES.Internal;
    return { code, message: error instanceof DriverError ? error.reason : messageOf(error) };
  }
}
