import { describe, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { type Check, ok, runChecks, sizeText, warn } from "./check.ts";
import { browserCheck, helmCheck, kubectlCheck } from "./clients.ts";
import { directoryCheck, fileSystemCheck, flushCheck, isNoexec, spaceCheck } from "./folder.ts";
import { checkLines, resultOf } from "./lines.ts";
import {
  filesCheck,
  memoryCheck,
  memoryLimitOf,
  nodeCheck,
  openFilesOf,
  processorCheck,
  processorQuotaOf,
} from "./machine.ts";
import { etcdCheck, listeningInodes, localhostCheck, portCheck, proxyCheck } from "./network.ts";
import { type ServerFindings, serverChecks } from "./server.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const judged = ({ verdict, found }: Check): string => `${verdict}: ${found}`;

describe("the machine", () => {
  test.each([
    [nodeCheck("v24.9.0", "linux", "x64"), "ok: v24.9.0 on linux x64"],
    [nodeCheck("v24.9.0", "linux", "arm64"), "ok: v24.9.0 on linux arm64"],
    [nodeCheck("v24.9.0", "win32", "x64"), "warn: v24.9.0 on win32 x64"],
    [memoryCheck(8 * GIB, undefined), "ok: 8 GiB"],
    [memoryCheck(8 * GIB, 300 * MIB), "warn: 300 MiB (container)"],
    [memoryCheck(8 * GIB, 100 * MIB), "fail: 100 MiB (container)"],
    [memoryCheck(2 * GIB, 8 * GIB), "ok: 2 GiB"],
    [processorCheck(4, undefined), "ok: 4"],
    [processorCheck(4, 0.5), "warn: 0.5 of 4 (container)"],
    [filesCheck(20_000), "ok: 20000"],
    [filesCheck(256), "warn: 256"],
    [filesCheck(Infinity), "ok: unlimited"],
    [filesCheck(undefined), "ok: unknown on this platform"],
  ])("is judged: %#", (check, expected) => {
    expect(judged(check)).toBe(expected);
    expect(check.verdict === "ok" || check.advice !== "").toBe(true);
  });

  test("limits are read from what the kernel prints", () => {
    expect([memoryLimitOf("max\n"), memoryLimitOf("1048576\n"), memoryLimitOf(undefined)]).toEqual([
      undefined,
      1_048_576,
      undefined,
    ]);
    expect(memoryLimitOf("9223372036854771712\n")).toBeUndefined();
    expect([processorQuotaOf("50000 100000\n"), processorQuotaOf("max 100000\n"), processorQuotaOf(undefined)]).toEqual(
      [0.5, undefined, undefined],
    );
    const limits =
      "Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 524288               files\n";
    expect([openFilesOf(limits), openFilesOf(limits.replace("1024  ", "unlimited")), openFilesOf("")]).toEqual([
      1024,
      Infinity,
      undefined,
    ]);
  });

  test.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1536, "1.5 KiB"],
    [512 * MIB, "512 MiB"],
    [5000 * GIB, "4.9 TiB"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });
});

describe("the data directory", () => {
  const state = { path: "/data", exists: true, nearest: "/data", isWritable: true, mode: 0o40700 };

  test.each([
    [directoryCheck(state), "ok: /data"],
    [directoryCheck({ ...state, exists: false, nearest: "/" }), "ok: /data (does not exist yet)"],
    [directoryCheck({ ...state, mode: 0o40755 }), "warn: /data, mode 0755"],
    [directoryCheck({ ...state, mode: undefined }), "ok: /data"],
    [directoryCheck({ ...state, isWritable: false }), "fail: /data"],
    [spaceCheck(10 * GIB, 20 * GIB), "ok: 10 GiB free of 20 GiB"],
    [spaceCheck(500 * MIB, 20 * GIB), "warn: 500 MiB free of 20 GiB"],
    [spaceCheck(MIB, 20 * GIB), "fail: 1 MiB free of 20 GiB"],
    [flushCheck(1.234), "ok: 1.2 ms for each"],
    [flushCheck(45), "warn: 45 ms for each"],
    [flushCheck(0.001), "warn: 0.0 ms for each"],
  ])("is judged: %#", (check, expected) => {
    expect(judged(check)).toBe(expected);
  });

  test.each([
    [0xef53, {}, "ok: ext4"],
    [0xef53, { ignoresCase: true }, "ok: ext4, ignores case"],
    [0xef53, { noexec: true }, "warn: ext4, noexec"],
    [0x6969, {}, "warn: nfs"],
    [0xff534d42, {}, "warn: cifs"],
    [0x01021994, {}, "warn: tmpfs"],
    [0x794c7630, {}, "warn: overlay"],
    [0x1234, {}, "ok: type 0x1234"],
  ])("the file system %d with %o is judged", (magic, traits, expected) => {
    expect(judged(fileSystemCheck(magic, { ignoresCase: false, noexec: false, ...traits }))).toBe(expected);
  });

  test("the option of the last mount above a path counts", () => {
    const mounts = [
      "/dev/a / ext4 rw,noexec 0 0",
      "/dev/b /data ext4 rw 0 0",
      "/dev/c /data/my\\040disk ext4 rw,noexec 0 0",
      "/dev/d /database ext4 rw,noexec 0 0",
    ].join("\n");
    const of = (path: string): boolean => isNoexec(mounts, path);
    expect([of("/data"), of("/data/x"), of("/data/my disk/x"), of("/other")]).toEqual([false, false, true, true]);
    expect(isNoexec(`${mounts}\n/dev/e /data ext4 rw,noexec 0 0`, "/data")).toBe(true);
    expect(isNoexec(undefined, "/data")).toBe(false);
  });
});

