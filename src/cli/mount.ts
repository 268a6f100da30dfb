import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import type { MountRequest } from "./mount-run.ts";
import { withConnectFlags } from "./connect-flags.ts";
import { collect, withExamples } from "./help.ts";

type MountFlags = Omit<MountRequest, "directory" | "files"> & { readonly file: readonly string[] };

/** Returns the command `mount`, which writes the volumes of a Pod into a directory. */
export function mountCommand(actions: Actions): Command {
  const command = new Command("mount")
    .description("Write the content of the volumes of a Pod into a directory: DIR/VOLUME/FILE, as a node does.")
    .argument("<DIR>", "The directory; created, or updated if it exists.")
    .addOption(
      new Option(
        "-f, --file <FILE>",
        "YAML or JSON with the Pod and the objects of its volumes; - reads standard input.",
      )
        .argParser(collect)
        .makeOptionMandatory(),
    )
    .addOption(new Option("--pod <NAME>", "The Pod, if the files have several."))
    .addOption(new Option("--placeholders", "Write placeholders for tokens and certificates."))
    .addOption(
      new Option(
        "--allocatable <RESOURCE=AMOUNT>",
        "A resource of the node, for containers without limits; may be repeated.",
      ).argParser(collect),
    )
    .addHelpText(
      "after",
      [
        "",
        "Missing objects are read from a server only if it is named: by --kubeconfig, --context or KUBECONFIG.",
        "Volumes that only a node can mount (claims, CSI, hostPath ...) are left out, and reported on standard error.",
        "Owners are set if the command runs as root.",
      ].join("\n"),
    );
  withExamples(command, "mount -f pod.yaml volumes", "mount -f pod.yaml -f config.yaml --placeholders volumes");
  return withConnectFlags(command).action(async (directory: string, flags: MountFlags) => {
    const { runMount } = await import("./mount-run.ts");
    const { file: files, ...rest } = flags;
    await runMount(actions, { directory, files, ...rest });
  });
}
