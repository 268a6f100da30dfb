/**
 * Reads the command line of etcd.
 *
 * @module
 */
import { OptionError } from "../options/types.ts";
import { type GoFlags, lastOf, partsOf } from "./go-flags.ts";

/** What the emulated etcd is started with. */
export interface EtcdPlan {
  /** The path of the store of the API server. */
  readonly dataDir: string;
  /** The addresses to listen on, at least one. */
  readonly listen: readonly { readonly host: string; readonly port: number }[];
  /** Whether writes may be lost when the machine fails. */
  readonly unflushed: boolean;
  /** Flags that have no effect. */
  readonly ignored: readonly string[];
}

/** The flags that have an effect, with their descriptions. */
export const ETCD_FLAGS: Readonly<Record<string, string>> = {
  "data-dir": "The directory of the data.",
  "listen-client-urls": "The URLs to listen on for clients; http:// only.",
  "unsafe-no-fsync": "Do not wait for fsync.",
};

/** Reads a command line. @throws OptionError for an invalid value */
export function planEtcd(flags: GoFlags): EtcdPlan {
  const urls = partsOf(flags, "listen-client-urls");
  return {
    dataDir: lastOf(flags, "data-dir") ?? "default.etcd",
    listen: (urls.length > 0 ? urls : ["http://localhost:2379"]).map(addressOf),
    unflushed: lastOf(flags, "unsafe-no-fsync") === "true",
    ignored: [...flags.keys()].filter((name) => !Object.hasOwn(ETCD_FLAGS, name)),
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
