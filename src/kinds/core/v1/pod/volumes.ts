/**
 * The volumes of a Pod as a whole: defaults, gated sources, rules, and Warnings about sources without an effect (VOL-1..3,
 * PROJ-10, DEC-38, DEC-52).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsLabel } from "../../../../meta/names.ts";
import type { ApiContext, WriteContext } from "../../../../schema/definition.ts";
import type { Gate } from "../../../../meta/gates.ts";
import { goQuoted } from "../../../../util/go-quote.ts";
import { withoutTrailing } from "../../../../util/scan.ts";
import { dropGated } from "../../../rules/gated-field.ts";
import { type ClaimSpec, claimSpecWarnings } from "../claim-spec.ts";
import { dropGatedSource } from "../data-sources.ts";
import { ephemeralClaimName } from "../volumes/claims.ts";
import { SourceCheck } from "../volumes/form.ts";
import { PROJECTION_MEMBERS, type pathsOf } from "../volumes/projections.ts";
import { type Source, defaultSource, sourceWarnings, validateSource } from "../volumes/sources.ts";
import type { PodVolume } from "./spec-schema.ts";

type Projection = Parameters<typeof pathsOf>[0];

const projectionsOf = (volume: PodVolume): readonly Projection[] =>
  (volume["projected"] as { sources?: readonly Projection[] } | undefined)?.sources ?? [];

const templateOf = (volume: PodVolume): ClaimSpec | undefined =>
  (volume["ephemeral"] as { volumeClaimTemplate?: { spec?: ClaimSpec } } | undefined)?.volumeClaimTemplate?.spec;

/** A volume without a source is an empty directory (DEC-52); others get the defaults of their source. */
export function defaultVolumes(volumes: readonly PodVolume[], sources: readonly Source[], ctx: ApiContext): void {
  for (const volume of volumes) {
    if (!sources.some(({ member }) => volume[member] !== undefined)) volume["emptyDir"] = {};
    defaultSource(sources, volume, ctx);
  }
}

const GATED_PROJECTIONS: readonly (readonly [member: "clusterTrustBundle" | "podCertificate", gate: Gate])[] = [
  ["clusterTrustBundle", "ClusterTrustBundleProjection"],
  ["podCertificate", "PodCertificateRequest"],
];

/** Drops sources whose gate is off, unless the stored Pod has some of the kind (PROJ-10, DEC-38). */
export function dropGatedVolumes(volumes: readonly PodVolume[], stored: readonly PodVolume[], ctx: WriteContext): void {
  const images = stored.some((old) => old["image"] !== undefined);
  const before = stored.map(templateOf).find((spec) => spec !== undefined);
  const unused = GATED_PROJECTIONS.filter(
    ([member]) => !stored.some((old) => projectionsOf(old).some((source) => source[member] !== undefined)),
  );
  volumes.forEach((volume, i) => {
    const at = `spec.volumes[${i}]`;
    if (!images) dropGated(volume, undefined, "image", "ImageVolume", at, ctx);
    dropGatedProjections(volume, unused, at, ctx);
    const template = templateOf(volume);
    if (!template) return;
    const path = `${at}.ephemeral.volumeClaimTemplate.spec`;
    dropGated(template, before, "volumeAttributesClassName", "VolumeAttributesClass", path, ctx);
    dropGatedSource(template, before, path, ctx);
  });
}

/** @param unused the gated members that the stored Pod has none of */
function dropGatedProjections(
  volume: PodVolume,
  unused: typeof GATED_PROJECTIONS,
  at: string,
  ctx: WriteContext,
): void {
  const projected = volume["projected"] as { sources?: Projection[] } | undefined;
  if (!projected?.sources) return;
  const before = projected.sources.map(isEmpty);
  for (const [member, gate] of unused) {
    projected.sources.forEach((source, j) => {
      dropGated(source, undefined, member, gate, `${at}.projected.sources[${j}]`, ctx);
    });
  }
  if (!ctx.dialect.rules.enforceDocumented) return;
  // By the documents an entry without a member is a fault (VOL-17), so entries are removed with their last member.
  projected.sources = projected.sources.filter((source, j) => before[j] || !isEmpty(source));
}

const isEmpty = (source: Projection): boolean => PROJECTION_MEMBERS.every((member) => source[member] === undefined);

/** All faults of the volumes; returns the valid ones, by name. */
export function validateVolumes(
  volumes: readonly PodVolume[],
  pod: string,
  sources: readonly Source[],
  errors: FieldErrors,
  ctx: ApiContext,
): ReadonlyMap<string, PodVolume> {
  const right = new Map<string, PodVolume>();
  const made = new Set(
    volumes.filter((volume) => volume["ephemeral"] !== undefined).map(({ name }) => ephemeralClaimName(pod, name)),
  );
  volumes.forEach((volume, i) => {
    const at = `spec.volumes[${i}]`;
    const before = errors.causes.length;
    const { name = "" } = volume as Partial<PodVolume>;
    validateSource(sources, volume, at, new SourceCheck(errors, ctx, name, pod));
    checkName(name, right, at, errors);
    if (errors.causes.length === before) right.set(name, volume);
    const claim = (volume["persistentVolumeClaim"] as { claimName?: string } | undefined)?.claimName;
    if (pod !== "" && claim !== undefined && made.has(claim)) {
      const field = `${at}.persistentVolumeClaim.claimName`;
      errors.invalid(field, claim, "expected another claim than one that is made for an ephemeral volume of the Pod");
    }
  });
  return right;
}

function checkName(name: string, taken: ReadonlyMap<string, unknown>, at: string, errors: FieldErrors): void {
  const field = `${at}.name`;
  if (name === "") return errors.required(field);
  const wrong = dnsLabel(name);
  if (wrong !== undefined) errors.invalid(field, name, wrong);
  if (taken.has(name)) errors.duplicate(field, name);
}

