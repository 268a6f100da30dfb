/** The volumes of a Pod: whether they are there, and what is in them. */
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
import type { VolumeFiles } from "../contract.ts";
import type { Container } from "../life/contract.ts";
import type { ReadTexts } from "./environment.ts";
import { type Addresses, fieldOf, resourceOf } from "./fields.ts";
import { type FileStore, filesFrom, filesOf } from "./files.ts";

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

/** The ConfigMap that every namespace gets; a Pod does not wait for it. */
const ROOT_CA = "kube-root-ca.crt";

/** Reads ConfigMaps and Secrets of a namespace through a client. */
export function readTexts(client: Client, namespace: string): ReadTexts {
  return async (kind, name) => {
    if (name === "") return undefined;
    if (kind === "ConfigMap") {
      const found = await client.resource(ConfigMap).find({ namespace, name });
      return found && { ...decoded(found.binaryData), ...found.data };
    }
    const found = await client.resource(Secret).find({ namespace, name });
    return found && decoded(found.data);
  };
}

const decoded = (data: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64").toString()]));

/** Whether a Pod has volumes that have to be waited for. */
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
export async function mountProblemOf(pod: Pod, client: Client): Promise<string | undefined> {
  const { namespace = "" } = pod.metadata;
  const read = readTexts(client, namespace);
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
  for (const { name, mountPath, readOnly = false, subPath } of container.volumeMounts ?? []) {
    const volume = pod.spec.volumes?.find((one) => one.name === name);
    if (!volume) continue;
    // oxlint-disable-next-line no-await-in-loop -- few, and in their order
    const content = await contentOf(pod, container, volume, { client, store, addresses });
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
  readonly files: ReturnType<typeof filesFrom>;
  readonly isRead: boolean;
}

async function contentOf(
  pod: Pod,
  container: Container,
  volume: Volume,
  { client, store, addresses }: MountParts,
): Promise<Content> {
  const { namespace = "", uid } = pod.metadata;
  const read = readTexts(client, namespace);
  const { configMap, secret, projected, downwardAPI, emptyDir } = volume;
  const key = claimKeyOf(pod, volume);
  if (key) {
    const claim = await client.resource(PersistentVolumeClaim).find(key);
    const isRead = volume.persistentVolumeClaim?.readOnly === true;
    // A claim that is gone keeps nothing.
    const files = claim ? store.volume(`claim ${claim.metadata.uid}`) : filesFrom(new Map());
    return { source: "PersistentVolumeClaim", name: key.name, files, isRead };
  }
  if (configMap) {
    const files = filesFrom(itemsOf(await read("ConfigMap", configMap.name ?? ""), configMap.items));
    return { source: "ConfigMap", name: configMap.name, files, isRead: true };
  }
  if (secret) {
    const files = filesFrom(itemsOf(await read("Secret", secret.secretName ?? ""), secret.items));
    return { source: "Secret", name: secret.secretName, files, isRead: true };
  }
  const downward = (items: NonNullable<Volume["downwardAPI"]>["items"] = []): [string, string][] =>
    items.map(({ path, fieldRef, resourceFieldRef }) => {
      const of = pod.spec.containers?.find(({ name }) => name === resourceFieldRef?.containerName) ?? container;
      const text = fieldRef
        ? fieldOf(pod, fieldRef.fieldPath, addresses)
        : resourceOf(of, resourceFieldRef?.resource ?? "", resourceFieldRef?.divisor);
      return [path, text];
    });
  if (downwardAPI)
    return { source: "DownwardAPI", files: filesFrom(new Map(downward(downwardAPI.items))), isRead: true };
  if (projected) {
    const files = new Map<string, string>();
    for (const source of projected.sources) {
      const kind = source.configMap ? "ConfigMap" : "Secret";
      const ref = source.configMap ?? source.secret;
      // oxlint-disable-next-line no-await-in-loop -- later sources win
      const texts = ref ? itemsOf(await read(kind, ref.name ?? ""), ref.items) : downward(source.downwardAPI?.items);
      for (const [path, text] of texts) files.set(path, text);
    }
    return { source: "Projected", files: filesFrom(files), isRead: true };
  }
  const source = emptyDir ? "EmptyDir" : "Other";
  return { source, files: store.volume(`pod ${uid}`, volume.name), isRead: false };
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
