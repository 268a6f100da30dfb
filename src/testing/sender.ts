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

/** The senders of connections to ports that belong to one program each. */
const atPorts = new WeakMap<Connection, Sender>();

/** Says that a connection to the port of a program belongs to the sender that runs when its first request comes. */
export function setSender(connection: Connection, sender: () => Sender): void {
  if (!atPorts.has(connection)) atPorts.set(connection, sender());
}

/** Returns the sender of a connection; undefined for a connection of a shared port. */
export const senderOf = (connection: Connection): Sender | undefined =>
  connection instanceof Sender ? connection : atPorts.get(connection);
