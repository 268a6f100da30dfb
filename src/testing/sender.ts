import type { Connection } from "../auth/contract.ts";
import type { Origin } from "./traffic.ts";

/** A sender of requests in this process, which the server finds as the connection of a request. */
export class Sender implements Connection {
  readonly certificate = undefined;
  readonly address = "";
  readonly encrypted = true;
  readonly origin: Origin;
  /** Kills the sender as `kill -9` does; undefined if it cannot be killed. */
  readonly crash: (() => void) | undefined;

  constructor(origin: Origin, crash?: () => void) {
    this.origin = origin;
    this.crash = crash;
  }
}

/** Returns the sender of a connection; undefined for a connection of a port. */
export const senderOf = (connection: Connection): Sender | undefined =>
  connection instanceof Sender ? connection : undefined;
