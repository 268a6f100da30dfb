/** The format of ISO 8601, which the server uses, too, in the time zone of the browser. */
const TIME = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });

/** A time, in milliseconds, as text: `2026-11-30 14:03:10`. */
export const timeText = (time: number): string => TIME.format(time);
