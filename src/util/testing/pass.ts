import { systemClock } from "../clock.ts";

/** Resolves after a whole pass of the event loop. */
export const nextPass = (): Promise<void> => systemClock.loop.pass();
