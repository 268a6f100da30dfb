import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { sampled } from "../../src/util/testing/amount.ts";
import { CONFIG_MAPS, Http2Client, Keelson, Scratch, configMap, read, run, until } from "./keelson.ts";

const scratch = new Scratch();
afterAll(() => scratch.remove());

/** Writes a file with options and returns its path. */
function file(name: string, text: string): string {
  writeFileSync(`${scratch.path}/${name}`, text);
  return `${scratch.path}/${name}`;
}

const NEUTRAL = "neutral dialect";
const KUBERNETES = "kubernetes dialect";

test("who reads the help may have read enough", () => {
  const executable = new URL("../../bin/keelson.js", import.meta.url).pathname;
  // The reader has gone before anything is written.
  const script = `{ sleep 0.3; "$0" "$1" serve --help; echo "$?" >&2; } | head -c 0`;
  const { stderr } = spawnSync("sh", ["-c", script, process.execPath, executable], { encoding: "utf8" });
  expect(stderr).toBe("0\n");
});

describe("options", () => {
  const said = file("said.yaml", "dialect: kubernetes\ndev: true\nport: 0\n");
  const silent = file("silent.yaml", "dev: true\nport: 0\n");

  // All orders are in src/app/options/options.test.ts.
  test.each(
    sampled<readonly [string, readonly string[], object, string, string]>(
      [
        ["the default", [], {}, silent, NEUTRAL],
        ["the file over the default", [], {}, said, KUBERNETES],
        ["the environment over the file", [], { KEELSON_DIALECT: "neutral" }, said, NEUTRAL],
        [
          "a flag over the environment",
          ["--dialect", "kubernetes"],
          { KEELSON_DIALECT: "neutral" },
          silent,
          KUBERNETES,
        ],
        ["a flag over all", ["--dialect", "neutral"], { KEELSON_DIALECT: "kubernetes" }, said, NEUTRAL],
        ["nothing from an empty variable", [], { KEELSON_DIALECT: "" }, said, KUBERNETES],
      ],
      3,
    ),
  )("come from flag, environment and file: %s", async (_, flags, env, config, dialect) => {
    const keelson = await Keelson.serve(["--config", config, ...flags], { env: env as Record<string, string> });
    expect(keelson.stdout).toContain(dialect);
    await keelson.stop();
  });

  test("KEELSON_CONFIG names the file, and info and kubeconfig follow it too", async () => {
    const directory = scratch.fresh();
    const env = { KEELSON_CONFIG: file("place.yaml", `data-dir: ${directory}\nport: 0\n`) };
    const keelson = await Keelson.serve([], { env });
    expect(keelson.stdout).toContain(`data directory: ${directory}`);
    expect((await run(["kubeconfig"], { env })).stdout).toBe(read(directory, "admin.kubeconfig"));
    expect((await run(["info"], { env })).stdout).toContain(`pid ${keelson.pid}`);
    await keelson.stop();
  });

  test("a relative data directory is printed in full", async () => {
    const keelson = await Keelson.serve(["--data-dir", "here", "--port", "0"], { cwd: scratch.path });
    expect(keelson.stdout).toContain(`export KUBECONFIG=${scratch.path}/here/admin.kubeconfig`);
    await keelson.stop();
  });

  test.each([
    ["a flag", ["--prot", "1"], {}, "", "--port"],
    ["a key of the file", [], {}, "dialekt: neutral", '"dialect"'],
    ["a key of the file in another spelling", [], {}, "dataDir: x", '"data-dir"'],
    ["a feature gate", ["--feature-gates", "ImageVolumes=true"], {}, "", '"ImageVolume"'],
    ["a command", [], {}, "", ""],
  ])("what is unknown is refused with the nearest name: %s", async (what, flags, env, config, nearest) => {
    const args = what === "a command" ? ["sevre"] : ["serve", ...flags];
    if (config) args.push("--config", file("bad.yaml", config));
    const { code, stderr } = await run(args, { env: env as Record<string, string> });
    expect(code).toBe(2);
    expect(stderr).toContain(what === "a command" ? "Did you mean serve?" : nearest);
  });

  // What each option refuses is in src/app/options/options.test.ts.
  test.each(
    sampled<readonly [readonly string[], string]>(
      [
        [["--port", "http"], 'expected --port to be a number from 0 to 65535, got "http"'],
        [["--port", "65536"], 'got "65536"'],
        [["--dialect", "german"], 'expected --dialect to be neutral or kubernetes, got "german"'],
        [["--store", "etcd3"], 'expected --store to be sqlite or memory or etcd, got "etcd3"'],
        [["--event-ttl", "5"], "expected --event-ttl to be a duration such as 30s, 90m or 1h30m"],
        [["--log-level", "loud"], "expected --log-level"],
        [["--feature-gates", "ImageVolume=yes"], 'ImageVolume to be true or false, got "yes"'],
        [["--dev", "maybe"], 'expected --dev to be true or false, got "maybe"'],
        [["--config", "/no/such/file"], "expected the file /no/such/file to exist"],
        [
          ["--bind", "192.0.2.1", "--dev", "--port", "0"],
          "expected --bind to be an address of this machine, got 192.0.2.1",
        ],
        [
          ["--controllers", "garbage", "--dev", "--port", "0"],
          "expected --controllers to name some of attachdetach, clusterrole-aggregation-controller, csrapproving",
        ],
        [["--insecure-http", "--bind", "0.0.0.0"], "expected a loopback address with --insecure-http, got 0.0.0.0"],
        [["--insecure-http", "--bind", "192.168.1.1"], "expected a loopback address"],
        [["extra"], "too many arguments"],
      ],
      3,
    ),
  )("serve %j is refused before anything starts", async (args, message) => {
    const { code, stderr, stdout } = await run(["serve", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test("a file that is no YAML, or no map, is refused", async () => {
    for (const text of ["a: [", "- port\n", "just text"]) {
      const { code, stderr } = await run(["serve", "--config", file("broken.yaml", text)]);
      expect({ text, code }).toEqual({ text, code: 2 });
      expect(stderr).toContain("broken.yaml");
    }
  });

  test("each key of a file is there once", async () => {
    const { code, stderr } = await run(["serve", "--config", file("twice.yaml", "port: 0\nbind: ::1\nport: 1\n")]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("expected each key once, got port twice") as string,
    });
  });

  test("variables of a Service called keelson do not keep the server from starting", async () => {
    const env = {
      KEELSON_SERVICE_HOST: "10.0.0.1",
      KEELSON_PORT: "tcp://10.0.0.1:443",
      KEELSON_PORT_443_TCP_PORT: "443",
    };
    const keelson = await Keelson.serve(["--config", silent], { env });
    expect(new URL(keelson.url).port).toMatch(/^\d{4,5}$/);
    await keelson.stop();
  });

  test("the number of a port that is in use is reported, and the process ends", async () => {
    const other = net.createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as net.AddressInfo;
    const { code, stderr } = await run(["serve", "--data-dir", scratch.fresh(), "--port", String(port)]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`expected port ${port}`) as string });
    other.close();
  });

  test("the path of a data directory that cannot be created is reported", async () => {
    const { code, stderr } = await run(["serve", "--data-dir", `${file("plain", "")}/below`, "--port", "0"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^keelson: .*plain\/below/m) as string });
  });
});

