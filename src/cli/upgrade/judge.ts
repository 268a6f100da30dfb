/** The checks of `keelson upgrade check`: formats, the running server, stored versions, deprecated versions, newer releases. */
import type { DirectoryInfo, EtcdState, UpgradeState } from "../actions.ts";
import { type Check, fail, ok, warn } from "../doctor/check.ts";

/** Checks whether this program may open the data directory, and what happens when it does. */
export function formatChecks(state: UpgradeState): Check[] {
  const { format, storeFormat, dialect } = state;
  if (format === undefined) return [ok("data directory", `${state.path}: nothing was started here`)];
  return [
    formatCheck("data directory", `format ${format}, dialect ${dialect}`, format, state.newestFormat),
    ...(storeFormat === undefined
      ? []
      : [formatCheck("store", `format ${storeFormat}`, storeFormat, state.newestStoreFormat)]),
  ];
}

function formatCheck(check: string, found: string, format: number, newest: number): Check {
  if (format > newest)
    return fail(check, found, `this program reads up to format ${newest}: use a newer one, or an earlier backup`);
  if (format < newest)
    return warn(check, found, `the next start migrates it to ${newest}; there is no way back: take a backup`);
  return ok(check, found, "no migration; an older program of this format reads it, too");
}

/** Checks whether a server of this program may use the data in etcd. */
export function etcdFormatCheck({ prefix, version, format, newestFormat, owner, dialect }: EtcdState): Check {
  const check = "store in etcd";
  const member = `etcd ${version}`;
  if (format === undefined) return ok(check, `${member}: nothing is stored below ${prefix}`);
  const found = `${member}: format ${format}${owner === undefined ? "" : `, dialect ${owner}`}`;
  if (owner === undefined || dialect === undefined || owner === dialect)
    return formatCheck(check, found, format, newestFormat);
  const advice = `these options have the dialect ${dialect}: use --dialect ${owner}, or another --etcd-prefix`;
  return fail(check, found, advice);
}

/** Checks whether the store was closed in order. */
export function closeCheck({ closedInOrder }: UpgradeState, isRunning: boolean): Check[] {
  if (closedInOrder === undefined) return [];
  if (isRunning) return [ok("closed", "a server runs", "stop it with SIGTERM, and wait until it has ended")];
  return [
    closedInOrder
      ? ok("closed", "clean")
      : warn("closed", "not clean: it crashed or was killed", "start and stop the old version once, then upgrade"),
  ];
}

/** Checks the version of the server that runs on the directory. */
export function runningCheck({ running }: Pick<DirectoryInfo, "running">, version: string): Check {
  if (running === undefined) return ok("running server", "none");
  const found = `${running.version}, pid ${running.pid}`;
  const order = compareVersions(running.version, version);
  if (order === 0) return ok("running server", found);
  if (order < 0) return ok("running server", found, `restart it to run ${version}`);
  return warn(
    "running server",
    found,
    `this program is ${version}, which is older: it may not be able to read the data of that one`,
  );
}

/** Compares `MAJOR.MINOR.PATCH`; a version with a suffix is before the one without. Negative where `a` is older. */
export function compareVersions(a: string, b: string): number {
  const parts = (version: string): number[] =>
    version
      .split("-")[0]!
      .split(".")
      .map((part) => Number(part) || 0);
  const [left, right] = [parts(a), parts(b)];
  for (const i of [0, 1, 2]) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(b.includes("-")) - Number(a.includes("-"));
}

