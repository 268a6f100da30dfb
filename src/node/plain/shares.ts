/**
 * Shares of file servers, which mount(8) of the system mounts: nfs (NODE-60), cephfs and glusterfs.
 *
 * @module
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Endpoints, Secret } from "../../client/kinds/index.ts";
import { type MadeVolume, type NeededVolume, VolumeError, type VolumePlugin } from "../contract.ts";
import {
  type PlainContext,
  makeDirectory,
  mountOptionsOf,
  namespaceOf,
  removeMount,
  requireFileSystem,
  requireMounts,
  requireProgram,
  ownSource,
  sourceOf,
} from "./plain-context.ts";

/** The arguments of mount(8). */
interface Share {
  readonly source: string;
  readonly options?: readonly string[];
  /** Removes what was only needed for the mount. */
  end?(): Promise<void>;
}

/** A kind of share. */
interface ShareKind {
  readonly member: "nfs" | "cephfs" | "glusterfs";
  /** The type of the file system. */
  readonly type: string;
  readonly program: string;
  /** The package with the program, for messages. */
  readonly from: string;
  shareOf(context: PlainContext, needed: NeededVolume): Share | Promise<Share>;
}

const nfs: ShareKind = {
  member: "nfs",
  type: "nfs",
  program: "mount.nfs",
  from: "the NFS client (nfs-common or nfs-utils)",
  shareOf(_, needed) {
    const { server, path } = ownSource(needed, "nfs");
    return { source: `${hostOf(server)}:${path}` };
  },
};

const cephfs: ShareKind = {
  member: "cephfs",
  type: "ceph",
  program: "mount.ceph",
  from: "ceph-common",
  async shareOf(context, needed) {
    const { monitors, path = "/", user, secretFile, secretRef } = ownSource(needed, "cephfs");
    const name = user || DEFAULT_USER;
    const source = `${monitors.join(",")}:${path.startsWith("/") ? path : `/${path}`}`;
    if (!secretRef?.name) {
      return { source, options: [`name=${name}`, `secretfile=${secretFile || `/etc/ceph/${name}.secret`}`] };
    }
    const key = await keyOf(context, needed, secretRef);
    // A file that only the agent can read: other users can read the arguments of programs.
    const directory = join(context.root, "plugins", "kubernetes.io", "cephfs");
    await mkdir(directory, { recursive: true, mode: 0o750 });
    const file = join(directory, `${needed.pod.metadata.uid}-${needed.volume.name}.secret`);
    await writeFile(file, key, { mode: 0o600 });
    return { source, options: [`name=${name}`, `secretfile=${file}`], end: () => rm(file, { force: true }) };
  },
};

/** The volume plugin of nfs (PVS-27). */
const DEFAULT_USER = "admin";

const glusterfs: ShareKind = {
  member: "glusterfs",
  type: "glusterfs",
  program: "mount.glusterfs",
  from: "glusterfs-client",
  async shareOf({ client }, needed) {
    const source = ownSource(needed, "glusterfs");
    const namespace = ("endpointsNamespace" in source && source.endpointsNamespace) || namespaceOf(needed);
    const name = source.endpoints;
    const found = await client.resource(Endpoints).find({ name, namespace });
    if (!found) throw new VolumeError(`glusterfs volume: endpoints "${name}" not found in namespace ${namespace}`);
    const [first, ...others] = (found.subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
    if (first === undefined) throw new VolumeError(`glusterfs volume: endpoints "${name}" list no address`);
    const options = others.length > 0 ? [`backup-volfile-servers=${others.map(hostOf).join(":")}`] : [];
    return { source: `${hostOf(first)}:${source.path}`, options };
  },
};

/** The plugins of all kinds of shares. */
export const sharePlugins = [nfs, cephfs, glusterfs].map(
  (kind) => (context: PlainContext) => sharePlugin(context, kind),
);

function sharePlugin(context: PlainContext, kind: ShareKind): VolumePlugin {
  const { member } = kind;
  const { mounter } = context;
  return {
    kind: `kubernetes.io~${member}`,
    makes: (needed) => sourceOf(needed, member) !== undefined,

    async setUp(needed): Promise<MadeVolume> {
      const { path } = needed;
      requireFileSystem(needed, member);
      // By the table: a server that does not respond must not delay the check.
      if ((await mounter.mounts(path)).some((mount) => mount.path === path)) return { source: path };
      requireMounts(context, member);
      await requireProgram(context, member, kind.program, kind.from);
      const share = await kind.shareOf(context, needed);
      try {
        await makeDirectory(path);
        const readOnly = needed.readOnly || ownSource(needed, member).readOnly === true ? ["ro"] : [];
        const options = [...readOnly, ...(share.options ?? []), ...mountOptionsOf(needed)];
        await mounter.mount({ type: kind.type, source: share.source, path, options });
      } finally {
        await share.end?.();
      }
      return { source: path };
    },

    tearDown: ({ path }) => removeMount(context, path),
  };
}

/** The host before a colon; an IPv6 address needs brackets. */
const hostOf = (host: string): string => (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);

/** The value of `key` in a Secret, or its first value. */
async function keyOf(
  { client }: PlainContext,
  needed: NeededVolume,
  ref: { readonly name?: string; readonly namespace?: string },
): Promise<Buffer> {
  const key = { name: ref.name ?? "", namespace: ref.namespace || namespaceOf(needed) };
  const secret = await client.resource(Secret).find(key);
  if (!secret) throw new VolumeError(`cephfs volume: secret "${key.name}" not found in namespace ${key.namespace}`);
  const data = secret.data ?? {};
  const value = data["key"] ?? Object.values(data)[0];
  if (value === undefined) throw new VolumeError(`cephfs volume: secret "${key.name}" has no key`);
  return Buffer.from(value, "base64");
}
