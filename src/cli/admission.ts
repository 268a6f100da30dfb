import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import type { AdmissionCheckRequest } from "./admission-check.ts";
import type { AdmissionExplainRequest } from "./admission-explain.ts";
import { withConnectFlags } from "./connect-flags.ts";
import { outputOption, withExamples } from "./help.ts";

/** Returns the command `admission`, which shows what the steps of admission do with writes. */
export function admissionCommand(actions: Actions): Command {
  const command = new Command("admission")
    .description("Show what admission does with writes: built-in plugins, webhooks and policies.")
    .addCommand(explainCommand(actions))
    .addCommand(checkCommand(actions));
  return withExamples(command, "admission explain -f pod.yaml", "admission check");
}

function explainCommand(actions: Actions): Command {
  const command = new Command("explain")
    .description(
      "Explain what admission would do with the objects of a file: which steps run, which webhooks and policies match, what each changes, and which of them refuse. Nothing is stored; webhooks without side effects are called.",
    )
    .requiredOption("-f, --file <FILE>", "YAML or JSON with one or more objects, or a folder; - reads standard input.")
    .addOption(
      new Option("--operation <VERB>", "The write to explain.").choices(["apply", "create", "delete"]).default("apply"),
    )
    .option("--field-manager <NAME>", "The field manager of the write.", "keelson")
    .addOption(outputOption());
  withExamples(command, "admission explain -f pod.yaml", "admission explain -f deploy/ --operation delete -o json");
  return withConnectFlags(command).action(async (flags: AdmissionExplainRequest) => {
    const { runAdmissionExplain } = await import("./admission-explain.ts");
    await runAdmissionExplain(actions, flags);
  });
}

function checkCommand(actions: Actions): Command {
  const command = new Command("check")
    .description(
      "Find mistakes in webhooks and policies: webhooks that match the Pods they run in, rules that no served resource meets, selectors that select nothing, timeouts whose sum is longer than that of a request, policies without a binding.",
    )
    .addOption(outputOption());
  withExamples(command, "admission check", "admission check -o json");
  return withConnectFlags(command).action(async (flags: AdmissionCheckRequest) => {
    const { runAdmissionCheck } = await import("./admission-check.ts");
    await runAdmissionCheck(actions, flags);
  });
}
