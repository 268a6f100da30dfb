/**
 * `keelson user`: users that a server knows by itself, with the tokens and certificates that are made for them.
 *
 * @module
 */
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { Actions, UserInfo } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { dataDirOption, outputOption, withExamples } from "./help.ts";

const MOST_DAYS = 3650;

interface AddFlags {
  readonly dataDir?: string;
  readonly group: readonly string[];
  readonly certificate?: boolean;
  readonly days: number;
  readonly server?: string;
  readonly out?: string;
}

/** The command `user`. */
export function userCommand(actions: Actions): Command {
  const user = new Command("user")
    .summary("Users of a server: make, list, take back.")
    .description(
      "Users that a server knows by itself. Each has a token or a certificate; roles say what they, or their groups, may do. A server that runs knows of a change within a second.",
    );
  user.addCommand(addCommand(actions));
  user.addCommand(listCommand(actions));
  user.addCommand(revokeCommand(actions));
  return withExamples(user, "user add kim --group team > kim.kubeconfig", "user list", "user revoke kim");
}

const dirOption = ({ flags }: Actions): Option => dataDirOption(flags, "The data directory of the server.");

function addCommand(actions: Actions): Command {
  const add = new Command("add")
    .description("Make a credential for a user, and print a kubeconfig with it. It is shown this once.")
    .argument("<name>", "The name of the user, as roles are bound to it.")
    .addOption(dirOption(actions))
    .addOption(
      new Option("-g, --group <GROUP>", "A group of the user; may be given several times.")
        .argParser((name: string, before: readonly string[]) => [...before, name])
        .default([], "none"),
    )
    .addOption(new Option("--token", "Make a token, which is what is made by default.").conflicts("certificate"))
    .option("--certificate", "Make a client certificate.")
    .addOption(new Option("--days <N>", "For how many days.").argParser(daysOf).default(365))
    .option("--server <URL>", "Where the server is reached; as it says itself by default.")
    .option("-o, --out <FILE>", "A file for the kubeconfig, which only you may read.")
    .action(async (name: string, { dataDir, group, certificate, days, server, out }: AddFlags) => {
      if (name === "") throw new CliError("expected the name of a user, got an empty one");
      const kind = certificate ? "certificate" : "token";
      const text = await actions.users.add(dataDir, { name, groups: group, kind, days, ...(server ? { server } : {}) });
      if (out === undefined) actions.print(text.trimEnd());
      else await actions.users.write(out, text);
    });
  return withExamples(
    add,
    "user add kim --group team > kim.kubeconfig",
    "user add ci --group deployers --days 30 --server https://api.example.com:6443 --out ci.kubeconfig",
    "user add ops --group system:masters --certificate --out ops.kubeconfig",
  );
}

function daysOf(text: string): number {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) {
    throw new InvalidArgumentError(`expected a number of days from 1 to ${MOST_DAYS}`);
  }
  return days;
}

function listCommand(actions: Actions): Command {
  const list = new Command("list")
    .description("List the users of a server: until when they are good, and what was taken back.")
    .addOption(dirOption(actions))
    .addOption(outputOption())
    .action(async ({ dataDir, output }: { readonly dataDir?: string; readonly output: string }) => {
      const found = await actions.users.list(dataDir);
      actions.print(output === "json" ? JSON.stringify(found, undefined, 2) : asText(found));
    });
  return withExamples(list, "user list", "user list -o json");
}

function revokeCommand(actions: Actions): Command {
  const revoke = new Command("revoke")
    .description(
      "Take all credentials of a user back. A server that runs refuses them within a second, and ends their watches.",
    )
    .addArgument(new Argument("<name>", "The name of the user."))
    .addOption(dirOption(actions))
    .action(async (name: string, { dataDir }: { readonly dataDir?: string }) => {
      const count = await actions.users.revoke(dataDir, name);
      if (count === 0) throw new CliError(`expected a user with credentials, ${JSON.stringify(name)} has none`);
      actions.print(`${count} ${count === 1 ? "credential" : "credentials"} of ${name} taken back`);
    });
  return withExamples(revoke, "user revoke kim");
}

function asText(users: readonly UserInfo[]): string {
  const rows = users.map(({ name, groups, kind, made, ends, revoked }) => [
    name,
    groups.join(",") || "-",
    kind,
    day(made),
    revoked === undefined ? day(ends) : `taken back ${day(revoked)}`,
  ]);
  const table = [["NAME", "GROUPS", "KIND", "MADE", "ENDS"], ...rows];
  const widths = table[0]!.map((_, i) => Math.max(...table.map((row) => row[i]!.length)));
  return table
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("   ")
        .trimEnd(),
    )
    .join("\n");
}

const day = (time: string): string => time.slice(0, 10);
