/**
 * Recorded cases of volumes: how they are written down (`test/conformance/projection.json`).
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { ClusterTrustBundle, ConfigMap, Pod, Secret } from "../../src/client/kinds/index.ts";
import type { IssuedCertificate, PodVolume } from "../../src/volumes/contract.ts";

/** An object of a case; one that is absent has been deleted. */
export type CaseObject = (ConfigMap | Secret | ClusterTrustBundle) & { readonly absent?: boolean };

/** One set-up of the volume: what is new since the one before. */
export interface Write {
  readonly volume?: Omit<PodVolume, "name">;
  readonly objects?: readonly CaseObject[];
  readonly pod?: { readonly metadata?: Partial<Pod["metadata"]>; readonly spec?: Partial<Pod["spec"]> };
  readonly certificate?: IssuedCertificate;
}

/** A file, a directory or a link. */
export interface TreeEntry {
  readonly mode?: string;
  readonly text?: string;
  readonly base64?: string;
  readonly pem?: readonly string[];
  readonly to?: string;
  readonly uid?: number;
  readonly gid?: number;
}

export type Tree = Readonly<Record<string, TreeEntry>>;

/** What a set-up left. */
export interface Outcome {
  readonly error?: string;
  readonly tree?: Tree;
}

/** One volume, and what became of it. */
export interface Case {
  readonly name: string;
  readonly fsGroup?: number;
  readonly fsUser?: number;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly writes: readonly Write[];
  readonly expect: readonly Outcome[];
}

/** The cases of a file. */
export const readCases = (file: string): readonly Case[] => JSON.parse(readFileSync(file, "utf8")) as Case[];
