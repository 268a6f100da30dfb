import { systemClock } from "../clock.ts";

/** Resolves after a whole pass of the event loop. */
export const turn = (): Promise<void> => systemClock.loop.pass();
