import { describe, expect, test } from "vitest";
import type { Check } from "../doctor/check.ts";
import {
  type Definition,
  StoredVersions,
  closeCheck,
  compareVersions,
  deprecatedCheck,
  etcdFormatCheck,
  formatChecks,
  releaseCheck,
  requestedOf,
  runningCheck,
  wayBackCheck,
} from "./judge.ts";

const judged = ({ verdict, found }: Check): string => `${verdict}: ${found}`;
const state = {
  path: "/data",
  dialect: "kubernetes",
  format: 2,
  newestFormat: 2,
  storeFormat: 3,
  newestStoreFormat: 3,
  closedInOrder: true,
};

describe("formats", () => {
  test.each([
    [{}, ["ok: format 2, dialect kubernetes", "ok: format 3"]],
    [{ format: 1 }, ["warn: format 1, dialect kubernetes", "ok: format 3"]],
    [{ format: 3 }, ["fail: format 3, dialect kubernetes", "ok: format 3"]],
    [{ storeFormat: 4 }, ["ok: format 2, dialect kubernetes", "fail: format 4"]],
    [{ storeFormat: undefined }, ["ok: format 2, dialect kubernetes"]],
    [{ format: undefined }, ["ok: /data: nothing was started here"]],
  ])("with %o are judged", (more, expected) => {
    expect(formatChecks({ ...state, ...more }).map(judged)).toEqual(expected);
  });

  test.each([
    [{}, "ok: etcd 3.6.1: format 1, dialect kubernetes"],
    [{ format: 2 }, "fail: etcd 3.6.1: format 2, dialect kubernetes"],
    [{ owner: undefined }, "ok: etcd 3.6.1: format 1"],
    [{ dialect: undefined }, "ok: etcd 3.6.1: format 1, dialect kubernetes"],
    [{ dialect: "neutral" }, "fail: etcd 3.6.1: format 1, dialect kubernetes"],
    [{ format: undefined, owner: undefined }, "ok: etcd 3.6.1: nothing is stored below /keelson"],
  ])("in etcd with %o are judged", (more, expected) => {
    const found = { prefix: "/keelson", version: "3.6.1", format: 1, newestFormat: 1, owner: "kubernetes" };
    expect(judged(etcdFormatCheck({ ...found, dialect: "kubernetes", ...more }))).toBe(expected);
  });

  test("that will be migrated ask for a backup", () => {
    expect(formatChecks({ ...state, storeFormat: 1 })[1]!.advice).toBe(
      "the next start migrates it to 3; there is no way back: take a backup",
    );
  });

  test("a store that was not closed is reported, unless a server runs", () => {
    expect(closeCheck(state, false).map(judged)).toEqual(["ok: clean"]);
    expect(closeCheck({ ...state, closedInOrder: false }, false).map(judged)).toEqual([
      "warn: not clean: it crashed or was killed",
    ]);
    expect(closeCheck({ ...state, closedInOrder: false }, true).map(judged)).toEqual(["ok: a server runs"]);
    expect(closeCheck({ ...state, closedInOrder: undefined }, false)).toEqual([]);
    expect([wayBackCheck(true).advice, wayBackCheck(false).advice]).toEqual([
      "take one now: keelson backup before.backup",
      "copy the directory while no server runs",
    ]);
  });
});

describe("versions", () => {
  test.each([
    ["1.2.3", "1.2.3", 0],
    ["1.2.3", "1.10.0", -1],
    ["2.0.0", "1.10.0", 1],
    ["1.0.0-rc.1", "1.0.0", -1],
    ["1.0.0", "1.0.0-rc.1", 1],
  ])("%s is compared with %s", (a, b, order) => {
    expect(Math.sign(compareVersions(a, b))).toBe(order);
  });

  test("of a running server are judged", () => {
    const running = (version: string) => runningCheck({ running: { pid: 7, version, addresses: [] } }, "1.2.0");
    expect([running("1.2.0"), running("1.1.0"), running("1.3.0")].map(judged)).toEqual([
      "ok: 1.2.0, pid 7",
      "ok: 1.1.0, pid 7",
      "warn: 1.3.0, pid 7",
    ]);
    expect(judged(runningCheck({ running: undefined }, "1.2.0"))).toBe("ok: none");
  });

  test("of the registry are judged", () => {
    expect(releaseCheck({ version: "1.3.0" }, "1.2.0").advice).toContain("npm install --global keelson@1.3.0");
    expect(judged(releaseCheck({ version: "1.2.0" }, "1.2.0"))).toBe("ok: 1.2.0, and this is 1.2.0");
    expect(judged(releaseCheck("no answer", "1.2.0"))).toBe("warn: no answer");
    // The advice is a command that is copied.
    for (const version of ["9.0.0; rm -rf ~", "9.0.0\n", "9.0.0-`id`", "", "latest", "9".repeat(1000)]) {
      const { verdict, advice } = releaseCheck({ version }, "1.2.0");
      expect([version, verdict, advice]).toEqual([version, "warn", "look at the registry"]);
    }
  });
});

describe("stored versions", () => {
  const definition = (storedVersions: string[], served: readonly string[]) => ({
    metadata: { name: "things.example" },
    spec: { versions: ["v1", "v1beta1"].map((name) => ({ name, served: served.includes(name) })) },
    status: { storedVersions },
  });
  const checkOf = (definitions: readonly Definition[]): Check => {
    const found = new StoredVersions();
    for (const one of definitions) found.add(one);
    return found.check();
  };

  test.each([
    [[], "ok: 0 definitions, each stored in one version"],
    [[definition(["v1"], ["v1", "v1beta1"])], "ok: 1 definitions, each stored in one version"],
    [[definition(["v1beta1", "v1"], ["v1", "v1beta1"])], "ok: several: things.example (v1beta1, v1)"],
    [[definition(["v1beta1", "v1"], ["v1"])], "warn: not served: things.example v1beta1"],
    [[definition(["v0"], ["v1"])], "warn: not served: things.example v0"],
  ])("%# are judged", (definitions, expected) => {
    expect(judged(checkOf(definitions))).toBe(expected);
  });

  test("of many definitions are counted", () => {
    const many = Array.from({ length: 8 }, () => definition(["v0"], ["v1"]));
    expect(checkOf(many).found).toMatch(/ and 3 more$/);
  });
});

describe("deprecated versions", () => {
  const METRICS = [
    "# TYPE apiserver_requested_deprecated_apis gauge",
    'apiserver_requested_deprecated_apis{group="",version="v1",resource="endpoints",subresource="",removed_release=""} 1',
    'apiserver_requested_deprecated_apis{group="a.example",version="v1beta1",resource="things",subresource="",removed_release="1.39"} 1',
    'apiserver_request_total{group=""} 7',
  ].join("\n");

  test("are read from the metrics, and judged", () => {
    expect(judged(deprecatedCheck(requestedOf(METRICS)))).toBe(
      "warn: endpoints v1, things.a.example v1beta1 (removed in 1.39)",
    );
    expect(judged(deprecatedCheck(requestedOf(METRICS).slice(0, 1)))).toBe(
      "ok: requested, and removed in no known release: endpoints v1",
    );
    // A line without an end is not searched.
    expect(requestedOf(`apiserver_requested_deprecated_apis{${"a".repeat(4_000_000)}`)).toEqual([]);
    expect(judged(deprecatedCheck([]))).toBe("ok: none was requested since the server started");
    expect(judged(deprecatedCheck(undefined))).toBe("warn: not known");
  });
});
