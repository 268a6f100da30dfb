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

/** Returns the version of the tarball that a page names: this one if it is among several, such as those of an upgrade. */
export function tarballVersion(page: string, { name, version }: Manifest): string | undefined {
  const named = [...page.matchAll(/\b([\w-]+)-(\d+\.\d+\.\d+)\.tgz/g)].filter(([, one]) => one === name);
  return named.find(([, , one]) => one === version)?.[2] ?? named[0]?.[2];
}

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
  return { ...step, verdict: "ready", found: version, next: `npm install installs it as "${distTagOf(version)}"` };
}

/**
 * Judges whether the registry has the version already, which `npm publish` would refuse after all other work.
 *
 * @param printed what `npm view NAME versions --json` prints: the versions, or an error
 */
export function registryStep({ version }: Manifest, printed: string): Step {
  const step = { name: "registry" };
  let found: unknown;
  try {
    found = JSON.parse(printed);
  } catch {
    found = undefined;
  }
  // A package with one version has a text in place of a list.
  if (typeof found === "string" || Array.isArray(found)) {
    const versions = [found].flat() as readonly unknown[];
    if (!versions.includes(version))
      return { ...step, verdict: "ready", found: `${versions.length} other versions`, next: `${version} is new` };
    return { ...step, verdict: "needed", found: `${version} is published already`, next: "raise the version" };
  }
  const { code } = (found as { readonly error?: { readonly code?: unknown } } | undefined)?.error ?? {};
  if (code === "E404")
    return { ...step, verdict: "ready", found: "no version yet", next: `${version} is the first one` };
  const reason = typeof code === "string" ? ` (${code})` : "";
  return {
    ...step,
    verdict: "needed",
    found: `the registry did not respond${reason}`,
    next: "try again with a network",
  };
}

/** Judges the branch, undefined where HEAD is detached: releases are made from `main`, those of an older line from `release-X.Y`. */
export function branchStep(branch: string | undefined): Step {
  const step = { name: "branch" };
  if (branch !== undefined && /^(?:main|release-\d+\.\d+)$/.test(branch))
    return { ...step, verdict: "ready", found: branch, next: "its newest commit is tagged" };
  const found = branch === undefined ? "HEAD is detached" : branch;
  return { ...step, verdict: "needed", found, next: "release from main, or from release-MAJOR.MINOR" };
}

/** Judges whether git can make the tag; `committer` is what `git var GIT_COMMITTER_IDENT` prints, undefined where it fails. */
export function tagStep({ version }: Manifest, committer: string | undefined): Step {
  const step = { name: "tag", found: `v${version}` };
  if (committer === undefined)
    return { ...step, verdict: "needed", next: "set user.name and user.email of git: the tag needs them" };
  return { ...step, verdict: "ready", next: `git tag --annotate v${version}, before npm publishes; push it yourself` };
}

/** Returns the tag of npm for a version: what `npm install NAME` gets is no version before a release. */
export const distTagOf = (version: string): string => (version.includes("-") ? "next" : "latest");

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
