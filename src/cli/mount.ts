/**
 * `keelson mount`: what the volumes of a Pod would hold, written into a directory.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { type ConnectFlags, withConnectFlags } from "./connect-flags.ts";
import { withExamples } from "./help.ts";

interface MountFlags extends ConnectFlags {
  readonly file: readonly string[];
  readonly pod?: string;
  readonly placeholders?: boolean;
  readonly allocatable?: readonly string[];
}

/** The command `mount`. */
export function mountCommand(actions: Actions): Command {
  const command = new Command("mount")
    .description("Write what the volumes of a Pod would hold into a directory: DIR/VOLUME/FILE, as a node writes it.")
    .argument("<DIR>", "The directory; made where it is not there, brought up to date where it is.")
    .addOption(
      new Option(
        "-f, --file <FILE>",
        "YAML or JSON with the Pod and with what its volumes are made of; - reads standard input.",
      )
        .argParser((file: string, files: readonly string[] | undefined) => [...(files ?? []), file])
        .makeOptionMandatory(),
    )
    .addOption(new Option("--pod <NAME>", "The Pod, where the files have several."))
    .addOption(new Option("--placeholders", "Write a placeholder where a token or a certificate would be."))
    .addOption(
      new Option(
        "--allocatable <RESOURCE=AMOUNT>",
        "What the node can give, for limits that containers do not have.",
      ).argParser((pair: string, pairs: readonly string[] | undefined) => [...(pairs ?? []), pair]),
    )
    .addHelpText(
      "after",
      [
        "",
        "What the files do not have is read from a server only where one is named: by --kubeconfig, --context or KUBECONFIG.",
        "Volumes that only a node can make (claims, CSI, hostPath ...) are left out, and standard error says which.",
        "Owners are set where the command is run by root.",
      ].join("\n"),
    );
  withExamples(command, "mount -f pod.yaml volumes", "mount -f pod.yaml -f config.yaml --placeholders volumes");
  return withConnectFlags(command).action(async (directory: string, flags: MountFlags) => {
    const { runMount } = await import("./mount-run.ts");
    const { file: files, ...rest } = flags;
    await runMount(actions, { directory, files, ...rest });
  });
}
