/**
 * What volumes of a Pod hold that an agent writes (configMap, secret, downwardAPI, projected), and where it is read from.
 *
 * Nothing here writes a file or sends a request: who asks passes a source in, and gets the files.
 *
 * @module
 */
import type { ClusterTrustBundle, ConfigMap, Pod, Secret } from "../client/kinds/index.ts";
import type { Key } from "../client/index.ts";

/** A volume as a Pod names it. */
export type PodVolume = NonNullable<Pod["spec"]["volumes"]>[number];

/** A source of a projected volume. */
export type ProjectedSource = NonNullable<NonNullable<PodVolume["projected"]>["sources"]>[number];

/** One file of a volume. */
export interface VolumeFile {
  readonly bytes: Uint8Array;
  /** Permission bits, such as `0o644`. */
  readonly mode: number;
  /** The user that owns it; the agent's own where nobody is named (PROJ-47). */
  readonly uid?: number;
}

/** The files of a volume by their paths: relative, cleaned, in the order in which they are written (PROJ-40). */
export type Payload = ReadonlyMap<string, VolumeFile>;

/** Which token a volume asks for. */
export interface TokenOptions {
  /** For whom; the server itself where nobody is named. */
  readonly audience?: string | undefined;
  readonly expirationSeconds?: number | undefined;
}

/** A certificate that was issued for a Pod, as PEM. */
export interface IssuedCertificate {
  readonly key: string;
  readonly chain: string;
}

/** Where the contents of volumes come from. What does not exist is undefined; who may not read it throws. */
export interface ContentSource {
  configMap(key: Key<"Namespaced">): Promise<ConfigMap | undefined>;
  secret(key: Key<"Namespaced">): Promise<Secret | undefined>;
  /** One bundle by its name, or all of a signer that a selector chooses. */
  trustBundles(wish: NonNullable<ProjectedSource["clusterTrustBundle"]>): Promise<readonly ClusterTrustBundle[]>;
  /** A token of the Pod's service account, bound to the Pod. */
  token(pod: Pod, wish: TokenOptions): Promise<string>;
  /** The key and the chain of a source, or undefined where none is issued yet. */
  certificate(
    pod: Pod,
    wish: NonNullable<ProjectedSource["podCertificate"]>,
    volume: string,
  ): Promise<IssuedCertificate | undefined>;
  /** What the node can give, by resource (PROJ-44). */
  allocatable(): Readonly<Record<string, string>>;
}

/** For whom a volume is written. */
export interface ContentOwner {
  /** The group of the Pod's volumes. */
  readonly fsGroup?: number | undefined;
  /** The one user of all its containers. */
  readonly fsUser?: number | undefined;
}
