import { humanDuration } from "../../../src/meta/time.ts";

/** How long ago a time was, as kubectl prints it: `5m12s`, `3d4h`, `2y10d`. Both are milliseconds; the future is `0s`. */
export const ageText = (time: number, now: number): string => humanDuration(Math.max(0, now - time));