describe("the network", () => {
  const port = { bind: "127.0.0.1", port: 6443, ownPid: 7, owner: { pid: 7, command: "node" } };

  test.each([
    [portCheck({ ...port, tried: "free" }), "ok: free on 127.0.0.1"],
    [portCheck({ ...port, tried: "EADDRINUSE" }), "ok: the server of this directory (pid 7)"],
    [portCheck({ ...port, tried: "EADDRINUSE", ownPid: 8 }), "fail: taken by node (pid 7)"],
    [portCheck({ ...port, tried: "EADDRINUSE", owner: undefined }), "fail: taken by another process"],
    [portCheck({ ...port, tried: "EACCES" }), "fail: not permitted on 127.0.0.1"],
    [portCheck({ ...port, tried: "EADDRNOTAVAIL" }), "fail: this machine does not have 127.0.0.1"],
    [portCheck({ ...port, tried: "EINVAL" }), "fail: EINVAL on 127.0.0.1"],
    [localhostCheck(["127.0.0.1", "::1"]), "ok: 127.0.0.1, ::1"],
    [localhostCheck(["::1"]), "warn: ::1"],
    [localhostCheck([]), "fail: no address"],
    [proxyCheck({}, undefined), "ok: none"],
    [proxyCheck({ HTTPS_PROXY: "http://p" }, undefined), "ok: HTTPS_PROXY; not for the server"],
    [proxyCheck({ https_proxy: "http://p" }, "http://p"), "warn: https_proxy; also for the server"],
    [etcdCheck({ a: "open", b: "open" }), "ok: 2 reachable"],
    [etcdCheck({ a: "open", b: "ECONNREFUSED" }), "warn: not reachable: b (ECONNREFUSED)"],
    [etcdCheck({ a: "no answer" }), "fail: not reachable: a (no answer)"],
  ])("is judged: %#", (check, expected) => {
    expect(judged(check)).toBe(expected);
  });

  test("listening sockets are found in the table of the kernel", () => {
    const table = [
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
      "   0: 0100007F:192B 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1",
      "   1: 0100007F:192B 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 4343 1",
      "   2: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4444 1",
    ].join("\n");
    expect([listeningInodes(table, 6443), listeningInodes(table, 80), listeningInodes(undefined, 80)]).toEqual([
      ["4242"],
      ["4444"],
      [],
    ]);
  });
});

describe("clients", () => {
  const kubectl = (version: string): string => JSON.stringify({ clientVersion: { gitVersion: version } });

  test.each([
    [kubectlCheck(kubectl("v1.35.2"), 35), "ok: v1.35.2"],
    [kubectlCheck(kubectl("v1.36.0"), 35), "ok: v1.36.0"],
    [kubectlCheck(kubectl("v1.30.1"), 35), "ok: v1.30.1"],
    [kubectlCheck(kubectl("v1.20.1"), 35), "warn: v1.20.1"],
    [kubectlCheck(kubectl("v1.40.0"), 35), "warn: v1.40.0"],
    [kubectlCheck(kubectl("x"), 35), "warn: of unknown version"],
    [kubectlCheck("[", 35), "warn: of unknown version"],
    [kubectlCheck(undefined, 35), "warn: not in PATH"],
    [helmCheck("v3.19.0+g3d8990f"), "ok: v3.19.0"],
    [helmCheck("Client: v2.16.1+gbbdfe5e"), "warn: v2.16.1"],
    [helmCheck(""), "warn: of unknown version"],
    [helmCheck(undefined), "ok: not in PATH"],
    [browserCheck(["chromium"], false), "ok: chromium"],
    [browserCheck([], true), "ok: that of the desktop"],
    [browserCheck([], false), "ok: none in PATH"],
  ])("are judged: %#", (check, expected) => {
    expect(judged(check)).toBe(expected);
  });
});