/** The checked part of a CustomResourceDefinition. */
export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly versions: readonly { readonly name: string; readonly served?: boolean }[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

/** The names in a check; more of them are counted. */
const MAX_NAMES = 5;

/** A list of names for people: the first ones, and how many more there are. */
class Names {
  readonly #shown: string[] = [];
  count = 0;

  add(name: string): void {
    if (this.count++ < MAX_NAMES) this.#shown.push(name);
  }

  get text(): string {
    const shown = this.#shown.join(", ");
    return this.count <= MAX_NAMES ? shown : `${shown} and ${this.count - MAX_NAMES} more`;
  }
}

/** Checks the versions in which custom objects are stored; it keeps only the names that it reports. */
export class StoredVersions {
  #definitions = 0;
  readonly #unserved = new Names();
  readonly #several = new Names();

  add({ metadata, spec, status }: Definition): void {
    this.#definitions++;
    const stored = status?.storedVersions ?? [];
    const served = new Set(spec.versions.filter((version) => version.served !== false).map(({ name }) => name));
    for (const name of stored) if (!served.has(name)) this.#unserved.add(`${metadata.name} ${name}`);
    if (stored.length > 1) this.#several.add(`${metadata.name} (${stored.join(", ")})`);
  }

  check(): Check {
    const check = "stored versions";
    if (this.#unserved.count > 0) {
      const advice =
        "migrate them (StorageVersionMigration, or write each object again), then remove the version from status.storedVersions";
      return warn(check, `not served: ${this.#unserved.text}`, advice);
    }
    return this.#several.count === 0
      ? ok(check, `${this.#definitions} definitions, each stored in one version`)
      : ok(check, `several: ${this.#several.text}`, "migrate them before an old version is removed");
  }
}

/** A deprecated version that was requested since the server started. */
export interface Requested {
  readonly resource: string;
  readonly version: string;
  readonly removedRelease: string;
}

/** Checks the deprecated versions that clients request; undefined where the metrics could not be read. */
export function deprecatedCheck(requested: readonly Requested[] | undefined): Check {
  const check = "deprecated versions";
  if (requested === undefined)
    return warn(check, "not known", "the user may not read /metrics: use the admin's kubeconfig");
  if (requested.length === 0) return ok(check, "none was requested since the server started");
  const names = requested.map(({ resource, version, removedRelease }) => {
    return `${resource} ${version}${removedRelease === "" ? "" : ` (removed in ${removedRelease})`}`;
  });
  // The server's own controllers request some of those that no release removes.
  if (requested.every(({ removedRelease }) => removedRelease === ""))
    return ok(check, `requested, and removed in no known release: ${shortList(names)}`);
  return warn(check, shortList(names), "find the clients that request them: keelson audit, or the warnings of kubectl");
}

/** No line of a server is longer, with five names of 253 characters at most. */
const MAX_LINE = 4096;

/** Reads `apiserver_requested_deprecated_apis` of the text of `/metrics`. */
export function requestedOf(metrics: string): Requested[] {
  return metrics.split("\n").flatMap((line) => {
    if (!line.startsWith("apiserver_requested_deprecated_apis{") || line.length > MAX_LINE) return [];
    const [group, version, resource, removedRelease] = ["group", "version", "resource", "removed_release"].map((name) =>
      labelOf(line, name),
    ) as [string, string, string, string];
    return [{ resource: group === "" ? resource : `${resource}.${group}`, version, removedRelease }];
  });
}

/** Returns the value of a label in a line of metrics; empty if it has none. */
function labelOf(line: string, name: string): string {
  const at = Math.max(line.indexOf(`{${name}="`), line.indexOf(`,${name}="`));
  if (at < 0) return "";
  const start = at + name.length + 3;
  return line.slice(start, line.indexOf('"', start));
}

/** A valid version of a release; any other text would become a part of the advised command. */
const RELEASE = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[\w.]{1,40})?$/;

/** Checks the newest release of the registry; a text is the reason why it is not known. */
export function releaseCheck(newest: { readonly version: string } | string, version: string): Check {
  if (typeof newest === "string") return warn("newest release", newest, "try again, or look at the registry");
  if (!RELEASE.test(newest.version)) {
    const found = `the registry named ${JSON.stringify(newest.version.slice(0, 100))}, which is no version`;
    return warn("newest release", found, "look at the registry");
  }
  const order = compareVersions(newest.version, version);
  return order > 0
    ? ok("newest release", newest.version, `npm install --global keelson@${newest.version}; read its changes first`)
    : ok("newest release", `${newest.version}, and this is ${version}`);
}

/** Describes the way back to the old version. */
export const wayBackCheck = (isRunning: boolean): Check =>
  ok(
    "way back",
    "only an earlier backup",
    isRunning ? "take one now: keelson backup before.backup" : "copy the directory while no server runs",
  );

const shortList = (names: readonly string[]): string => {
  const list = new Names();
  for (const name of names) list.add(name);
  return list.text;
};
