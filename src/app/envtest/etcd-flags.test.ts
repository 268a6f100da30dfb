import { expect, test } from "vitest";
import { planEtcd } from "./etcd-flags.ts";
import { readFlags } from "./go-flags.ts";

const plan = (...args: string[]) => planEtcd(readFlags(args));

test("the flags of envtest", () => {
  expect(
    plan(
      "--advertise-client-urls=http://127.0.0.1:40001",
      "--data-dir=/tmp/k8s_test_framework_1",
      "--listen-client-urls=http://127.0.0.1:40001",
      "--listen-peer-urls=http://127.0.0.1:40002",
      "--unsafe-no-fsync=true",
    ),
  ).toEqual({
    dataDir: "/tmp/k8s_test_framework_1",
    listen: [{ host: "127.0.0.1", port: 40001 }],
    unflushed: true,
    ignored: ["advertise-client-urls", "listen-peer-urls"],
  });
});

test("defaults are those of etcd", () => {
  expect(plan()).toEqual({
    dataDir: "default.etcd",
    listen: [{ host: "localhost", port: 2379 }],
    unflushed: false,
    ignored: [],
  });
});

test("there may be several addresses", () => {
  expect(plan("--listen-client-urls=http://[::1]:1,http://localhost:2/").listen).toEqual([
    { host: "::1", port: 1 },
    { host: "localhost", port: 2 },
  ]);
});

test.each(["https://127.0.0.1:1", "127.0.0.1:1", "http://127.0.0.1", "unix://x:1"])("%j is refused", (url) => {
  expect(() => plan(`--listen-client-urls=${url}`)).toThrow(
    `expected --listen-client-urls to have addresses such as http://127.0.0.1:2379, got "${url}"`,
  );
});