describe("the server", () => {
  const now = Date.parse("2030-01-01T00:00:00Z");
  const found: ServerFindings = {
    context: "keelson",
    url: "https://127.0.0.1:6443",
    version: { gitVersion: "v1.35.0" },
    skewMillis: 0,
    certificateEnds: now + 100 * 86_400_000,
    user: "keelson:admin",
    isAdmin: true,
  };
  const of = (more: Partial<ServerFindings>, name: string): string | undefined => {
    const check = serverChecks({ ...found, ...more }, now).find((one) => one.check === name);
    return check && judged(check);
  };

  test("is right", () => {
    expect(serverChecks(found, now).map((check) => `${check.check}: ${judged(check)}`)).toEqual([
      "kubeconfig: ok: context keelson, https://127.0.0.1:6443",
      "server: ok: v1.35.0",
      "clock: ok: as the server's",
      "client certificate: ok: until 2030-04-11",
      "rights: ok: keelson:admin, may do everything",
    ]);
  });

  test.each([
    [{ skewMillis: 30_000 }, "clock", "warn: the server is 30 s ahead"],
    [{ skewMillis: -3_600_000 }, "clock", "fail: the server is 3600 s behind"],
    [{ skewMillis: undefined }, "clock", undefined],
    [{ certificateEnds: now - 1 }, "client certificate", "fail: ended on 2029-12-31"],
    [{ certificateEnds: now + 86_400_000 }, "client certificate", "warn: ends on 2030-01-02"],
    [{ certificateEnds: undefined }, "client certificate", undefined],
    [{ isAdmin: false, user: "me" }, "rights", "ok: me, some: kubectl auth can-i --list"],
    [{ isAdmin: undefined }, "rights", "warn: keelson:admin"],
    [{ isAdmin: false, user: "system:anonymous" }, "rights", "fail: system:anonymous"],
    [{ version: "connect ECONNREFUSED" }, "server", "fail: connect ECONNREFUSED"],
    [{ version: "connect ECONNREFUSED" }, "rights", undefined],
  ] as const)("%o is judged", (more, name, expected) => {
    expect(of(more, name)).toBe(expected);
  });

  test.each([
    ["connect ECONNREFUSED 127.0.0.1:1", "start it"],
    ["self-signed certificate in certificate chain", "of another server"],
    ["getaddrinfo ENOTFOUND api", "cannot be resolved"],
    ["responded with 401", "no longer valid"],
    ["else", "see the message"],
  ])("that says %s has advice", (version, advice) => {
    const checks = serverChecks({ ...found, version }, now);
    expect(checks.find(({ check }) => check === "server")!.advice).toContain(advice);
  });
});

describe("checks", () => {
  test("run at once; one that hangs or fails is a warning, and keeps no other one", async () => {
    const checks = await runChecks(
      systemClock,
      [
        { name: "hangs", run: () => new Promise(() => {}) },
        { name: "fails", run: () => Promise.reject(new Error("no such thing")) },
        { name: "right", run: async () => [ok("right", "here")] },
      ],
      20,
    );
    expect(checks.map((check) => `${check.check} ${judged(check)}`)).toEqual([
      "hangs warn: no result within 0.02 s",
      "fails warn: could not be checked: no such thing",
      "right ok: here",
    ]);
  });

  test("are a table; what to do stands below a long text, and no text controls the terminal", () => {
    const style = { paint: (_: string, text: string) => text };
    const lines = checkLines([ok("a", "b"), warn("proxies", "x".repeat(70), "unset it"), ok("c", "\u001b[2J")], style);
    expect(lines).toEqual([
      "CHECK          FOUND  WHAT TO DO",
      "a        ok    b",
      "proxies  warn  " + "x".repeat(70),
      "               unset it",
      "c        ok    \ufffd[2J",
    ]);
  });

  test("that have failed are named", () => {
    expect(resultOf([ok("a", "")])).toBeUndefined();
    const failed = (check: string): Check => ({ check, found: "", verdict: "fail", advice: "" });
    expect(resultOf([failed("a"), ok("b", ""), failed("c")])).toBe("2 checks failed: a, c");
  });
});
