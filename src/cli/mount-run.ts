import { resolve } from "node:path";
import type { Client } from "../client/index.ts";
import type { Pod } from "../client/kinds/index.ts";
import { parseQuantity } from "../meta/quantity.ts";
import { makeVolumeDirectory } from "../node/written/volume-directory.ts";
import { setUpWritten } from "../node/written/written-volume.ts";
import { asError } from "../volumes/content-error.ts";
import { isWritten } from "../volumes/content.ts";
import type { ContentSource, PodVolume } from "../volumes/contract.ts";
import { ownerOf } from "../volumes/pod-owner.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { readDocuments } from "./mount-documents.ts";
import { allocatableOf, mountSource } from "./mount-source.ts";
import { readText } from "./read-text.ts";

/** The Pod and its files, and the directory to write. */
export interface MountRequest extends ConnectFlags {
  readonly directory: string;
  readonly files: readonly string[];
  readonly pod?: string;
  readonly placeholders?: boolean;
  /** `cpu=4`. */
  readonly allocatable?: readonly string[];
}

/** Writes the volumes of a Pod; a failed volume does not stop the others. */
export async function runMount(actions: Actions, request: MountRequest): Promise<void> {
  const texts = new Map<string, string>();
  for (const file of request.files) texts.set(file, await readText(file, actions.terminal.input));
  const allocatable = amountsOf(request.allocatable ?? []);
  using connection = namesServer(actions, request) ? await connect(actions, request) : undefined;
  const namespace = request.namespace ?? connection?.namespace ?? "default";
  const documents = readDocuments(texts, { pod: request.pod, namespace });
  const client: Client | undefined = connection?.client;
  const source = mountSource(documents, {
    client,
    placeholders: request.placeholders === true,
    allocatable: { ...(await allocatableOf(client, documents.pod)), ...allocatable },
  });
  const failures = await writeAll(actions, documents.pod, source, resolve(request.directory));
  if (failures.length === 0) return;
  const hint = client ? [] : ["No server was used: name one with --kubeconfig, or add the missing objects with -f."];
  throw new CliError([...failures, ...hint].join("\n"));
}

/** A server is used only if it is named, not by default. */
const namesServer = ({ terminal: { env } }: Actions, { kubeconfig, context }: MountRequest): boolean =>
  kubeconfig !== undefined || context !== undefined || (env["KUBECONFIG"] ?? "") !== "";

function amountsOf(pairs: readonly string[]): Record<string, string> {
  const entries = pairs.map((pair) => {
    const [, resource, amount] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
    if (resource !== undefined && amount !== undefined && parseQuantity(amount)) return [resource, amount];
    throw new CliError(`expected --allocatable RESOURCE=AMOUNT such as cpu=4, got ${pair}`, { usage: true });
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Returns the errors of volumes, one line each. */
async function writeAll(
  { print, terminal: { tell }, clock }: Actions,
  pod: Pod,
  source: ContentSource,
  directory: string,
): Promise<string[]> {
  const failures: string[] = [];
  const owner = ownerOf(pod);
  const owners = process.getuid?.() === 0;
  if (!owners && (owner.fsGroup ?? owner.fsUser) !== undefined) {
    tell("owners of files are not set: this needs root\n");
  }
  if (lacksLimits(pod, source)) {
    tell("limits that a container does not have are written as 0: name the resources of the node with --allocatable\n");
  }
  for (const volume of pod.spec.volumes ?? []) {
    const path = `${directory}/${volume.name}`;
    try {
      if (volume.emptyDir) makeVolumeDirectory(path, { group: owner.fsGroup, owners });
      else if (isWritten(volume)) await setUpWritten({ pod, volume, path, source, owner, clock, owners });
      else {
        tell(`${volume.name} is left out: only a node can make a volume of ${typeOf(volume)}\n`);
        continue;
      }
      print(path);
    } catch (error) {
      failures.push(`volume ${volume.name} is not written: ${asError(error).message}`);
    }
  }
  return failures;
}

/** Returns the type of a volume, which is the name of its other member. */
const typeOf = (volume: PodVolume): string => Object.keys(volume).find((member) => member !== "name") ?? "no type";

/** Whether a file needs a limit that its container does not have, and the resources of the node are unknown. */
function lacksLimits({ spec }: Pod, source: ContentSource): boolean {
  if (Object.keys(source.allocatable()).length > 0) return false;
  const containers = new Map([...spec.containers, ...(spec.initContainers ?? [])].map((one) => [one.name, one]));
  const shown = (spec.volumes ?? []).flatMap(({ downwardAPI, projected }) => [
    ...(downwardAPI?.items ?? []),
    ...(projected?.sources ?? []).flatMap((one) => one.downwardAPI?.items ?? []),
  ]);
  return shown.some(({ resourceFieldRef: reference }) => {
    const [, name] = /^limits\.(cpu|memory|ephemeral-storage)$/.exec(reference?.resource ?? "") ?? [];
    const container = containers.get(reference?.containerName ?? "");
    return name !== undefined && container !== undefined && container.resources?.limits?.[name] === undefined;
  });
}
