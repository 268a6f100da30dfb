import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { withServerFlags } from "./connect-flags.ts";
import { dataDirOption, outputOption, withExamples } from "./help.ts";
import type { UpgradeFlags } from "./upgrade/run.ts";

/** Returns the command `upgrade` with `check`, which says whether this version may take over from another one. */
export function upgradeCommand(actions: Actions): Command {
  const check = new Command("check")
    .description(
      "Check formats, options, stored and deprecated versions before an upgrade. Nothing is changed. The exit code is 1 if a check fails.",
    )
    .addOption(dataDirOption(actions.flags, "The directory."))
    .option("--config <FILE>", "The file with options that the server will use.")
    .option("--online", "Also ask the npm registry for the newest release.")
    .addOption(outputOption());
  withExamples(check, "upgrade check", "upgrade check --data-dir /var/lib/keelson --config /etc/keelson.yaml");
  withServerFlags(check).action(async (flags: UpgradeFlags) => {
    const { runUpgradeCheck } = await import("./upgrade/run.ts");
    await runUpgradeCheck(actions, flags);
  });
  const command = new Command("upgrade").description("Prepare an upgrade.").addCommand(check);
  return withExamples(command, "upgrade check");
}
