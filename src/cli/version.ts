import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { type ServerFlags, withServerFlags } from "./connect-flags.ts";
import type { Connection } from "./connect.ts";
import { outputOption, withExamples } from "./help.ts";
import { printReport } from "./print-report.ts";

interface VersionFlags extends ServerFlags {
  readonly server?: boolean;
  readonly output: "text" | "json";
}

/** The versions; `server` is the response of its `/version`. */
interface Versions {
  readonly version: string;
  readonly node: string;
  readonly server?: Readonly<Record<string, string>>;
}

/** Returns the command `version`, which prints the versions of the program and of a server. */
export function versionCommand(actions: Actions): Command {
  const command = new Command("version")
    .description("Print the version of this program, and with --server the version of a server.")
    .option("--server", "Also request the version of the server of the kubeconfig.")
    .addOption(outputOption());
  withExamples(command, "version", "version --server -o json");
  return withServerFlags(command).action(async ({ server, output, ...flags }: VersionFlags) => {
    const own = { version: actions.version, node: process.version };
    const found: Versions = server === true ? { ...own, server: await versionOfServer(actions, flags) } : own;
    printReport(actions, output, found, () => linesOf(found));
  });
}

const linesOf = ({ version, server }: Versions): string[] => [
  `keelson ${version}`,
  ...(server === undefined ? [] : [`server  ${server["gitVersion"]}`]),
];

async function versionOfServer(actions: Actions, flags: ServerFlags): Promise<Readonly<Record<string, string>>> {
  using connection = await openConnection(actions, flags);
  return await connection.client.json("GET", "/version");
}

// A function of its own: in one with `using` the compiler does not rewrite the path of an import().
async function openConnection(actions: Actions, flags: ServerFlags): Promise<Connection> {
  const { connect } = await import("./connect.ts");
  return connect(actions, flags);
}
