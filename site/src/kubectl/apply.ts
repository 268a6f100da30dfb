/**
 * `kubectl apply`, `create`, `replace` and `diff`.
 *
 * @module
 */
import { diffLines, hunksOf } from "../../../src/util/line-diff.ts";
import { APPLY, type ApiJson, ApiFailure, type Json, type JsonValue, MERGE, STRATEGIC, nameOf, pathOf } from "./api.ts";
import { type Command, type ManifestObject, eachOf, manifestsOf, objectsIn } from "./context.ts";
import { objectText } from "./get.ts";
import { readKindSchema } from "./openapi.ts";
import { sorted, withoutManagedFields, yamlText } from "./print.ts";
import { threeWayPatch } from "./three-way.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The query of a write: dry run and manager. */
export const writeQuery = ({ flags }: Command, manager: string): Readonly<Record<string, string | undefined>> => ({
  fieldManager: flags.get("field-manager") ?? manager,
  dryRun: flags.get("dry-run") === "server" ? "All" : undefined,
  fieldValidation: { true: "Strict", strict: "Strict", warn: "Warn", false: "Ignore", ignore: "Ignore" }[
    flags.get("validate") ?? "true"
  ],
});

/** What follows the name of an object where nothing was stored: ` (server dry run)`. */
export const dryRunText = ({ flags }: Command): string =>
  ({ server: " (server dry run)", client: " (dry run)" })[flags.get("dry-run") ?? ""] ?? "";

/** Prints an object, or what became of it. */
export function printResult(
  command: Command,
  manifest: Pick<ManifestObject, "kind">,
  object: ApiJson,
  what: string,
): void {
  const { flags, streams } = command;
  const output = flags.get("output");
  if (output === undefined || output === "") {
    streams.out(`${nameOf(manifest.kind, object.metadata.name)} ${what}${dryRunText(command)}\n`);
  } else if (output === "name") streams.out(`${nameOf(manifest.kind, object.metadata.name)}\n`);
  else streams.out(objectText(output, withoutManagedFields(object), [object]));
}

/** Runs `kubectl apply`. */
export async function apply(command: Command): Promise<number> {
  const manifests = await manifestsOf(command);
  return eachOf(command, manifests, (one) =>
    command.flags.on("server-side") ? applyOnServer(command, one) : applyOnClient(command, one),
  );
}

async function applyOnServer(command: Command, manifest: ManifestObject): Promise<void> {
  const { api, flags } = command;
  const { kind, namespace, object } = manifest;
  const query = { ...writeQuery(command, "kubectl"), force: flags.on("force-conflicts") ? "true" : undefined };
  const path = pathOf(kind, namespace, object.metadata.name);
  const stored = await api.json<ApiJson>("PATCH", path, { query, contentType: APPLY, body: object });
  printResult(command, manifest, stored, "serverside-applied");
}

/** Says of which file the object is that could not be created. */
async function fromSource<T>(source: string, creating: Promise<T>): Promise<T> {
  try {
    return await creating;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const message = `error when creating "${source}": ${error.status.message ?? ""}`;
    throw new ApiFailure({ ...error.status, message });
  }
}

async function currentOf({ api }: Command, { kind, namespace, object }: ManifestObject): Promise<ApiJson | undefined> {
  try {
    return await api.json<ApiJson>("GET", pathOf(kind, namespace, object.metadata.name));
  } catch (error) {
    if (error instanceof ApiFailure && error.status.code === 404) return undefined;
    throw error;
  }
}

/** An object with itself in the annotation that the next apply reads. */
function withLastApplied(object: ApiJson): ApiJson {
  const { [LAST_APPLIED]: _, ...annotations } = (object.metadata["annotations"] ?? {}) as Json;
  const plain = { ...object, metadata: { ...object.metadata, annotations } };
  const last = `${JSON.stringify(sorted(plain))}\n`;
  return { ...plain, metadata: { ...plain.metadata, annotations: { ...annotations, [LAST_APPLIED]: last } } };
}

async function applyOnClient(command: Command, manifest: ManifestObject): Promise<void> {
  const { api, flags, streams } = command;
  const { kind, namespace, object } = manifest;
  const query = writeQuery(command, "kubectl-client-side-apply");
  const next = withLastApplied(object);
  const before = await currentOf(command, manifest);
  if (flags.get("dry-run") === "client") {
    printResult(command, manifest, before ?? object, before ? "configured" : "created");
    return;
  }
  if (!before) {
    printResult(
      command,
      manifest,
      await fromSource(
        manifest.source,
        api.json<ApiJson>("POST", pathOf(kind, namespace), { query, body: withoutNulls(next) }),
      ),
      "created",
    );
    return;
  }
  const last = lastAppliedOf(before);
  if (last === undefined) {
    streams.err(
      `Warning: resource ${kind.plural}/${object.metadata.name} is missing the ${LAST_APPLIED} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.\n`,
    );
  }
  const patch = await patchFor(command, manifest, { last: last ?? {}, next, live: before });
  const isEmpty = Object.keys(patch.body).length === 0;
  const path = pathOf(kind, namespace, object.metadata.name);
  const stored = isEmpty ? before : await api.json<ApiJson>("PATCH", path, { query, ...patch });
  printResult(command, manifest, stored, isEmpty ? "unchanged" : "configured");
}

