import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../schema/definition.ts";
import { ManualClock, seededRandom } from "../../util/clock.ts";
import { lookupOf, objectOf } from "../testing/requests.ts";
import { type ClientConfig, type ServiceMap, WebhookAddresses, shownUrl } from "./address.ts";

const service = (spec: object): ApiObject =>
  objectOf(
    { name: "hook", namespace: "team" },
    { kind: "Service", spec: { type: "ClusterIP", ports: [{ name: "https", port: 443 }], ...spec } },
  );

const slice = (name: string, endpoints: readonly object[], port = 9443): ApiObject =>
  objectOf(
    { name, namespace: "team", labels: { "kubernetes.io/service-name": "hook" } },
    { kind: "EndpointSlice", addressType: "IPv4", endpoints, ports: [{ name: "https", port }] },
  );

const REFERENCE: ClientConfig = { service: { namespace: "team", name: "hook", path: "/check" } };

/** The address that objects lead to. */
async function found(objects: Record<string, readonly ApiObject[]>, config = REFERENCE, services?: ServiceMap) {
  const clock = new ManualClock();
  const addresses = new WebhookAddresses({ lookup: lookupOf(objects), clock, random: seededRandom(1), services });
  return await addresses.of(config);
}

describe("addresses of webhooks", () => {
  test("CRD-24: a URL is taken as it is, with the authorities of the bundle", async () => {
    const caBundle = Buffer.from("PEM").toString("base64");
    expect(await found({}, { url: "https://x:8443/a", caBundle })).toEqual({ url: "https://x:8443/a", ca: "PEM" });
  });

  test("a Service leads to one of its ready endpoints, under the name of the Service", async () => {
    const slices = [
      slice("a", [{ addresses: ["10.0.0.1"], conditions: { ready: false } }]),
      slice("b", [{ addresses: ["10.0.0.2"], conditions: {} }]),
    ];
    expect(await found({ services: [service({})], "endpointslices.discovery.k8s.io": slices })).toEqual({
      url: "https://10.0.0.2:9443/check",
      serverName: "hook.team.svc",
    });
  });

  test("without slices, the Endpoints of the same name, and then the address of the Service", async () => {
    const endpoints = objectOf(
      { name: "hook", namespace: "team" },
      { kind: "Endpoints", subsets: [{ addresses: [{ ip: "fd00::1" }], ports: [{ name: "https", port: 9443 }] }] },
    );
    expect(await found({ services: [service({})], endpoints: [endpoints] })).toMatchObject({
      url: "https://[fd00::1]:9443/check",
    });
    expect(await found({ services: [service({ clusterIP: "10.96.0.7" })] })).toMatchObject({
      url: "https://10.96.0.7:443/check",
    });
    expect(
      await found({ services: [service({ type: "ExternalName", externalName: "hook.example.com" })] }),
    ).toMatchObject({
      url: "https://hook.example.com:443/check",
    });
  });

  test("the map of the program comes first: that of the port, then that of the Service", async () => {
    const map = new Map([
      ["team/hook", "127.0.0.1:1"],
      ["team/hook:8443", "127.0.0.1:2"],
    ]);
    expect(await found({}, REFERENCE, map)).toEqual({ url: "https://127.0.0.1:1/check", serverName: "hook.team.svc" });
    const other = { service: { namespace: "team", name: "hook", port: 8443 } };
    expect(await found({}, other, map)).toMatchObject({ url: "https://127.0.0.1:2/" });
  });

  test.each([
    ["no Service", {}, 'service "hook" not found'],
    [
      "another port",
      { services: [service({ ports: [{ port: 80 }] })] },
      'no service port 443 found for service "hook"',
    ],
    ["no endpoint", { services: [service({ clusterIP: "None" })] }, 'no endpoints available for service "hook"'],
    [
      "no ready endpoint",
      {
        services: [service({ clusterIP: "10.96.0.7" })],
        "endpointslices.discovery.k8s.io": [slice("a", [{ addresses: ["10.0.0.1"], conditions: { ready: false } }])],
      },
      'no endpoints available for service "hook"',
    ],
  ])("HOOK-24: %s is an error in the words of kube-apiserver", async (_, objects, words) => {
    await expect(found(objects)).rejects.toThrow(words);
  });

  test("messages show the name of the Service, not the address", () => {
    expect(shownUrl(REFERENCE, "?timeout=10s")).toBe("https://hook.team.svc:443/check?timeout=10s");
  });
});
