/**
 * A server that cannot start: whatever the later part is that fails, everything that was opened before is closed. The data
 * directory can be opened again at once in the same process, and no timer and no handle is left.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs";
import net from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RawOptions, resolveOptions } from "../../src/app/options/options.ts";
import { type RunningServer, runServer } from "../../src/app/start/server.ts";
import { type Clock, systemClock } from "../../src/util/clock.ts";
import { Scratch, until } from "./keelson.ts";

const scratch = new Scratch();
const blocker = net.createServer();
beforeAll(async () => {
  blocker.listen(0, "127.0.0.1");
  await once(blocker, "listening");
});
afterAll(() => {
  blocker.close();
  scratch.remove();
});

/** A clock that knows who waits for it. */
class WatchedClock implements Clock {
  readonly loop = systemClock.loop;
  readonly #waiting = new Map<object, string>();

  now(): number {
    return systemClock.now();
  }

  steady(): number {
    return systemClock.steady();
  }

  after(...[ms, work, options]: Parameters<Clock["after"]>): ReturnType<Clock["after"]> {
    const key = {};
    this.#waiting.set(key, options?.owner ?? new Error("a timer without an owner").stack!);
    const fire = (): void => {
      this.#waiting.delete(key);
      work();
    };
    const timer = systemClock.after(ms, fire, options);
    return {
      cancel: () => {
        this.#waiting.delete(key);
        timer.cancel();
      },
    };
  }

  get waiting(): readonly string[] {
    return [...this.#waiting.values()];
  }
}

/** Handles of this process by their kinds, timers aside. */
function handles(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) {
    if (!/^(?:Timeout|Immediate|TickObject)$/.test(name)) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Whether there is no more of any handle than before. */
const areGone = (before: Readonly<Record<string, number>>): boolean =>
  Object.entries(handles()).every(([name, count]) => count <= (before[name] ?? 0));

const file = (name: string, text: string): string => {
  const path = `${scratch.path}/${name}`;
  writeFileSync(path, text);
  return path;
};

const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{ name: it, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: it, user: {} }]
contexts: [{ name: it, context: { cluster: it, user: it } }]
current-context: it
`;

const audited = (): RawOptions => ({
  "audit-policy-file": file("policy.yaml", "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n"),
  "audit-log-path": `${scratch.path}/audit.log`,
  "audit-log-mode": "batch",
  "access-log": `${scratch.path}/access.log`,
});

/** Files that are followed, and webhooks with connections of their own. */
const followed = (): RawOptions => ({
  "authentication-config": file(
    "authentication.yaml",
    "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: []\n",
  ),
  "authorization-config": file(
    "authorization.yaml",
    "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: [{ type: RBAC, name: rbac }]\n",
  ),
  "authentication-token-webhook-config-file": file("webhook.yaml", kubeconfig),
});

interface Case {
  readonly what: string;
  readonly message: string | RegExp;
  readonly options: () => RawOptions;
}

const CASES: readonly Case[] = [
  {
    what: "a certificate of the server",
    message: "no-such.crt",
    options: () => ({ "tls-cert-file": `${scratch.path}/no-such.crt`, "tls-private-key-file": file("key.pem", "") }),
  },
  {
    what: "an authority of clients, after files and webhooks of authentication",
    message: "expected --client-ca-file to hold certificates in PEM",
    options: () => ({ ...followed(), "client-ca-file": file("ca.pem", "none") }),
  },
  {
    what: "an audit policy, after authentication and the access log",
    message: "to be an audit policy",
    options: () => ({ ...audited(), ...followed(), "audit-policy-file": file("bad-policy.yaml", "kind: Policy\n") }),
  },
  {
    what: "the encryption of the store",
    message: "EncryptionConfiguration",
    options: () => ({ ...audited(), "encryption-provider-config": file("encryption.yaml", "kind: Other\n") }),
  },
  {
    what: "the port, after store, cluster and audit",
    message: /^expected port \d+ of 127\.0\.0\.1 to be free/,
    options: () => ({ ...audited(), ...followed(), port: (blocker.address() as net.AddressInfo).port }),
  },
  {
    what: "the kubeconfig, after the port, over a store in memory",
    message: "ENOENT",
    options: () => ({ store: "memory", "kubeconfig-out": `${scratch.path}/no/such/folder/admin.kubeconfig` }),
  },
  {
    what: "the node, after controllers",
    message: /EEXIST|ENOTDIR/,
    options: () => ({ node: "n1", "node-dir": file("a-file", "") }),
  },
];

/** Starts a server on a directory and stops it. */
async function startAndStop(directory: string): Promise<void> {
  const server = await runServer(resolveOptions({ "data-dir": directory, port: 0 }));
  await server.close();
}

describe("what was opened is closed when it fails at", () => {
  test.each(CASES)("$what", async ({ message, options }) => {
    const directory = scratch.fresh();
    mkdirSync(directory, { recursive: true });
    const clock = new WatchedClock();
    // Modules that are loaded, and threads that stay for the process, are there after a first start.
    await startAndStop(scratch.fresh());
    const before = handles();
    const given = resolveOptions(options(), { "data-dir": directory, port: 0, dialect: "kubernetes" });
    const failure = await runServer(given, { clock }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as Error).message).toMatch(message);
    await startAndStop(directory);
    // Idle connections are closed within moments.
    await until(async () => clock.waiting.length === 0 && areGone(before));
  });
});

test("a directory that another server has is refused, and free when that one has ended", async () => {
  const directory = scratch.fresh();
  const first: RunningServer = await runServer(resolveOptions({ "data-dir": directory, port: 0 }));
  const clock = new WatchedClock();
  const second = runServer(resolveOptions({ "data-dir": directory, port: 0 }), { clock });
  await expect(second).rejects.toThrow(`process ${process.pid}`);
  await until(async () => clock.waiting.length === 0);
  await first.close();
  await startAndStop(directory);
});

test("a server that has started and stopped leaves no timer", async () => {
  const clock = new WatchedClock();
  const given = resolveOptions(audited(), followed(), { "data-dir": scratch.fresh(), port: 0, dialect: "kubernetes" });
  const server = await runServer(given, { clock });
  expect(clock.waiting.length).toBeGreaterThan(0);
  await server.close();
  await until(async () => clock.waiting.length === 0);
});
