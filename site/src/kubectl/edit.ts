/**
 * `kubectl edit`: an object in the editor of the page, and the patch of what was changed.
 *
 * @module
 */
import { decodeYaml } from "../../../src/value/yaml.ts";
import { messageOf } from "../../../src/util/error.ts";
import { type ApiJson, ApiFailure, Failure, failureText, pathOf } from "./api.ts";
import { patchFor, printResult, writeQuery } from "./apply.ts";
import { type Command, type Target, eachOf, targetsOf } from "./context.ts";
import { withoutManagedFields, yamlText } from "./print.ts";

const HEAD = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

/** Runs `kubectl edit`. */
export async function edit(command: Command): Promise<number> {
  return eachOf(command, await targetsOf(command, command.flags.words, "edit"), (target) => editOne(command, target));
}

async function editOne(command: Command, target: Target): Promise<void> {
  const { api, streams } = command;
  const { kind, namespace, name } = target;
  const open = streams.shell.edit;
  if (!open) throw new Failure("error: expected a terminal with an editor");
  const path = pathOf(kind, namespace, name);
  const before = withoutManagedFields(await api.json<ApiJson>("GET", path));
  const original = yamlText(before);
  let text = original;
  let failure = "";
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- until it is saved or cancelled
    const edited = await open({ name: `${kind.kind} ${name}`, text: `${HEAD}${failure}${text}` }, streams.signal);
    const next = edited === undefined ? text : withoutComments(edited);
    if (failure !== "" && next === text) throw new Failure("error: Edit cancelled, no valid changes were saved.");
    if (next === original) return streams.err("Edit cancelled, no changes made.\n");
    if (next.trim() === "") return streams.err("Edit cancelled, saved file was empty.\n");
    text = next;
    try {
      // oxlint-disable-next-line no-await-in-loop
      return await save(command, target, { before, next: objectIn(text, before) });
    } catch (error) {
      if (!(error instanceof ApiFailure || error instanceof EditError)) throw error;
      if (error instanceof ApiFailure && [404, 409].includes(error.status.code ?? 0)) throw error;
      const message = error instanceof ApiFailure ? failureText(error) : error.message;
      failure = `${message
        .split("\n")
        .map((line) => `# ${line}`)
        .join("\n")}\n#\n`;
    }
  }
}

/** What was saved cannot be sent: the editor opens again. */
class EditError extends Error {}

const withoutComments = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n");

/** The object of a text. @throws EditError */
function objectIn(text: string, before: ApiJson): ApiJson {
  let object: ApiJson;
  try {
    object = JSON.parse(JSON.stringify(decodeYaml(text, { jsonEscapes: true }).value)) as ApiJson;
  } catch (error) {
    throw new EditError(`The edited file had a syntax error: ${messageOf(error)}`);
  }
  const identity = (one: ApiJson): string => JSON.stringify([one?.apiVersion, one?.kind, one?.metadata?.name]);
  if (identity(object) !== identity(before))
    throw new EditError("At least one of apiVersion, kind and name was changed");
  return object;
}

async function save(
  command: Command,
  target: Target,
  { before, next }: { readonly before: ApiJson; readonly next: ApiJson },
): Promise<void> {
  const { kind, namespace, name } = target;
  const patch = await patchFor(command, target, { last: before, next, live: before });
  if (Object.keys(patch.body).length === 0) return printResult(command, target, before, "skipped");
  const query = writeQuery(command, "kubectl-edit");
  const stored = await command.api.json<ApiJson>("PATCH", pathOf(kind, namespace, name), { query, ...patch });
  printResult(command, target, stored, "edited");
}
