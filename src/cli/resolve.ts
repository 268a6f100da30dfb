import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import type { ResolveRequest } from "./resolve-run.ts";
import { withConnectFlags } from "./connect-flags.ts";

/** Returns the command `resolve`, which applies a file and resolves conflicts one by one. */
export function resolveCommand(actions: Actions): Command {
  const command = new Command("resolve")
    .description("Apply a file. For each field of another owner, ask: keep theirs, take over, or share.")
    .requiredOption("-f, --file <FILE>", "YAML or JSON with one or more objects; - reads standard input.")
    .addOption(new Option("--field-manager <NAME>", "The field manager.").default("keelson"))
    .addOption(
      new Option("--yes <CHOICE>", "Resolve every conflict in this way, without asking.").choices([
        "keep",
        "take",
        "share",
      ]),
    )
    .addOption(new Option("--write", "Write the file as it was applied, without the fields that were kept."))
    .addOption(outputOption());
  withExamples(command, "resolve -f web.yaml", "resolve -f web.yaml --field-manager team-a --yes keep --write");
  return withConnectFlags(command).action(async (flags: ResolveRequest) => {
    const { runResolve } = await import("./resolve-run.ts");
    await runResolve(actions, flags);
  });
}
