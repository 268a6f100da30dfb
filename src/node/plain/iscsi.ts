/**
 * iscsi: a unit of an iSCSI target, by iscsiadm(8) (NODE-61).
 *
 * A login is recorded first, in one file for each volume of a Pod. So the agent can log out with the last volume of a
 * target, also when the Pod and other objects are deleted.
 *
 * @module
 */
import { mkdir, readFile, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "../../util/clock.ts";
import { KeyedLock } from "../../util/keyed-lock.ts";
import { writeWhole } from "../whole-file.ts";
import { type FoundVolume, type MadeVolume, type NeededVolume, VolumeError, type VolumePlugin } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";
import { mountDevice } from "./block-device.ts";
import { directoryStats } from "./directory-stats.ts";
import {
  Groups,
  type PlainContext,
  makeDirectory,
  mountOptionsOf,
  removeMount,
  requireFileSystem,
  requireMounts,
  requireProgram,
  ownSource,
  sourceOf,
} from "./plain-context.ts";

type Unit = NonNullable<ReturnType<typeof sourceOf<"iscsi">>>;

/** The record of a volume. */
interface Login {
  readonly iqn: string;
  readonly portals: readonly string[];
  readonly interface: string;
}

/** See the head of this file. */
export function iscsiPlugin(context: PlainContext): VolumePlugin {
  const { mounter } = context;
  const groups = new Groups(context);
  const targets = new KeyedLock();
  const logins = new Logins(join(context.root, "plugins", "kubernetes.io", "iscsi"));

  const attach = (needed: NeededVolume, unit: Unit, signal: AbortSignal): Promise<string> =>
    targets.run(unit.iqn, async () => {
      const login = loginOf(unit);
      await logins.write(idOf(needed.pod.metadata.uid, directoryName(needed)), login);
      for (const portal of login.portals) await logIn(context, login, portal, signal);
      return deviceOf(context, login, unit.lun, signal);
    });

  return {
    kind: "kubernetes.io~iscsi",
    makes: (needed) => sourceOf(needed, "iscsi") !== undefined,

    async setUp(needed, signal): Promise<MadeVolume> {
      const { path } = needed;
      const unit = ownSource(needed, "iscsi");
      const readOnly = needed.readOnly || unit.readOnly === true;
      requireFileSystem(needed, "iscsi");
      if (!(await mounter.isMountPoint(path))) {
        requireMounts(context, "iscsi");
        await requireProgram(context, "iscsi", "iscsiadm", "open-iscsi, and start iscsid");
        refuseChap(unit);
        const device = await attach(needed, unit, signal);
        await makeDirectory(path);
        const { fsType } = unit;
        const options = mountOptionsOf(needed);
        await mountDevice(context, { kind: "iscsi", device, path, fsType, readOnly, options }, signal);
      }
      await groups.apply({ ...needed, readOnly }, signal);
      return { source: path };
    },

    async tearDown({ path, podUid, name }: FoundVolume, signal) {
      groups.forget(path);
      await removeMount(context, path);
      const id = idOf(podUid, name);
      const login = await logins.read(id);
      if (!login) return;
      await targets.run(login.iqn, async () => {
        const isUsed = (await logins.others(id)).some(({ iqn }) => iqn === login.iqn);
        if (!isUsed) for (const portal of login.portals) await logOut(context, login, portal, signal);
        await logins.remove(id);
      });
    },
    usage: (needed) => directoryStats(needed),
  };
}

const idOf = (podUid: string, name: string): string => `${podUid}~${name}`;

/** The name of a volume's directory. */
const directoryName = ({ persistent, volume }: NeededVolume): string => persistent?.volume.metadata.name ?? volume.name;

/** A portal with its port, which is that of iSCSI by default. */
const withPort = (portal: string): string => (/:\d+$/.test(portal) ? portal : `${portal}:3260`);

const loginOf = ({ iqn, targetPortal, portals = [], iscsiInterface }: Unit): Login => ({
  iqn,
  portals: [...new Set([targetPortal, ...portals].map(withPort))],
  interface: iscsiInterface || "default",
});

function refuseChap({ chapAuthDiscovery, chapAuthSession, initiatorName }: Unit): void {
  if (!chapAuthDiscovery && !chapAuthSession && !initiatorName) return;
  throw new VolumeError(
    "iscsi volume: this agent does not log in by CHAP or as another initiator; set that in the node's iscsid.conf, or use a CSI driver",
  );
}

/** Exit codes of iscsiadm(8): the session exists already; there is no session. */
const [SESSION_EXISTS, NO_SESSION] = [15, 21];

async function logIn(context: PlainContext, login: Login, portal: string, signal: AbortSignal): Promise<void> {
  const discover = ["-m", "discoverydb", "-t", "sendtargets", "-p", portal, "-I", login.interface, "--discover"];
  await iscsiadm(context, discover, [], signal);
  await iscsiadm(context, [...node(login, portal), "--login"], [SESSION_EXISTS], signal);
}

const logOut = (context: PlainContext, login: Login, portal: string, signal: AbortSignal): Promise<void> =>
  iscsiadm(context, [...node(login, portal), "--logout"], [NO_SESSION], signal);

const node = ({ iqn, interface: face }: Login, portal: string): string[] => [
  "-m",
  "node",
  "-p",
  portal,
  "-T",
  iqn,
  "-I",
  face,
];

async function iscsiadm(
  { programs }: PlainContext,
  args: readonly string[],
  accepted: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const { code, output, errors } = await programs.run("iscsiadm", args, signal);
  if (code === 0 || accepted.includes(code ?? -1)) return;
  throw new VolumeError(`iscsi volume: iscsiadm ${args.join(" ")} ended with code ${code}: ${errors || output}`);
}

const MAX_POLLS = 10;
const POLL_INTERVAL_MS = 500;

/** The device of a unit, by any of its portals. */
async function deviceOf(context: PlainContext, login: Login, lun: number, signal: AbortSignal): Promise<string> {
  const links = login.portals.map((portal) =>
    join(context.devices, "disk/by-path", `ip-${portal}-iscsi-${login.iqn}-lun-${lun}`),
  );
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    for (const link of links) if (await stat(link).catch(ignoreMissing)) return link;
    signal.throwIfAborted();
    await sleep(context.clock, POLL_INTERVAL_MS, signal, { owner: "iscsi", holds: true });
  }
  throw new VolumeError(`iscsi volume: unit ${lun} of ${login.iqn} did not appear as a device: ${links.join(", ")}`);
}

/** The recorded logins, each in a file. */
class Logins {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async write(id: string, login: Login): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o750 });
    await writeWhole(this.#path(id), JSON.stringify(login));
  }

  async read(id: string): Promise<Login | undefined> {
    const text = await readFile(this.#path(id), "utf8").catch(ignoreMissing);
    return text === undefined ? undefined : (JSON.parse(text) as Login);
  }

  /** The logins of all other volumes. */
  async others(id: string): Promise<Login[]> {
    const names = (await readdir(this.#directory).catch(ignoreMissing)) ?? [];
    const ids = names.filter((name) => name.endsWith(END)).map((name) => name.slice(0, -END.length));
    const logins = await Promise.all(ids.filter((other) => other !== id).map((other) => this.read(other)));
    return logins.filter((login) => login !== undefined);
  }

  remove(id: string): Promise<void> {
    return rm(this.#path(id), { force: true });
  }

  #path(id: string): string {
    return join(this.#directory, `${id}${END}`);
  }
}

const END = ".json";
