/**
 * `keelson version`: which version this is, and which one a server has.
 *
 * @module
 */
import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { type ServerFlags, withServerFlags } from "./connect-flags.ts";
import type { Connection } from "./connect.ts";
import { outputOption, withExamples } from "./help.ts";

interface VersionFlags extends ServerFlags {
  readonly server?: boolean;
  readonly output: "text" | "json";
}

/** What is known of versions; `server` is what its `/version` says. */
interface Versions {
  readonly version: string;
  readonly node: string;
  readonly server?: Readonly<Record<string, string>>;
}

/** The command `version`. */
export function versionCommand(actions: Actions): Command {
  const command = new Command("version")
    .description("Print the version of this program, and with --server that of a server.")
    .option("--server", "Ask the server of the kubeconfig, too.")
    .addOption(outputOption());
  withExamples(command, "version", "version --server -o json");
  return withServerFlags(command).action(async ({ server, output, ...flags }: VersionFlags) => {
    const own = { version: actions.version, node: process.version };
    const found: Versions =
      server === true ? { ...own, server: await versionOfServer(await connected(actions, flags)) } : own;
    actions.print(output === "json" ? JSON.stringify(found, undefined, 2) : asText(found));
  });
}

const asText = ({ version, server }: Versions): string =>
  [`keelson ${version}`, ...(server === undefined ? [] : [`server  ${server["gitVersion"]}`])].join("\n");

async function connected(actions: Actions, flags: ServerFlags): Promise<Connection> {
  const { connect } = await import("./connect.ts");
  return connect(actions, flags);
}

async function versionOfServer(connection: Connection): Promise<Readonly<Record<string, string>>> {
  using asked = connection;
  return await asked.client.json("GET", "/version");
}
