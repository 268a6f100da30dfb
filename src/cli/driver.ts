/**
 * `keelson driver`: a storage driver (CSI) whose volumes are directories or images of disks on this machine.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import type { DriverFlags } from "./driver-run.ts";
import { withExamples } from "./help.ts";

/** The command `driver`; what its flags say is read in `driver-run.ts`. */
export function driverCommand(actions: Pick<Actions, "driver" | "driverFeatures">): Command {
  const { driverFeatures: features } = actions;
  const ofDefault = (on: boolean): string =>
    Object.keys(features)
      .filter((name) => features[name] === on)
      .join(", ");
  const list = (text: string): string[] => {
    const words = text.split(",").filter((word) => word !== "");
    const strange = words.find((word) => !Object.hasOwn(features, word));
    if (strange === undefined) return words;
    throw new CliError(`expected one of ${Object.keys(features).join(", ")}; got ${strange}`, { usage: true });
  };
  const feature = (flags: string, about: string): Option =>
    new Option(flags, about).argParser(list).default([], "nothing");
  const each = (text: string, before: readonly string[]): string[] => [...before, text];
  const command = new Command("driver")
    .summary("Run a storage driver whose volumes are directories or images of disks on this machine.")
    .description(
      "Run a storage driver (CSI) whose volumes are directories or images of disks on this machine, until it is told to stop. Everything that it knows is in files, so it may be killed.",
    )
    .requiredOption("--socket <ENDPOINT>", "Where it listens: unix:///path/of/a/socket.")
    .requiredOption("--dir <DIR>", "Where its volumes are; drivers of several nodes may share it.")
    .option("--name <NAME>", "Its name, as storage classes say it. (default: directory.csi.keelson)")
    .option("--node-id <ID>", "The node that it serves. (default: local)")
    .addOption(
      new Option("--topology <KEY=VALUE>", "Where the node is; may be given several times.")
        .argParser(each)
        .default([], "nowhere in particular"),
    )
    .option("--central", "Make volumes for every value of the keys of --topology, as a controller for all nodes.")
    .addOption(
      new Option("--backing <KIND>", "What volumes are; images need root on Linux.")
        .choices(["directory", "image"])
        .default("directory"),
    )
    .option("--max-volumes <N>", "How many volumes a node may have. (default: no limit)")
    .option("--capacity <SIZE>", "What all volumes may have together, such as 10Gi. (default: not counted)")
    .option("--max-volume-size <SIZE>", "What one volume may have. (default: no limit)")
    .addOption(feature("--with <FEATURES>", `Also do this: ${ofDefault(false)}; and node-expand for directories.`))
    .addOption(feature("--without <FEATURES>", `Do not do this: ${ofDefault(true)}.`))
    .option("--links", "Link volumes in place of mounting them, also where it may mount; for directories.")
    .option("--register <DIR>", "Tell the agent of the node of the driver, in its directory plugins_registry.")
    .action(async (flags: DriverFlags) => {
      const { readRequest } = await import("./driver-run.ts");
      await actions.driver(readRequest(flags));
    });
  return withExamples(
    command,
    "driver --socket unix:///run/disks.sock --dir /var/lib/disks",
    "driver --socket unix:///run/disks.sock --dir /var/lib/disks --backing image --with attach",
    "driver --socket unix:///run/disks.sock --dir /var/lib/disks --topology example.com/rack=a --register /var/lib/kubelet/plugins_registry",
  );
}
