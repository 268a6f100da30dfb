/**
 * `kubectl describe`: an object member by member with its Events, in the form that kubectl has for kinds that it does not know; and
 * `kubectl events`.
 *
 * @module
 */
import { humanDuration } from "../../../src/meta/time.ts";
import { type ApiJson, type Json, type JsonValue, pathOf, textOf } from "./api.ts";
import { type Command, type Target, namespaceOf, targetsOf } from "./context.ts";
import { alignedRows } from "./print.ts";

/** Runs `kubectl describe`. */
export async function describe(command: Command): Promise<number> {
  const { flags, streams, api } = command;
  const words =
    flags.words.length === 1 && !flags.words[0]!.includes("/")
      ? await allOf(command)
      : await targetsOf(command, flags.words, "describe");
  if (words.length === 0) streams.err(`No resources found in ${namespaceOf(command)} namespace.\n`);
  for (const [at, target] of words.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- in the order of the words
    const object = await api.json<ApiJson>("GET", pathOf(target.kind, target.namespace, target.name));
    if (at > 0) streams.out("\n\n");
    streams.out(described(object));
    // oxlint-disable-next-line no-await-in-loop
    if (flags.on("show-events", true)) streams.out(await eventsText(command, object));
  }
  return 0;
}

async function allOf(command: Command): Promise<readonly Target[]> {
  const kind = await command.api.findKind(command.flags.words[0]!);
  const namespace =
    kind.scope === "Namespaced" && !command.flags.on("all-namespaces") ? namespaceOf(command) : undefined;
  const query = { labelSelector: command.flags.get("selector") };
  const { items } = await command.api.json<{ items: readonly ApiJson[] }>("GET", pathOf(kind, namespace), { query });
  return items.map(({ metadata }) => ({ kind, name: metadata.name, namespace: metadata.namespace }));
}

const HIDDEN = new Set(["managedFields", "name", "namespace", "labels", "annotations"]);

function described({ apiVersion, kind, metadata, ...more }: ApiJson): string {
  const rest = Object.fromEntries(Object.entries(metadata).filter(([name]) => !HIDDEN.has(name)));
  const lines: string[] = [];
  const head = (title: string, value: string): void => void lines.push(`${`${title}:`.padEnd(14)}${value}`);
  head("Name", metadata.name);
  head("Namespace", metadata.namespace ?? "");
  pairs("Labels", metadata["labels"] as Json | undefined, "=", lines);
  pairs("Annotations", metadata["annotations"] as Json | undefined, ": ", lines);
  head("API Version", apiVersion);
  head("Kind", kind);
  members({ metadata: rest, ...more }, 0, lines);
  return `${lines.join("\n")}\n`;
}

function pairs(title: string, values: Json | undefined, sign: string, lines: string[]): void {
  const texts = Object.entries(values ?? {})
    .filter(([name]) => name !== "kubectl.kubernetes.io/last-applied-configuration")
    .map(([name, value]) => `${name}${sign}${textOf(value)}`)
    .toSorted();
  const [first = "<none>", ...rest] = texts;
  lines.push(`${`${title}:`.padEnd(14)}${first}`, ...rest.map((text) => `${" ".repeat(14)}${text}`));
}

/** `creationTimestamp` as `Creation Timestamp`. */
const titled = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/^[a-z]/, (unit) => unit.toUpperCase())
    .replace(/\b(?:api|uid|ip)\b/gi, (word) => word.toUpperCase());

function members(object: Json, depth: number, lines: string[]): void {
  const names = Object.keys(object).toSorted();
  const space = "  ".repeat(depth);
  const scalars = names.filter((name) => typeof object[name] !== "object" || object[name] === null);
  const width = Math.max(0, ...scalars.map((name) => titled(name).length)) + 3;
  for (const name of names) {
    const value = object[name];
    if (value === undefined) continue;
    if (typeof value !== "object" || value === null)
      lines.push(`${space}${`${titled(name)}:`.padEnd(width)}${text(value)}`);
    else if (Array.isArray(value)) {
      lines.push(`${space}${titled(name)}:`);
      for (const item of value) {
        if (typeof item === "object" && item !== null && !Array.isArray(item)) members(item, depth + 1, lines);
        else lines.push(`${space}  ${text(item)}`);
      }
    } else {
      lines.push(`${space}${titled(name)}:`);
      members(value, depth + 1, lines);
    }
  }
}

const text = (value: JsonValue): string => (value === null ? "<nil>" : textOf(value));

interface EventJson extends ApiJson {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly reportingComponent?: string;
  readonly source?: { component?: string };
  readonly involvedObject: { kind: string; name: string; namespace?: string; uid?: string };
}

const timeOf = ({ lastTimestamp, eventTime, firstTimestamp, metadata }: EventJson): number =>
  Date.parse(lastTimestamp ?? eventTime ?? firstTimestamp ?? textOf(metadata["creationTimestamp"]));

async function eventsText({ api }: Command, { metadata, kind }: ApiJson): Promise<string> {
  const path = `/api/v1/namespaces/${metadata.namespace ?? "default"}/events`;
  const fieldSelector = `involvedObject.name=${metadata.name},involvedObject.kind=${kind},involvedObject.uid=${textOf(metadata["uid"])}`;
  const { items } = await api.json<{ items: readonly EventJson[] }>("GET", path, { query: { fieldSelector } });
  if (items.length === 0) return "Events:  <none>\n";
  const now = api.clock.now();
  const rows = items
    .toSorted((a, b) => timeOf(a) - timeOf(b))
    .map((event) => [
      `  ${event.type}`,
      event.reason,
      ageOf(event, now),
      event.source?.component ?? event.reportingComponent ?? "",
      event.message.trim(),
    ]);
  const dashes = ["  Type", "Reason", "Age", "From", "Message"];
  return `Events:\n${alignedRows([dashes, ["  ----", "------", "----", "----", "-------"], ...rows], 2)}`;
}

function ageOf(event: EventJson, now: number): string {
  const age = humanDuration(now - timeOf(event));
  const first = event.firstTimestamp;
  return (event.count ?? 1) > 1 && first !== undefined
    ? `${age} (x${event.count} over ${humanDuration(now - Date.parse(first))})`
    : age;
}

/** Runs `kubectl events`. */
export async function events(command: Command): Promise<number> {
  const { api, streams, flags } = command;
  const namespace = flags.on("all-namespaces") ? "" : `/namespaces/${namespaceOf(command)}`;
  const { items } = await api.json<{ items: readonly EventJson[] }>("GET", `/api/v1${namespace}/events`);
  const about = flags.get("for")?.split("/");
  const shown = items.filter(
    ({ involvedObject: { kind, name } }) =>
      !about || (kind.toLowerCase() === about[0]!.toLowerCase() && name === about[1]),
  );
  if (shown.length === 0) {
    streams.err(`No events found in ${namespaceOf(command)} namespace.\n`);
    return 0;
  }
  const now = api.clock.now();
  const rows = shown
    .toSorted((a, b) => timeOf(a) - timeOf(b))
    .map((event) => [
      ageOf(event, now),
      event.type,
      event.reason,
      `${event.involvedObject.kind}/${event.involvedObject.name}`,
      event.message.trim(),
    ]);
  streams.out(alignedRows([["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"], ...rows]));
  return 0;
}
