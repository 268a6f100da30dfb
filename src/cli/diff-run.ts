import { isStatus } from "../client/errors.ts";
import { UNREPORTED_METADATA, changesBetween } from "../meta/changes.ts";
import type { Value } from "../value/value.ts";
import { encodeYaml } from "../value/yaml-encode.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { type Painter, painter, printable, wantsColour } from "./colours.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { type DiffLine, type Hunk, diffLines, hunksOf } from "../util/line-diff.ts";
import { parseObject } from "./object-argument.ts";
import { type ObjectRef, identityOf, nameOf, versionOf } from "../client/objects/history.ts";
import { resolveObject } from "./object-history.ts";

/** The versions to compare, and the output format. */
export interface DiffRequest extends ConnectFlags {
  readonly words: readonly (string | undefined)[];
  readonly output: "text" | "json";
}

/** One side of a comparison. */
export interface Side {
  /** `configmap/web in default, version 12`. */
  readonly title: string;
  readonly resourceVersion: string;
  readonly object: Value;
}

const EXAMPLE = "keelson diff configmap web@1234";

/** Requests both versions and prints their difference; the exit codes are those of `diff`. */
export async function runDiff(actions: Actions, request: DiffRequest): Promise<void> {
  actions.exit.failed = 2;
  const { kind, name, versions } = parseObject(request.words, 2, EXAMPLE);
  const [first, second] = versions;
  if (first === undefined) throw new CliError(`expected a version, as in: ${EXAMPLE}`, { usage: true });
  using connection = await connect(actions, request);
  const ref = await resolveObject(connection, kind, name);
  const from = await versionAt(ref, first);
  const to = second === undefined ? await currentVersion(ref) : await versionAt(ref, second);
  const changes = changesBetween(from.object, to.object);
  if (changes.length > 0) actions.exit.done = 1;
  if (request.output === "json") {
    const [object, ends] = [identityOf(ref), { from: from.resourceVersion, to: to.resourceVersion }];
    actions.print(JSON.stringify({ object, ...ends, changes }, undefined, 2));
    return;
  }
  const { isTerminal, env } = actions.terminal;
  const lines = unifiedDiff(from, to, painter(wantsColour(isTerminal, env)));
  if (lines.length > 0) actions.print(lines.join("\n"));
}

/** Requests the version of an object at a revision. */
async function versionAt(ref: ObjectRef, at: string): Promise<Side> {
  const { object, resourceVersion } = await versionOf(ref, at);
  return { title: `${nameOf(ref)}, version ${resourceVersion}`, resourceVersion, object };
}

async function currentVersion(ref: ObjectRef): Promise<Side> {
  const { client, kind, name, namespace } = ref;
  try {
    const object = await client.resource(kind).get({ name, namespace });
    const { resourceVersion } = object.metadata;
    const title = `${nameOf(ref)}, version ${resourceVersion} (now)`;
    return { title, resourceVersion, object: object as unknown as Value };
  } catch (cause) {
    if (!isStatus(cause, "NotFound")) throw cause;
    throw new CliError(`${nameOf(ref)} does not exist now; name a second version to compare with, as in @1234`, {
      cause,
    });
  }
}

/** Returns a unified diff of two objects as YAML, without metadata that changes with every write; no lines if they are equal. */
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
