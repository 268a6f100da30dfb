/** The volumes of a Pod: whether they are ready, and their content. */
import { type Disk, attachmentName } from "../../claims/attachment.ts";
import { claimKeyOf } from "../../claims/pod-claims.ts";
import { type Client, attempt } from "../../client/index.ts";
import {
  CSIDriver,
  ConfigMap,
  PersistentVolume,
  PersistentVolumeClaim,
  type Pod,
  Secret,
  VolumeAttachment,
} from "../../client/kinds/index.ts";
import { once } from "../../util/once.ts";
import type { VolumeFiles } from "../contract.ts";
import type { Container } from "../life/contract.ts";
import type { ReadTexts } from "./environment.ts";
import { type Addresses, fieldOf, resourceOf } from "./fields.ts";
import { type FileStore, type Files, filesFrom, filesOf } from "./files.ts";

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

/** The ConfigMap that every namespace gets; a Pod does not wait for it. */
const ROOT_CA = "kube-root-ca.crt";

/** Reads ConfigMaps and Secrets of a namespace through a client, each once: a Pod may name one of a megabyte ten thousand times. */
export function readTexts(client: Client, namespace: string): ReadTexts {
  const known = new Map<string, ReturnType<ReadTexts>>();
  const read: ReadTexts = async (kind, name) => {
    if (name === "") return undefined;
    if (kind === "ConfigMap") {
      const found = await client.resource(ConfigMap).find({ namespace, name });
      return found && { ...decoded(found.binaryData), ...found.data };
    }
    const found = await client.resource(Secret).find({ namespace, name });
    return found && decoded(found.data);
  };
  return (kind, name) => {
    const key = `${kind} ${name}`;
    let texts = known.get(key);
    if (!texts) known.set(key, (texts = read(kind, name)));
    return texts;
  };
}

