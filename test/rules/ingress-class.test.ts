import { expect, test } from "vitest";
import { fresh, serve } from "./api.ts";

const api = serve({ dialect: "kubernetes" });
const networking = "/apis/networking.k8s.io/v1";
const spec = { defaultBackend: { service: { name: "s", port: { number: 80 } } } };

test("KIND-Ingress-1: an Ingress without a class gets the newest that is marked, one with a class keeps it", async () => {
  const make = (metadata: object, more: object = {}) =>
    api.post(`${networking}/namespaces/default/ingresses`, {
      metadata: { name: fresh("i"), ...metadata },
      spec: { ...spec, ...more },
    });
  const classed = async (...of: Parameters<typeof make>) => (await make(...of)).at("spec.ingressClassName");
  const mark = (name: string, value: string) =>
    api.post(`${networking}/ingressclasses`, {
      metadata: { name, annotations: { "ingressclass.kubernetes.io/is-default-class": value } },
      spec: { controller: "example.com/c" },
    });
  await mark("plain", "false");
  expect(await classed({})).toBeUndefined();
  const before = await make({});
  await mark("old", "true");
  await api.pass(2000);
  await mark("new", "true");
  expect(await classed({})).toBe("new");
  expect(await classed({}, { ingressClassName: "old" })).toBe("old");
  expect(await classed({ annotations: { "kubernetes.io/ingress.class": "x" } })).toBeUndefined();
  const path = `${networking}/namespaces/default/ingresses/${String(before.at("metadata.name"))}`;
  const updated = await api.merge(path, { metadata: { labels: { l: "1" } } });
  expect(updated.at("spec.ingressClassName")).toBeUndefined();
});

test("KIND-All-9: every answer about Endpoints tells that they are deprecated", async () => {
  const path = "/api/v1/namespaces/default/endpoints";
  const subsets = [{ addresses: [{ ip: "10.9.9.9" }] }];
  const made = await api.put(`${path}/e`, { metadata: { name: "e" }, subsets });
  expect([made.status, made.warnings]).toEqual([201, [expect.stringContaining("EndpointSlice")]]);
  expect((await api.get(path)).warnings).toEqual([expect.stringContaining("EndpointSlice")]);
});
