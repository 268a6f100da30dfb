/**
 * How many connections a server takes: each costs a file descriptor, and the store, the log and backups must find some.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { ServerLimits } from "../../server/index.ts";
import type { ServeOptions } from "../options/options.ts";

/** Descriptors that are left for everything but connections. */
const RESERVED = 128;
/** Connections that have shown no credential, where there is room for them; each costs some 60 KiB. */
const MOST_STRANGERS = 500;

/** The bounds of connections that options and the operating system say. */
export function connectionLimits(
  { maxConnections, maxConnectionsPerAddress, maxConnectionsPerUser }: ServeOptions,
  openFiles = openFileLimit(),
): Pick<ServerLimits, "connections" | "connectionsPerAddress" | "connectionsPerUser" | "unauthenticatedConnections"> {
  const room = Math.max(RESERVED, openFiles - RESERVED);
  const connections = Math.min(maxConnections, room);
  return {
    connections,
    connectionsPerAddress: maxConnectionsPerAddress ?? Math.ceil(connections * 0.9),
    connectionsPerUser: maxConnectionsPerUser ?? Math.ceil(connections / 2),
    unauthenticatedConnections: Math.min(MOST_STRANGERS, Math.ceil(connections / 2)),
  };
}

/** How many files this process may have open; Node has raised it as far as it may. */
function openFileLimit(): number {
  try {
    const [, limit = ""] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === "" ? Infinity : Number(limit);
  } catch {
    // Only Linux tells; elsewhere the bound of the server is the one that counts.
    return Infinity;
  }
}
