/**
 * The headers of W3C Trace Context and Baggage: `traceparent`, `tracestate` and `baggage`
 * (https://www.w3.org/TR/trace-context/, https://www.w3.org/TR/baggage/).
 *
 * A header that is not valid counts as not sent, as the specifications have it. `tracestate` without a valid `traceparent` does not
 * count either.
 *
 * @module
 */

/** The span of another program that a request is a part of. */
export interface RemoteSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  /** The header `tracestate`, empty for none. */
  readonly state: string;
}

/** The values of a header, one for each line in which it was sent. */
type Lines = (name: string) => readonly string[];

const VERSION_0 = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** A later version may have more, after a dash. */
const LATER_VERSION = /^(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);
const SAMPLED = 1;

const MAX_PARENT_CHARACTERS = 512;
const MAX_STATE_CHARACTERS = 2048;
const MAX_STATE_MEMBERS = 32;
const MAX_BAGGAGE_CHARACTERS = 8192;
const MAX_BAGGAGE_MEMBERS = 64;

const STATE_MEMBER = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;
/** What a value of a header may have that is sent on. */
const PRINTABLE = /^[\t\x20-\x7e]*$/;

/** Reads the parent of a request; undefined where none was sent, or none that is valid. */
export function remoteSpan(lines: Lines): RemoteSpan | undefined {
  const [parent, second] = lines("traceparent");
  if (parent === undefined || second !== undefined || parent.length > MAX_PARENT_CHARACTERS) return undefined;
  const text = parent.trim();
  const [, traceId, spanId, flags] = VERSION_0.exec(text) ?? LATER_VERSION.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) !== 0;
  return { traceId, spanId, isSampled, state: stateOf(lines("tracestate")) };
}

/** The members of `tracestate` as one text; empty where one of them is not valid. */
function stateOf(lines: readonly string[]): string {
  const text = lines.join(",");
  if (text === "" || text.length > MAX_STATE_CHARACTERS) return "";
  const members = text.split(",").flatMap((one) => one.trim() || []);
  const isValid = members.length <= MAX_STATE_MEMBERS && members.every((one) => STATE_MEMBER.test(one));
  const keys = new Set(members.map((one) => one.slice(0, one.indexOf("="))));
  return isValid && keys.size === members.length ? members.join(",") : "";
}

/** Reads the baggage of a request, which goes on to other servers as it is; empty for none, and for too much. */
export function baggageOf(lines: Lines): string {
  const text = lines("baggage").join(",");
  if (text === "" || text.length > MAX_BAGGAGE_CHARACTERS || !PRINTABLE.test(text)) return "";
  return text.split(",").length <= MAX_BAGGAGE_MEMBERS ? text : "";
}

/** Returns the header `traceparent` of a span. */
export const traceparent = (traceId: string, spanId: string, isSampled: boolean): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
