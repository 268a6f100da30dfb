import { Command, InvalidArgumentError, Option } from "commander";
import { LOG_LEVELS } from "../util/log.ts";
import type { Actions } from "./actions.ts";
import { type ConnectActions, connect } from "./connect.ts";
import { type ServerFlags, withServerFlags } from "./connect-flags.ts";
import { withExamples } from "./help.ts";

interface NodeFlags extends ServerFlags {
  readonly name: string;
  readonly dir: string;
  readonly pods: string;
  readonly dialect: string;
  readonly capacity: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly imageDir?: string;
  readonly metricsAddress?: string;
  readonly logLevel: string;
  readonly logFormat: string;
}

/** `cpu=2,memory=4Gi`. */
function pairs(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const equals = pair.indexOf("=");
      if (equals < 1) throw new InvalidArgumentError(`expected NAME=VALUE, got ${JSON.stringify(pair)}`);
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}

/** Returns the command `node`, which runs the agent of a node. */
export function nodeCommand({ node, ...actions }: Pick<Actions, "node"> & ConnectActions): Command {
  const command = new Command("node")
    .summary("Run a node: mount the volumes of its Pods.")
    .description(
      "Run a node: register it with a server, and mount the volumes of its Pods. Containers run for tests only.",
    )
    .addOption(new Option("--name <NAME>", "The name of the node.").makeOptionMandatory())
    .addOption(new Option("--dir <DIR>", "The directory of volumes and of drivers.").makeOptionMandatory())
    .addOption(
      new Option(
        "--pods <MODE>",
        "What happens to containers once their volumes are mounted: they are held, reported as running, or run as processes.",
      )
        .choices(["hold", "run-nothing", "exec"])
        .default("hold"),
    )
    .addOption(
      new Option("--capacity <LIST>", "Resources instead of those of the machine: cpu=2,memory=4Gi,pods=50.")
        .argParser(pairs)
        .default({}, "those of the machine, and 110 pods"),
    )
    .addOption(
      new Option("--labels <LIST>", "Labels of the node: disk=fast,zone=a.").argParser(pairs).default({}, "none"),
    )
    .addOption(
      new Option("--dialect <NAME>", "The dialect of the server.")
        .choices(["kubernetes", "neutral"])
        .default("kubernetes"),
    )
    .addOption(new Option("--image-dir <DIR>", "The directory of images, DIR/REFERENCE each, for image volumes."))
    .addOption(new Option("--metrics-address <HOST:PORT>", "The loopback address of the metrics."))
    .addOption(
      new Option("--log-level <LEVEL>", "The lowest level that is logged.").choices([...LOG_LEVELS]).default("info"),
    )
    .addOption(new Option("--log-format <FORMAT>", "The format of the log.").choices(["text", "json"]).default("text"));
  withServerFlags(command).action(
    async ({ dir, imageDir, metricsAddress, kubeconfig, context, ...rest }: NodeFlags) => {
      using connection = await connect(actions, { kubeconfig, context }, "keelson-node");
      await node({ ...rest, directory: dir, imageDirectory: imageDir, metrics: metricsAddress }, connection);
    },
  );
  return withExamples(
    command,
    "node --name n1 --dir /var/lib/keelson-node --kubeconfig node.kubeconfig",
    "node --name n1 --dir ./n1 --pods run-nothing --capacity cpu=8,memory=32Gi",
  );
}
