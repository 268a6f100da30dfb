import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { PerturbationType } from "../explore/contract/plan.ts";
import { type Duration, millisOf } from "../util/duration.ts";
import type { Actions, ExploreForm, ExploredProgram } from "./actions.ts";
import { withExamples } from "./help.ts";
import type { ExploreFlags, ReportOutput } from "./explore-run.ts";
import { splitCommand } from "./split-command.ts";

/** The forms of reports. */
const REPORT_FORMS: readonly ExploreForm[] = ["text", "json", "junit", "sarif", "html"];

/** All types, which `--only` names. */
const TYPES: Readonly<Record<PerturbationType, true>> = {
  crash: true,
  "answer-lost": true,
  refused: true,
  slow: true,
  lag: true,
  gap: true,
  "stale-restart": true,
  resync: true,
  bookmark: true,
  "lead-changes": true,
  "slow-webhooks": true,
  "node-lost": true,
  "clock-jump": true,
  repeated: true,
  overtaken: true,
};

/** Returns the command `explore`, which finds faults in controllers. */
export function exploreCommand(actions: Actions): Command {
  const command = new Command("explore")
    .summary("Find faults in controllers and storage drivers by perturbing their runs.")
    .description(
      "Play a scenario again and again, and perturb the programs as Kubernetes permits it: a crash between two writes, a lost response, a watch that lags. A run whose end differs from that of a clean run is a finding, which can be played again. FILE is a scenario in YAML, or a module whose default export was made by defineExploration. In the arguments of a command, {} is the path of a kubeconfig, and {port1} to {port4} are free ports. The exit code is 0 if nothing was found, 1 with findings, 2 if nothing could be explored or it could not continue, and 130 if a signal ended it before anything was found.",
    )
    .addArgument(new Argument("[file]", "The scenario; with --replay by default that of the finding."))
    .addArgument(new Argument("[command...]", "The program to explore, after --."))
    .addOption(
      new Option("--program <NAME=COMMAND>", "A program to explore; may be repeated for several at once.")
        .argParser(programOf)
        .default([], "none"),
    )
    .addOption(
      new Option(
        "--driver <COMMAND>",
        "With --csi: the command that starts the driver; plans may then kill it.",
      ).argParser(commandOf),
    )
    .addOption(new Option("--csi <ENDPOINT>", "Explore a storage driver: its socket, unix:///path."))
    .addOption(
      new Option("--budget <DURATION>", "The time after which no further plan begins.")
        .argParser(durationOf)
        .default(60_000, "60s"),
    )
    .addOption(new Option("--plans <N>", "Maximum number of plans.").argParser(countOf))
    .addOption(
      new Option("--seed <N>", "The seed for the order of plans and for random numbers in runs.")
        .argParser(seedOf)
        .default(1),
    )
    .addOption(
      new Option("--workers <N>", "How many runs are played at once (default: by the number of CPUs).").argParser(
        workersOf,
      ),
    )
    .addOption(
      new Option("--only <TYPES>", `Only these perturbations: ${Object.keys(TYPES).join(", ")}.`).argParser(typesOf),
    )
    .addOption(
      new Option("--restart <DURATION>", "Maximum time that a killed program stays down.")
        .argParser(durationOf)
        .default(500, "500ms"),
    )
    .addOption(new Option("--out <DIR>", "Write each finding to a file of this directory."))
    .addOption(new Option("--replay <FINDING>", "Play the run of a finding again."))
    .addOption(
      new Option(
        "--trust",
        "With --replay: run the command or module that the finding names, or call the driver, which the command line does not name.",
      ),
    )
    .addOption(
      new Option(
        "--until <N>",
        "With --replay: stop before the Nth write of the programs, and keep the cluster until interrupted.",
      ).argParser(countOf),
    )
    .addOption(
      new Option(
        "-o, --output <FORM[=FILE]>",
        `How to report: ${REPORT_FORMS.join(", ")}; with a file in addition to what is printed. May be repeated.`,
      )
        .argParser(outputOf)
        .default([], "text"),
    );
  withExamples(
    command,
    "explore shop.yaml -- ./manager --kubeconfig {} --metrics-bind-address=0",
    "explore shop.yaml --budget 10m --out findings/ -o html=report.html -- ./manager",
    "explore shop.yaml --program a='./a --port {port1}' --program b=./b --only crash,gap",
    "explore shop.explore.ts --workers 4",
    "explore --csi unix:///csi.sock --driver './driver --endpoint unix:///csi.sock'",
    "explore --replay findings/leaked-secret.yaml --until 3 -- ./manager --kubeconfig {}",
  );
  return command.action(async (file: string | undefined, words: readonly string[], flags: ExploreFlags) => {
    const { runExplore } = await import("./explore-run.ts");
    const operands = file === undefined ? [] : [file, ...words];
    // With --replay there may be a command after -- and no file before it.
    const { rawArgs: raw } = (command.parent ?? command) as unknown as { readonly rawArgs: readonly string[] };
    const after = raw.includes("--") ? raw.length - 1 - raw.indexOf("--") : 0;
    const [own, ...more] = operands.slice(0, operands.length - after);
    await runExplore(actions, own, [...more, ...operands.slice(operands.length - after)], flags);
  });
}

