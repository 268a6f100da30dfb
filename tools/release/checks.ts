/**
 * What must hold of this checkout before a release. Each check is given what it judges.
 *
 * @module
 */
import type { LockFile } from "./sbom.ts";
import type { Step } from "./step.ts";

/** The part of package.json that a release needs. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly repository?: string | { readonly type?: string; readonly url?: string };
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly engines?: Readonly<Record<string, string>>;
}

/** Versions that must be that of package.json, by the file that names them. */
export type OtherVersions = Readonly<Record<string, string | undefined>>;

/** Judges the version: all files name the same one, and it has no tag yet. */
export function versionStep({ version }: Manifest, others: OtherVersions, tags: readonly string[]): Step {
  const step = { name: "version" };
  if (!/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version))
    return { ...step, verdict: "wrong", found: version, next: "expected MAJOR.MINOR.PATCH in package.json" };
  const different = Object.entries(others).filter(([, other]) => other !== version);
  if (different.length > 0) {
    const found = different.map(([file, other]) => `${file} has ${other ?? "none"}`).join(", ");
    return { ...step, verdict: "wrong", found, next: `write ${version} there, as in package.json` };
  }
  if (tags.includes(`v${version}`))
    return { ...step, verdict: "needed", found: `the tag v${version} exists already`, next: "raise the version" };
  return { ...step, verdict: "ready", found: version, next: `tag v${version}` };
}

/** Judges the state of the checkout; `changes` are the lines of `git status --porcelain`, undefined outside of git. */
export function treeStep(changes: readonly string[] | undefined, head: string | undefined): Step {
  const step = { name: "clean tree" };
  if (changes === undefined || head === undefined)
    return { ...step, verdict: "needed", found: "no git repository here", next: "release from a clone" };
  if (changes.length > 0)
    return { ...step, verdict: "needed", found: `${changes.length} files are changed`, next: "commit them first" };
  return { ...step, verdict: "ready", found: `commit ${head.slice(0, 12)}`, next: "this commit is tagged" };
}

/**
 * Judges what npm needs for provenance (https://docs.npmjs.com/generating-provenance-statements): a public package, whose
 * `repository` is the one in which GitHub Actions or GitLab CI runs the release with an ID token.
 */
export function provenanceStep(
  { repository, publishConfig }: Manifest,
  env: Readonly<Record<string, string | undefined>>,
): Step {
  const step = { name: "provenance" };
  if (publishConfig?.provenance !== true || publishConfig.access !== "public") {
    const found = `publishConfig is ${JSON.stringify(publishConfig ?? {})}`;
    return {
      ...step,
      verdict: "wrong",
      found,
      next: 'expected { "access": "public", "provenance": true } in package.json',
    };
  }
  const url = typeof repository === "string" ? repository : repository?.url;
  if (url === undefined) {
    const next = 'fill in "repository": { "type": "git", "url": "git+https://..." } in package.json';
    return { ...step, verdict: "needed", found: "package.json names no repository", next };
  }
  if (!/^git\+https:\/\/[^/\s]+\/[^/\s]+\/[^\s]+$/.test(url))
    return {
      ...step,
      verdict: "wrong",
      found: `repository is ${url}`,
      next: "expected git+https://HOST/OWNER/NAME.git",
    };
  if (env["ACTIONS_ID_TOKEN_REQUEST_URL"] === undefined && env["SIGSTORE_ID_TOKEN"] === undefined) {
    const next =
      "release from GitHub Actions (permissions: id-token: write) or GitLab CI (id_tokens: SIGSTORE_ID_TOKEN)";
    return { ...step, verdict: "needed", found: "this machine has no ID token", next };
  }
  return { ...step, verdict: "ready", found: url, next: "npm signs the place and the source of the build" };
}

/** Judges the lock file: it has the dependencies of package.json, each with a checksum. */
export function lockStep({ packages }: LockFile, dependencies: Readonly<Record<string, string>>): Step {
  const step = { name: "lock file" };
  const different = Object.entries(dependencies).filter(
    ([name, version]) => packages[`node_modules/${name}`]?.version !== version,
  );
  if (different.length > 0) {
    const found = `package-lock.json has other versions of ${different.map(([name]) => name).join(", ")}`;
    return { ...step, verdict: "wrong", found, next: "run npm install, and commit it" };
  }
  const unsigned = Object.entries(packages).filter(
    ([place, { integrity, link, dev }]) => place.includes("node_modules/") && !link && !dev && integrity === undefined,
  );
  if (unsigned.length > 0)
    return { ...step, verdict: "wrong", found: `${unsigned[0]![0]} has no checksum`, next: "run npm install again" };
  return {
    ...step,
    verdict: "ready",
    found: `${Object.keys(dependencies).length} dependencies, pinned`,
    next: "sbom.cdx.json follows from it",
  };
}
