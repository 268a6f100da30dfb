import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { Actions, UserInfo } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { counted } from "../util/counted.ts";
import { collect, dataDirOption, outputOption, withExamples } from "./help.ts";
import { printReport } from "./print-report.ts";
import { alignedLines } from "./table.ts";

const MAX_DAYS = 3650;

interface AddFlags {
  readonly dataDir?: string;
  readonly group: readonly string[];
  readonly certificate?: boolean;
  readonly days: number;
  readonly server?: string;
  readonly out?: string;
}

/** Returns the command `user`, which manages the users of a data directory. */
export function userCommand(actions: Actions): Command {
  const user = new Command("user")
    .summary("Create, list and revoke users of a server.")
    .description(
      "Create, list and revoke users of a data directory. A user has a token or a certificate, and the permissions of its roles and groups. A running server uses a change within a second.",
    );
  user.addCommand(addCommand(actions));
  user.addCommand(listCommand(actions));
  user.addCommand(revokeCommand(actions));
  return withExamples(user, "user add kim --group team > kim.kubeconfig", "user list", "user revoke kim");
}

const dirOption = ({ flags }: Actions): Option => dataDirOption(flags, "The data directory of the server.");

function addCommand(actions: Actions): Command {
  const add = new Command("add")
    .description("Create a credential for a user, and print a kubeconfig with it. It is not stored.")
    .argument("<name>", "The name of the user.")
    .addOption(dirOption(actions))
    .addOption(
      new Option("-g, --group <GROUP>", "A group of the user; may be repeated.").argParser(collect).default([], "none"),
    )
    .addOption(new Option("--token", "Create a token, which is the default.").conflicts("certificate"))
    .option("--certificate", "Create a client certificate.")
    .addOption(new Option("--days <N>", "The validity in days.").argParser(daysOf).default(365))
    .option("--server <URL>", "The URL of the server; by default the URL in the admin's kubeconfig.")
    .option("-o, --out <FILE>", "A file for the kubeconfig, with mode 0600.")
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
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) {
    throw new InvalidArgumentError(`expected a number of days from 1 to ${MAX_DAYS}`);
  }
  return days;
}

function listCommand(actions: Actions): Command {
  const list = new Command("list")
    .description("List the users of a server, with expired and revoked credentials.")
    .addOption(dirOption(actions))
    .addOption(outputOption())
    .action(async ({ dataDir, output }: { readonly dataDir?: string; readonly output: string }) => {
      const found = await actions.users.list(dataDir);
      printReport(actions, output, found, () => linesOf(found));
    });
  return withExamples(list, "user list", "user list -o json");
}

function revokeCommand(actions: Actions): Command {
  const revoke = new Command("revoke")
    .description(
      "Revoke all credentials of a user. A running server refuses them within a second, and ends their watches.",
    )
    .addArgument(new Argument("<name>", "The name of the user."))
    .addOption(dirOption(actions))
    .action(async (name: string, { dataDir }: { readonly dataDir?: string }) => {
      const count = await actions.users.revoke(dataDir, name);
      if (count === 0) throw new CliError(`expected a user with credentials, ${JSON.stringify(name)} has none`);
      actions.print(`${counted(count, "credential")} of ${name} revoked`);
    });
  return withExamples(revoke, "user revoke kim");
}

function linesOf(users: readonly UserInfo[]): string[] {
  const rows = users.map(({ name, groups, kind, made, ends, revoked }) => [
    name,
    groups.join(",") || "-",
    kind,
    day(made),
    revoked === undefined ? day(ends) : `revoked ${day(revoked)}`,
  ]);
  return alignedLines([["NAME", "GROUPS", "KIND", "CREATED", "EXPIRES"], ...rows], "   ");
}

const day = (time: string): string => time.slice(0, 10);
