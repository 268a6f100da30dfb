import { type SentRequest } from "./exchange.ts";
import { NO_QUERY, Query } from "./query.ts";

/** What arrived: a request as it was sent, its path and query, and when. Nothing of it changes. */
export class IncomingRequest {
  readonly sent: SentRequest;
  /** The path as it was sent, without the query. */
  readonly rawPath: string;
  readonly query: Query;
  /** By the steady counter. */
  readonly startedAt: number;

  constructor(sent: SentRequest, startedAt: number) {
    const { url } = sent;
    const at = url.indexOf("?");
    this.sent = sent;
    this.rawPath = at < 0 ? url : url.slice(0, at);
    this.query = at < 0 ? NO_QUERY : new Query(url.slice(at + 1));
    this.startedAt = startedAt;
  }

  get userAgent(): string {
    return this.sent.header("user-agent");
  }
}