function commandOf(text: string): readonly [string, ...string[]] {
  const command = splitCommand(text);
  if (command) return command;
  throw new InvalidArgumentError("Expected a command: './driver --endpoint unix:///csi.sock'.");
}

function durationOf(text: string): number {
  try {
    return millisOf(text as Duration);
  } catch {
    throw new InvalidArgumentError("Expected a duration such as 500ms, 60s or 10m.");
  }
}

function countOf(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text) && count > 0) return count;
  throw new InvalidArgumentError("Expected a number from 1 on.");
}

/** Excess arguments are an error. */
const MAX_WORKERS = 256;

function workersOf(text: string): number {
  const count = Number(text);
  if (/^\d{1,3}$/.test(text) && count > 0 && count <= MAX_WORKERS) return count;
  throw new InvalidArgumentError(`Expected a number from 1 to ${MAX_WORKERS}.`);
}

function seedOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a number from 0 to 999999999.");
}

function typesOf(text: string, before: readonly PerturbationType[] = []): readonly PerturbationType[] {
  const types = text.split(",").map((type) => type.trim());
  const unknown = types.find((type) => !Object.hasOwn(TYPES, type));
  if (unknown === undefined) return [...before, ...(types as PerturbationType[])];
  throw new InvalidArgumentError(`Expected some of ${Object.keys(TYPES).join(", ")}.`);
}

function programOf(text: string, before: readonly ExploredProgram[]): readonly ExploredProgram[] {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(0, at));
  const command = splitCommand(text.slice(at + 1));
  if (at < 1 || !command)
    throw new InvalidArgumentError("Expected a name and a command: manager='./manager --kubeconfig {}'.");
  if (["user", "cluster"].includes(name) || before.some((one) => one.name === name))
    throw new InvalidArgumentError(`Expected another name than ${name}, which is taken.`);
  return [...before, { name, command }];
}

function outputOf(text: string, before: readonly ReportOutput[]): readonly ReportOutput[] {
  const at = text.indexOf("=");
  const form = REPORT_FORMS.find((one) => one === (at < 0 ? text : text.slice(0, at)));
  const file = at < 0 ? undefined : text.slice(at + 1);
  if (!form || file === "")
    throw new InvalidArgumentError(`Expected one of ${REPORT_FORMS.join(", ")}, or one with a file: html=report.html.`);
  if (file === undefined && before.some((one) => one.file === undefined))
    throw new InvalidArgumentError("Expected one form to print; give the others a file: junit=report.xml.");
  return [...before, { form, ...(file === undefined ? {} : { file }) }];
}
