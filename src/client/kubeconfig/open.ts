/** Opens a transport for a kubeconfig or a Pod, for the library, the commands and webhooks. */
import { existsSync } from "node:fs";
import { type Clock, systemClock } from "../../util/clock.ts";
import { simpleYaml } from "../../value/simple-yaml.ts";
import { baseOf } from "../transport-base.ts";
import { http2Transport } from "../transport-http2.ts";
import type { NodeTransport } from "../transport-node.ts";
import { proxyFor } from "../transport-proxy.ts";
import {
  type ChosenContext,
  type Decode,
  type KubeconfigChoice,
  candidatesOf,
  contextNamesOf,
  contextOf,
} from "./context.ts";
import { type CredentialSource, fileTokens, transportWith } from "./credentials.ts";
import { execCredentials } from "./exec.ts";
import { SERVICE_ACCOUNT, inClusterContext, isInCluster } from "./in-cluster.ts";

/** The files, the context, and the folder of a service account. */
export interface ServerChoice extends KubeconfigChoice {
  readonly serviceAccount?: string | undefined;
}

/** The parts of its process that a transport uses. */
export interface ProcessContext {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Returns the context of the files, or of the Pod where there are none. @throws KubeconfigError that names the file and
 * the field
 */
export async function chooseContext(choice: ServerChoice): Promise<ChosenContext> {
  const { kubeconfig, text, env, serviceAccount = SERVICE_ACCOUNT } = choice;
  const isAnywhere =
    kubeconfig !== undefined || text !== undefined || candidatesOf(choice).some((file) => existsSync(file));
  if (!isAnywhere && isInCluster(env, serviceAccount)) return inClusterContext(env, serviceAccount);
  return await decoded((decode) => contextOf(choice, decode));
}

/** Returns the names of all contexts. @throws KubeconfigError that names the file */
export const contextNames = (choice: KubeconfigChoice): Promise<readonly string[]> =>
  decoded((decode) => contextNamesOf(choice, decode));

/** Returns a transport; it sends no request and runs no plugin yet. */
export function openContext(context: ChosenContext, surroundings: ProcessContext = {}): NodeTransport {
  const source = sourceOf(context, surroundings);
  const { url, proxy = proxyFor(baseOf(url), surroundings.env ?? process.env) ?? "" } = context.transport;
  const options = { ...context.transport, proxy, token: context.user.token };
  return source ? transportWith(options, source) : http2Transport(options);
}

/** Decodes simple files without the YAML library, which is loaded only where it is needed. */
async function decoded<V>(read: (decode: Decode) => V): Promise<V> {
  try {
    return read(decodeSimple);
  } catch {
    // The full decoder reports errors.
    const { decodeYaml } = await import("../../value/yaml.ts");
    return read((text) => decodeYaml(text).value);
  }
}

const decodeSimple: Decode = (text) => {
  const value = simpleYaml(new TextDecoder("utf-8", { fatal: true }).decode(text));
  if (value === undefined) throw new Error("it is not simple");
  return value;
};

/** Returns the source of changing credentials; undefined for a static token. */
function sourceOf(
  { user: { token, tokenFile, exec } }: ChosenContext,
  { clock = systemClock, env = process.env }: ProcessContext,
): CredentialSource | undefined {
  if (tokenFile !== undefined) return fileTokens(tokenFile, token, clock);
  if (token !== undefined || exec === undefined) return undefined;
  return execCredentials(exec, { clock, env });
}
