/**
 * The contents of the volumes that an agent writes (configMap, secret, downwardAPI, projected), and their sources.
 *
 * This room writes no file and sends no request: the caller passes a source in, and gets the files.
 */
import type { ClusterTrustBundle, ConfigMap, Pod, Secret } from "../client/kinds/index.ts";
import type { Key } from "../client/index.ts";

/** A volume of a Pod. */
export type PodVolume = NonNullable<Pod["spec"]["volumes"]>[number];

/** A source of a projected volume. */
export type ProjectedSource = NonNullable<NonNullable<PodVolume["projected"]>["sources"]>[number];

/** A file of a volume. */
export interface VolumeFile {
  readonly bytes: Uint8Array;
  /** Permission bits, such as `0o644`. */
  readonly mode: number;
  /** The owner; the user of the agent by default (PROJ-47). */
  readonly uid?: number;
}

/** The files of a volume by path: relative, cleaned, in the order of writing (PROJ-40). */
export type Payload = ReadonlyMap<string, VolumeFile>;

/** The options of a token. */
export interface TokenOptions {
  /** The API server by default. */
  readonly audience?: string | undefined;
  readonly expirationSeconds?: number | undefined;
}

/** A certificate of a Pod, in PEM. */
export interface IssuedCertificate {
  readonly key: string;
  readonly chain: string;
}

/**
 * The sources of contents. They return undefined for an object that does not exist, and throw where reading is
 * forbidden.
 */
export interface ContentSource {
  configMap(key: Key<"Namespaced">): Promise<ConfigMap | undefined>;
  secret(key: Key<"Namespaced">): Promise<Secret | undefined>;
  /** One bundle by name, or those of a signer that a selector matches. */
  trustBundles(wish: NonNullable<ProjectedSource["clusterTrustBundle"]>): Promise<readonly ClusterTrustBundle[]>;
  /** A token of the Pod's service account, bound to the Pod. */
  token(pod: Pod, wish: TokenOptions): Promise<string>;
  /** The key and the chain; undefined where no certificate is issued yet. */
  certificate(
    pod: Pod,
    wish: NonNullable<ProjectedSource["podCertificate"]>,
    volume: string,
  ): Promise<IssuedCertificate | undefined>;
  /** The allocatable resources of the node (PROJ-44). */
  allocatable(): Readonly<Record<string, string>>;
}

/** The owner of the files of a volume. */
export interface ContentOwner {
  /** The fsGroup of the Pod. */
  readonly fsGroup?: number | undefined;
  /** The user of all its containers, where it is the same. */
  readonly fsUser?: number | undefined;
}
