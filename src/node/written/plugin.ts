/**
 * The plugin for volumes with files that the agent writes: configMap, secret, downwardAPI and projected.
 *
 * All except those of ConfigMaps are in memory (PROJ-59). Each reconcile compares the files with the desired ones: a restart
 * of the agent writes nothing, and changes by others are repaired.
 *
 * @module
 */
import type { Slice } from "../../util/loop.ts";
import { asError } from "../../volumes/content-error.ts";
import type { PodVolume } from "../../volumes/contract.ts";
import { ownerOf } from "../../volumes/pod-owner.ts";
import { tokenOptionsOf } from "../../volumes/token.ts";
import { CertificateKeeper } from "../certificates.ts";
import {
  type FoundVolume,
  type MadeVolume,
  type NeededVolume,
  type PluginContext,
  VolumeError,
  type VolumePlugin,
} from "../contract.ts";
import type { TokenKeeper } from "../tokens.ts";
import { ApiSource } from "./api-source.ts";
import { putInMemory, removeVolume } from "./in-memory.ts";
import { DATA } from "./write-name.ts";
import { type WriterFiles, systemFiles } from "./writer-files.ts";
import { setUpWritten } from "./written-volume.ts";

/** The kinds of directories, by the member of the volume (NODE-6). */
const KINDS = {
  configMap: "kubernetes.io~configmap",
  secret: "kubernetes.io~secret",
  downwardAPI: "kubernetes.io~downward-api",
  projected: "kubernetes.io~projected",
} as const;

type Member = keyof typeof KINDS;

/** Options of the plugin. */
export interface WrittenOptions {
  readonly tokens: TokenKeeper;
  /** The machine's by default. */
  readonly files?: WriterFiles;
}

/** See the head of this file. */
export class WrittenVolumes implements VolumePlugin {
  readonly kind = KINDS.projected;
  readonly kinds = Object.values(KINDS);
  readonly #context: PluginContext;
  readonly #tokens: TokenKeeper;
  readonly #certificates: CertificateKeeper;
  readonly #source: ApiSource;
  readonly #files: WriterFiles;
  readonly #turns: Slice;

  constructor(context: PluginContext, { tokens, files = systemFiles }: WrittenOptions) {
    this.#context = context;
    this.#turns = context.clock.loop.slice();
    this.#tokens = tokens;
    this.#files = files;
    this.#certificates = new CertificateKeeper(context);
    this.#source = new ApiSource(context, tokens, this.#certificates);
  }

  makes({ volume, mode }: NeededVolume): boolean {
    return mode === "Filesystem" && memberOf(volume) !== undefined;
  }

  kindOf({ volume }: NeededVolume): string {
    return KINDS[memberOf(volume) ?? "projected"];
  }

  async setUp(needed: NeededVolume): Promise<MadeVolume> {
    const { pod, volume, path } = needed;
    const { clock, mounter } = this.#context;
    const existed = this.#files.target(`${path}/${DATA}`) !== undefined;
    try {
      await setUpWritten({
        pod,
        volume,
        path,
        source: this.#source.of(pod),
        owner: ownerOf(pod),
        clock,
        owners: process.getuid?.() === 0,
        files: this.#files,
        turns: this.#turns,
        ...(volume.configMap ? {} : { prepare: () => putInMemory(mounter, path, this.#files) }),
      });
    } catch (error) {
      // What cannot be removed is used by the next attempt, or removed with the Pod.
      if (!existed && this.#files.target(`${path}/${DATA}`) === undefined) await this.#remove(path).catch(() => {});
      throw new VolumeError(asError(error).message, { cause: error });
    }
    return { source: path, againAfter: this.#againAfter(needed) };
  }

  tearDown({ path }: FoundVolume, signal?: AbortSignal): Promise<void> {
    return this.#remove(path, signal);
  }

  forget(podUid: string): void {
    this.#source.forget(podUid);
  }

  close(): void {
    this.#source[Symbol.dispose]();
  }

  #remove(path: string, signal?: AbortSignal): Promise<void> {
    return removeVolume(this.#context.mounter, path, signal);
  }

  /** Milliseconds until the first renewal of a token or a certificate of a volume (PROJ-57). */
  #againAfter({ pod, volume }: NeededVolume): number | undefined {
    const times = (volume.projected?.sources ?? []).map(({ serviceAccountToken: token, podCertificate }) => {
      if (token) return this.#tokens.renewsIn(pod, tokenOptionsOf(token));
      return podCertificate && this.#certificates.renewsIn(pod, podCertificate, volume.name);
    });
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }
}

const memberOf = (volume: PodVolume): Member | undefined =>
  (Object.keys(KINDS) as Member[]).find((member) => volume[member] !== undefined && volume[member] !== null);
