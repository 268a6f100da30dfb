import { Command, InvalidArgumentError, Option } from "commander";
import type { Actions } from "./actions.ts";
import { withServerFlags } from "./connect-flags.ts";
import { collect, outputOption, withExamples } from "./help.ts";
import type { PolicyTestRequest } from "./policy-test-run.ts";
import type { TryRequest } from "./policy-try-run.ts";

/** Returns the command `policy`, which tests and tries admission policies before they are bound. */
export function policyCommand(actions: Actions): Command {
  const policy = new Command("policy")
    .summary("Test and try admission policies before they are bound.")
    .description("Test admission policies by cases, without a server, or try them on what a server has stored.");
  policy.addCommand(testCommand(actions));
  policy.addCommand(tryCommand(actions));
  return withExamples(policy, "policy test policies/", "policy try -f policy.yaml");
}

function testCommand(actions: Actions): Command {
  const test = new Command("test")
    .description("Run the cases of policies in files and folders, and show what no case has reached. Needs no server.")
    .argument("<path...>", "Files and folders with tests; policies and objects are found from there.")
    .addOption(new Option("-o, --output <FORM>", "How to print.").choices(["text", "json", "junit"]).default("text"))
    .addOption(new Option("--coverage-min <PERCENT>", "Fail with less coverage than this.").argParser(percentOf))
    .addOption(new Option("--run <TEXT>", "Run only the cases whose name contains this text."));
  withExamples(
    test,
    "policy test policies/",
    "policy test policies/ --coverage-min 90",
    "policy test policies/ -o junit > report.xml",
  );
  return test.action(async (paths: readonly string[], flags: Omit<PolicyTestRequest, "paths">) => {
    const { runPolicyTest } = await import("./policy-test-run.ts");
    await runPolicyTest(actions, { paths, ...flags });
  });
}

function percentOf(text: string): number {
  const percent = Number(text);
  if (/^\d{1,3}(\.\d{1,3})?$/.test(text) && percent <= 100) return percent;
  throw new InvalidArgumentError("Expected a number from 0 to 100.");
}

function tryCommand(actions: Actions): Command {
  const tryIt = new Command("try")
    .description(
      "Judge everything that a server has stored, and the writes of its history, by policies or webhooks of a file. Nothing is stored.",
    )
    .requiredOption(
      "-f, --file <FILE>",
      "Policies, with bindings and params or without, or configurations of webhooks; a file, a folder or -. May be repeated.",
      collect,
    )
    .addOption(new Option("--limit <N>", "How many findings are shown in detail.").default("20"))
    .addOption(outputOption());
  withExamples(tryIt, "policy try -f policy.yaml", "policy try -f policies/ --limit 100 -o json");
  return withServerFlags(tryIt).action(async (flags: TryRequest) => {
    const { runPolicyTry } = await import("./policy-try-run.ts");
    await runPolicyTry(actions, flags);
  });
}
