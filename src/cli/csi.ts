/**
 * `keelson csi`: what stands beside a storage driver, built in: provisioner, attacher, resizer, modifier, snapshots, registration.
 *
 * @module
 */
import { Command, InvalidArgumentError, Option } from "commander";
import { type Duration, parseDuration } from "../util/duration.ts";
import { withConnectFlags } from "./connect-flags.ts";
import { CSI_PARTS, type CsiActions, type CsiFlags, type CsiPart } from "./csi-flags.ts";
import { withExamples } from "./help.ts";

/** The command `csi`. */
export function csiCommand(actions: CsiActions): Command {
  const command = new Command("csi")
    .summary("Run what a CSI driver needs beside it, so that it works with this server alone.")
    .description(
      "Run provisioner, attacher, resizer, modifier and snapshotter for one CSI driver, as clients of a server, until interrupted. They do by the same names what the sidecars of Kubernetes do; where those run, choose with --only what is missing.",
    )
    .addOption(
      new Option(
        "--driver <SOCKET>",
        "The socket of the driver, such as unix:///run/driver/csi.sock.",
      ).makeOptionMandatory(),
    )
    .addOption(new Option("--server <URL>", "The server, in place of that of a kubeconfig."))
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
      "The node whose disks the driver has: only claims for which it was chosen and volumes that it reaches are looked after, and no snapshots.",
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
        "Tell schedulers how much room there is: write CSIStorageCapacity objects, in the namespace.",
      ),
    )
    .addOption(duration("--capacity-poll-interval", "How often the driver is asked for it.", "1m"))
    .addOption(new Option("--capacity-for-immediate-binding", "Do so for classes that bind at once, too."))
    .addOption(duration("--timeout", "How long a call of the driver may take.", "10s"))
    .addOption(duration("--retry-interval-start", "The first wait after a failure; it doubles.", "1s"))
    .addOption(duration("--retry-interval-max", "The longest wait after failures.", "5m"))
    .addOption(new Option("--workers <N>", "Calls of one sort side by side.").argParser(countOf).default(100))
    .addOption(new Option("--default-fstype <TYPE>", "The file system of volumes whose class names none."))
    .addOption(
      new Option(
        "--extra-create-metadata",
        "Tell the driver the names of claims, volumes and snapshots that it makes.",
      ),
    )
    .addOption(
      new Option("--extra-modify-metadata", "Tell the driver the names of claims and volumes that it modifies."),
    )
    .addOption(new Option("--strict-topology", "Tell the driver the place of a chosen node alone."))
    .addOption(
      new Option("--no-immediate-topology", "Tell the driver no places for claims that do not wait for a node."),
    )
    .addOption(new Option("--controller-publish-readonly", "Attach volumes of claims that only read as read-only."))
    .addOption(new Option("--volume-name-prefix <PREFIX>", "How names of volumes begin.").default("pvc"))
    .addOption(new Option("--snapshot-name-prefix <PREFIX>", "How names of snapshots begin.").default("snapshot"))
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
