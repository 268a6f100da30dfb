/** Until when something waits, in a sentence. */
import { formatTime, humanDuration } from "../meta/time.ts";

/** `14:03:10 (in 40s)`, in UTC; with the date where it is more than a day away. @param now milliseconds since the epoch */
export function whenText(now: number, millis: number): string {
  const left = Math.max(0, Math.round(millis / 1000) * 1000);
  const time = formatTime(now + millis);
  return `${left < 86_400_000 ? time.slice(11, 19) : time} (in ${humanDuration(left)})`;
}