/** Tokens belong to a service account: Kubernetes requires its name (DEC-39). */
export function validateTokens(volumes: readonly PodVolume[], errors: FieldErrors): void {
  volumes.forEach((volume, i) => {
    projectionsOf(volume).forEach((source, j) => {
      if (source.serviceAccountToken === undefined) return;
      const field = `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`;
      errors.forbidden(field, "expected a serviceAccountName together with a token");
    });
  });
}

/** Warnings about deprecated kinds, fractions of bytes, empty sources and files that hide one another. */
export function* volumeWarnings(volumes: readonly PodVolume[], sources: readonly Source[]): Generator<string> {
  for (const [i, volume] of volumes.entries()) {
    const at = `spec.volumes[${i}]`;
    const template = templateOf(volume);
    yield* sourceWarnings(sources, volume, at);
    if (template) yield* claimSpecWarnings(template, `${at}.ephemeral.volumeClaimTemplate.spec`);
    yield* fileWarnings(volume);
  }
}

/** A file of a volume, and the projected source that it comes from. */
interface File {
  readonly path: string;
  readonly from?: string;
}

type Items = readonly { readonly path?: string | undefined }[] | undefined;

interface Mapped {
  readonly name?: string;
  readonly secretName?: string;
  readonly items?: Items;
}

/** Sources without an effect, and files of a volume that hide one another, with the messages of a real server. */
function* fileWarnings(volume: PodVolume): Generator<string> {
  const name = goQuoted(volume.name);
  const configMap = volume["configMap"] as Mapped | undefined;
  const secret = volume["secret"] as Mapped | undefined;
  const downward = volume["downwardAPI"] as Mapped | undefined;
  if (configMap) yield* overlapWarnings(name, named("ConfigMap", configMap.name), filesOf(configMap.items));
  if (secret) yield* overlapWarnings(name, named("Secret", secret.secretName), filesOf(secret.items));
  if (downward) yield* overlapWarnings(name, "DownwardAPI", filesOf(downward.items));
  const sources = projectionsOf(volume);
  for (const source of sources) if (isEmpty(source)) yield `volume ${name} (Projected) has no sources provided`;
  yield* overlapWarnings(name, "Projected", sources.flatMap(projectedFiles));
}

const named = (kind: string, name = ""): string => `${kind} ${goQuoted(name)}`;

const filesOf = (items: Items, from?: string): File[] =>
  (items ?? []).map(({ path = "" }) => ({ path, ...(from !== undefined && { from }) }));

/** The files of a projected source. */
function projectedFiles(source: Projection): readonly File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle: bundle, podCertificate } = source;
  if (configMap?.items) return filesOf(configMap.items, named("ConfigMap", configMap.name));
  if (secret?.items) return filesOf(secret.items, named("Secret", secret.name));
  if (downwardAPI?.items) return filesOf(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return filesOf([serviceAccountToken], "ServiceAccountToken");
  if (bundle) return filesOf([bundle], named("ClusterTrustBundle", bundle.name ?? bundle.signerName));
  if (!podCertificate) return [];
  return [
    ...filesOf([{ path: podCertificate.certificateChainPath ?? "" }], "PodCertificate chain"),
    ...filesOf([{ path: podCertificate.keyPath ?? "" }], "PodCertificate key"),
    ...filesOf([{ path: podCertificate.credentialBundlePath ?? "" }], "PodCertificate credential bundle"),
  ];
}

function* overlapWarnings(volume: string, source: string, files: readonly File[]): Generator<string> {
  const trimmed = files.map(({ path, ...rest }) => ({ ...rest, path: withoutTrailing(path, "/") }));
  for (const [file, other] of overlaps(trimmed.filter(({ path }) => path !== "")))
    yield `volume ${volume} (${source}): overlapping paths: ${shown(file)} with ${shown(other)}`;
}

const shown = ({ path, from }: File): string => (from === undefined ? goQuoted(path) : `${goQuoted(path)} (${from})`);

/** The most files of one volume that are compared. */
const MAX_OVERLAPS = 1000;

/** Pairs of which one is the other or a directory above it: the later one first, in order; almost without duplicates. */
function overlaps(files: readonly File[]): (readonly [File, File])[] {
  const places = new Map<string, number[]>();
  const told = new Map<string, number>();
  files.forEach((file, i) => {
    const { path } = file;
    const id = shown(file);
    const before = told.get(id) ?? 0;
    // A third one reports nothing new.
    if (before === 2) return;
    told.set(id, before + 1);
    const there = places.get(`${path}/`);
    if (there) there.push(i);
    else places.set(`${path}/`, [i]);
  });
  const pairs: [later: number, earlier: number][] = [];
  // In this order all paths below a directory follow it; `above` are the directories of the current path.
  const above: string[] = [];
  for (const path of [...places.keys()].sort()) {
    while (above.length > 0 && !path.startsWith(above.at(-1)!)) above.pop();
    const here = places.get(path)!;
    for (const [n, place] of here.entries()) {
      for (const other of here.slice(0, n)) pairs.push([place, other]);
      for (const directory of above) {
        for (const other of places.get(directory)!) pairs.push(place > other ? [place, other] : [other, place]);
      }
      if (pairs.length > MAX_OVERLAPS) break;
    }
    if (pairs.length > MAX_OVERLAPS) break;
    above.push(path);
  }
  return pairs.sort(byPlaces).map(([later, earlier]) => [files[later]!, files[earlier]!] as const);
}

const byPlaces = (a: readonly [number, number], b: readonly [number, number]): number => a[0] - b[0] || a[1] - b[1];
