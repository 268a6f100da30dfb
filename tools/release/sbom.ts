/**
 * The bill of materials of the package as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/): what is installed with it, and
 * what is a part of its bundles. It follows from package-lock.json and the time alone, so two builds of one commit have the same.
 *
 * `npm sbom --omit dev` (npm 11.19) leaves out a package that development needs, too: `jose`, `yaml` and `@bufbuild/protobuf`.
 *
 * @module
 */
import { createHash } from "node:crypto";

/** A package of a lock file of version 3. */
interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  /** Whether only development needs it. */
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The part of package-lock.json that is read. */
export interface LockFile {
  readonly version: string;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** A component of the bill. */
export interface Component {
  readonly type: "library";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly { readonly expression: string }[];
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

/** A bill of materials. */
export interface Bill {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly serialNumber: string;
}

/**
 * Returns the bill of a package.
 *
 * @param bundles packages that are a part of files of the package; the packages of the workspace `console` are so, too
 * @param time RFC 3339; that of the commit
 * @throws Error for a lock file that does not have a package that another one needs
 */
export function billOf(
  lock: LockFile,
  { name, bundles, time }: { name: string; bundles: readonly string[]; time: string },
): Bill {
  const known = new Map<string, Component>();
  const needs = new Map<string, readonly string[]>();
  const own = refOf(name, lock.version);
  visit("", own, false);
  visit("console", own, true);

  function visit(place: string, ref: string, isBundled: boolean): void {
    const { dependencies = {}, optionalDependencies = {} } = lock.packages[place] ?? {};
    const refs: string[] = [];
    for (const dependency of Object.keys(dependencies)) {
      const found = placeOf(lock, place, dependency);
      if (found === undefined) {
        if (Object.hasOwn(optionalDependencies, dependency)) continue;
        throw new Error(`expected package-lock.json to have ${dependency}, which ${place || name} needs`);
      }
      const bundled = isBundled || (place === "" && bundles.includes(dependency));
      const component = componentOf(dependency, lock.packages[found]!, bundled);
      refs.push(component["bom-ref"]);
      if (known.has(component["bom-ref"])) continue;
      known.set(component["bom-ref"], component);
      visit(found, component["bom-ref"], bundled);
    }
    needs.set(ref, [...new Set([...(needs.get(ref) ?? []), ...refs])].toSorted());
  }

  const components = [...known.values()].toSorted(byRef);
  const dependencies = [...needs]
    .map(([ref, dependsOn]) => ({ ref, dependsOn }))
    .toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
  const body = { components, dependencies };
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([own, time, body]))}`,
    version: 1,
    metadata: {
      timestamp: time,
      component: {
        type: "application",
        "bom-ref": own,
        name,
        version: lock.version,
        purl: purlOf(name, lock.version),
        licenses: licensesOf(lock.packages[""]?.license).licenses,
      },
    },
    ...body,
  } as Bill;
}

/** Where Node finds a package from another one, by the places of the lock file. */
function placeOf(lock: LockFile, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (lock.packages[place]?.version !== undefined) return place;
    if (folder === "") return undefined;
  }
}

function componentOf(name: string, { version = "", integrity, license }: LockedPackage, isBundled: boolean): Component {
  const [alg, digest] = integrity?.split("-") ?? [];
  const algorithm = { sha512: "SHA-512", sha256: "SHA-256", sha1: "SHA-1" }[alg ?? ""];
  return {
    type: "library",
    "bom-ref": refOf(name, version),
    name,
    version,
    purl: purlOf(name, version),
    ...(digest === undefined || algorithm === undefined
      ? {}
      : { hashes: [{ alg: algorithm, content: Buffer.from(digest, "base64").toString("hex") }] }),
    ...licensesOf(license),
    properties: [{ name: "keelson:form", value: isBundled ? "bundled" : "installed" }],
  };
}

const licensesOf = (license: string | undefined): { licenses?: { expression: string }[] } =>
  license === undefined ? {} : { licenses: [{ expression: license }] };

const refOf = (name: string, version: string): string => `${name}@${version}`;

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace("@", "%40")}@${version}`;

const byRef = (a: Component, b: Component): number => (a["bom-ref"] < b["bom-ref"] ? -1 : 1);

/** A UUID of version 8 that follows from a text (RFC 9562). */
function uuidOf(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
