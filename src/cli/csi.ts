import { Command, InvalidArgumentError, Option } from "commander";
import { type Duration, parseDuration } from "../util/duration.ts";
import { withConnectFlags } from "./connect-flags.ts";
import { CSI_PARTS, type CsiActions, type CsiFlags, type CsiPart } from "./csi-flags.ts";
import { withExamples } from "./help.ts";

/** Returns the command `csi`, which runs the sidecars of a storage driver. */
export function csiCommand(actions: CsiActions): Command {
  const command = new Command("csi")
    .summary("Run the sidecars of a CSI driver: provisioner, attacher, resizer, snapshotter and more.")
    .description(
      "Run provisioner, attacher, resizer, modifier and snapshotter for one CSI driver, as clients of a server, until interrupted. They do what the sidecars of Kubernetes with these names do; if some of those run, choose the missing ones with --only.",
    )
    .addOption(
      new Option(
        "--driver <SOCKET>",
        "The socket of the driver, such as unix:///run/driver/csi.sock.",
      ).makeOptionMandatory(),
    )
    .addOption(new Option("--server <URL>", "The server, instead of the server of a kubeconfig."))
    .addOption(
      new Option("--token <TOKEN>", "A bearer token, with --server. [KEELSON_TOKEN]")
        .env("KEELSON_TOKEN")
        .hideHelp(false),
    );
  const only = `The parts to run, separated by commas: ${CSI_PARTS.join(", ")}. (default: all that the driver can do; registration with --agent-dir)`;
  command
    .addOption(new Option("--only <PARTS>", only).argParser(partsOf))
    .addOption(
      new Option(
        "--agent-dir <DIR>",
        "The directory of the agent of this node: the driver is registered there, in plugins_registry.",
      ),
    );
  command.addOption(
    new Option(
      "--node <NAME>",
      "The node of a driver with local disks: only claims with this selected node and volumes of this node are handled, and no snapshots.",
    ),
  );
  withTuning(command);
  withExamples(
    command,
    "csi --driver unix:///run/driver/csi.sock --capacity",
    "csi --driver /run/driver/csi.sock --server http://127.0.0.1:8080 --only provisioner,attacher",
    "csi --driver /run/driver/csi.sock --only registration --agent-dir /var/lib/kubelet",
  );
  return withConnectFlags(command).action(async (flags: CsiFlags) => {
    const { runCsi } = await import("./csi-run.ts");
    await runCsi(actions, flags);
  });
}

const withTuning = (command: Command): Command =>
  command
    .addOption(
      new Option(
        "--capacity",
        "Publish the free capacity for schedulers: CSIStorageCapacity objects in the namespace.",
      ),
    )
    .addOption(duration("--capacity-poll-interval", "The interval of GetCapacity calls.", "1m"))
    .addOption(new Option("--capacity-for-immediate-binding", "Publish it for classes with immediate binding, too."))
    .addOption(duration("--timeout", "Maximum duration of a call of the driver.", "10s"))
    .addOption(duration("--retry-interval-start", "The delay after the first failure; it doubles.", "1s"))
    .addOption(duration("--retry-interval-max", "The maximum delay after failures.", "5m"))
    .addOption(
      new Option("--workers <N>", "Maximum number of concurrent calls of one kind.").argParser(countOf).default(100),
    )
    .addOption(new Option("--default-fstype <TYPE>", "The file system of volumes whose class has none."))
    .addOption(
      new Option(
        "--extra-create-metadata",
        "Send the names of claims, volumes and snapshots to the driver when it creates them.",
      ),
    )
    .addOption(
      new Option(
        "--extra-modify-metadata",
        "Send the names of claims and volumes to the driver when it modifies them.",
      ),
    )
    .addOption(new Option("--strict-topology", "Send only the topology of the selected node to the driver."))
    .addOption(
      new Option("--no-immediate-topology", "Send no topology to the driver for claims that do not wait for a node."),
    )
    .addOption(new Option("--controller-publish-readonly", "Attach volumes of read-only claims as read-only."))
    .addOption(new Option("--volume-name-prefix <PREFIX>", "The prefix of names of volumes.").default("pvc"))
    .addOption(new Option("--snapshot-name-prefix <PREFIX>", "The prefix of names of snapshots.").default("snapshot"))
    .addOption(new Option("--leader-election", "Work only while holding a Lease, in the namespace."))
    .addOption(new Option("--verbose", "Log every call of the driver."));

const duration = (flag: string, about: string, preset: Duration): Option =>
  new Option(`${flag} <DURATION>`, about).argParser(durationOf).default(preset);

function durationOf(text: string): Duration {
  const millis = parseDuration(text);
  if (millis === undefined || millis <= 0) throw new InvalidArgumentError("Expected a duration such as 10s or 1m.");
  return millis;
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("Expected a number of at least 1.");
}

function partsOf(text: string): readonly CsiPart[] {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !(CSI_PARTS as readonly string[]).includes(word));
  if (unknown === undefined) return words as CsiPart[];
  throw new InvalidArgumentError(`Expected some of ${CSI_PARTS.join(", ")}, got "${unknown}".`);
}
