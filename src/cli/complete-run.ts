import type { Client } from "../client/client.ts";
import { Discovery, preferredKinds } from "../client/discovery.ts";
import { contextNames } from "../client/kubeconfig/open.ts";
import { type UntypedObject, metadataOf, nameOfKind } from "../client/kind.ts";
import type { Actions } from "./actions.ts";
import { type Connection, connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { findKind } from "./find-kind.ts";

const TIMEOUT_MS = 1500;
const MAX_NAMES = 500;

/** The flag or argument to complete, and the rest of the command line. */
export interface CompletionRequest {
  readonly what: string;
  readonly flags: ConnectFlags;
  readonly operands: readonly string[];
  readonly typed: string;
}

/** Completes from the kubeconfig and its server; nothing if the server does not respond in time. */
export async function complete(actions: Actions, request: CompletionRequest): Promise<readonly string[]> {
  const abort = new AbortController();
  const timer = actions.clock.after(TIMEOUT_MS, () => abort.abort());
  try {
    return await wordsFor(actions, request, abort.signal);
  } catch {
    return [];
  } finally {
    timer.cancel();
  }
}

async function wordsFor(actions: Actions, request: CompletionRequest, signal: AbortSignal): Promise<readonly string[]> {
  const { what, flags } = request;
  if (what === "context") return contextNames({ kubeconfig: flags.kubeconfig, env: actions.terminal.env });
  using connection = await connect(actions, flags);
  return await wordsOfServer(connection, request, signal);
}

async function wordsOfServer(
  { client, namespace }: Connection,
  { what, operands, typed }: CompletionRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (what === "namespace") return namesOf(client, "namespaces", undefined, signal);
  if (what === "name") return namesOf(client, operands[0] ?? "", namespace, signal);
  if (what !== "kind") return [];
  const [kind = "", name] = typed.split("/");
  if (name === undefined) return preferredKinds(await new Discovery(client).read({ signal })).map(shortestName);
  return (await namesOf(client, kind, namespace, signal)).map((found) => `${kind}/${found}`);
}

/** Returns the plural; with its group if another kind before has the same plural. */
const shortestName = ({ plural, group }: Kind, at: number, kinds: readonly Kind[]): string =>
  kinds.findIndex((other) => other.plural === plural) === at ? plural : nameOfKind({ plural, group });

type Kind = Parameters<typeof nameOfKind>[0];

async function namesOf(
  client: Client,
  kindName: string,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const kind = await findKind(client, kindName, signal);
  const place = kind.scope === "Namespaced" ? { namespace } : {};
  const objects = client.resource(metadataOf<UntypedObject, typeof kind.scope>(kind));
  const { items } = await objects.list({ ...place, limit: MAX_NAMES, signal });
  return items.map(({ metadata }) => metadata.name);
}
