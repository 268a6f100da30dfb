import { expect, test } from "vitest";
import { parse } from "yaml";
import { kubeconfig } from "./kubeconfig.ts";
import type { Pki } from "../pki/index.ts";

const pair = (name: string): { cert: string; key: string } => ({ cert: `${name} cert\n`, key: `${name} key\n` });
const PKI: Pick<Pki, "trust" | "admin" | "adminToken"> = {
  trust: "ca cert\n",
  admin: pair("admin"),
  adminToken: "the-token",
};

const base64 = (text: string): string => Buffer.from(text).toString("base64");

test("a kubeconfig for TLS has the CA and the admin's certificate inline", () => {
  const text = kubeconfig("https://[::1]:6443", PKI);
  expect(parse(text)).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "keelson", cluster: { server: "https://[::1]:6443", "certificate-authority-data": base64("ca cert\n") } },
    ],
    users: [
      {
        name: "admin",
        user: { "client-certificate-data": base64("admin cert\n"), "client-key-data": base64("admin key\n") },
      },
    ],
    contexts: [{ name: "keelson", context: { cluster: "keelson", user: "admin" } }],
    "current-context": "keelson",
  });
});

test("a kubeconfig for plain HTTP has the token", () => {
  const { users, clusters } = parse(kubeconfig("http://127.0.0.1:1", PKI)) as Record<string, unknown[]>;
  expect(users).toEqual([{ name: "admin", user: { token: "the-token" } }]);
  expect(clusters).toMatchObject([{ cluster: { server: "http://127.0.0.1:1" } }]);
});
