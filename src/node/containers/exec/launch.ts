/**
 * Prepares the start of a container so that it sees its mounts at their paths.
 *
 * Root gets a mount namespace of its own, with an overlay over the root of the machine: mount points can be created there,
 * and what the command writes outside of its volumes is lost with it. Without the right to mount there is a directory with
 * links instead of mounts. The path of a mount is the same text for both: `$KEELSON_ROOT/etc/config`.
 *
 * @module
 */
import { mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Mounter } from "../../contract.ts";
import { quoted } from "../../mounts/shell.ts";

/** A mount of a container. */
export interface ContainerMount {
  /** A directory, a file or a device. */
  readonly source: string;
  /** Absolute, in the container. */
  readonly path: string;
  readonly readOnly: boolean;
  readonly isDirectory: boolean;
}

/** A container to start. */
export interface Launch {
  readonly command: readonly string[];
  /** Absolute, in the container; undefined for its root. */
  readonly workingDir: string | undefined;
  readonly mounts: readonly ContainerMount[];
  /** The user, where the Pod names one, and the further groups of the process. */
  readonly user: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] } | undefined;
  /** The directory of this container. */
  readonly directory: string;
  /** The directory of the agent, whose mounts are hidden. */
  readonly root: string;
}

/** The process of a container. */
export interface Started {
  readonly argv: readonly [string, ...string[]];
  /** The value of `KEELSON_ROOT`. */
  readonly shownRoot: string;
  readonly cwd: string;
}

/** Prepares a start. */
export async function launchOf({ mounts: paths, ...rest }: Launch, mounter: Mounter): Promise<Started> {
  // `..` at the root of a container leads to the root.
  const mounts = paths.map((mount) => ({ ...mount, path: resolve("/", mount.path) }));
  const launch = { ...rest, mounts };
  return mounter.canMount ? inNamespace(launch, await mounter.mounts("/")) : withLinks(launch);
}

/** Uses programs of util-linux and coreutils; each replaces the one before by exec. */
function inNamespace(launch: Launch, table: readonly { readonly path: string }[]): Started {
  const { mounts, directory, command, workingDir = "/", user, root } = launch;
  const place = join(directory, "root");
  const lines = [
    "set -e",
    "mount --make-rprivate /",
    `mkdir -p ${quoted(place)}`,
    `mount -t tmpfs -o mode=0755 tmpfs ${quoted(place)}`,
    `mkdir ${quoted(`${place}/upper`)} ${quoted(`${place}/work`)} ${quoted(`${place}/all`)}`,
    `mount -t overlay overlay -o ${quoted(`lowerdir=/,upperdir=${place}/upper,workdir=${place}/work`)} ${quoted(`${place}/all`)}`,
    // A mount may be removed meanwhile, and its mount point too.
    ...outermost(table, root).map(
      (path) => `mount --rbind ${quoted(path)} ${quoted(`${place}/all${path}`)} 2> /dev/null || :`,
    ),
    `all=${quoted(`${place}/all`)}`,
    ...mounts.flatMap(({ source, path, readOnly, isDirectory }) => [
      `target="$all$(${placeIn(path, isDirectory ? path : dirname(path))})"`,
      ...(isDirectory ? [] : ['[ -e "$target" ] || : > "$target"']),
      `mount --bind ${quoted(source)} "$target"`,
      ...(readOnly ? ['mount -o remount,bind,ro "$target"'] : []),
    ]),
    `exec chroot ${userOf(user)}${quoted(`${place}/all`)} /bin/sh -c 'cd "$1" && shift && exec "$@"' sh ${[workingDir, ...command].map(quoted).join(" ")}`,
  ];
  return { argv: ["unshare", "--mount", "/bin/sh", "-c", lines.join("\n")], shownRoot: "", cwd: "/" };
}

/** Creates a directory in the root of the container, and resolves a path there, which may have links. */
const placeIn = (path: string, directory: string): string =>
  `chroot "$all" /bin/sh -c 'mkdir -p "$2" && readlink -f "$1"' sh ${quoted(path)} ${quoted(directory)}`;

const userOf = (user: Launch["user"]): string =>
  user ? `--userspec=${user.uid}:${user.gid} --groups=${user.groups.join(",")} ` : "";

/** Mounts of the machine that are in no other one, without those of the agent's directory. */
function outermost(table: readonly { readonly path: string }[], root: string): string[] {
  const isBelow = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`);
  const shown = [...new Set(table.map(({ path }) => path))].filter(
    (path) => path !== "/" && !isBelow(path, root) && !isBelow(root, path),
  );
  return shown.filter((path) => !shown.some((above) => above !== path && isBelow(path, above)));
}

/** A directory with links instead of mounts. */
async function withLinks({ mounts, directory, command, workingDir }: Launch): Promise<Started> {
  const place = join(directory, "root");
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  for (const { source, path } of mounts) {
    const link = join(place, path);
    await mkdir(dirname(link), { recursive: true });
    await symlink(source, link);
  }
  const [program = "", ...args] = command;
  const found =
    workingDir && mounts.some(({ path }) => workingDir === path) ? join(place, workingDir) : (workingDir ?? "/");
  return { argv: [program, ...args], shownRoot: place, cwd: found };
}
