/**
 * Who sends the requests of this process: the server is told by the connection that a request comes on.
 *
 * @module
 */
import type { Connection } from "../auth/contract.ts";
import type { Origin } from "./traffic.ts";

/** One who sends requests, as the server sees it. */
export class Sender implements Connection {
  readonly certificate = undefined;
  readonly address = "";
  readonly encrypted = true;
  readonly origin: Origin;
  /** Ends whoever it is as `kill -9` does; absent where nobody can die. */
  readonly crash: (() => void) | undefined;

  constructor(origin: Origin, crash?: () => void) {
    this.origin = origin;
    this.crash = crash;
  }
}

/** Whose request comes on a connection; what came over a port is the subject. */
export const senderOf = (connection: Connection): Sender | undefined =>
  connection instanceof Sender ? connection : undefined;
