import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import type { DriverFlags } from "./driver-run.ts";
import { collect, withExamples } from "./help.ts";

/** Returns the command `driver`, which runs a storage driver (CSI) for directories or disk images of this machine. */
export function driverCommand(actions: Pick<Actions, "driver" | "driverFeatures">): Command {
  const { driverFeatures: features } = actions;
  const byDefault = (on: boolean): string =>
    Object.keys(features)
      .filter((name) => features[name] === on)
      .join(", ");
  const list = (text: string): string[] => {
    const words = text.split(",").filter((word) => word !== "");
    const unknown = words.find((word) => !Object.hasOwn(features, word));
    if (unknown === undefined) return words;
    throw new CliError(`expected one of ${Object.keys(features).join(", ")}; got ${unknown}`, { usage: true });
  };
  const feature = (flags: string, about: string): Option =>
    new Option(flags, about).argParser(list).default([], "nothing");
  const command = new Command("driver")
    .summary("Run a storage driver whose volumes are directories or disk images of this machine.")
    .description(
      "Run a storage driver (CSI) whose volumes are directories or disk images of this machine, until interrupted. Its state is in files, so it may be killed.",
    )
    .requiredOption("--socket <ENDPOINT>", "The socket to listen on: unix:///path/of/a/socket.")
    .requiredOption("--dir <DIR>", "The directory of volumes; drivers of several nodes may share it.")
    .option("--name <NAME>", "Its name in storage classes. (default: directory.csi.keelson)")
    .option("--node-id <ID>", "The ID of its node. (default: local)")
    .addOption(
      new Option("--topology <KEY=VALUE>", "The topology of the node; may be repeated.")
        .argParser(collect)
        .default([], "none"),
    )
    .option("--central", "Create volumes for every value of the keys of --topology, as a controller for all nodes.")
    .addOption(
      new Option("--backing <KIND>", "The kind of volumes; images need root on Linux.")
        .choices(["directory", "image"])
        .default("directory"),
    )
    .option("--max-volumes <N>", "Maximum number of volumes of a node. (default: no limit)")
    .option("--capacity <SIZE>", "Total size of all volumes, such as 10Gi. (default: not limited)")
    .option("--max-volume-size <SIZE>", "Maximum size of a volume. (default: no limit)")
    .addOption(
      feature("--with <FEATURES>", `Features to enable: ${byDefault(false)}; and node-expand for directories.`),
    )
    .addOption(feature("--without <FEATURES>", `Features to disable: ${byDefault(true)}.`))
    .option("--links", "Create symbolic links instead of mounts; for directories.")
    .option("--register <DIR>", "Register the driver with the agent of the node, in its directory plugins_registry.")
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
