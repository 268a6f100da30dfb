/**
 * What a kubeconfig and its server know of what may be typed.
 *
 * @module
 */
import type { Client } from "../client/client.ts";
import { Discovery, preferredKinds } from "../client/discovery.ts";
import { contextNames } from "../client/kubeconfig/open.ts";
import { type UntypedObject, metadataOf, nameOfKind } from "../client/kind.ts";
import type { Actions } from "./actions.ts";
import { type Connection, connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { findKind } from "./find-kind.ts";

/** Who types waits no longer. */
const PATIENCE_MS = 1500;
/** Nobody reads more. */
const MOST = 500;

/** Of what a value is asked for, and what the command line says beside it. */
export interface Question {
  readonly what: string;
  readonly flags: ConnectFlags;
  readonly operands: readonly string[];
  readonly typed: string;
}

/** What the value may be: nothing where it is not known, or the server does not say it in time. */
export async function ask(actions: Actions, question: Question): Promise<readonly string[]> {
  const patience = new AbortController();
  const timer = actions.clock.after(PATIENCE_MS, () => patience.abort());
  try {
    return await answer(actions, question, patience.signal);
  } catch {
    return [];
  } finally {
    timer.cancel();
  }
}

async function answer(actions: Actions, question: Question, signal: AbortSignal): Promise<readonly string[]> {
  const { what, flags } = question;
  if (what === "context") return contextNames({ kubeconfig: flags.kubeconfig, env: actions.terminal.env });
  using connection = await connect(actions, flags);
  return await served(connection, question, signal);
}

async function served(
  { client, namespace }: Connection,
  { what, operands, typed }: Question,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (what === "namespace") return namesOf(client, "namespaces", undefined, signal);
  if (what === "name") return namesOf(client, operands[0]!, namespace, signal);
  if (what !== "kind") return [];
  const [kind, name] = typed.split("/");
  if (name === undefined) return preferredKinds(await new Discovery(client).read({ signal })).map(shortestName);
  return (await namesOf(client, kind!, namespace, signal)).map((found) => `${kind}/${found}`);
}

/** A kind by its plural alone is the first that has it, so others need their group. */
const shortestName = ({ plural, group }: Kind, at: number, kinds: readonly Kind[]): string =>
  kinds.findIndex((other) => other.plural === plural) === at ? plural : nameOfKind({ plural, group });

type Kind = Parameters<typeof nameOfKind>[0];

async function namesOf(
  client: Client,
  asked: string,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const kind = await findKind(client, asked, signal);
  const place = kind.scope === "Namespaced" ? { namespace } : {};
  const objects = client.resource(metadataOf<UntypedObject, typeof kind.scope>(kind));
  const { items } = await objects.list({ ...place, limit: MOST, signal });
  return items.map(({ metadata }) => metadata.name);
}
