import type { Client } from "../client/client.ts";
import { Discovery } from "../client/discovery.ts";
import { type ServedKind, apiVersionOf } from "../client/kind.ts";
import { CliError } from "./cli-error.ts";

/**
 * Finds a resource by its plural, singular or short name or its kind, in any case of letters, alone or with its group or the
 * beginning of its group: `cm`, `StorageClass`, `events.events.k8s.io`. Of several groups the first in discovery wins.
 *
 * @throws CliError if there is none
 */
export async function findKind(client: Client, text: string, signal?: AbortSignal): Promise<ServedKind> {
  const at = text.indexOf(".");
  const name = (at < 0 ? text : text.slice(0, at)).toLowerCase();
  const group = at < 0 ? undefined : text.slice(at + 1).toLowerCase();
  const kinds = await new Discovery(client).read(signal === undefined ? {} : { signal });
  const found = kinds.find((served) => isInGroup(served, group) && isCalled(served, name));
  if (found) return found;
  throw new CliError(`the server has no kind called ${JSON.stringify(text)}; kubectl api-resources lists what it has`);
}

/** Finds the resource of an apiVersion and kind. @throws CliError if it is not served */
export async function findExactKind(client: Client, apiVersion: string, kind: string): Promise<ServedKind> {
  const kinds = await new Discovery(client).read();
  const found = kinds.find((served) => served.kind === kind && apiVersionOf(served) === apiVersion);
  if (found) return found;
  throw new CliError(`the server has no kind ${kind} of ${apiVersion}`);
}

const isInGroup = (served: ServedKind, group: string | undefined): boolean =>
  group === undefined || served.group === group || served.group.startsWith(`${group}.`);

const isCalled = ({ plural, singular, kind, shortNames }: ServedKind, text: string): boolean =>
  plural === text || singular === text || kind.toLowerCase() === text || shortNames.includes(text);