const decoded = (data: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64").toString()]));

/** Whether a Pod has volumes that it must wait for. */
export const needsVolumes = ({ spec }: Pod): boolean =>
  (spec.volumes ?? []).some(
    ({ configMap, secret, persistentVolumeClaim, ephemeral, projected }) =>
      configMap ??
      secret ??
      persistentVolumeClaim ??
      ephemeral ??
      projected?.sources.some((source) => source.secret ?? (source.configMap && source.configMap.name !== ROOT_CA)),
  );

/** Why the volumes of a Pod are not there; undefined where all are. */
export async function mountProblemOf(pod: Pod, client: Client, read: ReadTexts): Promise<string | undefined> {
  for (const volume of pod.spec.volumes ?? []) {
    // oxlint-disable-next-line no-await-in-loop -- the first problem is told
    const problem = (await textProblem(volume, read)) ?? (await claimProblem(pod, volume, client));
    if (problem !== undefined) return `MountVolume.SetUp failed for volume "${volume.name}" : ${problem}`;
  }
  return undefined;
}

async function textProblem({ configMap, secret, projected }: Volume, read: ReadTexts): Promise<string | undefined> {
  const refs = [
    { kind: "ConfigMap" as const, ref: configMap },
    { kind: "Secret" as const, ref: secret && { name: secret.secretName, optional: secret.optional } },
    ...(projected?.sources ?? []).flatMap((source) => [
      { kind: "ConfigMap" as const, ref: source.configMap },
      { kind: "Secret" as const, ref: source.secret },
    ]),
  ];
  for (const { kind, ref } of refs) {
    if (!ref?.name || ref.optional || ref.name === ROOT_CA) continue;
    // oxlint-disable-next-line no-await-in-loop -- the first problem is told
    if (!(await read(kind, ref.name))) return `${kind.toLowerCase()} "${ref.name}" not found`;
  }
  return undefined;
}

async function claimProblem(pod: Pod, volume: Volume, client: Client): Promise<string | undefined> {
  const key = claimKeyOf(pod, volume);
  if (!key) return undefined;
  const claim = await client.resource(PersistentVolumeClaim).find(key);
  if (!claim) return `persistentvolumeclaim "${key.name}" not found`;
  const { volumeName } = claim.spec;
  if (!volumeName || claim.status.phase !== "Bound") return `claim "${key.name}" is not bound`;
  const bound = await client.resource(PersistentVolume).find({ name: volumeName });
  const csi = bound?.spec.csi;
  if (!csi) return undefined;
  const driver = await client.resource(CSIDriver).find({ name: csi.driver });
  if (!driver || driver.spec.attachRequired === false) return undefined;
  const disk: Disk = { driver: csi.driver, handle: csi.volumeHandle };
  const name = attachmentName(disk, pod.spec.nodeName ?? "");
  const found = await attempt(client.resource(VolumeAttachment).get({ name }), "NotFound");
  const attached = found.ok && found.value.status.attached;
  return attached ? undefined : `volume attachment is being waited for: ${name}`;
}

/** Where the files of mounts come from. */
export interface MountParts {
  readonly client: Client;
  readonly store: FileStore;
  readonly addresses: Addresses;
  /** Whether a change of a file was made already. */
  readonly isKnown?: () => boolean;
}

/** The files of the mounts of a container by their paths. */
export async function mountsOf(
  pod: Pod,
  container: Container,
  { client, store, addresses, isKnown }: MountParts,
): Promise<Readonly<Record<string, VolumeFiles>>> {
  const mounts: Record<string, VolumeFiles> = {};
  const volumes = new Map((pod.spec.volumes ?? []).map((volume) => [volume.name, volume]));
  const contents = new Map<string, Content>();
  const source = new ContentSource(pod, container, { client, store, addresses });
  for (const { name, mountPath, readOnly = false, subPath } of container.volumeMounts ?? []) {
    const volume = volumes.get(name);
    if (!volume) continue;
    // oxlint-disable-next-line no-await-in-loop -- in their order
    const content = contents.get(name) ?? (await source.contentOf(volume));
    contents.set(name, content);
    mounts[mountPath] = filesOf(content.files, {
      source: content.source,
      volume: name,
      name: content.name,
      readOnly: readOnly || content.isRead,
      subPath,
      isKnown,
    });
  }
  return mounts;
}

interface Content {
  readonly source: string;
  readonly name?: string | undefined;
  readonly files: () => Files;
  readonly isRead: boolean;
}

/** The most files that all volumes of a container show that are only read. */
const MAX_SHOWN_FILES = 100_000;

/** Makes the content of the volumes of a container; files that are only read are listed when their volume is read. */
class ContentSource {
  readonly #pod: Pod;
  readonly #container: Container;
  readonly #parts: MountParts;
  readonly #read: ReadTexts;
  readonly #containers = once(() => new Map((this.#pod.spec.containers ?? []).map((one) => [one.name, one])));
  #shown = 0;

  constructor(pod: Pod, container: Container, parts: MountParts) {
    this.#pod = pod;
    this.#container = container;
    this.#parts = parts;
    this.#read = readTexts(parts.client, pod.metadata.namespace ?? "");
  }

  async contentOf(volume: Volume): Promise<Content> {
    const { client, store } = this.#parts;
    const { configMap, secret, projected, downwardAPI, emptyDir } = volume;
    const key = claimKeyOf(this.#pod, volume);
    if (key) {
      const claim = await client.resource(PersistentVolumeClaim).find(key);
      const isRead = volume.persistentVolumeClaim?.readOnly === true;
      // A deleted claim keeps nothing.
      const files = claim ? store.volume(`claim ${claim.metadata.uid}`) : filesFrom(new Map());
      return { source: "PersistentVolumeClaim", name: key.name, files: () => files, isRead };
    }
    if (configMap) {
      const texts = await this.#read("ConfigMap", configMap.name ?? "");
      const files = this.#shownOf(() => itemsOf(texts, configMap.items));
      return { source: "ConfigMap", name: configMap.name, files, isRead: true };
    }
    if (secret) {
      const texts = await this.#read("Secret", secret.secretName ?? "");
      const files = this.#shownOf(() => itemsOf(texts, secret.items));
      return { source: "Secret", name: secret.secretName, files, isRead: true };
    }
    if (downwardAPI) {
      const files = this.#shownOf(() => new Map(this.#downward(downwardAPI.items)));
      return { source: "DownwardAPI", files, isRead: true };
    }
    if (projected) return { source: "Projected", files: await this.#projected(projected), isRead: true };
    const files = store.volume(`pod ${this.#pod.metadata.uid}`, volume.name);
    return { source: emptyDir ? "EmptyDir" : "Other", files: () => files, isRead: false };
  }

  async #projected({ sources }: NonNullable<Volume["projected"]>): Promise<() => Files> {
    const parts: (() => Iterable<readonly [string, string]>)[] = [];
    for (const { configMap, secret, downwardAPI } of sources) {
      const ref = configMap ?? secret;
      // oxlint-disable-next-line no-await-in-loop -- in their order
      const texts = ref && (await this.#read(configMap ? "ConfigMap" : "Secret", ref.name ?? ""));
      parts.push(() => (ref ? itemsOf(texts, ref.items) : this.#downward(downwardAPI?.items)));
    }
    // Later sources win.
    return this.#shownOf(() => new Map(parts.flatMap((part) => [...part()])));
  }

  /** @throws Error where the volumes show too many files */
  #shownOf(list: () => ReadonlyMap<string, string>): () => Files {
    return once(() => {
      const texts = list();
      this.#shown += texts.size;
      if (this.#shown > MAX_SHOWN_FILES) throw new Error(`expected at most ${MAX_SHOWN_FILES} files in all volumes`);
      return filesFrom(texts);
    });
  }

  #downward(items: NonNullable<Volume["downwardAPI"]>["items"] = []): [string, string][] {
    return items.map(({ path, fieldRef, resourceFieldRef }) => {
      const of = this.#containers().get(resourceFieldRef?.containerName ?? "") ?? this.#container;
      const text = fieldRef
        ? fieldOf(this.#pod, fieldRef.fieldPath, this.#parts.addresses)
        : resourceOf(of, resourceFieldRef?.resource ?? "", resourceFieldRef?.divisor);
      return [path, text];
    });
  }
}

/** The files of a ConfigMap or Secret: all keys, or those that are listed. */
function itemsOf(
  texts: Readonly<Record<string, string>> = {},
  items: readonly { readonly key: string; readonly path: string }[] = [],
): Map<string, string> {
  if (items.length === 0) return new Map(Object.entries(texts));
  return new Map(
    items.flatMap(({ key, path }): [string, string][] => (Object.hasOwn(texts, key) ? [[path, texts[key]!]] : [])),
  );
}