describe("a damaged file of the data directory", () => {
  test.each(["pki/ca.key", "pki/server.crt", "pki/token.key"])("%s is named, with what to do", async (name) => {
    const directory = scratch.fresh();
    await (await Keelson.serve(["--data-dir", directory, "--port", "0"])).stop();
    writeFileSync(join(directory, name), "");
    const { code, stderr } = await run(["serve", "--data-dir", directory, "--port", "0"]);
    const message = new RegExp(
      `^keelson: expected .*${name.slice(4)}.* to be .*, found .*; restore .* from a copy, or remove .*$`,
      "m",
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) as string });
    expect(stderr).not.toContain("    at ");
  });
});

describe.skipIf(process.getuid?.() !== 0)("a user id without an entry in the list of users (needs root)", () => {
  const uid = 54_321;

  test("starts where nothing is stored or a home is known, and else asks for --data-dir", async () => {
    const dev = await Keelson.serve(["--dev", "--port", "0"], { uid, env: { HOME: "" } });
    await dev.stop();
    const home = mkdtempSync(`${tmpdir()}/keelson-home-`);
    chownSync(home, uid, uid);
    const kept = await Keelson.serve(["--port", "0"], { uid, env: { HOME: home } });
    expect(kept.stdout).toContain(`data directory: ${home}/.local/share/keelson`);
    await kept.stop();
    rmSync(home, { recursive: true });
    const { code, stderr } = await run(["serve"], { uid, env: { HOME: "" } });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("expected --data-dir") as string });
  });

  test("is told that it may not read the data directory of another one", async () => {
    const home = mkdtempSync(`${tmpdir()}/keelson-home-`);
    chownSync(home, uid, uid);
    const directory = scratch.fresh();
    const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    const refused = `keelson: expected ${join(directory, "keelson.json")} to be readable, found no permission for it (EACCES)\n`;
    for (const command of ["console", "health", "info", "serve"]) {
      const { code, stderr } = await run([command, "--data-dir", directory], { uid, env: { HOME: home } });
      expect({ command, code, stderr }).toEqual({ command, code: 1, stderr: refused });
    }
    // Where the directory is only the default one, the kubeconfig is used.
    const env = { HOME: home, KEELSON_DATA_DIR: directory };
    const { code, stderr } = await run(["console"], { uid, env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("kubeconfig") as string });
    await keelson.stop();
    rmSync(home, { recursive: true });
  });
});

