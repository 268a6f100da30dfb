/**
 * From what people call a kind (`cm`, `configmaps`, `StorageClass`, `events.events.k8s.io`) to the resource that serves it.
 *
 * @module
 */
import type { Client } from "../client/client.ts";
import { Discovery } from "../client/discovery.ts";
import { type ServedKind, apiVersionOf } from "../client/kind.ts";
import { CliError } from "./cli-error.ts";

/**
 * The resource that `asked` means: a plural, singular or short name or a kind, in any case of letters, alone or with its
 * group (the beginning of the group is enough). Where several groups have one, the first in the order of discovery.
 *
 * @throws CliError when there is none
 */
export async function findKind(client: Client, asked: string, signal?: AbortSignal): Promise<ServedKind> {
  const at = asked.indexOf(".");
  const name = (at < 0 ? asked : asked.slice(0, at)).toLowerCase();
  const group = at < 0 ? undefined : asked.slice(at + 1).toLowerCase();
  const kinds = await new Discovery(client).read(signal === undefined ? {} : { signal });
  const found = kinds.find((served) => isInGroup(served, group) && isCalled(served, name));
  if (found) return found;
  throw new CliError(`the server has no kind called ${JSON.stringify(asked)}; kubectl api-resources lists what it has`);
}

/** The resource of a kind by its full name, as objects carry it. @throws CliError when it is not served */
export async function findExactKind(client: Client, apiVersion: string, kind: string): Promise<ServedKind> {
  const kinds = await new Discovery(client).read();
  const found = kinds.find((served) => served.kind === kind && apiVersionOf(served) === apiVersion);
  if (found) return found;
  throw new CliError(`the server has no kind ${kind} of ${apiVersion}`);
}

const isInGroup = (served: ServedKind, group: string | undefined): boolean =>
  group === undefined || served.group === group || served.group.startsWith(`${group}.`);

const isCalled = ({ plural, singular, kind, shortNames }: ServedKind, asked: string): boolean =>
  plural === asked || singular === asked || kind.toLowerCase() === asked || shortNames.includes(asked);
