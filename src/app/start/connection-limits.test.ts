import { expect, test } from "vitest";
import { connectionLimits } from "./connection-limits.ts";
import { resolveOptions } from "../options/options.ts";

test.each([
  ["the default", {}, Infinity, 20_000, 18_000, 10_000, 500],
  ["few open files: some are left for the store", {}, 1024, 896, 807, 448, 448],
  ["hardly any open files", {}, 200, 128, 116, 64, 64],
  ["as told", { "max-connections": 50 }, 1024, 50, 45, 25, 25],
  ["as told, for an address, too", { "max-connections": 50, "max-connections-per-address": 7 }, 1024, 50, 7, 25, 25],
  ["as told, for a user, too", { "max-connections": 50, "max-connections-per-user": 0 }, 1024, 50, 45, 0, 25],
])(
  "bounds of connections: %s",
  (_what, options, openFiles, connections, connectionsPerAddress, connectionsPerUser, strangers) => {
    expect(connectionLimits(resolveOptions({ dev: true, ...options }), openFiles)).toEqual({
      connections,
      connectionsPerAddress,
      connectionsPerUser,
      unauthenticatedConnections: strangers,
    });
  },
);

test("reads the limit of open files if the machine has one", () => {
  expect(connectionLimits(resolveOptions({ dev: true })).connections).toBeGreaterThanOrEqual(128);
});
