import { readFileSync } from "node:fs";
import type { ServerLimits } from "../../server/index.ts";
import type { ServeOptions } from "../options/options.ts";

/** File descriptors for the store, the log and backups. */
const RESERVED = 128;
/** Connections without a credential; each takes some 60 KiB. */
const MAX_UNAUTHENTICATED = 500;

/** Returns the limits of connections from the options and from the limit of open files: each needs a file descriptor. */
export function connectionLimits(
  { maxConnections, maxConnectionsPerAddress, maxConnectionsPerUser }: ServeOptions,
  openFiles = openFileLimit(),
): Pick<ServerLimits, "connections" | "connectionsPerAddress" | "connectionsPerUser" | "unauthenticatedConnections"> {
  const connections = Math.min(maxConnections, Math.max(RESERVED, openFiles - RESERVED));
  return {
    connections,
    connectionsPerAddress: maxConnectionsPerAddress ?? Math.ceil(connections * 0.9),
    connectionsPerUser: maxConnectionsPerUser ?? Math.ceil(connections / 2),
    unauthenticatedConnections: Math.min(MAX_UNAUTHENTICATED, Math.ceil(connections / 2)),
  };
}

/** The limit of open files of this process; Node.js has raised it to its maximum. */
function openFileLimit(): number {
  try {
    const [, limit = ""] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === "" ? Infinity : Number(limit);
  } catch {
    // Only Linux has this file; elsewhere only the option is a limit.
    return Infinity;
  }
}
