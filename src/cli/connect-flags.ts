/**
 * The flags of every command that talks to a server.
 *
 * @module
 */
import { type Command, Option } from "commander";

/** Which server, and where in it. */
export interface ConnectFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** Adds the flags of {@link ConnectFlags}. */
export function withConnectFlags(command: Command): Command {
  return command
    .addOption(new Option("-n, --namespace <name>", "the namespace (default: that of the context)"))
    .addOption(new Option("--kubeconfig <file>", "the kubeconfig (default: KUBECONFIG, or ~/.kube/config)"))
    .addOption(new Option("--context <name>", "the context of the kubeconfig (default: its current-context)"));
}
