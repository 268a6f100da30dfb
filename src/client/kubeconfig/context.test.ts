import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { candidatesOf } from "./context.ts";
import { KubeconfigError, NoKubeconfigError } from "./error.ts";
import { chooseContext } from "./open.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-kubeconfig-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** Writes a file and returns its path. */
function file(content: object | string, name = `config-${++files}`): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const config = (cluster: object, user: object, more: object = {}): object => ({
  clusters: [{ name: "c", cluster: { server: "https://one:6443", ...cluster } }],
  users: [{ name: "u", user }],
  contexts: [{ name: "x", context: { cluster: "c", user: "u", ...more } }],
  "current-context": "x",
});

const read = (content: object | string, context?: string) =>
  chooseContext({ kubeconfig: file(content), context, env: {} });

describe("a kubeconfig", () => {
  test("gives the address, the authority, and the credentials that are written in it", async () => {
    const cluster = { "certificate-authority-data": base64("CA") };
    const user = { "client-certificate-data": base64("CERT"), "client-key-data": base64("KEY"), token: "t" };
    expect(await read(config(cluster, user))).toEqual({
      name: "x",
      namespace: "default",
      user: { token: "t" },
      transport: {
        url: "https://one:6443",
        ca: "CA",
        insecure: false,
        serverName: undefined,
        cert: "CERT",
        key: "KEY",
      },
    });
  });

  test("may name files, from where it is itself", async () => {
    file("CA", "ca.crt");
    const { transport, user } = await read(config({ "certificate-authority": "ca.crt" }, { tokenFile: "token" }));
    expect([transport.ca, user.tokenFile]).toEqual(["CA", join(folder, "token")]);
  });

  test("may accept any certificate, which sets the authority aside, and may name the server", async () => {
    const cluster = {
      "insecure-skip-tls-verify": true,
      "certificate-authority-data": base64("CA"),
      "tls-server-name": "s",
    };
    expect((await read(config(cluster, {}))).transport).toMatchObject({
      insecure: true,
      ca: undefined,
      serverName: "s",
    });
  });

  test("has a context chosen by name, with its namespace", async () => {
    const both = config({}, {}) as { contexts: object[] };
    both.contexts.push({ name: "y", context: { cluster: "c", namespace: "team" } });
    expect((await read(both)).namespace).toBe("default");
    expect((await read(both, "y")).namespace).toBe("team");
    await expect(read(both, "z")).rejects.toThrow('expected "z" among the contexts of');
  });

  test("may be several files: the first that says something counts, missing ones do not", async () => {
    const first = file({ "current-context": "x", users: [{ name: "u", user: { token: "first" } }] });
    const second = file(config({}, { token: "second" }));
    const env = { KUBECONFIG: [join(folder, "none"), first, second].join(delimiter) };
    const { transport, user } = await chooseContext({ env });
    expect([transport.url, user.token]).toEqual(["https://one:6443", "first"]);
  });

  test.each<[string, object | string, string]>([
    ["no YAML", "a: [", "to be a kubeconfig"],
    ["no map", "- 1", "found no map"],
    ["no context", { contexts: [] }, "expected current-context in"],
    ["a cluster that is not there", { ...config({}, {}), clusters: [] }, 'expected "c" among the clusters'],
    ["no server", config({ server: undefined }, {}), "expected server in"],
    ["a proxy of SOCKS", config({ "proxy-url": "socks5://p" }, {}), "SOCKS is not supported"],
    ["a file that is not there", config({ "certificate-authority": "nowhere" }, {}), "nowhere that"],
  ])("with %s is refused with what was expected", async (_what, content, message) => {
    await expect(read(content)).rejects.toThrow(KubeconfigError);
    await expect(read(content)).rejects.toThrow(message);
  });

  test("that is nowhere is refused with where it was looked for", async () => {
    await expect(chooseContext({ env: { HOME: folder } })).rejects.toThrow(join(folder, ".kube", "config"));
    await expect(chooseContext({ kubeconfig: join(folder, "none"), env: {} })).rejects.toThrow(
      "none to be a kubeconfig",
    );
  });

  test("is not found for a user without a home directory, who may name one", async () => {
    const homedir = vi.spyOn(process.getBuiltinModule("node:os"), "homedir").mockImplementation(() => {
      throw new Error("uv_os_homedir returned ENOENT");
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      homedir.mockRestore();
      syncBuiltinESMExports();
    });
    expect(candidatesOf({ env: {} })).toEqual([]);
    await expect(chooseContext({ env: {} })).rejects.toThrow(
      new NoKubeconfigError("expected KUBECONFIG or HOME to be set: this user has no home directory"),
    );
    expect((await chooseContext({ env: { KUBECONFIG: file(config({}, {})) } })).name).toBe("x");
  });
});
