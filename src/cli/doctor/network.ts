/** Checks of the network of this machine: the port, localhost, proxies, members of etcd. */
import { type Check, fail, ok, warn } from "./check.ts";

/** The result of listening on the port: `free`, or the code of the error. */
export interface PortState {
  readonly bind: string;
  readonly port: number;
  readonly tried: string;
  /** The process of this data directory's server. */
  readonly ownPid: number | undefined;
  /** The process that listens, if it is known. */
  readonly owner: { readonly pid: number; readonly command: string } | undefined;
}

/** Checks the port. */
export function portCheck({ bind, port, tried, ownPid, owner }: PortState): Check {
  const name = `port ${port}`;
  if (tried === "free") return ok(name, `free on ${bind}`);
  if (tried === "EADDRINUSE") {
    if (owner !== undefined && owner.pid === ownPid) return ok(name, `the server of this directory (pid ${ownPid})`);
    const who = owner === undefined ? "another process" : `${owner.command} (pid ${owner.pid})`;
    return fail(name, `taken by ${who}`, "stop it, or choose another one: --port 7443, or --port 0 for any");
  }
  if (tried === "EACCES") return fail(name, `not permitted on ${bind}`, "choose one above 1023");
  if (tried === "EADDRNOTAVAIL") return fail(name, `this machine does not have ${bind}`, "choose another --bind");
  return fail(name, `${tried} on ${bind}`, "choose another --bind or --port");
}

/** Checks the addresses of `localhost`. */
export function localhostCheck(addresses: readonly string[]): Check {
  const found = addresses.length === 0 ? "no address" : addresses.join(", ");
  if (addresses.includes("127.0.0.1")) return ok("localhost", found);
  const advice = "a server listens on 127.0.0.1: use that address, or add `127.0.0.1 localhost` to the hosts file";
  return addresses.length === 0 ? fail("localhost", found, advice) : warn("localhost", found, advice);
}

/** Checks the proxies of the environment, which Go clients and this program use alike. */
export function proxyCheck(
  env: Readonly<Record<string, string | undefined>>,
  proxyOfServer: string | undefined,
): Check {
  const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
  const given = names.filter((name) => env[name]);
  if (given.length === 0) return ok("proxies", "none");
  if (proxyOfServer === undefined) return ok("proxies", `${given.join(", ")}; not for the server`);
  const advice =
    "a proxy cannot reach your machine: export NO_PROXY=localhost,127.0.0.1,::1 and the host of the server";
  return warn("proxies", `${given.join(", ")}; also for the server`, advice);
}

/** Checks the members of etcd, by whether a connection opened: `open`, or the code of the error. */
export function etcdCheck(members: Readonly<Record<string, string>>): Check {
  const entries = Object.entries(members);
  const lost = entries.filter(([, state]) => state !== "open").map(([member, state]) => `${member} (${state})`);
  const found = lost.length === 0 ? `${entries.length} reachable` : `not reachable: ${lost.join(", ")}`;
  if (lost.length === 0) return ok("etcd", found);
  const advice = "start them, or correct --etcd-servers";
  return lost.length === entries.length ? fail("etcd", found, advice) : warn("etcd", found, advice);
}

/** The inodes of sockets that listen on a port, by the text of `/proc/net/tcp` or `tcp6`. */
export function listeningInodes(table: string | undefined, port: number): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return (table ?? "").split("\n").flatMap((line) => {
    const fields = line.trim().split(/ +/);
    const isListening = fields[1]?.endsWith(suffix) && fields[3] === "0A";
    return isListening && fields[9] !== undefined ? [fields[9]] : [];
  });
}
