/**
 * Plays recorded cases of volumes through what an agent writes them by, in a directory of its own.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClusterTrustBundle, ConfigMap, Pod, Secret } from "../../src/client/kinds/index.ts";
import { makeVolumeDirectory } from "../../src/node/written/volume-directory.ts";
import { setUpWritten } from "../../src/node/written/written-volume.ts";
import { systemClock } from "../../src/util/clock.ts";
import type { ContentSource, IssuedCertificate, PodVolume } from "../../src/volumes/contract.ts";
import { withRequests } from "../../src/volumes/pod-defaults.ts";
import type { Case, CaseObject, Outcome, Write } from "./cases.ts";
import { differences } from "./compare.ts";
import { WriteNames, treeOf } from "./tree.ts";

const NAMESPACE = "ns";
const UID = "00000000-0000-4000-8000-000000000001";

/** Whether owners can be set and compared here. */
export const mayOwn = process.getuid?.() === 0;

/** Whether a case cannot be compared to the full without the rights to set owners. */
export const needsOwners = ({ fsGroup, fsUser }: Case): boolean => fsGroup !== undefined || fsUser !== undefined;

/** Plays a case and tells what differs, a line each. */
export async function play(one: Case): Promise<readonly string[]> {
  const parent = mkdtempSync(join(tmpdir(), "keelson-projection-"));
  try {
    const world = new World(one, join(parent, "volume"));
    const lines: string[] = [];
    for (const [i, write] of one.writes.entries()) {
      const found = await world.write(write);
      lines.push(...differences(one.expect[i]!, found, mayOwn).map((line) => `write ${i + 1}: ${line}`));
    }
    return lines;
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** What a case has said so far, and the directory that it is written to. */
class World {
  readonly #case: Case;
  readonly #directory: string;
  readonly #names = new WriteNames();
  readonly #objects = new Map<string, CaseObject>();
  #volume: PodVolume = { name: "volume" };
  #pod = podOf({});
  #certificate: IssuedCertificate | undefined;

  constructor(one: Case, directory: string) {
    this.#case = one;
    this.#directory = directory;
  }

  async write({ volume, objects = [], pod, certificate }: Write): Promise<Outcome> {
    if (volume) this.#volume = { name: "volume", ...volume };
    for (const object of objects) this.#objects.set(`${object.kind} ${object.metadata.name}`, object);
    if (pod) this.#pod = podOf(pod);
    if (certificate) this.#certificate = certificate;
    const error = await this.#setUp();
    const tree = treeOf(this.#directory, this.#names);
    return { ...(error === undefined ? {} : { error }), ...(tree === undefined ? {} : { tree }) };
  }

  async #setUp(): Promise<string | undefined> {
    const { fsGroup, fsUser } = this.#case;
    try {
      if (this.#volume.emptyDir) makeVolumeDirectory(this.#directory, { group: fsGroup, owners: mayOwn });
      else {
        await setUpWritten({
          pod: this.#pod,
          volume: this.#volume,
          path: this.#directory,
          source: this.#source(),
          owner: { fsGroup, fsUser },
          clock: systemClock,
          owners: mayOwn,
        });
      }
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  #source(): ContentSource {
    const find = (kind: string, name: string): CaseObject | undefined => {
      const object = this.#objects.get(`${kind} ${name}`);
      return object?.absent === true ? undefined : object;
    };
    const all = [...this.#objects.values()].filter(({ absent }) => absent !== true);
    return {
      configMap: ({ name }) => Promise.resolve(find("ConfigMap", name) as ConfigMap | undefined),
      secret: ({ name }) => Promise.resolve(find("Secret", name) as Secret | undefined),
      trustBundles: () =>
        Promise.resolve(all.filter(({ kind }) => kind === "ClusterTrustBundle") as ClusterTrustBundle[]),
      token: ({ metadata, spec }, { audience, expirationSeconds }) =>
        Promise.resolve(
          `token of ${metadata.namespace}/${spec.serviceAccountName ?? ""} for [${audience ?? ""}] ${expirationSeconds}s bound to Pod ${metadata.name} ${metadata.uid}`,
        ),
      certificate: () => Promise.resolve(this.#certificate),
      allocatable: () => this.#case.allocatable ?? {},
    };
  }
}

function podOf({ metadata, spec }: NonNullable<Write["pod"]>): Pod {
  return withRequests({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: NAMESPACE, uid: UID, ...metadata },
    spec: { containers: [{ name: "c" }], ...spec },
  } as Pod);
}
