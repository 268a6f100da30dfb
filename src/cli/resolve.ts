/**
 * `keelson resolve`: applies a file and settles the conflicts one by one.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import { type ConnectFlags, withConnectFlags } from "./connect-flags.ts";

interface ResolveFlags extends ConnectFlags {
  readonly file: string;
  readonly fieldManager: string;
  readonly yes?: "keep" | "take" | "share";
  readonly write?: boolean;
  readonly output: "text" | "json";
}

/** The command `resolve`. */
export function resolveCommand(actions: Actions): Command {
  const command = new Command("resolve")
    .description("Apply a file. For each field that others own, ask: keep theirs, take over, or share.")
    .requiredOption("-f, --file <FILE>", "YAML or JSON with one or more objects; - reads standard input.")
    .addOption(new Option("--field-manager <NAME>", "Who applies.").default("keelson"))
    .addOption(
      new Option("--yes <CHOICE>", "Settle every conflict so, without asking.").choices(["keep", "take", "share"]),
    )
    .addOption(new Option("--write", "Write the file as it was applied, without the fields that were kept."))
    .addOption(outputOption());
  withExamples(command, "resolve -f web.yaml", "resolve -f web.yaml --field-manager team-a --yes keep --write");
  return withConnectFlags(command).action(async (flags: ResolveFlags) => {
    const { runResolve } = await import("./resolve-run.ts");
    await runResolve(actions, flags);
  });
}
