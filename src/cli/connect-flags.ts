import { type Command, Option } from "commander";

/** The flags for a server. */
export interface ServerFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** The flags for a server and a namespace. */
export interface ConnectFlags extends ServerFlags {
  readonly namespace?: string | undefined;
}

/** Adds the flags of {@link ServerFlags}. */
export const withServerFlags = (command: Command): Command =>
  command
    .addOption(new Option("--kubeconfig <FILE>", "The kubeconfig. (default: ~/.kube/config) [KUBECONFIG]"))
    .addOption(new Option("--context <NAME>", "The context of the kubeconfig. (default: its current-context)"));

/** Adds the flags of {@link ConnectFlags}. */
export const withConnectFlags = (command: Command): Command =>
  withServerFlags(
    command.addOption(new Option("-n, --namespace <NAME>", "The namespace. (default: that of the context)")),
  );
