/**
 * What a command line needs of a kubeconfig: a server, credentials that do not change while the command runs, a namespace.
 *
 * @module
 */
import { contextNamesOf as namesOf, contextOf as chosenOf, readBeside } from "../client/kubeconfig/context.ts";
import type { Decode, KubeconfigChoice } from "../client/kubeconfig/context.ts";
import { KubeconfigError } from "../client/kubeconfig/error.ts";
import type { NodeTransportOptions } from "../client/transport-node.ts";
import { CliError } from "./cli-error.ts";

export type { Decode, KubeconfigChoice } from "../client/kubeconfig/context.ts";

/** A server, how to reach it and where its user works. */
export interface ChosenContext {
  readonly transport: NodeTransportOptions;
  readonly namespace: string;
}

/** Reads the files and takes the context out of them. @throws CliError that names the file and the member */
export function contextOf(choice: KubeconfigChoice, decode: Decode): ChosenContext {
  return told(() => {
    const { transport, namespace, user } = chosenOf(choice, decode);
    const { token, tokenFile, exec } = user;
    if (exec !== undefined && token === undefined && tokenFile === undefined) {
      throw new KubeconfigError("expected a token or a client certificate for the user; exec is not supported here");
    }
    const inFile = (file: string): string => readBeside("the kubeconfig", file).trim();
    return {
      transport: { ...transport, token: tokenFile === undefined ? token : inFile(tokenFile) },
      namespace,
    };
  });
}

/** The names of all contexts in the files. @throws CliError that names the file */
export const contextNamesOf = (choice: KubeconfigChoice, decode: Decode): readonly string[] =>
  told(() => namesOf(choice, decode));

function told<V>(work: () => V): V {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof KubeconfigError)) throw cause;
    const where = cause.message.startsWith("expected a kubeconfig at ")
      ? "; name one with --kubeconfig or KUBECONFIG, or print that of a server with keelson kubeconfig"
      : "";
    throw new CliError(cause.message + where, { cause });
  }
}
