/**
 * What a command line of etcd asks for, as far as there is something to do for it.
 *
 * @module
 */
import { OptionError } from "../options/types.ts";
import { type GoFlags, lastOf, partsOf } from "./go-flags.ts";

/** What is started. */
export interface EtcdPlan {
  /** An absolute or relative path: where the store of the API server is kept. */
  readonly dataDir: string;
  /** Where to answer; at least one address. */
  readonly listen: readonly { readonly host: string; readonly port: number }[];
  /** Whether what was answered may be lost with the machine, though never with the process. */
  readonly unflushed: boolean;
  /** Flags that change nothing here. */
  readonly unheeded: readonly string[];
}

/** The flags that mean something here, with what they say. */
export const ETCD_FLAGS: Readonly<Record<string, string>> = {
  "data-dir": "Where objects are kept.",
  "listen-client-urls": "Where to answer; http:// only.",
  "unsafe-no-fsync": "Do not wait for the disk.",
};

/** The plan of a command line. @throws OptionError */
export function planEtcd(flags: GoFlags): EtcdPlan {
  const urls = partsOf(flags, "listen-client-urls");
  return {
    dataDir: lastOf(flags, "data-dir") ?? "default.etcd",
    listen: (urls.length > 0 ? urls : ["http://localhost:2379"]).map(addressOf),
    unflushed: lastOf(flags, "unsafe-no-fsync") === "true",
    unheeded: [...flags.keys()].filter((name) => !Object.hasOwn(ETCD_FLAGS, name)),
  };
}

function addressOf(url: string): { host: string; port: number } {
  const [, host, port] = /^http:\/\/(\[[^\]]+\]|[^/:]+):(\d+)\/?$/.exec(url) ?? [];
  if (host === undefined) {
    throw new OptionError(
      `expected --listen-client-urls to have addresses such as http://127.0.0.1:2379, got ${JSON.stringify(url)}`,
    );
  }
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}