describe("--insecure-http", () => {
  test.each(sampled(["127.0.0.1", "127.1.2.3", "localhost"], 3))(
    "speaks plain HTTP on %s, still to the admin only",
    async (bind) => {
      const keelson = await Keelson.serve(["--dev", "--port", "0", "--insecure-http", "--bind", bind]);
      expect(keelson.url).toMatch(/^http:/);
      const token = /^bearer token: (.*)$/m.exec(keelson.stdout)![1]!;
      expect((await fetch(`${keelson.url}/api/v1/namespaces`)).status).toBe(401);
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${keelson.url}/api/v1/namespaces`, { headers })).status).toBe(200);
      await keelson.stop();
    },
  );

  test("writes a kubeconfig with the token and no certificates", async () => {
    const directory = scratch.fresh();
    const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0", "--insecure-http"]);
    const text = read(directory, "admin.kubeconfig");
    expect(text).toContain(`server: ${keelson.url}`);
    expect(text).toContain(`token: ${read(directory, "admin.token")}`);
    expect(text).not.toContain("-data:");
    await keelson.stop();
  });
});

describe("--controllers", () => {
  const running = async (...args: string[]): Promise<string[]> => {
    const directory = scratch.fresh();
    const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0", "--dialect", "kubernetes", ...args]);
    const client = await Http2Client.connect(keelson, directory);
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
    await client.send("POST", "/api/v1/namespaces", namespace);
    const there = async (path: string): Promise<boolean> => (await client.send("GET", path)).status === 200;
    const made: string[] = [];
    // What runs makes its object within milliseconds; what does not run never does.
    for (const end = performance.now() + 500; performance.now() < end && made.length < 2;) {
      made.length = 0;
      if (await there("/api/v1/namespaces/team/serviceaccounts/default")) made.push("serviceaccount");
      if (await there("/api/v1/namespaces/team/configmaps/kube-root-ca.crt")) made.push("root-ca");
    }
    client.close();
    await keelson.stop();
    return made;
  };

  test.each(
    sampled<readonly [string, readonly string[]]>(
      [
        ["*", ["serviceaccount", "root-ca"]],
        ["none", []],
        ["root-ca", ["root-ca"]],
        ["-root-ca", ["serviceaccount"]],
        ["*,-serviceaccount", ["root-ca"]],
      ],
      2,
    ),
  )("%s runs %j", async (list, made) => {
    expect(await running(`--controllers=${list}`)).toEqual(made);
  });

  test("EV-3: Events go after --event-ttl, other objects stay", async () => {
    const directory = scratch.fresh();
    const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0", "--event-ttl", "1s"]);
    const client = await Http2Client.connect(keelson, directory);
    const involvedObject = { kind: "ConfigMap", namespace: "default", name: "stays" };
    const event = { apiVersion: "v1", kind: "Event", metadata: { name: "goes" }, involvedObject, reason: "Seen" };
    await client.send("POST", CONFIG_MAPS, configMap("stays"));
    const path = "/api/v1/namespaces/default/events";
    expect((await client.send("POST", path, event)).status).toBe(201);
    await until(async () => (await client.send("GET", `${path}/goes`)).status === 404);
    expect((await client.send("GET", `${CONFIG_MAPS}/stays`)).status).toBe(200);
    client.close();
    await keelson.stop();
  });
});

describe("the other commands", () => {
  test("--version prints name and version", async () => {
    const { version } = JSON.parse(read(new URL("../..", import.meta.url).pathname, "package.json")) as {
      version: string;
    };
    expect(await run(["--version"])).toMatchObject({ code: 0, stdout: `keelson ${version}\n` });
  });

  test("--help lists the commands, and serve --help every option", async () => {
    const help = await run(["--help"]);
    expect(help.code).toBe(0);
    for (const command of ["serve", "info", "kubeconfig", "completion"]) expect(help.stdout).toContain(command);
    const { stdout } = await run(["serve", "--help"]);
    for (const flag of [
      "data-dir",
      "port",
      "bind",
      "dialect",
      "feature-gates",
      "store",
      "controllers",
      "config",
      "dev",
    ]) {
      expect(stdout).toContain(`--${flag}`);
    }
  });

  test("info of a directory where nothing was started says so", async () => {
    const { code, stdout } = await run(["info", "--data-dir", scratch.fresh()]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("nothing was started here") as string,
    });
  });

  test("kubeconfig of a directory where nothing was started is refused", async () => {
    const { code, stderr } = await run(["kubeconfig", "--data-dir", scratch.fresh()]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("start a server there first") as string,
    });
  });

  test("completion of another shell is refused with those that are known", async () => {
    const { code, stderr } = await run(["completion", "tcsh"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("bash, zsh, fish") as string });
  });
});
