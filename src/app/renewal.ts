import type { Pki } from "../pki/index.ts";
import type { Clock, Timer } from "../util/clock.ts";
import type { Log } from "../util/log.ts";

/** Certificates are made anew a month before they end: half a day more or less is nothing. */
const PERIOD_MS = 12 * 3_600_000;

/** What time it is, and who is told. */
interface Around {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Renews certificates while the server runs, until it is disposed of; `renewed` puts the new ones to use. What cannot be
 * renewed is logged and tried again, and what is there serves on.
 */
export function keepRenewed(pki: Pki, renewed: () => Promise<void>, { clock, log }: Around): Disposable {
  let timer: Timer;
  const wait = (): void => {
    timer = clock.after(PERIOD_MS, look);
  };
  const look = (): void => {
    wait();
    renew().catch((error: unknown) => {
      log.error("the certificates could not be renewed", { error: String(error) });
    });
  };
  const renew = async (): Promise<void> => {
    if (!pki.renew()) return;
    await renewed();
    log.info("certificates have been renewed");
  };
  wait();
  return { [Symbol.dispose]: () => timer.cancel() };
}
