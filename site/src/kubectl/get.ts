/**
 * `kubectl get`: objects as tables, YAML, JSON, names or by paths; once, or as they change.
 *
 * @module
 */
import { linesOf } from "../../../src/client/bodies.ts";
import type { ServedKind } from "../../../src/client/kind.ts";
import { type ApiJson, ApiFailure, Failure, type Json, TABLE, nameOf, pathOf, titleOf } from "./api.ts";
import { type Command, eachOf, type Named, namedBy, namespaceOf, targetsOf } from "./context.ts";
import {
  type Table,
  type TableStyle,
  alignedRows,
  customColumns,
  jsonPathText,
  jsonText,
  pathValues,
  tableRows,
  withoutManagedFields,
  yamlText,
} from "./print.ts";

/** Runs `kubectl get`. */
export async function get(command: Command): Promise<number> {
  const { flags, streams, api } = command;
  const raw = flags.get("raw");
  if (raw !== undefined) {
    streams.out(await api.text("GET", raw));
    return 0;
  }
  const output = flags.get("output") ?? "";
  const named = flags.has("filename")
    ? (await targetsOf(command, [], "get")).map(({ kind, name }): Named => ({ kind, names: [name] }))
    : await namedBy(command, flags.words, "get");
  if (output === "" || output === "wide")
    return flags.on("watch") ? watchTable(command, named) : printTables(command, named);
  return printObjects(command, named, output);
}

/** Prints objects in the form of `-o`. */
async function printObjects(command: Command, named: readonly Named[], output: string): Promise<number> {
  const { flags, streams, api } = command;
  const objects: ApiJson[] = [];
  for (const one of named) {
    // oxlint-disable-next-line no-await-in-loop -- in the order of the words
    objects.push(...(await objectsOf(command, one)));
  }
  const isOne = named.length === 1 && named[0]!.names.length === 1;
  const shown = flags.on("show-managed-fields") ? objects : objects.map(withoutManagedFields);
  if (output === "name") {
    const kinds = await api.kinds();
    for (const { apiVersion, kind, metadata } of objects) {
      const found = kinds.find((one) => one.kind === kind && apiVersion.endsWith(one.version))!;
      streams.out(`${nameOf(found, metadata.name)}\n`);
    }
    return 0;
  }
  const value: Json = isOne
    ? shown[0]!
    : { apiVersion: "v1", items: shown, kind: "List", metadata: { resourceVersion: "" } };
  streams.out(objectText(output, value, isOne ? [shown[0]!] : shown, flags.on("no-headers")));
  return 0;
}

/** A value in the form of `-o`. @throws Failure for a form that is not here */
export function objectText(output: string, value: Json, objects: readonly ApiJson[], hidesTitles = false): string {
  if (output === "yaml") return yamlText(value);
  if (output === "json") return jsonText(value);
  const at = output.indexOf("=");
  const [form, argument] = at < 0 ? [output, ""] : [output.slice(0, at), output.slice(at + 1)];
  if (form === "jsonpath") return jsonPathText(argument, value);
  if (form === "custom-columns") return customColumns(argument, objects, !hidesTitles);
  throw new Failure(
    `error: unable to match a printer suitable for the output format "${form}", allowed formats are: custom-columns,json,jsonpath,name,wide,yaml`,
  );
}

const queryOf = ({ flags }: Command): Readonly<Record<string, string | undefined>> => ({
  labelSelector: flags.get("selector"),
  fieldSelector: flags.get("field-selector"),
});

const placeOf = (command: Command, kind: ServedKind): string | undefined =>
  kind.scope !== "Namespaced" || command.flags.on("all-namespaces") ? undefined : namespaceOf(command);

/** Reads objects by name; a single one that is missing is an error, several are printed. */
async function eachFound<T>(
  command: Command,
  names: readonly string[],
  read: (name: string) => Promise<T>,
): Promise<readonly T[]> {
  if (names.length === 1 && !command.flags.on("ignore-not-found")) return [await read(names[0]!)];
  const found: T[] = [];
  const code = await eachOf(command, names, async (name) => {
    try {
      found.push(await read(name));
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.status.code !== 404 || !command.flags.on("ignore-not-found"))
        throw error;
    }
  });
  if (code !== 0 && found.length === 0) throw new Failure("");
  return found;
}

async function objectsOf(command: Command, { kind, names }: Named): Promise<readonly ApiJson[]> {
  const namespace = placeOf(command, kind);
  if (names.length > 0) {
    return eachFound(command, names, (name) => command.api.json<ApiJson>("GET", pathOf(kind, namespace, name)));
  }
  const list = await command.api.json<{ apiVersion: string; items: readonly ApiJson[] }>(
    "GET",
    pathOf(kind, namespace),
    {
      query: queryOf(command),
    },
  );
  const objects = list.items.map((item) => ({ ...item, apiVersion: list.apiVersion, kind: kind.kind }));
  const sortBy = command.flags.get("sort-by");
  return sortBy === undefined ? objects : byPath(objects, (object) => object, sortBy);
}

