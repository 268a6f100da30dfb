/**
 * The rules for header fields of requests, written from RFC 9113 8.2 and 8.3 alone.
 *
 * @module
 */
import { type Field, sizeOf } from "./hpack.ts";

/** Whether fields are valid; `either` where a strict server may refuse what the RFC does not forbid. */
export type Verdict = "right" | "wrong" | "either";

/** The meaning of fields. */
export interface Judged {
  readonly verdict: Verdict;
  readonly method: string;
  /** The announced length of the body; -1 for none. */
  readonly length: number;
}

/** Collects results, of which the worst counts. */
class Court {
  verdict: Verdict = "right";

  wrongIf(condition: boolean): void {
    if (condition) this.verdict = "wrong";
  }

  eitherIf(condition: boolean): void {
    if (condition && this.verdict === "right") this.verdict = "either";
  }
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PSEUDO = [":method", ":scheme", ":path", ":authority"];
const OF_A_CONNECTION = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

/** Checks the fields of any message (RFC 9113 8.2.1 and 8.2.2). */
function judgeFields(court: Court, fields: readonly Field[], isStrict: boolean): void {
  for (const [name, value] of fields) {
    court.wrongIf(name === "" || /[\0-\x20A-Z\x7F-\xFF]/.test(name) || name.includes(":", 1));
    court.eitherIf(!TOKEN.test(name.replace(/^:/, "")));
    court.wrongIf(/[\0\r\n]/.test(value) || /^[ \t]|[ \t]$/.test(value));
    // oxlint-disable-next-line no-control-regex
    court.eitherIf(/[\x01-\x08\x0B\x0C\x0E-\x1F\x7F]/.test(value));
    const isForbidden = OF_A_CONNECTION.includes(name) || (name === "te" && value !== "trailers");
    if (isStrict) court.wrongIf(isForbidden);
    else court.eitherIf(isForbidden);
  }
}

/** Checks the fields of a request (RFC 9113 8.3.1, 8.5 and 8.1.1). */
export function judgeRequest(fields: readonly Field[], isEnd: boolean): Judged {
  const court = new Court();
  judgeFields(court, fields, true);
  const firstOther = fields.findIndex(([name]) => !name.startsWith(":"));
  const pseudo = firstOther < 0 ? fields : fields.slice(0, firstOther);
  const others = firstOther < 0 ? [] : fields.slice(firstOther);
  court.wrongIf(others.some(([name]) => name.startsWith(":")));
  court.wrongIf(pseudo.some(([name], i) => !PSEUDO.includes(name) || pseudo.findIndex(([n]) => n === name) !== i));
  judgeTarget(court, new Map(pseudo));
  const length = judgeLength(court, others, isEnd);
  return { verdict: court.verdict, method: new Map(pseudo).get(":method") ?? "", length };
}

function judgeTarget(court: Court, pseudo: ReadonlyMap<string, string>): void {
  const [method, scheme, path, authority] = [":method", ":scheme", ":path", ":authority"].map((n) => pseudo.get(n));
  court.wrongIf(method === undefined || method === "");
  court.eitherIf(!TOKEN.test(method ?? ""));
  if (method === "CONNECT") {
    court.wrongIf(scheme !== undefined || path !== undefined || authority === undefined);
    court.eitherIf(authority === "");
    return;
  }
  court.wrongIf(scheme === undefined || path === undefined || path === "");
  court.eitherIf(!(path?.startsWith("/") || (path === "*" && method === "OPTIONS")));
}

function judgeLength(court: Court, fields: readonly Field[], isEnd: boolean): number {
  const lengths = fields.filter(([name]) => name === "content-length").map(([, value]) => value);
  const [first] = lengths;
  if (first === undefined) return -1;
  court.wrongIf(lengths.some((one) => one !== first || !/^\d+$/.test(one)));
  court.eitherIf(lengths.length > 1 || first.length > 15);
  court.wrongIf(isEnd && Number(first) > 0);
  return /^\d+$/.test(first) ? Number(first) : -1;
}

/** Checks trailers (RFC 9113 8.1). */
export function judgeTrailers(fields: readonly Field[]): Verdict {
  const court = new Court();
  judgeFields(court, fields, false);
  court.wrongIf(fields.some(([name]) => name.startsWith(":")));
  return court.verdict;
}

/** Returns the size of a list of fields (RFC 9113 6.5.2). */
export const listSize = (fields: readonly Field[]): number => fields.reduce((sum, field) => sum + sizeOf(field), 0);
