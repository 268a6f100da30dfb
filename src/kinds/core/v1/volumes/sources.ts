/**
 * All kinds of volumes, in the order in which Kubernetes validates them, and the rule that exactly one is set (PV-2,
 * VOL-3).
 *
 * @module
 */
import * as t from "../../../../meta/types.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { blockVolA, fc, iscsi } from "./block.ts";
import { ephemeral, persistentVolumeClaim } from "./claims.ts";
import { blockStoreA, diskB, diskC, fileB, gcePersistentDisk } from "./cloud-disks.ts";
import { csi } from "./csi.ts";
import { distFsA, distFsB, distFsC, nfs, rbd } from "./dist-fs.ts";
import { configMap, downwardAPI, secret } from "./files.ts";
import type { Members, SourceCheck, SourceFamily, SourceForm } from "./form.ts";
import { gitRepo, image } from "./images.ts";
import { emptyDir, hostPath, local } from "./node-paths.ts";
import { projected } from "./projections.ts";
import { datasetVolA, flexVolume, vendorD, vendorE, vendorF, vendorG } from "./vendors.ts";

/** A member with one form of source. */
export interface Source {
  readonly member: string;
  readonly form: SourceForm;
  readonly errorName: string;
  readonly clashName: string;
  /** Whether Kubernetes accepts it besides another one. */
  readonly mayBeSecond: boolean;
  /** The text of a deprecation Warning, empty when there is none. */
  readonly deprecated: string;
}

/** Sources that only Kubernetes names are served where Kubernetes decides (DEC-47). */
const undocumented = (ctx: ApiContext, family: SourceFamily): readonly SourceFamily[] =>
  ctx.dialect.rules.enforceUndocumented ? [family] : [];

/** Sources depend only on the dialect, and their schemas are cached. */
function perDialect(make: (ctx: ApiContext) => readonly Source[]): (ctx: ApiContext) => readonly Source[] {
  const made = new WeakMap<ApiContext["dialect"], readonly Source[]>();
  return (ctx) => {
    let sources = made.get(ctx.dialect);
    if (!sources) {
      sources = make(ctx);
      made.set(ctx.dialect, sources);
    }
    return sources;
  };
}

/** The sources of a PersistentVolume. */
export const volumeSources = perDialect((ctx) =>
  pick("pv", [
    hostPath,
    ...undocumented(ctx, gcePersistentDisk),
    blockStoreA(ctx),
    distFsB(ctx),
    datasetVolA(ctx),
    nfs,
    ...undocumented(ctx, rbd),
    distFsC(ctx),
    distFsA(ctx),
    iscsi(ctx),
    blockVolA(ctx),
    fc,
    flexVolume,
    fileB(ctx),
    vendorG(ctx),
    diskC(ctx),
    vendorD(ctx),
    diskB(ctx),
    vendorE(ctx),
    local,
    vendorF(ctx),
    csi,
  ]),
);

/** The sources of a volume in a Pod. */
export const inlineSources = perDialect((ctx) =>
  pick("inline", [
    emptyDir,
    hostPath,
    gitRepo,
    ...undocumented(ctx, gcePersistentDisk),
    blockStoreA(ctx),
    secret,
    nfs,
    iscsi(ctx),
    distFsB(ctx),
    datasetVolA(ctx),
    persistentVolumeClaim,
    ...undocumented(ctx, rbd),
    blockVolA(ctx),
    distFsA(ctx),
    distFsC(ctx),
    downwardAPI(ctx),
    fc,
    flexVolume,
    configMap,
    fileB(ctx),
    vendorG(ctx),
    diskC(ctx),
    vendorD(ctx),
    diskB(ctx),
    vendorF(ctx),
    projected,
    vendorE(ctx),
    csi,
    ephemeral,
    image,
  ]),
);

function pick(which: "pv" | "inline", families: readonly SourceFamily[]): readonly Source[] {
  return families.map((family) => ({
    member: family.member,
    form: family[which]!,
    errorName: family.errorName ?? family.member,
    clashName: family.clashName ?? family.member,
    mayBeSecond: family.mayBeSecond === which,
    deprecated: family.deprecated?.[which] ? family.deprecated.text : "",
  }));
}

/** The members of a struct with sources. */
export const sourceMembers = (sources: readonly Source[]): Record<string, t.TSchema> =>
  Object.fromEntries(sources.map((source) => [source.member, t.pointer(source.form.schema)]));

/** Writes the defaults of the source that is set. */
export function defaultSource(sources: readonly Source[], spec: Members, ctx: ApiContext): void {
  for (const { member, form } of sources) {
    const source = spec[member];
    if (form.defaults && source !== undefined && source !== null) form.defaults(source as Members, ctx);
  }
}

/** Validates that exactly one source is set and valid; `at` is the path of the struct. Returns the first set member. */
export function validateSource(
  sources: readonly Source[],
  spec: Members,
  at: string,
  check: SourceCheck,
): string | undefined {
  let found: string | undefined;
  for (const source of sources) {
    const value = spec[source.member];
    if (value === undefined || value === null) continue;
    if (found === undefined || (source.mayBeSecond && !check.ctx.dialect.rules.enforceDocumented)) {
      found ??= source.member;
      source.form.validate(value as Members, `${at}.${source.errorName}`, check);
    } else {
      check.errors.forbidden(`${at}.${source.clashName}`, `expected one kind of volume, got ${found} together with it`);
    }
  }
  if (found === undefined) check.errors.required(at, "expected one kind of volume, got none");
  return found;
}

/** The deprecation Warnings of the sources that are set. */
export function sourceWarnings(sources: readonly Source[], spec: Members, at: string): readonly string[] {
  return sources
    .filter(({ member, deprecated }) => deprecated !== "" && spec[member] !== undefined && spec[member] !== null)
    .map(({ member, deprecated }) => `${at}.${member}: ${deprecated}`);
}
