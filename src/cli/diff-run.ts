/**
 * What `keelson diff` does once it is asked to.
 *
 * @module
 */
import { isStatus } from "../client/errors.ts";
import { UNREPORTED_METADATA, changesBetween } from "../meta/changes.ts";
import type { Value } from "../value/value.ts";
import { encodeYaml } from "../value/yaml-encode.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { type Painter, painter, printable, wantsColour } from "./colours.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { type DiffLine, type Hunk, diffLines, hunksOf } from "./line-diff.ts";
import { parseObject } from "./object-argument.ts";
import { type PastObject, historyOf, identityOf, nameOf, pastObject } from "./past.ts";

/** What to compare. */
export interface DiffRequest extends ConnectFlags {
  readonly words: readonly (string | undefined)[];
  readonly output: "text" | "json";
}

/** One of the two sides. */
export interface Side {
  /** `configmap/web in default, version 12`. */
  readonly title: string;
  readonly resourceVersion: string;
  readonly object: Value;
}

const EXAMPLE = "keelson diff configmap web@1234";

/** Asks the server and prints; sets the exit codes as `diff` has them. */
export async function runDiff(actions: Actions, request: DiffRequest): Promise<void> {
  actions.exit.failed = 2;
  const { kind, name, versions } = parseObject(request.words, 2, EXAMPLE);
  const [first, second] = versions;
  if (first === undefined) throw new CliError(`expected a version, as in: ${EXAMPLE}`, { usage: true });
  using connection = await connect(actions, request);
  const past = await pastObject(connection, kind, name);
  const from = await versionAt(past, first);
  const to = second === undefined ? await present(past) : await versionAt(past, second);
  const changes = changesBetween(from.object, to.object);
  if (changes.length > 0) actions.exit.done = 1;
  if (request.output === "json") {
    const [object, ends] = [identityOf(past), { from: from.resourceVersion, to: to.resourceVersion }];
    actions.print(JSON.stringify({ object, ...ends, changes }, undefined, 2));
    return;
  }
  const { isTerminal, env } = actions.terminal;
  const lines = unifiedDiff(from, to, painter(wantsColour(isTerminal, env)));
  if (lines.length > 0) actions.print(lines.join("\n"));
}

/** The version that the object had at a revision. */
async function versionAt(past: PastObject, at: string): Promise<Side> {
  const { versions } = await historyOf(past, { at, objects: true });
  const { object, resourceVersion } = versions[0]!;
  return { title: `${nameOf(past)}, version ${resourceVersion}`, resourceVersion, object: object! };
}

async function present(past: PastObject): Promise<Side> {
  const { client, kind, name, namespace } = past;
  try {
    const object = await client.resource(kind).get({ name, namespace });
    const { resourceVersion } = object.metadata;
    const title = `${nameOf(past)}, version ${resourceVersion} (now)`;
    return { title, resourceVersion, object: object as unknown as Value };
  } catch (cause) {
    if (!isStatus(cause, "NotFound")) throw cause;
    throw new CliError(`${nameOf(past)} does not exist now; name a second version to compare with, as in @1234`, {
      cause,
    });
  }
}

/** A unified diff of two objects as YAML, without what changes with every write; no lines when there is no difference. */
export function unifiedDiff(from: Side, to: Side, paint: Painter): string[] {
  const hunks = hunksOf(diffLines(yamlLines(from.object), yamlLines(to.object)));
  if (hunks.length === 0) return [];
  return [
    paint("bold", `--- ${from.title}`),
    paint("bold", `+++ ${to.title}`),
    ...hunks.flatMap((hunk) => [paint("cyan", headOf(hunk)), ...hunk.lines.map((line) => printLine(line, paint))]),
  ];
}

function yamlLines(object: Value): string[] {
  const { metadata } = object as Record<string, Value>;
  const kept = Object.entries(metadata!).filter(([name]) => !UNREPORTED_METADATA.includes(name));
  const shown = { ...(object as object), metadata: Object.fromEntries(kept) } as Value;
  return encodeYaml(shown).trimEnd().split("\n");
}

function headOf({ from, to, lines }: Hunk): string {
  const count = (sign: DiffLine["sign"]): number => lines.filter((line) => line.sign !== sign).length;
  return `@@ -${from},${count("+")} +${to},${count("-")} @@`;
}

function printLine({ sign, text }: DiffLine, paint: Painter): string {
  const line = sign + printable(text);
  return sign === " " ? line : paint(sign === "+" ? "green" : "red", line);
}