function byPath<T>(items: readonly T[], objectOf: (item: T) => Json, path: string): readonly T[] {
  const keys = new Map(items.map((item) => [item, pathValues(path, objectOf(item))[0] ?? ""]));
  return items.toSorted((a, b) => {
    const [x, y] = [keys.get(a)!, keys.get(b)!];
    if (typeof x === "number" && typeof y === "number") return x - y;
    return JSON.stringify(x) < JSON.stringify(y) ? -1 : 1;
  });
}

async function tableOf(command: Command, { kind, names }: Named): Promise<Table> {
  const namespace = placeOf(command, kind);
  const isSorted = command.flags.has("sort-by");
  const query = { ...queryOf(command), ...(isSorted ? { includeObject: "Object" } : {}) };
  if (names.length === 0) return command.api.json<Table>("GET", pathOf(kind, namespace), { accept: TABLE, query });
  const tables = await eachFound(command, names, (name) =>
    command.api.json<Table>("GET", pathOf(kind, namespace, name), { accept: TABLE }),
  );
  return { columnDefinitions: tables[0]?.columnDefinitions ?? [], rows: tables.flatMap(({ rows }) => rows) };
}

const styleOf = ({ flags }: Command, { kind }: Named, hasPrefix: boolean): TableStyle => ({
  isWide: flags.get("output") === "wide",
  hasHeaders: !flags.on("no-headers"),
  hasNamespaces: flags.on("all-namespaces") && kind.scope === "Namespaced",
  hasLabels: flags.on("show-labels"),
  labelColumns: flags.all("label-columns").flatMap((list) => list.split(",")),
  prefix: hasPrefix ? `${titleOf(kind)}/` : "",
});

async function printTables(command: Command, named: readonly Named[]): Promise<number> {
  const { flags, streams } = command;
  const hasPrefix = new Set(named.map(({ kind }) => titleOf(kind))).size > 1;
  let printed = 0;
  for (const one of named) {
    // oxlint-disable-next-line no-await-in-loop -- in the order of the words
    const table = await tableOf(command, one);
    if (table.rows.length === 0) continue;
    const sortBy = flags.get("sort-by");
    const rows = sortBy === undefined ? table.rows : byPath(table.rows, ({ object }) => object as Json, sortBy);
    if (printed++ > 0) streams.out("\n");
    streams.out(alignedRows(tableRows({ ...table, rows }, styleOf(command, one, hasPrefix))));
  }
  if (printed === 0 && !flags.on("ignore-not-found")) {
    const isAll = flags.on("all-namespaces") || named.every(({ kind }) => kind.scope !== "Namespaced");
    streams.err(isAll ? "No resources found\n" : `No resources found in ${namespaceOf(command)} namespace.\n`);
  }
  return 0;
}

/** Prints rows as they change, until Ctrl-C. */
async function watchTable(command: Command, named: readonly Named[]): Promise<number> {
  const { api, streams, flags } = command;
  const [one] = named;
  if (!one || named.length > 1) throw new Failure("error: you may only specify a single resource type");
  const { kind, names } = one;
  const namespace = placeOf(command, kind);
  const fieldSelector = names.length === 0 ? flags.get("field-selector") : `metadata.name=${names[0]}`;
  const query = { ...queryOf(command), fieldSelector };
  const first = await api.json<Table & { metadata: { resourceVersion: string } }>("GET", pathOf(kind, namespace), {
    accept: TABLE,
    query,
  });
  let { columnDefinitions } = first;
  const widths: number[] = [];
  const print = (rows: Table["rows"], hasHeaders: boolean): void => {
    const style = { ...styleOf(command, one, false), hasHeaders: hasHeaders && !flags.on("no-headers") };
    for (const row of tableRows({ columnDefinitions, rows }, style)) {
      for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length + 3);
      streams.out(`${row.map((cell, at) => (at < row.length - 1 ? cell.padEnd(widths[at]!) : cell)).join("")}\n`);
    }
  };
  const hasFirst = first.rows.length > 0 && !flags.on("watch-only");
  if (hasFirst) print(first.rows, true);
  const response = await api.open("GET", pathOf(kind, namespace), {
    accept: TABLE,
    query: { ...query, watch: "1", resourceVersion: first.metadata.resourceVersion },
    signal: streams.signal,
  });
  let isFirst = !hasFirst;
  for await (const line of linesOf(response.body)) {
    const { type, object } = JSON.parse(line) as { type: string; object: Table };
    if (type === "BOOKMARK" || type === "ERROR") continue;
    if (object.columnDefinitions?.length > 0) ({ columnDefinitions } = object);
    print(object.rows, isFirst);
    isFirst = false;
  }
  return 0;
}