function lastAppliedOf({ metadata }: ApiJson): Json | undefined {
  const text = ((metadata["annotations"] ?? {}) as Json)[LAST_APPLIED];
  return typeof text === "string" ? (JSON.parse(text) as Json) : undefined;
}

/** The patch from three versions of an object, with its type. @throws ApiFailure */
export async function patchFor(
  { api }: Command,
  { kind }: Pick<ManifestObject, "kind">,
  versions: { readonly last: Json; readonly next: ApiJson; readonly live: ApiJson },
): Promise<{ readonly contentType: string; readonly body: Json }> {
  const { root, schemas, isStrategic } = await readKindSchema(api, kind);
  const schema = isStrategic ? root : undefined;
  return { contentType: isStrategic ? STRATEGIC : MERGE, body: threeWayPatch(versions, { schema, schemas }) };
}

/** An object without members that are null, as a patch would leave it. */
function withoutNulls(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item)!);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}

/** Runs `kubectl create -f`. */
export async function createFromFiles(command: Command): Promise<number> {
  const { api, flags } = command;
  const raw = flags.get("raw");
  if (raw !== undefined) {
    const [first] = objectsIn(command);
    command.streams.out(await api.text("POST", raw, { body: first?.object }));
    return 0;
  }
  return eachOf(command, await manifestsOf(command), (manifest) =>
    fromSource(manifest.source, createObject(command, manifest)),
  );
}

/** Creates an object, or prints it with `--dry-run=client`. */
export async function createObject(
  command: Command,
  manifest: Pick<ManifestObject, "kind" | "namespace" | "object">,
): Promise<void> {
  const { api, flags } = command;
  const { kind, namespace, object } = manifest;
  const body = flags.on("save-config") ? withLastApplied(object) : object;
  const isDry = flags.get("dry-run") === "client";
  const query = writeQuery(command, "kubectl-create");
  const stored = isDry ? body : await api.json<ApiJson>("POST", pathOf(kind, namespace), { query, body });
  printResult(command, manifest, stored, "created");
}

/** Runs `kubectl replace -f`. */
export async function replace(command: Command): Promise<number> {
  return eachOf(command, await manifestsOf(command), async (manifest) => {
    const { kind, namespace, object } = manifest;
    const path = pathOf(kind, namespace, object.metadata.name);
    const stored = await command.api.json<ApiJson>("PUT", path, {
      query: writeQuery(command, "kubectl-replace"),
      body: object,
    });
    printResult(command, manifest, stored, "replaced");
  });
}

/** Runs `kubectl diff -f`: exit code 1 where something would change. */
export async function diff(command: Command): Promise<number> {
  const { api, flags, streams } = command;
  let isChanged = false;
  const code = await eachOf(command, await manifestsOf(command), async (manifest) => {
    const { kind, namespace, object } = manifest;
    const before = await currentOf(command, manifest);
    const path = pathOf(kind, namespace, object.metadata.name);
    const query = { ...writeQuery(command, "kubectl-client-side-apply"), dryRun: "All" };
    let after: ApiJson;
    if (flags.on("server-side")) {
      const force = flags.on("force-conflicts") ? "true" : undefined;
      after = await api.json<ApiJson>("PATCH", path, {
        query: { ...query, fieldManager: flags.get("field-manager") ?? "kubectl", force },
        contentType: APPLY,
        body: object,
      });
    } else if (!before)
      after = await api.json<ApiJson>("POST", pathOf(kind, namespace), { query, body: withLastApplied(object) });
    else {
      const versions = { last: lastAppliedOf(before) ?? {}, next: withLastApplied(object), live: before };
      after = await api.json<ApiJson>("PATCH", path, { query, ...(await patchFor(command, manifest, versions)) });
    }
    const file = [kind.group, kind.version, kind.kind, namespace, object.metadata.name]
      .filter((part) => part !== undefined && part !== "")
      .join(".");
    const text = unified(before ? shownText(before) : "", shownText(after), file);
    if (text === "") return;
    isChanged = true;
    streams.out(text);
  });
  return code === 0 && isChanged ? 1 : code;
}

/** An object without the annotation of the last apply, which every apply changes. */
function shownText(object: ApiJson): string {
  const { [LAST_APPLIED]: _, ...annotations } = (object.metadata["annotations"] ?? {}) as Json;
  const { annotations: __, ...metadata } = withoutManagedFields(object).metadata;
  const kept = Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations };
  return yamlText({ ...object, metadata: kept as ApiJson["metadata"] });
}

/** A unified diff of two texts; empty where they are equal. */
function unified(before: string, after: string, file: string): string {
  const lines = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
  const hunks = hunksOf(diffLines(lines(before), lines(after)));
  if (hunks.length === 0) return "";
  const range = (start: number, count: number): string =>
    count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`;
  const text = hunks.flatMap(({ from, to, lines: changed }) => {
    const [removed, added] = [changed.filter(({ sign }) => sign !== "+"), changed.filter(({ sign }) => sign !== "-")];
    return [
      `@@ -${range(from, removed.length)} +${range(to, added.length)} @@`,
      ...changed.map(({ sign, text: line }) => `${sign}${line}`),
    ];
  });
  return `diff -u -N LIVE/${file} MERGED/${file}\n--- LIVE/${file}\n+++ MERGED/${file}\n${text.join("\n")}\n`;
}
