import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { withServerFlags } from "./connect-flags.ts";
import type { ConsoleRequest } from "./console-run.ts";
import { dataDirOption, withExamples } from "./help.ts";

/** Returns the command `console`, which opens the console of a server in a browser, signed in. */
export function consoleCommand(actions: Actions): Command {
  const command = new Command("console")
    .summary("Open the console in a browser, signed in.")
    .description(
      "Open the console of a server in the browser, signed in as the user of the kubeconfig. The link can be used once, within a minute.",
    )
    .addOption(new Option("--print", "Print the link instead of opening a browser."))
    .addOption(
      dataDirOption(
        actions.flags,
        "The data directory of a server on this machine; used if it runs and no kubeconfig is named.",
      ),
    )
    .action(async (request: ConsoleRequest) => {
      const { runConsole } = await import("./console-run.ts");
      await runConsole(actions, request);
    });
  return withExamples(withServerFlags(command), "console", "console --context staging", "console --print");
}
