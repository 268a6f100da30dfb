/**
 * What an answer of the API must look like, whatever was asked.
 *
 * @module
 */
import type { RequestCase } from "./case.ts";

/** An answer as it came. */
export interface Got {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  /** Whether it came to its end; a watch is let go before. */
  readonly whole: boolean;
}

/** Why an answer is wrong; empty when it is right. */
export function judge(sent: RequestCase, { status, type, body, whole }: Got): string {
  if (status >= 500 && !(status === 504 && mayTimeOut(sent))) return `${status} ${body.toString().slice(0, 300)}`;
  if (status < 200) return `expected a final code, got ${status}`;
  if (!whole || sent.method === "HEAD" || body.length === 0 || !type.startsWith("application/json")) return "";
  const value = jsonOf(body.toString());
  if (value === undefined) return `expected JSON, got ${body.toString().slice(0, 300)}`;
  return status >= 400 ? judgeStatus(status, value) : "";
}

/** Only a request for a version that does not exist yet waits until its timeout. */
const mayTimeOut = ({ path }: RequestCase): boolean => /resourceVersion|continue/.test(path);

/** The value of a text; that of its first line for a stream of them. */
function jsonOf(text: string): unknown {
  for (const part of [text, text.split("\n", 1)[0]!]) {
    try {
      return JSON.parse(part) as unknown;
    } catch {
      // Perhaps the first line is.
    }
  }
  return undefined;
}

function judgeStatus(code: number, value: unknown): string {
  const status = value as Readonly<Record<string, unknown>>;
  const isRight =
    status["kind"] === "Status" &&
    status["status"] === "Failure" &&
    status["code"] === code &&
    typeof status["message"] === "string" &&
    status["message"] !== "";
  return isRight ? "" : `expected a Status of ${code}, got ${JSON.stringify(value).slice(0, 300)}`;
}
