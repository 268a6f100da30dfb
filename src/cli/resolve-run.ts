/**
 * Runs `keelson resolve`: applies, resolves conflicts, and applies again until there are none.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import type { Client } from "../client/client.ts";
import type { ApiObject } from "../client/kind.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { painter, wantsColour } from "./colours.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { findExactKind } from "./find-kind.ts";
import { type Manifest, joinManifests, readManifests } from "../client/objects/manifest.ts";
import { type Applied, type Choice, type Decide, applyAndResolve } from "../client/objects/resolve.ts";
import { Prompt } from "./resolve-prompt.ts";
import { readText } from "./read-text.ts";

/** The file to apply, and how to resolve conflicts. */
export interface ResolveRequest extends ConnectFlags {
  readonly file: string;
  readonly fieldManager: string;
  readonly yes?: Choice;
  readonly write?: boolean;
  readonly output: "text" | "json";
}

/** Applies every object of the file, in order. @throws CliError if a conflict is not resolved; earlier objects are applied */
export async function runResolve(actions: Actions, request: ResolveRequest): Promise<void> {
  const { terminal } = actions;
  const fromInput = request.file === "-";
  if (fromInput && request.yes === undefined) {
    throw new CliError("expected --yes together with -f -: the answers cannot be read from the input of the file", {
      usage: true,
    });
  }
  if (fromInput && request.write) throw new CliError("expected a file that can be written, got -f -", { usage: true });
  const manifests = readManifests(await readText(request.file, terminal.input), request.file);
  using connection = await connect(actions, request);
  using prompt = new Prompt(terminal, painter(wantsColour(terminal.isTerminal, terminal.env)), () =>
    actions.clock.now(),
  );
  const decide: Decide =
    request.yes === undefined ? (conflict, report) => prompt.ask(conflict, report) : decideAll(request.yes);
  const results: Applied[] = [];
  for (const manifest of manifests) {
    const applied = await applyManifest(connection.client, manifest, request, connection.namespace, decide);
    results.push(applied);
    if (request.output === "text") actions.print(summary(applied));
  }
  if (request.write && manifests.some(({ changed }) => changed)) writeFileSync(request.file, joinManifests(manifests));
  if (request.output === "json") actions.print(JSON.stringify(results.map(asJson), undefined, 2));
}

const decideAll =
  (choice: Choice): Decide =>
  (conflict) => {
    if (conflict.waysOut.some((way) => way.choice === choice)) return Promise.resolve(choice);
    throw new CliError(`${conflict.field} cannot be shared: it has no value; keep or take it`);
  };

async function applyManifest(
  client: Client,
  manifest: Manifest,
  request: ResolveRequest,
  defaultNamespace: string,
  decide: Decide,
): Promise<Applied> {
  const { apiVersion, kind, name } = manifest;
  const found = await findExactKind(client, apiVersion, kind);
  const namespace = found.scope === "Namespaced" ? (manifest.namespace ?? defaultNamespace) : undefined;
  const resource = client.resource(found);
  const { fieldManager } = request;
  return applyAndResolve(
    manifest,
    (text, force) => resource.applyText({ name, namespace }, text, { fieldManager, explain: true, force }),
    decide,
  );
}

const identity = ({ apiVersion, kind, metadata: { name, namespace } }: ApiObject): string =>
  `${kind.toLowerCase()}${apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : ""}/${name}${namespace ? ` in ${namespace}` : ""}`;

function summary({ object, decisions }: Applied): string {
  const count = (choice: Choice): number => decisions.filter((one) => one.choice === choice).length;
  const words = { keep: "kept theirs", take: "taken over", share: "shared" } as const;
  const parts = (["keep", "take", "share"] as const)
    .filter((choice) => count(choice) > 0)
    .map((choice) => `${count(choice)} ${words[choice]}`);
  return `${identity(object)} applied${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`;
}

function asJson({ object, decisions }: Applied): unknown {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, resourceVersion } = metadata;
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}), resourceVersion, decisions };
}
